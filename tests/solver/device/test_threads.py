"""Kernels on several threads."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.device import loops_cpu, threads
from solver.device.atomics import claim
from solver.device.cpu import LANES
from solver.device.per_energy import visit_of_pack
from solver.device.row_kernels import row_kernel
from solver.device.uncounted import uncounted_kernel
from solver.energies import spring
from solver.global_step.membrane import add_pairs
from solver.global_step.parts import subtract_forces


class Given(NamedTuple):
    rest: Any
    x: Any


@visit_of_pack(lambda energy: (1,))
def increase(pack, args, work):
    for lane in range(LANES):
        args.x[pack, lane] += 1


@visit_of_pack(lambda energy: (1,))
def take_over(pack, args, work):
    """From a pack that the colour before has moved."""
    for lane in range(LANES):
        args.x[pack, lane] = args.x[pack - 100, lane] + 1 if pack >= 100 else 0.0


@pytest.fixture
def count():
    """Sets the number of threads, and afterwards as before."""
    before = threads.thread_count()
    yield threads.set_threads
    threads.set_threads(before)


def test_every_pack_is_visited_once_whatever_the_number_of_threads(count):
    """Packs that do not know of one another, so that a count is all that can differ."""
    for number in (1, 2, 5):
        count(number)
        x = np.zeros((1000, LANES))
        args = Given(x, x)
        for _ in range(300):
            loops_cpu.sweep_clusters(increase, spring, np.array([0, 13, 50, 100]), np.arange(0, 1001, 10), args)
            loops_cpu.sweep_packs(increase, spring, np.array([0, 7, 500, 1000]), args)
        assert (x == 600).all()


def test_a_colour_begins_when_the_one_before_is_done(count):
    count(2)
    for _ in range(300):
        x = np.full((1000, LANES), -1.0)
        loops_cpu.sweep_packs(take_over, spring, np.arange(0, 1001, 100), Given(x, x))
        assert (x == np.arange(10).repeat(100)[:, None]).all()


def test_two_threads_may_sweep_at_the_same_time(count):
    """As two simulations in one process do; helpers then come to one of them, or to none."""
    found = {}

    def many(name):
        threads.set_threads(2)
        x = np.zeros((1000, LANES))
        for _ in range(300):
            loops_cpu.sweep_packs(increase, spring, np.array([0, 7, 500, 1000]), Given(x, x))
        found[name] = x

    both = [threading.Thread(target=many, args=(name,)) for name in "ab"]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert (found["a"] == 300).all() and (found["b"] == 300).all()


@row_kernel
def double(first, last, x):
    for k in range(first, last):
        x[k] *= 2


@row_kernel
def sum_before(first, last, x, sums):
    for k in range(first, last):
        sums[k] = x[:first].sum()
        x[k] = 1


def test_rows_are_all_done_once_on_any_number_of_threads(count):
    for number in (1, 2, 3):
        count(number)
        x = np.arange(20_000.0)
        threads.run(double, len(x), x)
        assert (x == 2 * np.arange(20_000)).all()


def test_ranges_of_a_stage_find_done_what_the_stages_before_it_do(count):
    count(2)
    ranges = np.stack([np.arange(100), np.arange(1, 101)], 1)
    begins = np.arange(101)  # a stage each
    for _ in range(20):
        x, sums = np.zeros((2, 100))
        threads.run_ranges(sum_before, threads.FEW, begins, ranges, x, sums)
        assert (sums == np.arange(100)).all()


@uncounted_kernel
def claim_all(threads, pieces, counts, claimed):
    for k in range(len(threads)):
        claimed[k] = claim(counts, threads[k], pieces)


@pytest.mark.parametrize("pieces", [0, 1, 2, 7])
def test_threads_claim_each_piece_once_from_both_ends(pieces):
    threads_in_turn = np.random.default_rng(0).integers(0, 3, pieces + 5)
    claimed = np.empty(len(threads_in_turn), np.int64)
    claim_all(threads_in_turn, pieces, threads.stages(1)[0], claimed)
    assert sorted(claimed[:pieces]) == list(range(pieces))
    assert (claimed[pieces:] == -1).all()
    even = claimed[:pieces][threads_in_turn[:pieces] % 2 == 0]
    assert (even == np.arange(len(even))).all()


def test_row_kernels_of_one_name_are_kept_apart():
    """The loop around them is one function: its cached file must name its kernel."""
    names = {made.py_func.__qualname__ for made in (double, sum_before, add_pairs, subtract_forces)}
    assert names == {"test_threads.double", "test_threads.sum_before", "membrane.add_pairs", "parts.subtract_forces"}
    assert double.py_func.modules == {__name__}


def test_each_task_is_done_once_on_any_number_of_threads(count):
    for number in (1, 2, 3):
        count(number)
        done = [0] * 20
        threads.each(len(done), threads.FEW, lambda k, done=done: done.__setitem__(k, done[k] + 1))
        assert done == [1] * 20


def test_a_helper_that_heard_of_nothing_takes_part_in_a_job_that_has_come(monkeypatch):
    """Its kernel returns only when the GIL is free, thus often while the next job runs."""
    taken = []

    def job(name, following):
        def kernel(thread, count, known, begun, own):
            taken.append(name)
            threads._job = following
            return known

        return kernel, [None, None], ()

    monkeypatch.setattr(threads, "_job", job("first", job("second", None)))
    threads._help(1)
    assert taken == ["first", "second"]
