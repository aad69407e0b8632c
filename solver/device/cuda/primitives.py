"""Primitives with an order that is the same in every run: sums and scans.

All run on any device of `device.py`; reduced results stay on the device too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from .body import Body, body
from .device import Array, SerialDevice

#: Numbers that one thread adds in order; a scan stores one sum of each such run.
RUN = 64


class Rows(NamedTuple):
    """values: (n, columns); first, order: the values of each row of `out`, from first[i] to first[i + 1] in `order`."""

    values: Array
    first: Array
    order: Array
    out: Array


class Runs(NamedTuple):
    """values: (n,), out: (n,) or one for each run; prior: sums before each run; length: n."""

    values: Array
    out: Array
    prior: Array
    length: np.int32


class Gathering(NamedTuple):
    """sums: (threads, columns) of every thread; largest: number of first columns that are reduced by the maximum. out: is
    written, (gatherers, columns)."""

    sums: Array
    largest: np.int32
    out: Array


@body
def add_rows(i, args):
    """out[i, k] += the values of its row, in their order."""
    for k in range(args.out.shape[1]):
        total = args.out[i, k]
        for j in range(args.first[i], args.first[i + 1]):
            total += args.values[args.order[j], k]
        args.out[i, k] = total


@body
def add_run(i, args):
    """The sum of a run."""
    total = args.values[i * RUN]
    for j in range(i * RUN + 1, min((i + 1) * RUN, args.length)):
        total += args.values[j]
    args.out[i] = total


@body
def largest_of_run(i, args):
    """The largest of a run."""
    largest = args.values[i * RUN]
    for j in range(i * RUN + 1, min((i + 1) * RUN, args.length)):
        largest = max(largest, args.values[j])
    args.out[i] = largest


@body
def scan_run(i, args):
    """Sum of the values before each of a run."""
    total = args.prior[i]
    for j in range(i * RUN, min((i + 1) * RUN, args.length)):
        value = args.values[j]
        args.out[j] = total
        total += value


@body
def gather(i, args):
    """A column of RUN threads' numbers."""
    columns = args.out.shape[1]
    first = i // columns * RUN
    column = i % columns
    total = args.sums[first, column]
    for k in range(first + 1, min(first + RUN, args.sums.shape[0])):
        value = args.sums[k, column]
        total = max(total, value) if column < args.largest else total + value
    args.out[i // columns, column] = total


def sum_by_row(device: SerialDevice, values: Array, first: Array, order: Array, out: Array) -> None:
    """out[i] += values[order[j]] for j from first[i] to first[i + 1], in this order: without atomics, bit for bit
    reproducible."""
    device.launch(add_rows, len(out), Rows(values, first, order, out))


class Tree:
    """Work space of sums, largest values and scans over up to n numbers of a type, made once."""

    def __init__(self, device: SerialDevice, n: int, dtype: DTypeLike) -> None:
        self.device, self.levels, self.scans = device, [], []
        while n > 1:
            n = -(-n // RUN)
            self.levels.append(device.empty(n, dtype))
            self.scans.append(device.empty(n, dtype))
        self.zero = device.zeros(1, dtype)

    def sum(self, values: Array) -> Array:
        """Their sum by a fixed tree, (1,)."""
        return self._reduce(add_run, values)

    def largest(self, values: Array) -> Array:
        """The largest of them, (1,)."""
        return self._reduce(largest_of_run, values)

    def _reduce(self, of_run: Body, values: Array) -> Array:
        for level in self.levels:
            runs = -(-len(values) // RUN)
            self.device.launch(of_run, runs, Runs(values, level, self.zero, np.int32(len(values))))
            values = level[:runs]
            if runs == 1:
                break
        return values

    def scan(self, values: Array, out: Array) -> Array:
        """out[i] = values[0] + ... + values[i - 1]; returns the sum of all, (1,)."""
        return self._scan(values, out, 0)

    def _scan(self, values: Array, out: Array, depth: int) -> Array:
        runs = -(-len(values) // RUN)
        level, prior = self.levels[depth][:runs], self.scans[depth][:runs]
        self.device.launch(add_run, runs, Runs(values, level, self.zero, np.int32(len(values))))
        if runs > 1:
            total = self._scan(level, prior, depth + 1)
        else:
            prior, total = self.zero, level
        self.device.launch(scan_run, runs, Runs(values, out, prior, np.int32(len(values))))
        return total


class ThreadSums:
    """Sums of several numbers over many elements, in double precision. A thread takes RUN of them, with a stride of the
    number of threads; a second kernel sums RUN threads; the host the rest.

    sums: of every thread, (threads, columns).
    """

    def __init__(self, device: SerialDevice, elements: int, columns: int, largest: int = 0) -> None:
        """largest: number of first columns that are reduced by the maximum, not the sum."""
        threads = max(-(-elements // RUN), 1)
        self._device, self._largest = device, largest
        self.sums = device.zeros((threads, columns), np.float64)
        self._out = device.zeros((-(-threads // RUN), columns), np.float64)

    def gather(self) -> None:
        """Gather the sums, after every thread has written its own."""
        self._device.launch(gather, self._out.size, Gathering(self.sums, np.int32(self._largest), self._out))

    def take(self) -> np.ndarray:
        """Return the sums, (columns,)."""
        sums, k = self._device.download(self._out), self._largest
        return np.concatenate([sums[:, :k].max(0), sums[:, k:].sum(0)])
