"""Caches come to another folder as a whole or not at all."""

import errno
import os

import numpy as np
import pytest

from solver.cache import checkpoint, pc2, relocation
from solver.cache.pc2_writer import Pc2Writer
from solver.errors import CacheError


def written(folder, version=2):
    """A cache of a version with its manifest and a checkpoint, as pieces for another folder."""
    head = {"topology": "", "version": version, "checkpoints": f"Scene-1.v{version}"}
    path = folder / f"Flag-12345678.v{version}.pc2"
    writer = Pc2Writer(path, 4, 1, {**head, "changes": [{"frame": 3, "from_version": 1, "changed": []}]})
    for k in range(3):
        writer.append(np.full((4, 3), float(k)))
    writer.close()
    state = folder / f"Scene-1.v{version}.f3.state.npz"
    checkpoint.write(state, {"x": np.arange(3.0)}, {"manifests": {"Flag": pc2.read_manifest(path)}})
    return [state, pc2.manifest_path(path), path]


def pieces(files, into, shift=0):
    return [(path, into / relocation.numbered(path.name, shift)) for path in files]


@pytest.mark.parametrize("link", [False, True], ids=["copied", "linked"])
def test_all_of_it_is_there_with_the_same_bytes(tmp_path, link):
    files = written(tmp_path)
    told = []
    relocation.bring(pieces(files, tmp_path / "there"), link=link, tell=told.append)
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == sorted(path.name for path in files)
    assert all((tmp_path / "there" / path.name).read_bytes() == path.read_bytes() for path in files)
    assert link or (told == sorted(told) and told[-1] == 1.0)
    relocation.bring(pieces(files, tmp_path / "there"), link=link)  # again, over existing files
    assert len(list((tmp_path / "there").iterdir())) == 3


def test_numbers_of_versions_are_higher_in_names_manifests_and_checkpoints(tmp_path):
    relocation.bring(pieces(written(tmp_path), tmp_path / "there", 5), shift=5)
    path = tmp_path / "there" / "Flag-12345678.v7.pc2"
    manifest = pc2.read_manifest(path)
    assert (manifest["version"], manifest["checkpoints"], manifest["changes"][0]["from_version"]) == (7, "Scene-1.v7", 6)
    arrays, identity = checkpoint.read(tmp_path / "there" / "Scene-1.v7.f3.state.npz")
    assert identity["manifests"]["Flag"]["version"] == 7 and arrays["x"].tolist() == [0, 1, 2]
    assert pc2.verify(path) == []


@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_fails_in_the_middle_leaves_nothing_there_and_all_here(tmp_path, monkeypatch, at):
    """The disk is full at the first, the second or the last file; in one more run it cannot be named."""
    files = written(tmp_path)
    before = [path.read_bytes() for path in files]
    copy, place = relocation._copy, relocation.put_in_place
    count = iter(range(9))

    def full(function):
        def called(*arguments, **options):
            if next(count) == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*arguments, **options)

        return called

    for name, function in (("_copy", copy), ("put_in_place", place)):
        count = iter(range(9))
        with monkeypatch.context() as patch:
            patch.setattr(relocation, name, full(function))
            with pytest.raises(CacheError, match=r"No space left on device.*Free 1 MB there .*Collect Caches"):
                relocation.bring(pieces(files, tmp_path / "there"))
        assert not list((tmp_path / "there").iterdir()) and [path.read_bytes() for path in files] == before


def test_a_damaged_manifest_and_checkpoint_come_along_as_they_are(tmp_path):
    files = written(tmp_path)
    for path in files[:2]:
        path.write_bytes(b"{damaged")
    relocation.bring(pieces(files, tmp_path / "there", 1), shift=1)
    assert (tmp_path / "there" / "Flag-12345678.v3.json").read_bytes() == b"{damaged"
    assert (tmp_path / "there" / "Scene-1.v3.f3.state.npz").read_bytes() == b"{damaged"
