"""Parts of a colour touch no row in common, and their forces are those of all elements."""

import numpy as np
import pytest

from solver.device.row_kernels import row_kernel
from solver.device.threads import set_threads
from solver.global_step.parts import PARTS, Parts, begin_slot, colours_of

LANES = 16


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_a_colour_share_no_row_and_no_part_is_left_out(seed):
    random = np.random.default_rng(seed)
    first = np.sort(random.integers(0, 90, 40))
    ranges = [(int(a), int(b)) for a, b in zip(first, first + random.integers(1, 30, 40), strict=True)]
    colours = colours_of([np.arange(*both) for both in ranges], 120)
    assert sorted(k for own in colours for k in own) == list(range(40))
    for own in colours:
        rows = [row for k in own for row in range(*ranges[k])]
        assert len(rows) == len(set(rows))
    most = max(sum(a <= row < b for a, b in ranges) for row in range(120))
    assert len(colours) == most  # as few as there can be


@row_kernel
def evaluate(first, last, index, shares, seen, slots, forces):
    slot = begin_slot(first, slots, forces)
    for pack in range(first, last):
        seen[pack] += 1
        for lane in range(LANES):
            forces[slot, index[pack, lane], 0] += shares[pack, lane]


@row_kernel
def count(first, last, seen):
    for pack in range(first, last):
        seen[pack] += 1


def test_rows_that_no_element_acts_on_keep_their_force():
    """Rows as in a cloth with another material in its last rows."""
    index = np.array([[0] * LANES, [1] * LANES])
    parts = Parts(index, [2], 2)
    parts.evaluate(evaluate, 2, index, np.full((2, LANES), 1 / LANES), np.zeros(2))
    force = np.full((50, 3), 3.0)
    parts.subtract(force)
    assert (force[:2, 0] == 2.0).all() and (force[:2, 1:] == 3.0).all() and (force[2:] == 3.0).all()


def test_every_pack_is_in_one_part_and_forces_are_the_same_for_any_number_of_threads():
    """Equal bits: what adds to a row comes in one order. 1e-12 against a plain sum: rounding."""
    packs, n = 70 * PARTS, 20_000
    random = np.random.default_rng(5)
    index = np.sort((np.arange(packs)[:, None] * n // packs + random.integers(0, 300, (packs, LANES))).clip(0, n - 1), 1)
    shares = random.standard_normal(index.shape)
    found = []
    for threads in (1, 2):
        set_threads(threads)
        parts = Parts(index, [packs // 3, packs - packs // 3], n)
        seen, summed = np.zeros((2, packs))
        parts.each(count, packs * LANES, seen)
        parts.evaluate(evaluate, packs * LANES, index, shares, summed)
        assert (seen == 1).all() and (summed == 1).all()
        assert not ((parts.ranges[:, 0] < packs // 3) & (parts.ranges[:, 1] > packs // 3)).any()
        force = np.zeros((n, 3))
        parts.subtract(force)
        found.append(force)
    set_threads(None)
    assert (found[0] == found[1]).all()
    assert np.allclose(-found[0][:, 0], np.bincount(index.ravel(), shares.ravel(), n), atol=1e-12)
