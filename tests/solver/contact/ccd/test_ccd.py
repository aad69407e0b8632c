"""CCD clamp at substep end: nothing passes through anything, whatever the energies have done."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solver.contact.worlds import World, grid, sphere

ipctk = pytest.importorskip(
    "ipctk", reason="ipctk, which checks the solver's contact, is not installed", exc_type=ImportError
)

R = 0.006


def layers() -> tuple[np.ndarray, np.ndarray]:
    """Three sheets 4 mm apart, the middle one turned."""
    parts, faces, start = [], [], 0
    for k in range(3):
        x, t = grid(8 + k, 8 + k, 0.2)
        a = 0.3 * k
        turned = np.c_[np.cos(a) * x[:, 0] - np.sin(a) * x[:, 1], np.sin(a) * x[:, 0] + np.cos(a) * x[:, 1], x[:, 2]]
        parts.append(turned + [0.003 * k, 0, 0.004 * k])
        faces.append(t + start)
        start += len(x)
    return np.concatenate(parts), np.concatenate(faces)


def passes_through(mesh, before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether ipctk's continuous collision detection, in float64, finds a collision on the straight path."""
    candidates = ipctk.Candidates()
    candidates.build(mesh, before, after, 0.0, ipctk.HashGrid())
    return not candidates.is_step_collision_free(mesh, before, after)


@pytest.mark.each_value
@pytest.mark.parametrize("size", [0.002, 0.02, 0.2])
@pytest.mark.parametrize("smooth", [False, True])
def test_no_displacement_field_passes_through(size, smooth):
    """Random ends, from less than the gap to the whole scene's size; each step starts where the last one was clamped.

    Checked by ipctk on the positions in float32 that the solver continues from.
    """
    x, t = layers()
    v, u = sphere(6, 0.05, (0, 0, -0.06))
    world = World(x, t, [(v, u)], r=R, itself=True, thickness=0.004, gravity=(0, 0, 0))
    faces = np.r_[t, u + len(x)].astype(np.int32)
    start = np.r_[x, v]
    mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
    rng, contact, pose = np.random.default_rng(int(1e4 * size)), world.contact, world.pose.astype(np.float32)
    held = 0
    for _ in range(12):
        x0, x1 = world.x.copy(), world.x.copy()
        if smooth:
            wave = rng.normal(size=(3, 3)) * 30
            x1[:, :3] += size * np.sin(x0[:, :3] @ wave + rng.normal(size=3))
        else:
            x1[:, :3] += size * rng.normal(size=(len(x0), 3))
        contact.begin_substep(x0, x0.copy() if rng.random() < 0.5 else x1.copy(), pose, pose, world.h)
        end = x1.copy()
        held += contact.end_substep(end)
        assert contact.results.statistics().failures == 0
        assert not passes_through(mesh, np.r_[x0[:, :3].astype(float), pose], np.r_[end[:, :3].astype(float), pose])
        world.x = end
    assert held > 0 or size < 0.01
    assert abs(world.x[:, :3] - x).max() > 0.2 * min(size, 0.004)


def test_what_is_far_from_all_is_not_clamped():
    """Motion of 1 mm up and down beside a gap of 30 mm, of which 4 mm are kept: the ends come back bit for bit."""
    x, t = grid(8, 8, 0.2)
    y = np.r_[x, x + [0, 0, 0.03]]
    world = World(y, np.r_[t, t + len(x)], r=R, itself=True, thickness=0.004, gravity=(0, 0, 0))
    x0, end = world.x.copy(), world.x.copy()
    end[:, 2] += 0.001 * np.sin(40 * end[:, 0]).astype(np.float32)
    wanted, none = end.copy(), np.zeros((0, 3))
    world.contact.begin_substep(x0, x0.copy(), none, none, world.h)
    assert world.contact.end_substep(end) == 0
    assert end.tobytes() == wanted.tobytes()


def test_checking_only_pairs_whose_particles_end_elsewhere_finds_the_same_as_checking_all():
    """Random ends of 20 mm in gaps of 4 mm, clamped in many passes: the same bits as where each pass checks every pair."""
    x, t = layers()
    ends, passes = [], []
    for all_pairs in (False, True):
        world = World(x, t, r=R, itself=True, thickness=0.004, gravity=(0, 0, 0))
        ccd, rng, none, count = world.contact.ccd, np.random.default_rng(5), np.zeros((0, 3)), 0
        detect = ccd._detect

        def detected(motion, ccd=ccd, detect=detect, all_pairs=all_pairs):
            nonlocal count
            count += 1
            ccd._checked &= not all_pairs
            return detect(motion)

        ccd._detect = detected
        for _ in range(4):
            x0, x1 = world.x.copy(), world.x.copy()
            x1[:, :3] += 0.02 * rng.normal(size=(len(x0), 3))
            world.contact.begin_substep(x0, x0.copy(), none, none, world.h)
            world.contact.end_substep(x1)
            world.x = x1
        ends.append(world.x.tobytes())
        passes.append(count)
    assert ends[0] == ends[1]
    assert passes[0] == passes[1] > 12
