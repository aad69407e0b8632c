"""The clamp: what lets particles of failed pairs go less far, level by level."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.broad_phase.candidates import CANDIDATE, CandidatePairs
from solver.contact.ccd.clamp import bounds, clamp_ends, common_motion, escalate
from solver.contact.ccd.law import CCD_LEVELS
from solver.contact.surfaces.motion import SubstepMotion
from solver.steering import HALF_GAP_SHARE

GAP, THICK = 0.1, 0.01


def pair():
    """A point over a triangle that no force moves, and a particle far from both."""
    x0 = np.zeros((5, 4))
    x0[:, :3] = [[0, 0, GAP], [-1, -1, 0], [1, -1, 0], [0, 1, 0], [9, 9, 9]]
    x0[[0, 4], 3] = 1
    x1 = x0.copy()
    x1[0, 2] -= 1.0
    x1[1:4, 0] += 0.25
    values = np.zeros((1, CANDIDATE.width))
    values[0, CANDIDATE.thickness] = THICK
    pairs = CandidatePairs(1, np.array([[0, 1, 2, 3]], np.int32), np.zeros((1, 2), np.int32), values)
    return pairs, SubstepMotion(x0, x1)


def test_a_particle_may_use_half_of_its_gap_beside_the_motion_of_what_nothing_moves():
    pairs, motion = pair()
    room, nearest, lead = np.zeros(5), np.zeros(5), np.zeros((5, 3))
    bounds(pairs, np.array([GAP]), motion, room, lead, nearest)
    assert room[0] == pytest.approx(0.5 * (GAP - 0.03 * THICK))
    assert lead[0] == pytest.approx([0.25, 0, 0])
    assert room[4] > 1e29


def test_what_is_heavy_is_not_given_the_speed_of_what_is_light():
    """A point of 1000 kg at rest over a triangle of 1 g corners that fly at 1 m a substep: held to the motion of all their
    mass, to 1e-5, three of a million."""
    pairs, motion = pair()
    motion.x0[0, 3], motion.x0[1:4, 3] = 1e-3, 1e3
    motion.x1[:4, :3] = motion.x0[:4, :3]
    motion.x1[1:4, 2] += 1.0
    room, nearest, lead = np.zeros(5), np.zeros(5), np.zeros((5, 3))
    bounds(pairs, np.array([GAP]), motion, room, lead, nearest)
    assert np.abs(lead[:4]).max() < 1e-5
    active = np.array([True, True, True, True, False])
    assert np.abs(common_motion(motion, pairs.corners, still=False, active=active)).max() < 1e-5


def test_levels_rise_only_for_movable_particles_of_failed_pairs_and_end():
    pairs, motion = pair()
    level, hit, share = np.zeros(5, np.int8), np.zeros(5, bool), np.zeros(5)
    for expected in (1, 1, 1, 1, 0):
        assert escalate(pairs.corners, np.array([0.3]), motion.x0, level, hit, share) == expected
    assert level.tolist() == [CCD_LEVELS, 0, 0, 0, 0]
    assert share[0] == pytest.approx(0.3)
    assert escalate(pairs.corners, np.array([2.0]), motion.x0, level, hit, share) == 0


@pytest.mark.parametrize("level", range(1, CCD_LEVELS + 1))
def test_each_level_lets_a_particle_go_less_far_from_what_it_is_held_to(level):
    """1 the safe share of its motion beside its lead; 2 the share of half its gap beside its lead; 3 a quarter; 4
    half of half the gap beside the common motion."""
    _, motion = pair()
    levels, x = np.zeros(5, np.int8), motion.x1.copy()
    levels[0] = level
    room, lead, common = np.full(5, 0.05), np.full((5, 3), 0.01), np.array([0.0, 0.02, 0.0])
    clamp_ends(motion, levels, np.full(5, 0.3), room, lead, common, x)
    moved, base = (x - motion.x0)[0, :3], common if level == CCD_LEVELS else lead[0]
    if level == 1:
        assert moved == pytest.approx([0.007, 0.007, 0.01 + 0.3 * -1.01])
    else:
        most = 0.05 * (0.5 if level == CCD_LEVELS else HALF_GAP_SHARE * (1 if level == 2 else 0.25))
        assert np.linalg.norm(moved - base) == pytest.approx(most)
    assert (x[1:] == motion.x1[1:]).all()


def test_the_common_motion_is_that_of_what_drives_the_failed_pairs():
    pairs, motion = pair()
    assert common_motion(motion, pairs.corners, True, np.ones(1, bool)) == pytest.approx([0.25, 0, 0])
    assert common_motion(motion, pairs.corners[:0], True, np.ones(1, bool)) == pytest.approx([0, 0, 0])
    assert common_motion(motion, pairs.corners[:0], False, np.ones(1, bool)) == pytest.approx([0, 0, -1])
