"""Angular momentum of free sheets in the global step on a device: a rotation that takes the step's torque away.

`given` is `row_operations.Motion`.
"""

from __future__ import annotations

from ...device.cpu import f32
from ...device.cuda.body import body
from ...mathlib import sym3, vec3
from .rows import SHEET, total_of

ZERO = f32(0)


@body
def measure_centre(i, given):
    """A row's part in its sheet's centre of mass, from the sheet's first row on."""
    v = given.vertex[i]
    first = given.vertex[given.runs.start[given.runs.first[given.sheet[i]]]]
    for k in range(3):
        arm = ZERO
        if v >= 0:
            arm = (given.x0[v, k] - given.x0[first, k]) + given.move[v, k]
        given.runs.values[k, i] = given.share[i] * arm


@body
def find_centre(i, given):
    """The centre of mass of each sheet. One thread."""
    for s in range(given.sheets.shape[0]):
        for k in range(3):
            given.sheets[s, SHEET.centre + k] = total_of(given.runs, k, s)


@body
def measure_torque(i, given):
    """Compute a row's part in its sheet's inertia about the centre, and in the torque of its displacement from the
    prediction."""
    v = given.vertex[i]
    s = given.sheet[i]
    first = given.vertex[given.runs.start[given.runs.first[s]]]
    a, b, c = ZERO, ZERO, ZERO
    off = (ZERO, ZERO, ZERO)
    if v >= 0:
        a = (given.x0[v, 0] - given.x0[first, 0]) + given.move[v, 0] - given.sheets[s, SHEET.centre]
        b = (given.x0[v, 1] - given.x0[first, 1]) + given.move[v, 1] - given.sheets[s, SHEET.centre + 1]
        c = (given.x0[v, 2] - given.x0[first, 2]) + given.move[v, 2] - given.sheets[s, SHEET.centre + 2]
        off = (given.goal[v, 0] - given.move[v, 0], given.goal[v, 1] - given.move[v, 1], given.goal[v, 2] - given.move[v, 2])
    w = given.share[i]
    torque = vec3.cross((a, b, c), off)
    given.runs.values[0, i] = w * (b * b + c * c)
    given.runs.values[1, i] = -w * a * b
    given.runs.values[2, i] = -w * a * c
    given.runs.values[3, i] = w * (a * a + c * c)
    given.runs.values[4, i] = -w * b * c
    given.runs.values[5, i] = w * (a * a + b * b)
    given.runs.values[6, i] = w * torque[0]
    given.runs.values[7, i] = w * torque[1]
    given.runs.values[8, i] = w * torque[2]


@body
def find_turn(i, given):
    """The rotation that takes each free sheet's torque away; none of one that something holds. One thread."""
    for s in range(given.sheets.shape[0]):
        r = given.runs
        a, b, c = total_of(r, 0, s), total_of(r, 1, s), total_of(r, 2, s)
        H = (a, b, c, total_of(r, 3, s), total_of(r, 4, s), total_of(r, 5, s))
        x, y, z = sym3.solve(H, (total_of(r, 6, s), total_of(r, 7, s), total_of(r, 8, s)))
        free = given.held[s] == 0 and given.sheets[s, SHEET.touched] == ZERO
        given.sheets[s, SHEET.turn] = x if free else ZERO
        given.sheets[s, SHEET.turn + 1] = y if free else ZERO
        given.sheets[s, SHEET.turn + 2] = z if free else ZERO


@body
def rotate(i, given):
    """Turn a row with its sheet."""
    v = given.vertex[i]
    if v < 0 or given.moves[i] == 0:
        return
    s = given.sheet[i]
    first = given.vertex[given.runs.start[given.runs.first[s]]]
    known = given.sheets
    arm = (
        (given.x0[v, 0] - given.x0[first, 0]) + given.move[v, 0] - known[s, SHEET.centre],
        (given.x0[v, 1] - given.x0[first, 1]) + given.move[v, 1] - known[s, SHEET.centre + 1],
        (given.x0[v, 2] - given.x0[first, 2]) + given.move[v, 2] - known[s, SHEET.centre + 2],
    )
    displacement = vec3.cross((known[s, SHEET.turn], known[s, SHEET.turn + 1], known[s, SHEET.turn + 2]), arm)
    given.move[v, 0] += displacement[0]
    given.move[v, 1] += displacement[1]
    given.move[v, 2] += displacement[2]
