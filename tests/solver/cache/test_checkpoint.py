"""The state that a bake is resumed from, as a file."""

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


@pytest.mark.parametrize("content", [b"", b"PK\3\4 and no more", b"\x93NUMPY"])
def test_a_damaged_checkpoint_is_refused_by_name(tmp_path, content):
    (tmp_path / "s.state.npz").write_bytes(content)
    with pytest.raises(CacheError, match=r"s\.state\.npz.*again"):
        checkpoint.read(tmp_path / "s.state.npz")
    with pytest.raises(CacheError, match="nothing to resume"):
        checkpoint.read(tmp_path / "none.state.npz")


def test_changes_name_what_differs():
    then = {"settings": {"substeps": 8, "fps": 24}, "bodies": {"flag": {"topology": "a" * 40}}}
    now = {"settings": {"substeps": 9, "fps": 24}, "bodies": {"flag": {"topology": "b" * 40}, "jelly": {}}}
    assert checkpoint.changes(then, then) == []
    assert checkpoint.changes(then, now) == [
        "bodies.flag.topology: aaaaaaaa... -> bbbbbbbb...",
        "bodies.jelly: not there -> there",
        "settings.substeps: 8 -> 9",
    ]
