"""Covering sets of tests with several parameters."""

import itertools

import pytest

from tests.covering_set import covering, long


def product(*counts):
    return [dict(zip("abc", row, strict=False)) for row in itertools.product(*map(range, counts))]


@pytest.mark.parametrize("counts", [(1,), (5,), (2, 2), (3, 2), (2, 7, 3)])
def test_each_value_occurs_in_as_few_tests_as_the_longest_parameter_has_values(counts):
    rows = product(*counts)
    taken = [rows[k] for k in covering(rows)]
    assert len(taken) == max(counts)
    for name, count in zip("abc", counts, strict=False):
        assert {row[name] for row in taken} == set(range(count))


def test_short_parameters_meet_in_all_pairs_where_a_long_one_leaves_room():
    rows = product(8, 2, 2)
    taken = [rows[k] for k in covering(rows)]
    assert {(row["b"], row["c"]) for row in taken} == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_values_of_one_parameter_and_of_several_are_marked_long():
    one, two = long(16, ("twist", 24))
    assert one.values == (16,) and two.values == ("twist", 24)
    assert [mark.name for value in (one, two) for mark in value.marks] == ["long", "long"]
