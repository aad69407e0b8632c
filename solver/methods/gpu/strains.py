"""Strains at substep start on a device: reference of damping, plastic flow, targets of attachments."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.element_tuples import constants_of, places_of, put_strains, rest_of, strains_of, vertices_of
from ...device.per_energy import GIVEN, per_energy
from ...model.gpu.substep_motion import NOW, Motion, posed

strain_at_start = flow_at_start = GIVEN

ONE, ZERO = f32(1), f32(0)


class Attachments(NamedTuple):
    """motion: where they are. corners: vertices, as in `ElementBatch.index`. row: of the poses, -1 for filling,
    (packs * 16,). damping: tau [s] of each, likewise. strains: targets, are written."""

    motion: Motion
    corners: Array
    row: Array
    damping: Array
    strains: Array


@per_energy(body)
def set_strains(i, args):
    """Set an element's strains to those at x. args: `gpbd_sweeps.Elements`."""
    pack, lane = i // LANES, i % LANES
    corners = places_of(args.x, vertices_of(args.corners, pack, lane))
    put_strains(args.strains, pack, lane, strain_at_start(corners, rest_of(args.rest, pack, lane)))


@per_energy(body)
def flow(i, args):
    """Set the plastic numbers of an element to those of a substep that starts at x. args: `gpbd.Elements`."""
    pack, lane = i // LANES, i % LANES
    flowed = flow_at_start(
        places_of(args.x, vertices_of(args.corners, pack, lane)),
        rest_of(args.rest, pack, lane),
        constants_of(args.constants[args.material[pack]]),
        strains_of(args.strains, pack, lane),
    )
    put_strains(args.strains, pack, lane, flowed)


@body
def draw(i, args):
    """Set the target of an attachment: `stepping/pins.py`."""
    m = args.motion
    now, pack, lane = m.now[m.step], i // LANES, i % LANES
    row = args.row[i]
    damping = args.damping[i] * now[NOW.inverse_h]
    for k in range(3):
        target = ZERO
        if row >= 0:
            target = posed(m.poses, row, m.rows, now[NOW.end], k)
            if damping > ZERO:
                before = posed(m.poses, row, m.rows, now[NOW.start], k)
                target = (target + damping * (m.x0[args.corners[pack, lane], k] + (target - before))) / (ONE + damping)
        args.strains[pack, k * LANES + lane] = target
