"""Functions of doubles in single precision."""

import math

import numba
import numpy as np

from solver.device.cuda.single import MOST, single
from solver.device.uncounted import inline

SHARE = 0.1


@inline
def called(x, n):
    return (0.5 * x, 1e300, SHARE * float(n))


@inline
def whole(x, n):
    first = (0.25, 0.75)
    a, b, c = called(x, n)
    return math.sqrt(abs(a)) * first[n % 2] + min(b, x) + c


def test_literals_globals_and_calls_are_of_single_precision():
    """The same number to the last digits, of the other type."""
    narrow, wide = single(whole), whole
    found = numba.njit(lambda x, n: narrow(x, n))
    found(np.float32(3.0), 3)
    (signature,) = found.nopython_signatures
    assert signature.return_type == numba.float32
    expected = numba.njit(lambda x, n: wide(x, n))(3.0, 3)
    assert abs(found(np.float32(3.0), 3) / expected - 1) < 3e-7


def test_a_literal_beyond_single_precision_is_its_largest_number():
    (_, large, _) = single(called).py_func(np.float32(1), 1)
    assert type(large) is np.float32 and float(large) == MOST


def test_it_is_made_once():
    assert single(whole) is single(whole)
