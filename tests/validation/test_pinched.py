"""Cloth between two colliders that are nearer than its distances, and beside pins that are."""

import numpy as np
import pytest

from solver import Cloth, Collider, Material, Pins, Scene, Settings, Simulation
from tests.solver.contact.worlds import box, grid

#: [m] Kept from a pad: of the cloth and of the pad.
KEPT = 2e-3 + 1e-3
FABRIC = Material.fabric(0.15, 1000.0, 100.0, bending=1e-5, thickness=2e-3, friction=0.4)


def between_pads(room, held_at, quality, seconds=3.0):
    """A strip of 30 cm that hangs from pins through two pads of 6 cm, which close within a quarter of a second.

    room: between the pads [m]. held_at: of its row of pins above the upper rim [m]. Returns the fastest root mean square
    speed of what hangs below, in the last second [m/s], the largest stretch of all frames and the last report.
    """
    x, triangles = grid(7, 21, 1.0)
    x = np.stack([np.zeros(len(x)), 0.1 * x[:, 0], 0.3 * (x[:, 1] - 0.5) + 0.03 + held_at], 1)

    def pad(side):
        corners, faces = box((0.06, 0.14, 0.06))
        way = [side * (0.03 + 0.5 * room), 0, 0]
        return Collider(
            f"pad {side}", lambda time: corners + way + [side * 0.02 * max(0, 1 - time / 0.25), 0, 0], faces, thickness=1e-3,
            friction=0.4,
        )  # fmt: skip

    cloth = Cloth("strip", x, triangles, FABRIC, pins=Pins(np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-6)))
    # what hangs is not to swing on: 10 a second take its speed away
    settings = Settings.quality(quality, fps=24, threads=1, damping=10.0)
    speeds, stretch, before = [], 0.0, None
    for frame in Simulation(Scene([cloth], [pad(-1), pad(1)]), settings).frames(1, round(24 * seconds)):
        now = frame.positions["strip"].astype(float)
        low = now[:, 2] < -0.04
        if before is not None:
            speeds.append(24 * np.sqrt(((now - before)[low] ** 2).sum(1).mean()))
        stretch, before = max(stretch, frame.report.max_stretch), now
    return max(speeds[-24:]), stretch, frame.report


@pytest.mark.parametrize(
    ("room", "held_at", "quality"),
    [
        pytest.param(KEPT, 0.004, "draft", id="half"),
        pytest.param(0.53 * KEPT, 0.0, "draft", id="pins at the rim"),
        pytest.param(0.53 * KEPT, 0.0075, "draft", id="half a row from the rim", marks=pytest.mark.long),
        pytest.param(0.53 * KEPT, 0.004, "production", id="production", marks=pytest.mark.long),
    ],
)
def test_pinched_cloth_is_held_and_told(room, held_at, quality):
    """Limits of 1 mm/s and 5 % in a pinch: it is held, not flung. Where opposed contacts did not share the room, and one
    beside a pin moved its far corner by its violation over that corner's weight, it moved at 0.1 to 0.8 m/s, with edges of
    up to 4 times their length."""
    speed, stretch, report = between_pads(room, held_at, quality)
    assert speed < 1e-3 and stretch < 0.05
    assert report.clamped == 0
    told = {place.other for place in report.unresolved_locations} | {place.one for place in report.unresolved_locations}
    assert report.unresolved > 0 and told == {"strip", "pad -1", "pad 1"}


def test_cloth_with_room_between_pads_is_not_told():
    """None: at twice the distance it keeps all of it."""
    _, _, report = between_pads(2.02 * KEPT, 0.004, "draft", seconds=0.5)
    assert report.unresolved == 0
