"""Local minima of the distance: each corner of two faces that lie on each other makes a contact."""

from __future__ import annotations

import pytest

from solver import Rigid, Scene, Simulation
from tests.scenes.meshes import brick, turn
from tests.scenes.plain_settings import plain_settings

pytestmark = pytest.mark.slow  # compilation

#: Kept distance of both together [m]; size of the bricks [m]; lean of the upper one [rad].
KEPT, SIZE, LEAN = 5e-4, (0.2, 0.2, 0.1), 1e-4


@pytest.mark.parametrize("offset", [(45e-6, 16e-6), (0.0, 16e-6), (3e-3, 16e-6)])
@pytest.mark.parametrize("axis", [(1, 1, 0), (1, -1, 0)])
def test_a_brick_that_meets_an_equal_brick_keeps_all_four_corners_away(offset, axis):
    """Without gravity, so that each corner is met on its own: none comes nearer than 0.97 of the kept distance, as a substep
    leaves 0.4 % of it, and nothing is clamped. Edges that cross within 20 um of an end belong to the corner there."""
    x, t = brick(SIZE)
    leaning = x @ turn(LEAN, axis).T + [*offset, SIZE[2] + 1.1 * KEPT]
    leaning[:, 2] += SIZE[2] / 2 + 1.1 * KEPT - leaning[:, 2].min()
    bricks = [Rigid("lower", x, t, thickness=KEPT), Rigid("upper", leaning, t, thickness=KEPT, velocity=(0, 0, -0.02))]
    simulation = Simulation(Scene(bricks, gravity=(0, 0, 0)), plain_settings(threads=1))
    for _ in range(6):
        frame = simulation.advance_frame()
        upper, lower = frame.positions["upper"], frame.positions["lower"]
        gap = (upper - lower)[upper[:, 2] < upper[:, 2].mean(), 2] - SIZE[2]
        assert frame.report.clamped == 0
        assert gap.min() > 0.97 * KEPT
