"""Response of the global step to forces, with the last system's matrix, on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cpu import f32
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
    first_vertex: Any
    force: Any
    p: Any
    r: Any
    z: Any
    going: Any


@inline
def force_on(given, v):
    """Return the force on a vertex."""
    k = v - given.first_vertex
    if k < 0 or k >= given.force.shape[0]:
        return ZERO, ZERO, ZERO
    return given.force[k, 0], given.force[k, 1], given.force[k, 2]


@body
def push(i, given):
    """Set the residual of a row to the forces."""
    v = given.matrix.vertex[i]
    if v >= 0:
        force = force_on(given, v)
        displacement = times_inverse(given.matrix.inverse, i, OMEGA, force)
        for k in range(3):
            given.r[v, k] = force[0] if k == 0 else force[1] if k == 1 else force[2]
            given.z[v, k] = displacement[k]
            given.p[v, k] = ZERO
            given.motion.more[v, k] = ZERO


@body
def begin_response(i, given):
    """Gradients of all groups begin. One thread."""
    given.going[0] = 1
    known = given.motion.groups
    for s in range(known.shape[0]):
        known[s, GROUP.solving] = ONE
        known[s, GROUP.left] = ZERO
        known[s, GROUP.begin] = ZERO


@body
def measure_excess(i, given):
    """Compute a row's part in the momentum of the response beyond that of the forces."""
    m = given.motion
    v = m.vertex[i]
    inertia, force = ZERO, (ZERO, ZERO, ZERO)
    if v >= 0 and m.moves[i] > 0:
        inertia, force = ONE / m.x0[v, 3], force_on(given, v)
    for k in range(3):
        component = force[0] if k == 0 else force[1] if k == 1 else force[2]
        m.runs.values[k, i] = inertia * m.more[v, k] - component if inertia > ZERO else ZERO
    m.runs.values[3, i] = inertia


@body
def find_excess(i, given):
    """The same of each free sheet as a mean motion: none of one that something holds. One thread."""
    for s in range(given.sheets.shape[0]):
        free = given.held[s] == 0 and given.sheets[s, SHEET.touched] == ZERO
        inertia = max(total_of(given.runs, 3, s), TINY)
        for k in range(3):
            given.sheets[s, SHEET.mean + k] = total_of(given.runs, k, s) / inertia if free else ZERO
