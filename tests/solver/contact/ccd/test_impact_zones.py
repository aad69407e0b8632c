"""Impact zones: their members, and the displacement of each."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.ccd.impact_zones import ImpactZones
from solver.contact.surfaces.motion import SubstepMotion

N = 10


def motion(pinned=()) -> tuple[SubstepMotion, np.ndarray]:
    """Ten particles of bodies that want to move by their number along x, and two of a collider by 100; and masses."""
    x0 = np.zeros((N + 2, 4))
    x0[:N, 3] = 1.0
    x0[list(pinned), 3] = 0
    x1 = x0.copy()
    x1[:N, 0] += np.arange(N)
    x1[N:, 0] += 100.0
    return SubstepMotion(x0, x1), np.where(x0[:, 3] > 0, 1.0, 0.0)


def zones(on_planes=False) -> ImpactZones:
    return ImpactZones(N + 2, N, on_planes)


def test_pairs_that_share_a_particle_are_one_zone_and_colliders_join_none():
    c = zones()
    assert c.take(np.array([[0, 1, 2, N], [5, 6, 7, N]])) > 0
    assert c.take(np.array([[0, 1, 2, N]])) == 0
    assert c.zone[:8].tolist() == [0, 0, 0, -1, -1, 5, 5, 5]
    assert c.take(np.array([[7, 8, 2, 2]])) > 0
    assert set(c.zone[[0, 1, 2, 5, 6, 7, 8]].tolist()) == {0}
    assert c.zone[N:].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("corners", "pinned", "on_planes", "expected"),
    [([0, 1, 2, 3], (), False, 1.5), ([0, 1, 2, 3], (3,), False, 3.0), ([0, 1, 2, N], (2,), False, 100.0),
     ([0, 1, 2, 3], (), True, 0.0)],
)  # fmt: skip
def test_a_zone_moves_with_colliders_before_pins_before_its_mass(corners, pinned, on_planes, expected):
    """Exact numbers: means of few small ones."""
    c, (moved, mass) = zones(on_planes), motion(pinned)
    c.take(np.array([corners]))
    assert c.displacements(moved, mass)[:, 0].tolist() == [expected] * len(c.members)


def test_a_zone_that_fails_by_itself_stays_and_so_does_what_joins_it():
    c, (moved, mass) = zones(), motion()
    pair = np.array([[0, 1, 2, N]])
    c.take(pair)
    assert c.halt(pair) == 1
    assert c.halt(pair) == 0
    c.take(np.array([[2, 3, 4, 5]]))
    assert abs(c.displacements(moved, mass)).max() == 0


def test_what_pins_hold_is_known_by_its_zone():
    c, (moved, _) = zones(), motion(pinned=(3,))
    c.take(np.array([[0, 1, 2, 3], [5, 6, 7, 8]]))
    assert c.with_pins(moved.x0).tolist() == [0, 1, 2, 3]
