"""Operations on arrays of a device, for code that runs in a substep; here they are NumPy's, on arrays of the CPU.

Between `upload` and `download` the physics handles arrays by these functions, by kernels, and by slicing and indexing; it
names no library of arrays. Which device is meant follows from the arguments: an array lies on one device, results lie beside
their arguments, and a new array lies beside the one that is given as `like`. So another device needs other functions here,
and no edit of what calls them. Set-up code, which runs once a simulation, may use NumPy and `upload` the result.

Numbers (`float`, `int`, `bool`) that come back have been brought to the host, for which the host waits until the device has
come so far; on a device other than the CPU each one costs about as much as ten launches of a kernel.
Results are the same in every run: orders are stable and sums are taken in a fixed order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: An array of a device; on the CPU, NumPy's.
Array = np.ndarray
Shape = int | tuple[int, ...]


def upload(host: Any, dtype: Any = None, like: Array | None = None) -> Array:
    """An array of the device with the values of an array of the host.

    It may share memory with that one: write to one of them only. dtype: None keeps the type. like: any array of the device;
    None for the CPU.
    """
    return np.asarray(host, dtype)


def download(array: Array) -> np.ndarray:
    """The values as an array of the host; it may share memory with the device's: `copy` it to keep it."""
    return np.asarray(array)


def empty(shape: Shape, dtype: Any, like: Array) -> Array:
    """A new array, of any content, on the device of `like`."""
    return np.empty(shape, dtype)


def zeros(shape: Shape, dtype: Any, like: Array) -> Array:
    """A new array of zeros on the device of `like`."""
    return np.zeros(shape, dtype)


def full(shape: Shape, value: Any, dtype: Any, like: Array) -> Array:
    """A new array of one value on the device of `like`."""
    return np.full(shape, value, dtype)


def arange(first: int, last: int, dtype: Any, like: Array) -> Array:
    """first, first + 1, ... last - 1 on the device of `like`."""
    return np.arange(first, last, dtype=dtype)


def empty_like(array: Array) -> Array:
    """A new array of the same shape, type and device, of any content."""
    return np.empty_like(array)


def zeros_like(array: Array) -> Array:
    """A new array of zeros of the same shape, type and device."""
    return np.zeros_like(array)


def copy(array: Array) -> Array:
    """A new contiguous array with the same values."""
    return np.array(array, order="C")


def as_type(array: Array, dtype: Any) -> Array:
    """The values as another type; the array itself where it has that type."""
    return array.astype(dtype, copy=False)


def assign(target: Array, values: Any) -> None:
    """Overwrite all values of `target` with those of another array of the device, or with one value."""
    target[...] = values


def fill(target: Array, value: Any) -> None:
    """Overwrite all values with one."""
    target.fill(value)


def concatenate(parts: Sequence[Array], axis: int = 0) -> Array:
    """The arrays, of one type, one after the other."""
    return np.concatenate(parts, axis)


def stack(parts: Sequence[Array], axis: int = 0) -> Array:
    """Arrays of one shape along a new axis."""
    return np.stack(parts, axis)


def repeat(array: Array, times: int | Array) -> Array:
    """Repeat each value as many times as given, one number for all or one for each: one dimension."""
    return np.repeat(array, times)


def where(condition: Array, one: Any, other: Any) -> Array:
    """`one` where the condition is true, `other` elsewhere."""
    return np.where(condition, one, other)


def maximum(one: Any, other: Any) -> Array:
    """The larger of two values, value by value."""
    return np.maximum(one, other)


def minimum(one: Any, other: Any) -> Array:
    """The smaller of two values, value by value."""
    return np.minimum(one, other)


def absolute(array: Array) -> Array:
    """Values without their signs."""
    return np.abs(array)


def sqrt(array: Array) -> Array:
    """Square roots."""
    return np.sqrt(array)


def spacing(array: Array) -> Array:
    """The distance from each value to the next number of its type."""
    return np.spacing(array)


def lengths(vectors: Array, keep: bool = False) -> Array:
    """Lengths of vectors, which lie along the last axis; keep: this axis stays, with one number."""
    return np.linalg.norm(vectors, axis=-1, keepdims=keep)


def cross(one: Array, other: Array) -> Array:
    """Cross products of vectors (k, 3)."""
    return np.cross(one, other)


def any(array: Array) -> bool:
    """Return whether a value is true."""
    return bool(array.any())


def all(array: Array) -> bool:
    """Return whether all values are true."""
    return bool(array.all())


def count(array: Array) -> int:
    """Return the number of true values."""
    return int(np.count_nonzero(array))


def isfinite_all(array: Array) -> bool:
    """Return whether all values are finite."""
    return bool(np.isfinite(array).all())


def largest(array: Array, of_none: Any) -> Any:
    """The largest value; at least `of_none`, which is that of an empty array."""
    return array.max(initial=of_none)


def smallest(array: Array, of_none: Any) -> Any:
    """The smallest value; at most `of_none`, which is that of an empty array."""
    return array.min(initial=of_none)


def indices_where(array: Array) -> Array:
    """Indices of the true values of a flattened array, in ascending order: (count,) int64."""
    return np.flatnonzero(array)


def stable_order(keys: Array) -> Array:
    """The indices that sort the keys in ascending order; equal keys keep their order: (n,) int64."""
    return np.argsort(keys, kind="stable")


def order_of_distinct(keys: Array) -> Array:
    """The indices that sort keys of which no two are equal in ascending order: (n,) int64."""
    return np.argsort(keys)


def stable_order_of_many(keys: Sequence[Array]) -> Array:
    """The indices that sort by several keys, the last one first (as `numpy.lexsort`); equal ones keep their order."""
    return np.lexsort(tuple(keys))


def unique(array: Array) -> Array:
    """The different values of a flattened array, in ascending order."""
    return np.unique(array)


def search_sorted(ascending: Array, values: Array, side: Any = "left") -> Array:
    """Return the place of each value among ascending ones: before its equals (`left`) or after them (`right`)."""
    return np.searchsorted(ascending, values, side)


def cumulative_sum(array: Array) -> Array:
    """Sums of the first one, two, ... values: one dimension."""
    return np.cumsum(array)


def counts(numbers: Array, least: int) -> Array:
    """Count each whole number from 0 on, (least or more,) int64."""
    return np.bincount(numbers, minlength=least)


def add_at(target: Array, rows: Array, values: Any) -> None:
    """target[rows] += values, where rows may be equal; added in the order given."""
    np.add.at(target, rows, values)


def bitwise_or_at(target: Array, rows: Any, values: Any) -> None:
    """target[rows] |= values, where rows may be equal."""
    np.bitwise_or.at(target, rows, values)


def maximum_at(target: Array, rows: Array, values: Any) -> None:
    """target[rows] = maximum(target[rows], values), where rows may be equal."""
    np.maximum.at(target, rows, values)


def minimum_at(target: Array, rows: Array, values: Any) -> None:
    """target[rows] = minimum(target[rows], values), where rows may be equal."""
    np.minimum.at(target, rows, values)
