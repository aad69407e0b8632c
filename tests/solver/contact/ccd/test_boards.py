"""Stiff sheets in the CCD clamp and in impact zones: a bound on one vertex holds for all vertices of the sheet."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.ccd.boards import clamp_boards
from solver.contact.ccd.impact_zones import ImpactZones
from solver.contact.ccd.law import CCD_LEVELS
from solver.contact.surfaces.motion import SubstepMotion
from tests.solver.contact.worlds import World, grid, sphere

BOARDS = np.array([[1, 5], [5, 8]])
FALL = np.array([0.0, 0.0, -1.0])


def falling() -> tuple[SubstepMotion, np.ndarray]:
    """A particle, a stiff sheet of four vertices and one of three, and another particle, each predicted to fall by 1 m;
    and their levels."""
    x0 = np.zeros((9, 4))
    x0[:, 0], x0[:, 3] = np.arange(9), 1
    x1 = x0.copy()
    x1[:, :3] += FALL
    return SubstepMotion(x0, x1), np.zeros(9, np.int8)


def moved_by(motion: SubstepMotion, level: np.ndarray, share: float = 0.3) -> np.ndarray:
    """Motions of all particles, (9, 3) [m], where each may go 0.05 m beside a lead that moves by 0.01 along x."""
    x, lead = motion.x1.copy(), np.tile([0.01, 0.0, 0.0], (9, 1))
    clamp_boards(BOARDS, motion, level, np.full(9, share), np.full(9, 0.05), lead, np.array([0.0, 0.02, 0.0]), x)
    return (x - motion.x0)[:, :3]


@pytest.mark.parametrize("level", range(1, CCD_LEVELS + 1))
def test_a_board_goes_as_far_as_the_vertex_that_is_held_most(level):
    """Exact but for rounding: vertices with equal displacements keep equal displacements. The other stiff sheet moves
    the full distance."""
    motion, levels = falling()
    levels[2], levels[3] = level, 1
    moved = moved_by(motion, levels)
    assert moved[1:5] == pytest.approx(np.tile(moved[2], (4, 1)))
    assert np.linalg.norm(moved[2] - FALL) > 0.5
    assert (moved[[0, 5, 6, 7, 8]] == FALL).all()
    assert levels.tolist() == [0, 0, level, level, 0, 0, 0, 0, 0]


def test_what_is_pinned_and_what_no_vertex_holds_stay_as_they_are():
    motion, levels = falling()
    motion.x0[4, 3] = 0
    levels[2] = 1
    moved = moved_by(motion, levels)
    assert (moved[4] == FALL).all()
    assert (moved[1] != FALL).any()
    assert (moved_by(motion, np.zeros(9, np.int8)) == FALL).all()


def test_a_zone_that_has_a_vertex_of_a_board_gets_all_of_it():
    zones = ImpactZones(9, 9, False)
    zones.take(np.array([[0, 1, 1, 1]]))
    assert zones.link(zones.of_boards(BOARDS)) > 0
    assert (zones.zone[:5] == zones.zone[0]).all()
    assert (zones.zone[5:] == -1).all()
    assert zones.link(zones.of_boards(BOARDS)) == 0


@pytest.mark.parametrize("as_board", [True, False])
def test_a_board_that_hits_a_ball_within_a_substep_keeps_its_shape(as_board):
    """A sheet that would fall by .2 m through a ball. As a stiff sheet it moves without change of shape: distances keep
    to 1e-6 m, float32 of half a metre. Otherwise it stretches over the ball by centimetres."""
    x, t = grid(8, 8, 0.2)
    x += [0, 0, 0.06]
    v, u = sphere(6, 0.05)
    world = World(x, t, [(v, u)], r=0.006, itself=True, thickness=0.004, gravity=(0, 0, 0))
    x0, x1, pose = world.x.copy(), world.x.copy(), world.pose.astype(np.float32)
    x1[:, 2] -= 0.2
    world.contact.begin_substep(x0, x1.copy(), pose, pose, world.h)
    boards = np.array([[0, len(x)]] if as_board else np.zeros((0, 2)), np.int64)
    assert world.contact.end_substep(x1, boards) > 0
    drawn = np.ptp((x1 - x0)[: len(x), :3], axis=0).max()
    assert drawn < 1e-6 if as_board else drawn > 0.01
