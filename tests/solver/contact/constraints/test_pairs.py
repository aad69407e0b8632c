"""Contacts of pairs, one by one: pushes, friction, and initial values."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.constraints import pairs
from solver.contact.constraints.tables import PAIR
from tests.solver.contact.constraints.pair_tables import ALONE, rows_of, table_of
from tests.solver.contact.worlds import World, grid

WEIGHTS = [1.0, -0.25, -0.25, -0.5]  # a vertex over a point of a triangle
H2_OVER_M = np.array([0.1, 0.2, 0.3, 0.4])


def contact(gap: float, friction: float = 0.5):
    """A vertex over a triangle, with the normal along z, and where its corners are."""
    rows, x0 = np.zeros((1, PAIR.width)), np.zeros((4, 4))
    x0[:, 3] = H2_OVER_M
    rows[0, PAIR.normal + 2], rows[0, PAIR.gap], rows[0, PAIR.friction] = 1.0, gap, friction
    rows[0, PAIR.weight : PAIR.weight + 4] = WEIGHTS
    rows[0, PAIR.effective_mass] = 1 / (np.square(WEIGHTS) @ H2_OVER_M)
    return table_of(np.arange(4), rows, [0]), x0


def apart(x):
    """Return the distance of the vertex from its point of the triangle."""
    return np.array(WEIGHTS) @ x[:, :3]


def test_contacts_push_and_do_not_pull():
    """1e-12: rounding of float64. Pushed to its distance; drawn away, the contact takes its push back and no more."""
    table, x0 = contact(-0.003)
    x = x0.copy()
    pairs.sweep(table, ALONE, x0, x)
    assert apart(x)[2] == pytest.approx(0.003, abs=1e-12)
    x[0, 2] += 0.01
    pairs.sweep(table, ALONE, x0, x)
    assert apart(x)[2] == pytest.approx(0.01, abs=1e-12)
    assert rows_of(table)[0, PAIR.multiplier] == 0


@pytest.mark.parametrize(("slip", "left"), [(0.001, 0.0), (0.004, 0.0025)])
def test_friction_is_coulombs(slip, left):
    """1e-12: rounding of float64. A push of 3 mm and mu = 0.5 hold 1.5 mm of slip; the rest slides. No momentum is made."""
    table, x0 = contact(-0.003)
    x = x0.copy()
    x[0, 0] += slip
    begun = (x - x0)[:, :3].T @ (1 / H2_OVER_M)
    pairs.sweep(table, ALONE, x0, x)
    ended = (x - x0)[:, :3].T @ (1 / H2_OVER_M)
    assert apart(x) == pytest.approx([left, 0, 0.003], abs=1e-12)
    assert ended == pytest.approx(begun, abs=1e-12)


def test_the_friction_of_a_pair_is_the_geometric_mean():
    """1e-6: float32."""
    x, triangles = grid(3, 3, 0.1, 0.004)
    v, t = grid(4, 4, 1.0)
    world = World(x, triangles, [(v, t, 0.1, 0.0)], mu=0.9, r=0.005)
    world.step()
    rows = rows_of(world.contact.constraints.pairs.table)
    assert len(rows) and rows[:, PAIR.friction] == pytest.approx(0.3, rel=1e-6)


def test_a_contact_beside_a_pin_moves_no_corner_farther_than_it_misses():
    """No tolerance: a hundredth of the edge's length from its pinned end, a point that misses a fifth of a millimetre
    would take the free end 20 mm far, if the effective mass did not count pinned corners as if they moved."""
    x = np.array([[0, 0, 0.001], [0.01, 0, 0.001], [0, 0.01, 0.001]])
    v, t = np.array([[0.0001, -1, 0], [0.0001, 1, 0], [0.0001, 0, -1]]), [[0, 1, 2]]
    world = World(x, [[0, 1, 2]], [(v, t)], r=0.002, pinned=(0, 2), gravity=(0, 0, 0), iterations=1)
    end = world.step()
    weights = rows_of(world.contact.constraints.pairs.table)[:, PAIR.weight : PAIR.weight + 4]
    assert ((weights > 0) & (weights < 0.02)).any()
    assert np.abs(end[1] - x[1]).max() < 2e-4
