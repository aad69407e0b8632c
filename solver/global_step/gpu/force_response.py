"""Response of the global step to forces, with the last system's matrix, on a device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.uncounted import inline
from .cycle import OMEGA
from .matrix import Matrix, times_inverse
from .row_operations import Motion
from .rows import GROUP, SHEET, total_of

ZERO, ONE, TINY = f32(0), f32(1), f32(1e-30)


@read_by_many
class Pushed(NamedTuple):
    """Forces on vertices, from the number first_vertex on, (k, 3) [N]. p, r, z, going: as in `Leaving`."""

    motion: Motion
    matrix: Matrix
    first_vertex: np.int32
    force: Array
    p: Array
    r: Array
    z: Array
    going: Array


@inline
def force_on(args, v):
    """Return the force on a vertex."""
    k = v - args.first_vertex
    if k < 0 or k >= args.force.shape[0]:
        return ZERO, ZERO, ZERO
    return args.force[k, 0], args.force[k, 1], args.force[k, 2]


@body
def push(i, args):
    """Set the residual of a row to the forces."""
    v = args.matrix.vertex[i]
    if v >= 0:
        force = force_on(args, v)
        displacement = times_inverse(args.matrix.inverse, i, OMEGA, force)
        for k in range(3):
            args.r[v, k] = force[0] if k == 0 else force[1] if k == 1 else force[2]
            args.z[v, k] = displacement[k]
            args.p[v, k] = ZERO
            args.motion.more[v, k] = ZERO


@body
def begin_response(i, args):
    """Gradients of all groups begin. One thread."""
    args.going[0] = 1
    known = args.motion.groups
    for s in range(known.shape[0]):
        known[s, GROUP.solving] = ONE
        known[s, GROUP.left] = ZERO
        known[s, GROUP.begin] = ZERO


@body
def measure_excess(i, args):
    """Compute a row's part in the momentum of the response beyond that of the forces."""
    m = args.motion
    v = m.vertex[i]
    inertia, force = ZERO, (ZERO, ZERO, ZERO)
    if v >= 0 and m.moves[i] > 0:
        inertia, force = ONE / m.x0[v, 3], force_on(args, v)
    for k in range(3):
        component = force[0] if k == 0 else force[1] if k == 1 else force[2]
        m.runs.values[k, i] = inertia * m.more[v, k] - component if inertia > ZERO else ZERO
    m.runs.values[3, i] = inertia


@body
def find_excess(i, args):
    """The same of each free sheet as a mean motion: none of one that something holds. One thread."""
    for s in range(args.sheets.shape[0]):
        free = args.held[s] == 0 and args.sheets[s, SHEET.touched] == ZERO
        inertia = max(total_of(args.runs, 3, s), TINY)
        for k in range(3):
            args.sheets[s, SHEET.mean + k] = total_of(args.runs, k, s) / inertia if free else ZERO
