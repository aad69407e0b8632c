"""Conjugate gradients of all groups of sheets side by side on a device; each has its own steps, and its own end.

As in `linalg/conjugate_gradients.py`, except for the preconditioner, a V-cycle, because incomplete factors are a chain of
dependent rows. A p follows from A z by the recurrence of p, so that all products of an iteration are summed at once.
Products that vanish in exact arithmetic are kept, for rounding.
Source: Chronopoulos and Gear 1989, "s-step iterative methods for symmetric linear systems".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...device.cuda.turns import Step
from ...mathlib.vec3 import add
from .contact_coupling import Touching, times_couplings
from .cycle import OMEGA, Cycle
from .matrix import Matrix, times, times_inverse, vectors
from .rows import GROUP, Adding, Runs, add_runs, total_of

ZERO, HALF, TWO = f32(0), f32(0.5), f32(2)
#: Iterations end where this share of the squared residual is left, of a sheet and of a soft body.
LEFT, LEFT_OF_SOLID = f32(1e-3), f32(1e-5)


@read_by_many
class Searching(NamedTuple):
    """Arguments of conjugate gradients. group: of each row. known: record of each group. runs: over rows; its `values` get
    products of vectors. vertex, inverse: of the matrix. ahead: 1 if z is the next direction. p, q: direction and A p; r:
    residual, z: preconditioned residual, w: A z, first: of the next z; more: solution; all (n, 4).
    """

    go: Array
    group: Array
    known: Array
    runs: Runs
    vertex: Array
    inverse: Array
    ahead: np.int32
    p: Array
    q: Array
    r: Array
    z: Array
    w: Array
    first: Array
    more: Array


@read_by_many
class Multiplying(NamedTuple):
    """searching; touching: contacts that couple rows beside the matrix."""

    searching: Searching
    matrix: Matrix
    touching: Touching


@body
def multiply(i, args):
    """w = A z of the matrix and of couplings, with the products z w, z r, z q and p r."""
    e = args.searching
    v = args.matrix.vertex[i]
    if e.go[0] == 0:
        return
    curvature = ZERO
    product = ZERO
    mixed = ZERO
    along = ZERO
    if v >= 0:
        w = add(times(args.matrix, i, e.z), times_couplings(args.touching, v, e.z))
        for k in range(3):
            e.w[v, k] = w[k]
            curvature += e.z[v, k] * w[k]
            product += e.z[v, k] * e.r[v, k]
            mixed += e.z[v, k] * e.q[v, k]
            along += e.p[v, k] * e.r[v, k]
    e.runs.values[0, i] = curvature
    e.runs.values[1, i] = product
    e.runs.values[2, i] = mixed
    e.runs.values[3, i] = along


@body
def find_step(i, args):
    """Compute for all groups the share of the last direction, convergence, and the step length. One thread."""
    if args.go[0] == 0:
        return
    solving = 0
    for s in range(args.known.shape[0]):
        known = args.known
        curvature, along, stays = total_of(args.runs, 0, s), total_of(args.runs, 1, s), ZERO
        if args.ahead == 0:
            before, begin = known[s, GROUP.left], max(known[s, GROUP.begin], along)
            known[s, GROUP.left] = along
            known[s, GROUP.begin] = begin
            if along <= known[s, GROUP.enough] * begin:
                known[s, GROUP.solving] = ZERO
            if before > ZERO:
                stays = along / before
                curvature += stays * (TWO * total_of(args.runs, 2, s) + stays * known[s, GROUP.curvature])
                along += stays * total_of(args.runs, 3, s)
        step = ZERO
        if known[s, GROUP.solving] > ZERO:
            solving = 1
            if curvature > ZERO:
                step = along / curvature
                known[s, GROUP.foreseen] += HALF * step * along
            else:  # nothing is left, or the numbers are no longer finite
                known[s, GROUP.solving] = ZERO
        known[s, GROUP.curvature] = curvature
        known[s, GROUP.alpha] = step
        known[s, GROUP.beta] = stays
    if args.ahead == 0:
        args.go[0] = solving


@body
def advance(i, args):
    """Update p = z + the kept share of p, likewise q; go the step, and begin the next cycle with a first step of Jacobi."""
    v = args.vertex[i]
    if args.go[0] == 0 or v < 0:
        return
    known, s = args.known, args.group[i]
    step, stays = known[s, GROUP.alpha], known[s, GROUP.beta]
    for k in range(3):
        p = args.z[v, k]
        q = args.w[v, k]
        if stays > ZERO:  # p and q of the first iteration may be not a number
            p += stays * args.p[v, k]
            q += stays * args.q[v, k]
        args.p[v, k] = p
        args.q[v, k] = q
        args.more[v, k] += step * p
        args.r[v, k] -= step * q
    first = times_inverse(args.inverse, i, OMEGA, (args.r[v, 0], args.r[v, 1], args.r[v, 2]))
    for k in range(3):
        args.first[v, k] = first[k]


class Gradients:
    """Conjugate gradients. go: (1,), 1 while any group iterates. args: arrays; the caller sets the start of r, z, p and
    more."""

    def __init__(
        self, device: SerialDevice, cycle: Cycle, group: Array, known: Array, runs: Runs, touching: Touching, n: int
    ):
        """group: of each row. known: of groups; runs: over these. touching: where nothing touches. n: rows of vectors."""
        self.device, self._cycle, self.go = device, cycle, device.zeros(1, np.int32)
        p, q, w, more = vectors(device, n, 4)
        self.matrix, r = cycle.hierarchy.levels[0].matrix, cycle.r
        of_rows = group, known, runs, self.matrix.vertex, self.matrix.inverse, np.int32(0)
        self.args = Searching(self.go, *of_rows, p, q, r, cycle.z, w, cycle.z, more)
        self._touching = touching

    def touch(self, touching: Touching) -> None:
        """Contacts of the substep."""
        self._touching = touching

    def launch(self, ahead: bool, iterations: int) -> None:
        """more, r and z continue from where they are. ahead: p is searched along first."""
        if ahead:
            self._search([], self.args._replace(z=self.args.p, ahead=np.int32(1)))
        for _ in range(iterations):
            steps, z = self._cycle.steps(self.go)
            self._search(steps, self.args._replace(z=z))

    def _search(self, steps: list[Step], args: Searching) -> None:
        rows = len(args.group)
        steps.append(Step(multiply, rows, Multiplying(args, self.matrix, self._touching)))
        steps.append(Step(add_runs, 4 * len(args.runs.start), Adding(self.go, args.runs)))
        steps += [Step(find_step, 1, args), Step(advance, rows, args)]
        self.device.launch_all(steps)
