"""One code object, compiled for each energy under its own name."""

import types

import numpy as np
import pytest

from solver.device.cpu import kernel
from solver.device.loops_cpu import _add_up
from solver.device.per_energy import GIVEN, VISIT, per_energy, per_visit, visit_of_pack
from solver.energies import spring, stvk_membrane
from solver.methods.visits import potential as visits

COUNT = GIVEN
missing = GIVEN


@per_energy(kernel)
def count(offset):
    return COUNT + offset


@per_energy(kernel)
def twice(offset):
    return 2 * count(offset)


@per_energy(kernel)
def needs_more(offset):
    return missing(offset)


def energy(name, number):
    module = types.ModuleType(name)
    module.COUNT = number
    return module


def test_each_energy_gives_its_own_names_to_a_function_and_to_those_it_calls():
    two, five = energy(spring.__name__, 2), energy(stvk_membrane.__name__, 5)
    assert (count(two)(1), count(five)(1)) == (3, 6)
    assert (twice(two)(1), twice(five)(1)) == (6, 12)
    assert count(two) is count(two)


def test_two_energies_do_not_share_a_file_of_the_disk_cache():
    """They would run each other's machine code: the cache knows a kernel by its file, its name and its line."""
    names = {per_energy(lambda f: f)(count.function)(energy(m.__name__, 1)).__qualname__ for m in (spring, stvk_membrane)}
    assert len(names) == 2


def test_an_energy_without_a_needed_name_is_told():
    with pytest.raises(NotImplementedError, match="'spring' has no 'missing', which needs_more needs"):
        needs_more(energy(spring.__name__, 1))


def test_a_name_may_be_taken_from_another_one_of_the_energy():
    """And the two do not share a compiled function, nor a file of the disk cache."""
    module = energy(spring.__name__, 2)
    module.OTHER = 7
    assert (twice(module, COUNT="OTHER")(1), twice(module)(1)) == (16, 6)
    assert count(module, COUNT="OTHER").py_func.__qualname__ != count(module).py_func.__qualname__


visit = VISIT


@visit_of_pack(lambda energy: (1,))
def add(pack, args, work, total):
    return total + COUNT * args[pack]


@visit_of_pack(lambda energy: (1,))
def subtract(pack, args, work, total):
    return total - COUNT * args[pack]


@per_visit(kernel)
def over(first, last, args, work):
    total = 0
    for pack in range(first, last):
        total = visit(pack, args, work, total)
    return total


def test_a_loop_is_compiled_for_each_visit_and_energy():
    two, five = energy(spring.__name__, 2), energy(stvk_membrane.__name__, 5)
    args, loops = np.arange(4), [over(do, e) for do in (add, subtract) for e in (two, five)]
    assert [loop(1, 4, args, args) for loop in loops] == [12, 30, -12, -30]
    assert len({loop.py_func.__qualname__ for loop in loops}) == 4
    assert over(add, two) is loops[0]


def test_the_folder_of_a_loop_follows_from_its_own_module_the_visit_s_and_the_energy_s():
    """An edit of each must compile it anew."""
    loop = _add_up(visits.add_gradient, spring).py_func
    assert loop.modules == {"solver.device.loops_cpu", "solver.methods.visits.potential", "solver.energies.spring"}
