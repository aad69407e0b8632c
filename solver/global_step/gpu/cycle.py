"""A V-cycle over the levels of a hierarchy: the preconditioner of conjugate gradients.

On each level damped Jacobi with the rows' diagonal blocks goes before and after the next level's correction, so that the
preconditioner is symmetric; it is positive definite if no step of Jacobi is longer than twice the best. An energy of m
corners has A <= m D, so that OMEGA is small enough on the first level for every mesh, up to quadrilaterals and hinges.
Source: Briggs, Henson, McCormick 2000, "A multigrid tutorial".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...device.cuda.turns import Step
from .hierarchy import Hierarchy
from .matrix import Matrix, times, times_inverse, vectors

ZERO = f32(0)
#: Of Jacobi.
OMEGA = f32(0.5)
#: Steps of Jacobi before the next level's correction, and after it.
SMOOTHINGS = 1


@read_by_many
class Relaxing(NamedTuple):
    """r: right side, z: solution so far, out: residual, or z after a step; all (n, 4)."""

    go: Array
    matrix: Matrix
    r: Array
    z: Array
    out: Array


@read_by_many
class Down(NamedTuple):
    """Restriction. first, row, share: entries of each row of the next level in `left`. inverse, r, z: of that level."""

    go: Array
    first: Array
    row: Array
    share: Array
    left: Array
    inverse: Array
    r: Array
    z: Array


@read_by_many
class Up(NamedTuple):
    """Prolongation. first, row, share: of each row of the vectors in those of the next level. vertex: rows that move.
    of_next: the next level's solution; z: added to."""

    go: Array
    first: Array
    row: Array
    share: Array
    vertex: Array
    of_next: Array
    z: Array


@read_by_many
class Last(NamedTuple):
    """Solution on the last level. inverse, width: see `hierarchy.Whole`. local: place of each aggregate, sheet * width +
    number. begin: first aggregate of each sheet, size: how many it has. r, z: (aggregates, 4)."""

    go: Array
    inverse: Array
    width: np.int32
    local: Array
    begin: Array
    size: Array
    r: Array
    z: Array


@body
def relax(i, args):
    """out = z + a step of Jacobi."""
    v = args.matrix.vertex[i]
    if args.go[0] == 0 or v < 0:
        return
    x, y, w = times(args.matrix, i, args.z)
    residual = (args.r[v, 0] - x, args.r[v, 1] - y, args.r[v, 2] - w)
    step = times_inverse(args.matrix.inverse, i, OMEGA, residual)
    for k in range(3):
        args.out[v, k] = args.z[v, k] + step[k]


@body
def leave(i, args):
    """out = r - A z."""
    v = args.matrix.vertex[i]
    if args.go[0] == 0 or v < 0:
        return
    x, y, w = times(args.matrix, i, args.z)
    args.out[v, 0] = args.r[v, 0] - x
    args.out[v, 1] = args.r[v, 1] - y
    args.out[v, 2] = args.r[v, 2] - w


@body
def restrict(i, args):
    """A row of the next level: its right side, and a first step of Jacobi."""
    if args.go[0] == 0:
        return
    a = ZERO
    b = ZERO
    c = ZERO
    for k in range(args.first[i], args.first[i + 1]):
        v = args.row[k]
        a += args.share[k] * args.left[v, 0]
        b += args.share[k] * args.left[v, 1]
        c += args.share[k] * args.left[v, 2]
    step = times_inverse(args.inverse, i, OMEGA, (a, b, c))
    args.r[i, 0] = a
    args.r[i, 1] = b
    args.r[i, 2] = c
    for k in range(3):
        args.z[i, k] = step[k]


@body
def solve_last(i, args):
    """An aggregate of the last level: its row of the inverse times the right side."""
    if args.go[0] == 0:
        return
    at = args.local[i]
    sheet = at // args.width
    a = ZERO
    b = ZERO
    c = ZERO
    for k in range(args.size[sheet]):
        u = args.begin[sheet] + k
        x = args.r[u, 0]
        y = args.r[u, 1]
        z = args.r[u, 2]
        p = at * args.width + k
        w = args.inverse
        a += w[p, 0] * x + w[p, 3] * y + w[p, 6] * z
        b += w[p, 1] * x + w[p, 4] * y + w[p, 7] * z
        c += w[p, 2] * x + w[p, 5] * y + w[p, 8] * z
    args.z[i, 0] = a
    args.z[i, 1] = b
    args.z[i, 2] = c


@body
def prolong(i, args):
    """z += the motions of the aggregates that a row has shares in."""
    v = args.vertex[i]
    if args.go[0] == 0 or v < 0:
        return
    a = args.z[v, 0]
    b = args.z[v, 1]
    c = args.z[v, 2]
    for k in range(args.first[v], args.first[v + 1]):
        u = args.row[k]
        a += args.share[k] * args.of_next[u, 0]
        b += args.share[k] * args.of_next[u, 1]
        c += args.share[k] * args.of_next[u, 2]
    args.z[v, 0] = a
    args.z[v, 1] = b
    args.z[v, 2] = c


class Cycle:
    """r, z: right side and first step of Jacobi on the first level, which others write."""

    def __init__(self, device: SerialDevice, hierarchy: Hierarchy):
        self.device, self.hierarchy = device, hierarchy
        self._of = [vectors(device, level.n, 4) for level in hierarchy.levels]  # r, z, another z, residual
        self.r, self.z, _, _ = self._of[0]
        self._sizes = device.upload(hierarchy.sizes, np.int32)

    def steps(self, go: Array) -> tuple[list[Step], Array]:
        """Launch that go down and up, and the solution on the first level, which is another array than z."""
        steps: list[Step] = []
        return steps, self._of_level(go, 0, steps)

    def _of_level(self, go: Array, number: int, steps: list[Step]) -> Array:
        h, (r, z, other, residual) = self.hierarchy, self._of[number]
        level = h.levels[number]
        if not level.up:
            whole = Last(go, h.inverse, np.int32(h.width), h.local, h.first, self._sizes, r, z)
            steps.append(Step(solve_last, level.n, whole))
            return z
        rows = len(level.matrix.vertex)
        for _ in range(SMOOTHINGS - 1):
            steps.append(Step(relax, rows, Relaxing(go, level.matrix, r, z, other)))
            z, other = other, z
        steps.append(Step(leave, rows, Relaxing(go, level.matrix, r, z, residual)))
        following, (its_r, its_z, _, _) = h.levels[number + 1], self._of[number + 1]
        down = Down._make([go, *level.down, residual, following.matrix.inverse, its_r, its_z])
        steps.append(Step(restrict, following.n, down))
        correction = self._of_level(go, number + 1, steps)
        steps.append(Step(prolong, rows, Up._make([go, *level.up, level.matrix.vertex, correction, z])))
        for _ in range(SMOOTHINGS):
            steps.append(Step(relax, rows, Relaxing(go, level.matrix, r, z, other)))
            z, other = other, z
        return z
