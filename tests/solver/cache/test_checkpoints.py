"""Kept checkpoints of a bake, and their owners."""

import numpy as np
import pytest

from solver.cache import checkpoint
from solver.cache.checkpoints import Checkpoints, too_many

ARRAYS = {"x": np.zeros(500)}


def kept(every, last, most):
    """Frames of the checkpoints that are left when each takes 1, and no more than `most` are to be there."""
    present = []
    for frames in range(every, last + 1, every):
        present.append(frames)
        gone = too_many(present, dict.fromkeys(present, 1), most)
        present = [at for at in present if at not in gone]
        assert len(present) <= most and present[-1] == frames
    return present


def test_checkpoints_stand_the_further_apart_the_older_they_are():
    """With a dozen for a thousand frames: two are no further apart than the later one is from the newest, so that going back
    to any frame costs no more than baking again after it."""
    present = np.array([0, *kept(10, 1000, 12)])
    gaps, ages = np.diff(present), 1000 - present
    assert (gaps[:-1] <= ages[1:-1]).all(), present
    assert gaps[-1] == 10 and gaps[0] >= 20 * gaps[-1]


def test_all_are_kept_as_long_as_there_is_room_and_one_however_large():
    assert kept(10, 200, 20) == list(range(10, 201, 10))
    assert kept(10, 200, 1) == [200]
    assert too_many([5], {5: 100}, 1) == []


def test_one_bake_does_not_see_those_of_another(tmp_path):
    one, other = Checkpoints(tmp_path, "Scene-1.v1"), Checkpoints(tmp_path, "Scene-1.v11")
    for frames in (10, 20, 30):
        one.write(frames, ARRAYS, {}, 1 << 30)
    other.write(15, ARRAYS, {}, 1 << 30)
    (tmp_path / "Scene-1.v1.f40.state.npz.part").write_bytes(b"")
    assert one.frames() == [10, 20, 30] and other.frames() == [15]
    one.write(20, ARRAYS, {"way": 2}, 1 << 30)
    assert one.frames() == [10, 20], "what came after it was of another way on"
    other.inherit(one, 15)
    assert other.frames() == [10, 15] and checkpoint.read(other.path(10))[1] == {}
    assert one.remove(after=10) == [one.path(20)] and one.frames() == [10]


def test_the_room_that_checkpoints_may_take_is_kept(tmp_path):
    size = Checkpoints(tmp_path, "a")
    size.write(1, ARRAYS, {}, 1)
    each = size.path(1).stat().st_size
    for frames in range(2, 12):
        size.write(frames, ARRAYS, {}, 4 * each + 10)
    assert len(size.frames()) == 4 and size.frames()[-1] == 11


@pytest.mark.parametrize("name", ["a.f1", "a.f1.state.npz.part", "a.fx.state.npz", "ab.f1.state.npz"])
def test_other_files_are_no_checkpoints(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert Checkpoints(tmp_path, "a").frames() == []
