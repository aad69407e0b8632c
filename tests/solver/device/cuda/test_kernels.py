"""Kernels for GPUs are kept on disk."""

from typing import Any, NamedTuple

import numpy as np

from solver.device.cuda import kernels
from solver.device.cuda.body import body


class Given(NamedTuple):
    x: Any


@body
def add_one(i, args):
    args.x[i] += 1


def test_what_was_compiled_is_kept_and_half_of_it_is_not_taken(monkeypatch, tmp_path):
    x = Given(np.zeros(5, np.float32))
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kernels.compiled, "ptx", lambda body, args, capability: "text")
    monkeypatch.setattr(kernels.compiled, "assembled", lambda text, capability, body: (b"code", "log"))
    assert kernels.cubin(add_one, x, (9, 0)) == b"code"
    (path,) = tmp_path.rglob("*.cubin")
    monkeypatch.setattr(kernels.compiled, "assembled", lambda text, capability, body: (b"other", "log"))
    assert kernels.cubin(add_one, x, (9, 0)) == b"code"
    assert kernels.cubin(add_one, x, (7, 5)) == b"other", "of another device"
    assert kernels.cubin(add_one, Given(np.zeros((5, 1), np.float32)), (9, 0)) == b"other", "of other types"
    path.write_bytes(path.read_bytes()[:-1])
    assert kernels.cubin(add_one, x, (9, 0)) == b"other" and len(list(tmp_path.rglob("*.*"))) == 3
