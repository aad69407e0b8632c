"""Tests of a product of parameters: the default pass takes a covering set, the long pass all of them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

import pytest

#: A test's values: number of the value of each parameter.
Row = dict[str, Hashable]


def long(*values: Any) -> list[Any]:
    """Values of a parameter that only `dev.py test --long` takes; a tuple has one for each of several parameters."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.long) for value in values]


def covering(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of rows in which each value of each parameter occurs: each time the one with most values that are
    new, of equal ones the one with most new pairs of values, of equal ones the first."""
    values = [set(row.items()) for row in rows]
    pairs = [set(itertools.combinations(sorted(row.items()), 2)) for row in rows]
    taken, known, met, wanted = list[int](), set(), set(), set().union(*values)
    while known != wanted:
        best = max(range(len(rows)), key=lambda k: (len(values[k] - known), len(pairs[k] - met), -k))
        taken.append(best)
        known |= values[best]
        met |= pairs[best]
    return sorted(taken)


def mark_rest_long(items: Sequence[pytest.Item]) -> None:
    """Of each test with the mark `each_value`, mark those long that are not of its covering set. Values that are long
    themselves are left to the long pass."""
    tests = defaultdict(list)
    for item in items:
        if (
            isinstance(item, pytest.Function)
            and item.get_closest_marker("each_value")
            and not item.get_closest_marker("long")
        ):
            tests[item.parent, item.originalname].append(item)
    for alike in tests.values():
        taken = set(covering([{name: id(value) for name, value in item.callspec.params.items()} for item in alike]))
        for number, item in enumerate(alike):
            if number not in taken:
                item.add_marker(pytest.mark.long)
