"""Columns of tables by their names."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from solver.device.cpu import kernel
from solver.device.layout import layout
from tests.guards import sources

PAIR = layout(normal=3, gap=1, impulse=2)


@kernel
def put(pairs):
    for k in range(len(pairs)):
        pairs[k, PAIR.gap] = 7
        for i in range(PAIR.width - PAIR.impulse):
            pairs[k, PAIR.impulse + i] = i


def test_columns_follow_one_another():
    assert (PAIR.normal, PAIR.gap, PAIR.impulse, PAIR.width) == (0, 3, 4, 6)


def test_a_kernel_uses_a_layout():
    pairs = np.zeros((2, PAIR.width))
    put(pairs)
    assert pairs[1].tolist() == [0, 0, 0, 7, 0, 1]


def test_a_kernel_with_a_layout_comes_from_the_disk_the_next_time(tmp_path):
    code = (
        "import numpy as np\nfrom tests.solver.device.test_layout import put\n"
        "put(np.zeros((2, 6)))\nprint(len(put.stats.cache_hits))"
    )
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, cwd=sources.ROOT, env=env, capture_output=True, text=True) for _ in range(2)]
    assert [run.stdout.strip() for run in runs] == ["0", "1"], runs[0].stderr


def test_a_name_or_width_that_cannot_be_is_told():
    with pytest.raises(ValueError, match="'width'"):
        layout(width=2)
    with pytest.raises(ValueError, match="'gap' is 0 wide"):
        layout(gap=0)
