"""What the physics relies on when it handles arrays of a device."""

from __future__ import annotations

import numpy as np

LIKE = np.zeros(1)


def test_a_new_array_has_the_shape_and_type_asked_for():
    for array in (np.empty((2, 3), np.int32), np.zeros((2, 3), np.int32)):
        assert array.shape == (2, 3) and array.dtype == np.int32
    assert (np.full(3, 7, np.int8) == 7).all()
    assert np.arange(2, 5, dtype=np.int32).tolist() == [2, 3, 4]


def test_a_copy_is_contiguous_and_does_not_follow_its_source():
    source = np.arange(12.0).reshape(3, 4)
    copied = source[:, :3].copy()
    source[:] = 0
    assert copied.flags.c_contiguous
    assert copied[2].tolist() == [8, 9, 10]


def test_values_that_go_up_come_down_the_same():
    values = np.array([[1.5, -2.0]])
    assert np.array_equal(np.asarray(values, np.float32), values.astype(np.float32))


def test_equal_keys_keep_their_order():
    keys = np.array([2, 1, 2, 1, 1])
    assert np.argsort(keys, kind="stable").tolist() == [1, 3, 4, 0, 2]
    assert np.lexsort((np.array([1, 0, 0, 1, 0]), keys)).tolist() == [1, 4, 3, 2, 0]


def test_empty_arrays_have_extremes():
    none = np.zeros(0)
    assert none.max(initial=3.0) == 3.0 and none.min(initial=4.0) == 4.0
    assert not none.any() and bool(none.all()) and np.count_nonzero(none) == 0


def test_what_is_written_to_equal_rows_adds_up():
    total, most = np.zeros(2), np.zeros(2)
    np.add.at(total, np.array([1, 1, 0]), np.array([1.0, 2.0, 4.0]))
    np.maximum.at(most, np.array([1, 1, 0]), np.array([1.0, 2.0, 4.0]))
    assert total.tolist() == [4, 3] and most.tolist() == [4, 2]


def test_one_value_that_is_not_finite_is_seen():
    assert bool(np.isfinite(np.ones(3)).all()) and not np.isfinite(np.array([1, np.nan])).all()
