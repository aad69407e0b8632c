"""Bodies that one block does in turn."""

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.device.cuda import turns
from solver.device.cuda.body import body
from solver.device.cuda.compile_ahead import body_of
from solver.device.cuda.device import Recorder, SerialDevice
from solver.device.cuda.primitives import Rows, Runs, add_rows, add_run, largest_of_run
from solver.device.cuda.turns import HANDED, SMALL, Step, Turns, grouped
from tests.solver.device.cuda.host_gpu import host_gpu


class Shifted(NamedTuple):
    """source, target: (n,)."""

    source: Any
    target: Any


@body
def turn_round(i, args):
    """The other way round, one more: each thread reads what another one has written in the turn before."""
    args.target[i] = args.source[args.source.shape[0] - 1 - i] + 1


def steps(device, n, count):
    """Steps that turn n numbers round, and the array that the last one writes."""
    arrays = [device.upload(np.arange(n, dtype=np.float32)), *(device.zeros(n, np.float32) for _ in range(count))]
    return [Step(turn_round, n, Shifted(*pair)) for pair in itertools.pairwise(arrays)], arrays[-1]


@pytest.mark.parametrize("n", [3, 700, SMALL + 1])
@pytest.mark.parametrize("is_gpu", [False, True])
def test_bodies_in_turn_do_what_they_do_by_themselves(n, is_gpu, monkeypatch):
    """Small ones are one launch, large ones are not."""
    device = host_gpu(monkeypatch) if is_gpu else SerialDevice()
    made, last = steps(device, n, 4)
    device.launch_all(made)
    assert np.array_equal(device.download(last), np.arange(n) + 4)
    assert device.counters.launches == (1 if n <= SMALL else 4)
    if is_gpu and n <= SMALL:
        assert device.stream.done[-1][1] == (1, turns.BLOCK)


def test_a_large_one_and_what_a_kernel_can_be_handed_part_them():
    few, large = Shifted(np.zeros(2), np.zeros(2)), Shifted(np.zeros(9999), np.zeros(9999))
    asked = (2, few), (1, few), (9999, large), (2, few), (0, few)
    found = list(grouped(Step(turn_round, n, args) for n, args in asked))
    assert [len(step.body.bodies) for step in found] == [2, 1, 1]
    many = list(grouped([Step(turn_round, 2, few)] * 100))
    assert all(turns.handed([step]) <= HANDED for step in many)
    assert sum(len(step.body.bodies) for step in many) == 100 and len(many) < 10


def test_other_processes_find_it_and_it_is_the_same_for_the_same_bodies():
    rows = Rows(np.zeros((2, 1)), *(np.zeros(2, np.int32) for _ in range(2)), np.zeros((2, 1)))
    runs = Runs(np.zeros(2), np.zeros(1), np.zeros(1), np.int32(2))
    one, other = (
        next(grouped([Step(add_rows, 2, rows), Step(add_run, 1, runs), Step(last, 1, runs)])).body
        for last in (add_run, largest_of_run)
    )
    assert isinstance(one, Turns) and body_of(one.listed) is one and body_of(other.listed) is other
    assert one.name != other.name


def test_what_is_read_is_counted_of_all():
    device = Recorder()
    made, _ = steps(device, 16, 2)
    device.launch_all(made)
    both = device.read
    for step in made:
        device.launch(*step)
    assert device.read == 2 * both > 0
