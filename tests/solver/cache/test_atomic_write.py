"""Files that appear whole or not at all, on the file systems that there are."""

import errno
import os
import stat

import pytest

from solver.cache import atomic_write
from solver.cache.atomic_write import write_atomically
from solver.errors import CacheError


@pytest.mark.parametrize("refusals", [3, 1000])
def test_a_file_that_somebody_reads_on_windows_is_replaced_a_little_later(tmp_path, monkeypatch, refusals):
    """A virus scanner, or another Blender; where it never ends, the old file stays and a message says so."""
    path, replace, tries = tmp_path / "a.json", os.replace, []
    write_atomically(path, b"old")

    def refused(*paths):
        tries.append(paths)
        if len(tries) <= refusals:
            error = PermissionError(errno.EACCES, "used by another process")
            error.winerror = 32  # a sharing violation
            raise error
        replace(*paths)

    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr(atomic_write, "PAUSE", 0.0)
    if refusals < atomic_write.ATTEMPTS:
        write_atomically(path, b"new")
        assert path.read_bytes() == b"new" and len(tries) == refusals + 1
    else:
        with pytest.raises(CacheError, match="used by another process"):
            write_atomically(path, b"new")
        assert path.read_bytes() == b"old" and len(tries) == atomic_write.ATTEMPTS
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_may_not_be_written_is_refused_at_once(tmp_path, monkeypatch):
    tries = []

    def refused(*paths):
        tries.append(paths)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(CacheError, match="cannot be written"):
        write_atomically(tmp_path / "a.json", b"new")
    assert len(tries) == 1 and not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="folders are opened on POSIX systems only")
@pytest.mark.parametrize(("number", "is_written"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_a_file_system_that_syncs_no_folders_takes_checkpoints_all_the_same(tmp_path, monkeypatch, number, is_written):
    """Some network and shared folders raise this; a failing disk is still reported."""
    fsync = os.fsync

    def of_files_only(file):
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(number, os.strerror(number))
        fsync(file)

    monkeypatch.setattr(os, "fsync", of_files_only)
    path = tmp_path / "a.npz"
    if is_written:
        write_atomically(path, b"all", durable=True)
    else:
        with pytest.raises(CacheError, match="cannot be written"):
            write_atomically(path, b"all", durable=True)
    assert path.read_bytes() == b"all"
