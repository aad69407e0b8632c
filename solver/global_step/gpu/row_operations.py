"""Operations of the global step on each row, each sheet and each group: `global_step/sheet_system.py`, on a device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...contact.gpu.pair_sweeps import pushed
from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.uncounted import inline
from ...mathlib import vec3
from .conjugate_gradients import LEFT, LEFT_OF_SOLID
from .contact_coupling import Touching, begun_at, is_touched, pull_of_planes
from .contact_forces import pushed_back
from .cycle import OMEGA
from .matrix import Matrix, times, times_inverse
from .rows import GROUP, SHEET, Runs, total_of

ZERO, ONE, HALF = f32(0), f32(1), f32(0.5)
TINY = f32(1e-30)
#: Stage index of the initial step and of the rollback.
BEFORE, BACK = -2, -1


@read_by_many
class Motion(NamedTuple):
    """Arrays of `State` (x, x0, correction) and motions from x0 on, (n, 4) [m]. goal: the prediction; move: so far, start:
    at first; at: last motion of linearisation; apart: displacement of pins beyond the sheet's translation; more: a step.
    vertex, moves, sheet, share, slight: see `rows.Rows`; group: of each row. held: of each sheet; its_group: number of
    each. held_group, limited, solid: of each group. sheets, groups: their records; runs, of_groups: sums over rows.
    number: of the system, or BEFORE, BACK; systems: how many there are. touching: contacts.
    """

    go: Array
    x: Array
    x0: Array
    x_pred: Array
    correction: Array
    goal: Array
    move: Array
    start: Array
    at: Array
    apart: Array
    more: Array
    vertex: Array
    moves: Array
    sheet: Array
    group: Array
    share: Array
    slight: Array
    held: Array
    its_group: Array
    held_group: Array
    limited: Array
    solid: Array
    sheets: Array
    groups: Array
    runs: Runs
    of_groups: Runs
    number: np.int32
    systems: Array
    touching: Touching


@read_by_many
class Leaving(NamedTuple):
    """first, row: which rows of forces each row of the matrix adds up. p, r, z: see `conjugate_gradients.Searching`;
    going: `go` of gradients."""

    motion: Motion
    matrix: Matrix
    first: Array
    row: Array
    forces: Array
    p: Array
    r: Array
    z: Array
    going: Array


@body
def begin(i, args):
    """Set the prediction of a row, its part in the translation of its sheet, and the forces of its contacts in the last
    substep."""
    v = args.vertex[i]
    inertia, touched, outside, force = ZERO, ZERO, ZERO, (ZERO, ZERO, ZERO)
    if v >= 0 and args.moves[i] > 0:
        inertia = ONE / args.x0[v, 3]
        if is_touched(args.touching, v):
            touched, outside, force = begun_at(args.touching, v)
    args.runs.values[3, i] = inertia
    args.runs.values[4, i] = touched
    args.runs.values[5, i] = outside
    args.runs.values[6, i] = force[0]
    args.runs.values[7, i] = force[1]
    args.runs.values[8, i] = force[2]
    for k in range(3):
        displacement = ZERO
        if v >= 0:
            displacement = args.x[v, k] - args.x0[v, k]
            args.goal[v, k] = displacement
            args.at[v, k] = ZERO
        args.runs.values[k, i] = args.share[i] * displacement


@body
def translate(i, args):
    """Compute the translation of each sheet, without pins including contact forces of the last substep; mark groups as not
    converged. One thread."""
    for s in range(args.sheets.shape[0]):
        inertia = max(total_of(args.runs, 3, s), TINY)
        for k in range(3):
            pushed_by = ZERO if args.held[s] > 0 else total_of(args.runs, 6 + k, s) / inertia
            args.sheets[s, SHEET.rigid + k] = total_of(args.runs, k, s) + pushed_by
        args.sheets[s, SHEET.touched] = total_of(args.runs, 4, s)
    for s in range(args.groups.shape[0]):
        args.groups[s, GROUP.active] = ONE
        args.groups[s, GROUP.fallen] = ZERO
        args.groups[s, GROUP.enough] = LEFT_OF_SOLID if args.solid[s] > 0 else LEFT
        args.groups[s, GROUP.touched] = total_of(args.of_groups, 4, s)
        args.groups[s, GROUP.outside] = total_of(args.of_groups, 5, s)
    args.go[0] = 1


@body
def place(i, args):
    """Move a row by the translation of its sheet, and sum the inertia there, and that of a slight acceleration. A row of a
    soft body gets a step from there to the prediction."""
    v = args.vertex[i]
    s = args.sheet[i]
    square = ZERO
    slight = ZERO
    if v >= 0:
        moves = args.moves[i] > 0
        solid = args.solid[args.group[i]] > 0
        for k in range(3):
            rigid = args.sheets[s, SHEET.rigid + k]
            goal = args.goal[v, k]
            args.move[v, k] = rigid if moves else goal
            args.start[v, k] = rigid if moves else goal
            args.apart[v, k] = ZERO if moves or solid else goal - rigid
            args.more[v, k] = goal - rigid if moves and solid else ZERO
            square += (goal - rigid) * (goal - rigid)
        if moves:
            square *= HALF / args.x0[v, 3]
            slight = args.slight[i] * args.x0[v, 3]
        else:
            square = ZERO
    args.runs.values[0, i] = square
    args.runs.values[1, i] = slight


@body
def scale(i, args):
    """Set the scale for falls of the potential. One thread."""
    known = args.groups
    for s in range(known.shape[0]):
        slight = total_of(args.of_groups, 1, s)
        known[s, GROUP.slight] = slight
        known[s, GROUP.scale] = max(total_of(args.of_groups, 0, s), slight)


@body
def leave(i, args):
    """Compute the residual of a row: forces and inertia, in the first system less the forces of moved pins."""
    m = args.motion
    if m.go[0] == 0:
        return
    v = args.matrix.vertex[i]
    rough = ZERO
    if v >= 0:
        x = ZERO
        y = ZERO
        z = ZERO
        for k in range(args.first[i], args.first[i + 1]):
            at = args.row[k]
            x -= args.forces[at, 0]
            y -= args.forces[at, 1]
            z -= args.forces[at, 2]
        if is_touched(m.touching, v):
            a, b, c = vec3.add(pushed_at(m.touching, v), pull_of_planes(m.touching, v, m.move))
            x += a
            y += b
            z += c
        inertia = ONE / m.x0[v, 3]
        x += inertia * (m.goal[v, 0] - m.move[v, 0])
        y += inertia * (m.goal[v, 1] - m.move[v, 1])
        z += inertia * (m.goal[v, 2] - m.move[v, 2])
        if m.number == 0:
            a, b, c = times(args.matrix, i, m.apart)
            x -= a
            y -= b
            z -= c
        args.r[v, 0] = x
        args.r[v, 1] = y
        args.r[v, 2] = z
        direction = times_inverse(args.matrix.inverse, i, OMEGA, (x, y, z))
        for k in range(3):
            args.z[v, k] = direction[k]
            args.p[v, k] = first_direction(m, i, k, direction) if m.number == 0 else ZERO
            m.more[v, k] = ZERO
        slot = args.matrix.first[i // LANES]
        values = args.matrix.values
        trace = values[slot, i % LANES] + values[slot, 4 * LANES + i % LANES] + values[slot, 8 * LANES + i % LANES]
        rough = (x * x + y * y + z * z) / trace
    m.runs.values[0, i] = rough


@inline
def first_direction(m, i, k, offset):
    """Return the first search direction of a row: towards the prediction; for a soft body, which may be there, `offset`."""
    v = m.vertex[i]
    return offset[k] if m.solid[m.group[i]] > 0 else m.goal[v, k] - m.move[v, k]


@inline
def pushed_at(touching, v):
    """Return the contact forces of pairs on a vertex, see `contact_coupling.pull` [N]."""
    total = (ZERO, ZERO, ZERO)
    if touching.load[v] > ZERO:
        total = pushed(v, touching)
    return total


@body
def begin_gradients(i, args):
    """Estimate for each group the decrease of the potential by single vertices, and start its gradients. One thread."""
    m = args.motion
    args.going[0] = m.go[0]
    if m.go[0] == 0:
        return
    known = m.groups
    for s in range(known.shape[0]):
        known[s, GROUP.rough] = total_of(m.of_groups, 0, s)
        known[s, GROUP.solving] = known[s, GROUP.active]
        known[s, GROUP.left] = ZERO
        known[s, GROUP.begin] = ZERO
        known[s, GROUP.foreseen] = ZERO


@body
def measure_momentum(i, args):
    """A row's part in the mean of a step."""
    if args.go[0] == 0:
        return
    v = args.vertex[i]
    for k in range(3):
        args.runs.values[k, i] = args.share[i] * args.more[v, k] if v >= 0 else ZERO


@body
def find_mean(i, args):
    """The mean of each free sheet's step: none of one that something holds. One thread."""
    if args.go[0] == 0:
        return
    for s in range(args.sheets.shape[0]):
        free = args.held[s] == 0 and args.sheets[s, SHEET.touched] == ZERO
        for k in range(3):
            args.sheets[s, SHEET.mean + k] = total_of(args.runs, k, s) if free else ZERO


@body
def keep_momentum(i, args):
    """Take the mean out of a row's step, as the exact one keeps momentum."""
    v = args.vertex[i]
    if args.go[0] == 0 or v < 0 or args.moves[i] == 0:
        return
    for k in range(3):
        args.more[v, k] -= args.sheets[args.sheet[i], SHEET.mean + k]


@body
def go(i, args):
    """Move a row along its step; the next system is linearised there."""
    v = args.vertex[i]
    if v < 0:
        return
    s = args.group[i]
    share = args.groups[s, GROUP.share]
    again = args.groups[s, GROUP.active] > ZERO and args.number + 1 < args.systems and args.number >= 0
    again = again or (args.number == BEFORE and args.solid[s] > 0)
    for k in range(3):
        to = args.move[v, k] + share * args.more[v, k]
        args.move[v, k] = to
        if again:
            args.at[v, k] = to


@body
def look_back(i, args):
    """Test whether systems have raised the potential of any group with limits. One thread."""
    raised = 0
    for s in range(args.groups.shape[0]):
        args.groups[s, GROUP.share] = ZERO
        if args.limited[s] > 0 and args.groups[s, GROUP.fallen] < ZERO:
            raised = 1
    args.go[0] = raised


@body
def turn_back(i, args):
    """If systems have raised the potential, make the total motion one step from its start, for a new line search."""
    v = args.vertex[i]
    if args.go[0] == 0 or v < 0:
        return
    s = args.group[i]
    back = args.limited[s] > 0 and args.groups[s, GROUP.fallen] < ZERO
    for k in range(3):
        displacement = args.move[v, k] - args.start[v, k]
        args.more[v, k] = displacement if back else ZERO
        if back:
            args.move[v, k] = args.start[v, k]


@body
def measure_lost(i, args):
    """Compute a row's part in the change of momentum by the step, except for reactions on vertices outside it."""
    v = args.vertex[i]
    inertia, push = ZERO, (ZERO, ZERO, ZERO)
    if v >= 0 and args.moves[i] > 0:
        inertia, push = ONE / args.x0[v, 3], pushed_back(args.touching, v)
    for k in range(3):
        contact_force = push[0] if k == 0 else push[1] if k == 1 else push[2]
        args.runs.values[k, i] = inertia * (args.move[v, k] - args.goal[v, k]) - contact_force if inertia > ZERO else ZERO
    args.runs.values[3, i] = inertia


@body
def find_lost(i, args):
    """Compute the loss of mean motion of each group that touches only itself and vertices outside the step; zero for others.
    One thread."""
    for s in range(args.groups.shape[0]):
        known, inertia = args.groups, max(total_of(args.of_groups, 3, s), TINY)
        free = args.held_group[s] == 0 and known[s, GROUP.touched] > ZERO and known[s, GROUP.outside] == ZERO
        for k in range(3):
            known[s, GROUP.lost + k] = -total_of(args.of_groups, k, s) / inertia if free else ZERO


@body
def end(i, args):
    """Write the displacement of a row after the prediction; a group regains its lost mean motion."""
    v = args.vertex[i]
    if v < 0 or args.moves[i] == 0:
        return
    for k in range(3):
        args.move[v, k] += args.groups[args.group[i], GROUP.lost + k]
        args.correction[v, k] += args.move[v, k] - args.goal[v, k]
        args.x[v, k] = args.x_pred[v, k] + args.correction[v, k]
