"""The state that a bake is resumed from, as a file."""

import zipfile

import numpy as np
import pytest

from solver.cache import checkpoint
from solver.errors import CacheError


def test_a_checkpoint_comes_back_bit_for_bit(tmp_path):
    arrays = {"x": np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32), "frame": np.array(7)}
    checkpoint.write(tmp_path / "s.state.npz", arrays, {"settings": {"substeps": 8}})
    read, identity = checkpoint.read(tmp_path / "s.state.npz")
    assert read["x"].tobytes() == arrays["x"].tobytes() and int(read["frame"]) == 7
    assert identity == {"settings": {"substeps": 8}}
    assert [file.name for file in tmp_path.iterdir()] == ["s.state.npz"]


def refuse(path, content):
    path.write_bytes(content)
    with pytest.raises(CacheError, match=r"s\.state\.npz.*again"):
        checkpoint.read(path)


@pytest.fixture
def whole(tmp_path):
    """The bytes of a checkpoint, and where another may stand."""
    path = tmp_path / "s.state.npz"
    arrays = {"x": np.arange(12, dtype=np.float32).reshape(4, 3), "frame": np.array(7), "v": np.zeros((4, 3))}
    checkpoint.write(path, arrays, {"settings": {"substeps": 8}})
    return path.read_bytes(), path


@pytest.mark.parametrize("content", [b"", b"PK\3\4 and no more", b"\x93NUMPY", b"x" * 40, b"x" * 4000])
def test_what_is_no_checkpoint_is_refused_by_name(tmp_path, content):
    refuse(tmp_path / "s.state.npz", content)
    with pytest.raises(CacheError, match="nothing to resume"):
        checkpoint.read(tmp_path / "none.state.npz")
    with pytest.raises(CacheError, match=r"cannot be read.*Bake"):
        checkpoint.read(tmp_path)


def test_a_checkpoint_with_any_byte_changed_or_its_end_missing_is_refused(whole):
    """Bytes of the archive's own tables, of the arrays and of their headers: NumPy and its archive have a dozen errors of
    their own for these, and some damage they do not see."""
    content, path = whole
    rng = np.random.default_rng(4)
    for place in rng.integers(0, len(content), 300):
        bad = bytearray(content)
        bad[place] ^= 1 << int(rng.integers(8))
        refuse(path, bytes(bad))
    for length in rng.integers(0, len(content), 60):
        refuse(path, content[:length])
        refuse(path, content[length + 1 :] + content[:length])
    path.write_bytes(content)
    assert checkpoint.read(path)[1] == {"settings": {"substeps": 8}}


def test_archives_of_other_programs_are_refused(tmp_path):
    path = tmp_path / "s.state.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no arrays")
    refuse(path, path.read_bytes())
    np.savez(path, x=np.zeros(3))
    refuse(path, path.read_bytes())
    np.savez(path, identity=np.array([{"an": "object"}], dtype=object))
    refuse(path, path.read_bytes())
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))
    refuse(path, path.read_bytes())


def test_a_checkpoint_is_still_an_archive_that_numpy_reads(whole):
    with np.load(whole[1]) as file:
        assert file["frame"] == 7
