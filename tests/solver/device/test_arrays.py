"""Properties that the physics relies on when it handles arrays of a device."""

from __future__ import annotations

import numpy as np

from solver.device import arrays

LIKE = np.zeros(1)


def test_a_new_array_has_the_shape_and_type_asked_for():
    for array in (arrays.empty((2, 3), np.int32, LIKE), arrays.zeros((2, 3), np.int32, LIKE)):
        assert array.shape == (2, 3) and array.dtype == np.int32
    assert (arrays.full(3, 7, np.int8, LIKE) == 7).all()
    assert arrays.arange(2, 5, np.int32, LIKE).tolist() == [2, 3, 4]


def test_a_copy_is_contiguous_and_does_not_follow_its_source():
    source = np.arange(12.0).reshape(3, 4)
    copied = arrays.copy(source[:, :3])
    source[:] = 0
    assert copied.flags.c_contiguous
    assert copied[2].tolist() == [8, 9, 10]


def test_values_that_go_up_come_down_the_same():
    values = np.array([[1.5, -2.0]])
    assert np.array_equal(arrays.download(arrays.upload(values, np.float32)), values.astype(np.float32))


def test_equal_keys_keep_their_order():
    keys = np.array([2, 1, 2, 1, 1])
    assert arrays.stable_order(keys).tolist() == [1, 3, 4, 0, 2]
    assert arrays.stable_order_of_many((np.array([1, 0, 0, 1, 0]), keys)).tolist() == [1, 4, 3, 2, 0]


def test_empty_arrays_have_extremes():
    none = np.zeros(0)
    assert arrays.largest(none, 3.0) == 3.0 and arrays.smallest(none, 4.0) == 4.0
    assert not arrays.any(none) and arrays.all(none) and arrays.count(none) == 0


def test_what_is_written_to_equal_rows_adds_up():
    total, most = np.zeros(2), np.zeros(2)
    arrays.add_at(total, np.array([1, 1, 0]), np.array([1.0, 2.0, 4.0]))
    arrays.maximum_at(most, np.array([1, 1, 0]), np.array([1.0, 2.0, 4.0]))
    assert total.tolist() == [4, 3] and most.tolist() == [4, 2]


def test_one_value_that_is_not_finite_is_seen():
    assert arrays.isfinite_all(np.ones(3)) and not arrays.isfinite_all(np.array([1, np.nan]))
