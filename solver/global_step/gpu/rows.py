"""Rows of all sheets' vertices, in packs of 16 of one sheet each, and sums over each sheet.

Sums are taken in a fixed order: about as many threads as each of them adds numbers, then one thread for all sheets.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...device.layout import layout
from ...device.uncounted import inline
from ..sheet_part import SheetPart
from ..solid_part import SolidPart

ZERO = f32(0)
#: Numbers that a thread adds up at least.
RUN = 32
#: Record of a sheet. rigid, mean: its translation, and that of a step [m]. touched: number of vertices with contacts in the
#: step. centre: of mass, less its first vertex [m]; turn: a rotation [1].
SHEET = layout(rigid=3, mean=3, touched=1, centre=3, turn=3)
#: Record of a group, of sheets that may touch each other. scale: inertial potential at the start, or that of a slight
#: acceleration; slight: the latter; rough: estimated fall of the potential by motion of single vertices; fallen: by all
#: systems so far; foreseen: by one system in the linear model [J]. active: 1 until convergence; share: step length. solving:
#: 1 while its gradients iterate; alpha, beta: their step, and the share of the last direction; curvature: along the
#: direction [J]; left, begin: squared residual in the preconditioner's norm, now and before the first iteration; enough: the
#: share of it at which they end. touched: vertices with contacts in the step, outside: with fixed partners; lost: loss of
#: the mean motion [m].
GROUP = layout(
    scale=1, slight=1, rough=1, fallen=1, foreseen=1, active=1, share=1, solving=1, alpha=1, beta=1,
    curvature=1, left=1, begin=1, enough=1, touched=1, outside=1, lost=3,
)  # fmt: skip


class Runs(NamedTuple):
    """start, step, end: the places that each thread adds up, (runs,). first: first run of each sum, of a sheet or of a
    group, (sums + 1,). values: (columns, places); out: (columns, runs)."""

    start: Array
    step: Array
    end: Array
    first: Array
    values: Array
    out: Array


@read_by_many
class Adding(NamedTuple):
    """go: see `matrix.Start`."""

    go: Array
    runs: Runs


@body
def add_runs(i, args):
    """The sum of a run, of one column."""
    if args.go[0] == 0:
        return
    r = args.runs
    run = i % r.start.shape[0]
    column = i // r.start.shape[0]
    total = ZERO
    for k in range(r.start[run], r.end[run], r.step[run]):
        total += r.values[column, k]
    r.out[column, run] = total


@inline
def total_of(runs, column, number):
    """Sum of a column over a sheet or a group, once `add_runs` is done."""
    total = ZERO
    for k in range(runs.first[number], runs.first[number + 1]):
        total += runs.out[column, k]
    return total


def make_runs(device: SerialDevice, sizes: list[int], columns: int, beyond: int = 0) -> Runs:
    """sizes: how many places each sheet has, one sheet after the other; beyond: places after these, of no sum."""
    start: list[np.ndarray] = []
    step, end, of_sheet, first = [], [], [0], 0
    for size in sizes:
        threads = max(1, min(math.isqrt(size), size // RUN))
        start.append(first + np.arange(threads))
        step += [threads] * threads
        end += [first + size] * threads
        of_sheet.append(len(step))
        first += size
    up = device.upload
    arrays = [up(values, np.int32) for values in (np.concatenate(start), step, end, of_sheet)]
    sums = [device.zeros((columns, places), np.float32) for places in (first + beyond, len(step))]
    return Runs._make([*arrays, *sums])


def of_groups(device: SerialDevice, runs: Runs, group: np.ndarray) -> Runs:
    """The same sums over groups of sheets. group: of each sheet, ascending."""
    first = device.download(runs.first)
    begin = np.searchsorted(group, np.arange(group[-1] + 2))
    return runs._replace(first=device.upload(first[begin]))


class Rows:
    """Rows on the host: vertex, of each row, -1 of filling, moves, whether it is free, (rows,); sheet: its sheet. number_of:
    row of each vertex, -1 for none, (n,). sizes: rows of each sheet. group: of each sheet, ascending. held: of each sheet,
    whether it has pins; held_group, limited, solid: of each group, whether any sheet has pins, limits, is a soft body.
    share: weight of a row's motion in that of its sheet as a whole, (rows,). slight: half the square of mass times a slight
    acceleration, (rows,) [N^2], 0 for fixed rows.
    """

    def __init__(self, sheets: list[SheetPart], group: np.ndarray, acceleration: float, n: int):
        """sheets: `global_step.sheet_part.SheetPart`. group: number of each. acceleration: [m/s^2]. n: rows of vectors."""
        order = np.argsort(group, kind="stable")
        self.sheets, self.group = [sheets[k] for k in order], group[order]
        vertex, moves, sheet, share, slight, self.sizes = [], [], [], [], [], []
        for number, part in enumerate(self.sheets):
            count = len(part.order)
            gap = -count % LANES
            weight = part.pinned if part.pinned.any() else part.mass
            vertex.append(np.append(part.order, np.full(gap, -1)))
            moves.append(np.append(part.free, np.zeros(gap, bool)))
            share.append(np.append(weight / max(weight.sum(), 1e-30), np.zeros(gap)))
            slight.append(np.append(0.5 * (acceleration * part.mass) ** 2, np.zeros(gap)))
            sheet.append(np.full(count + gap, number))
            self.sizes.append(count + gap)
        self.vertex, self.moves, self.sheet, self.share, self.slight = (
            np.concatenate(parts) for parts in (vertex, moves, sheet, share, slight)
        )
        self.number_of = np.full(n, -1)
        real = self.vertex >= 0
        self.number_of[self.vertex[real]] = np.flatnonzero(real)
        self.held = np.array([part.pinned.any() for part in self.sheets])
        limited = np.array([part.is_limited for part in self.sheets])
        solid = np.array([isinstance(part, SolidPart) for part in self.sheets])
        groups = range(int(self.group[-1]) + 1)
        self.held_group, self.limited, self.solid = (
            np.array([of[self.group == k].any() for k in groups]) for of in (self.held, limited, solid)
        )

    def __len__(self) -> int:
        return len(self.vertex)


def known(device: SerialDevice, rows: Rows) -> tuple[Array, Array]:
    """Allocate the records of sheets, (sheets, SHEET.width), and groups, (groups, GROUP.width)."""
    sizes = (len(rows.sheets), SHEET.width), (len(rows.limited), GROUP.width)
    sheets, groups = (device.zeros(size, np.float32) for size in sizes)
    return sheets, groups
