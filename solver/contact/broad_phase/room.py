"""Room around particles, by the pairs of a list: skins may be as thick."""

from __future__ import annotations

from ...device.cpu import f32
from ...device.uncounted import uncounted_kernel
from ...steering import ACTIVATION, HALF_GAP_SHARE
from .candidates import CANDIDATE

#: Share of the gap between two elements that each one's skin may take, as of the clamp.
SHARE = f32(0.5 * HALF_GAP_SHARE)
#: Growth factor of a skin where a list has no pairs: they reach as far as skins do.
GROWTH = f32(2)


@uncounted_kernel
def find_room(pairs, age, skin, room):
    """Skins that there is room for beside the elements of all candidate pairs [m].

    age: of the list, in substeps. skin: of now [m], (count,). Written: room (count,) [m].
    """
    corners, values = pairs.corners, pairs.values
    for i in range(len(room)):
        room[i] = GROWTH * skin[i]
    for p in range(len(corners)):
        gap = values[p, CANDIDATE.bound] - age * values[p, CANDIDATE.rate] - ACTIVATION * values[p, CANDIDATE.thickness]
        for c in range(4):
            i = corners[p, c]
            room[i] = min(room[i], SHARE * gap)
