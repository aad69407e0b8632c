"""Conjugate gradients of all groups of sheets side by side on a device; each has its own steps, and its own end.

As in `linalg/conjugate_gradients.py`, but for the preconditioner, which is a V-cycle: incomplete factors are a chain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...mathlib.vec3 import add
from .cycle import OMEGA, Cycle
from .matrix import Matrix, times, times_inverse, vectors
from .rows import GROUP, Adding, Runs, add_runs, total_of
from .touching import Touching, times_couplings

ZERO, ONE, HALF = f32(0), f32(1), f32(0.5)
#: Iterations end where this share of the squared residual is left, of a sheet and of a soft body.
LEFT, LEFT_OF_SOLID = f32(1e-3), f32(1e-5)


@read_by_many
class Searching(NamedTuple):
    """group: of each row. known: of each group. runs: over rows; its `values` get products of vectors. vertex, inverse: of
    the matrix. p, q: direction and A p; r: residual, z: what the preconditioner makes of it; more: solution; all (n, 4)."""

    go: Any
    group: Any
    known: Any
    runs: Runs
    vertex: Any
    inverse: Any
    p: Any
    q: Any
    r: Any
    z: Any
    more: Any


@read_by_many
class Multiplying(NamedTuple):
    """As `Searching`. touching: contacts that couple rows beside the matrix."""

    go: Any
    matrix: Matrix
    touching: Touching
    runs: Runs
    p: Any
    q: Any
    r: Any


@body
def multiply(i, given):
    """q = A p of the matrix and of couplings, with the products p q and p r."""
    v = given.matrix.vertex[i]
    if given.go[0] == 0:
        return
    along = ZERO
    curvature = ZERO
    if v >= 0:
        q = add(times(given.matrix, i, given.p), times_couplings(given.touching, v, given.p))
        for k in range(3):
            given.q[v, k] = q[k]
            curvature += given.p[v, k] * q[k]
            along += given.p[v, k] * given.r[v, k]
    given.runs.values[0, i] = curvature
    given.runs.values[1, i] = along


@body
def find_step(i, given):
    """Of all groups: how far along the direction. One thread."""
    if given.go[0] == 0:
        return
    for s in range(given.known.shape[0]):
        known = given.known
        curvature = total_of(given.runs, 0, s)
        step = ZERO
        if known[s, GROUP.solving] > ZERO:
            if curvature > ZERO:
                along = total_of(given.runs, 1, s)
                step = along / curvature
                known[s, GROUP.foreseen] += HALF * step * along
            else:  # nothing is left, or the numbers are no longer finite
                known[s, GROUP.solving] = ZERO
        known[s, GROUP.alpha] = step


@body
def advance(i, given):
    """Goes the step, and begins the next cycle: z is a first step of Jacobi."""
    v = given.vertex[i]
    if given.go[0] == 0 or v < 0:
        return
    step = given.known[given.group[i], GROUP.alpha]
    for k in range(3):
        given.more[v, k] += step * given.p[v, k]
        given.r[v, k] -= step * given.q[v, k]
    z = times_inverse(given.inverse, i, OMEGA, (given.r[v, 0], given.r[v, 1], given.r[v, 2]))
    for k in range(3):
        given.z[v, k] = z[k]


@body
def find_turn(i, given):
    """Of all groups: how much of the last direction stays, and which are done. One thread."""
    if given.go[0] == 0:
        return
    solving = 0
    for s in range(given.known.shape[0]):
        known = given.known
        left = total_of(given.runs, 0, s)
        before = known[s, GROUP.left]
        known[s, GROUP.beta] = left / before if before > ZERO else ZERO
        begin = max(known[s, GROUP.begin], left)
        known[s, GROUP.left] = left
        known[s, GROUP.begin] = begin
        if left > known[s, GROUP.enough] * begin and known[s, GROUP.solving] > ZERO:
            solving = 1
        else:
            known[s, GROUP.solving] = ZERO
    given.go[0] = solving


@body
def turn(i, given):
    """p = z + the share of p that stays."""
    v = given.vertex[i]
    if given.go[0] == 0 or v < 0:
        return
    stays = given.known[given.group[i], GROUP.beta]
    for k in range(3):
        given.p[v, k] = given.z[v, k] + stays * given.p[v, k]


class Gradients:
    """go: (1,), 1 while any group goes on. given: arrays, of which others set r, z, p and more to where they begin."""

    def __init__(
        self, device: SerialDevice, cycle: Cycle, group: Array, known: Array, runs: Runs, touching: Touching, n: int
    ):
        """group: of each row. known: of groups; runs: over these. touching: where nothing touches. n: rows of vectors."""
        self.device, self._cycle, self.go = device, cycle, device.zeros(1, np.int32)
        p, q, more = vectors(device, n, 3)
        self.matrix, r = cycle.hierarchy.levels[0].matrix, cycle.r
        of_rows = group, known, runs, self.matrix.vertex, self.matrix.inverse
        self.given = Searching(self.go, *of_rows, p, q, r, cycle.z, more)
        self._multiplying = Multiplying(self.go, self.matrix, touching, runs, p, q, r)

    def touch(self, touching: Touching) -> None:
        """Contacts of the substep."""
        self._multiplying = self._multiplying._replace(touching=touching)

    def launch(self, ahead: bool, iterations: int) -> None:
        """more, r and z go on from where they are. ahead: p is searched along first."""
        if ahead:
            self._search()
        launch, rows = self.device.launch, len(self.given.group)
        for _ in range(iterations):
            given = self.given._replace(z=self._cycle.launch(self.go))
            self._add(1)
            launch(find_turn, 1, given)
            launch(turn, rows, given)
            self._search()

    def _search(self) -> None:
        launch, rows = self.device.launch, len(self.given.group)
        launch(multiply, rows, self._multiplying)
        self._add(2)
        launch(find_step, 1, self.given)
        launch(advance, rows, self.given)

    def _add(self, columns: int) -> None:
        self.device.launch(add_runs, columns * len(self.given.runs.start), Adding(self.go, self.given.runs))
