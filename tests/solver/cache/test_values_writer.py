"""Values beside a cache."""

import numpy as np
import pytest

from solver.cache import pc2
from solver.cache.values_writer import ValuesWriter, values_path
from solver.errors import CacheError


def frames(count, n=5):
    return np.random.default_rng(1).random((count, n, 3)).astype(np.float32)


def write(cache, wanted, **more):
    writer = ValuesWriter(cache, wanted.shape[1], 7, **more)
    for one in wanted:
        writer.append(one)
    writer.abandon()
    return values_path(cache)


def test_they_are_a_pc2_file_of_the_frames_of_the_cache(tmp_path):
    wanted = frames(3)
    path = write(tmp_path / "flag-12345678.v2.pc2", wanted)
    assert path.name == "flag-12345678.v2.values.pc2"
    assert pc2.read_frames(path).tobytes() == wanted.tobytes() and pc2.read_header(path).start == 7


def test_a_bake_that_goes_on_keeps_those_of_before_and_zeros_where_there_are_none(tmp_path):
    wanted, cache = frames(4), tmp_path / "a.v1.pc2"
    write(cache, wanted)
    more = frames(1)
    again = write(cache, more, keep=2, source=str(cache))
    assert pc2.read_frames(again).tobytes() == np.concatenate([wanted[:2], more]).tobytes()
    beyond = write(tmp_path / "a.v2.pc2", more, keep=5, source=str(cache))
    kept = np.concatenate([wanted[:2], more, np.zeros((2, 5, 3), np.float32), more])
    assert pc2.read_frames(beyond).tobytes() == kept.tobytes()
    of_another = write(tmp_path / "b.v2.pc2", frames(1, n=4), keep=2, source=str(cache))
    assert not pc2.read_frames(of_another)[:2].any()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(CacheError, match="cannot be written"):
        write(tmp_path / "nowhere" / "a.pc2", frames(1))
