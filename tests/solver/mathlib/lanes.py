"""Runs a function of tuples on every row of arrays, through a compiled loop, in the arrays' precision."""

import functools

import numba


def run(function, *arrays):
    """function(row of the first array, ...) for each row; each row is a tuple of its numbers, a 2-d row one of tuples."""
    caller = _compiled(function)
    return [caller(*(_tuple(array[row]) for array in arrays)) for row in range(len(arrays[0]))]


@functools.cache
def _compiled(function):
    return numba.njit(error_model="numpy")(lambda *rows: function(*rows))


def _tuple(row):
    return tuple(map(_tuple, row)) if getattr(row, "ndim", 0) else row
