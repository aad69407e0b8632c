"""Copies of damaged frames in other caches of a body."""

import json

import numpy as np
import pytest

from solver.cache import pc2, repair
from solver.cache.pc2_writer import Pc2Writer

N = 5


def write(path, poses):
    writer = Pc2Writer(path, N, 10, {"topology": ""})
    for pose in poses:
        writer.append(pose)
    writer.close()
    return path


def damage(path, index):
    with open(path, "r+b") as file:
        file.seek(pc2.read_header(path).offset(index) + 6)
        file.write(b"\1")


@pytest.fixture
def caches(tmp_path):
    """The second begins with four frames of the first, and continues with others."""
    poses = np.random.default_rng(1).random((8, N, 3), np.float32)
    first = write(tmp_path / "a.v1.pc2", poses)
    return first, write(tmp_path / "a.v2.pc2", [*poses[:4], *(poses[4:] + 1)])


def test_a_frame_is_copied_from_the_cache_that_has_it_and_no_other_byte_changes(caches):
    first, second = caches
    whole = second.read_bytes()
    damage(second, 2)
    damage(second, 6)  # which the first one has otherwise
    found = repair.copies(second, [first])
    assert found == {2: first}
    repair.copy(second, found)
    assert pc2.damaged_frames(second) == [16] and not pc2.damaged_frames(first)
    damaged = bytearray(whole)
    damaged[pc2.read_header(second).offset(6) + 6] = 1
    assert second.read_bytes() == damaged


def test_a_damaged_copy_and_another_mesh_are_no_copies(caches, tmp_path):
    first, second = caches
    damage(second, 2)
    damage(first, 2)
    other = tmp_path / "b.pc2"
    writer = Pc2Writer(other, N + 1, 10, {"topology": ""})
    for _ in range(4):
        writer.append(np.zeros((N + 1, 3), np.float32))
    writer.close()
    assert repair.copies(second, [first, other, tmp_path / "none.pc2"]) == {}


def test_a_manifest_with_other_samples_is_named_and_mended(caches):
    """The frames agree with their hashes, so the cache is right."""
    first, _ = caches
    manifest = pc2.manifest_path(first)
    whole = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**whole, "samples": 2}))
    assert "the manifest has 2 samples a frame, the cache 1" in pc2.verify(first)[0]
    assert len(repair.mend(first)) == 1 and not pc2.verify(first)
    assert pc2.read_manifest(first)["samples"] == 1
