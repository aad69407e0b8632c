"""Angular momentum of free sheets in the global step on a device: a rotation that takes the step's torque away.

`args` is `row_operations.Motion`.
"""

from __future__ import annotations

from ...device.cpu import f32
from ...device.cuda.body import body
from ...mathlib import sym3, vec3
from .rows import SHEET, total_of

ZERO = f32(0)


@body
def measure_centre(i, args):
    """A row's part in its sheet's centre of mass, from the sheet's first row on."""
    v = args.vertex[i]
    first = args.vertex[args.runs.start[args.runs.first[args.sheet[i]]]]
    for k in range(3):
        arm = ZERO
        if v >= 0:
            arm = (args.x0[v, k] - args.x0[first, k]) + args.move[v, k]
        args.runs.values[k, i] = args.share[i] * arm


@body
def find_centre(i, args):
    """The centre of mass of each sheet. One thread."""
    for s in range(args.sheets.shape[0]):
        for k in range(3):
            args.sheets[s, SHEET.centre + k] = total_of(args.runs, k, s)


@body
def measure_torque(i, args):
    """Compute a row's part in its sheet's inertia about the centre, and in the torque of its displacement from the
    prediction."""
    v = args.vertex[i]
    s = args.sheet[i]
    first = args.vertex[args.runs.start[args.runs.first[s]]]
    a, b, c = ZERO, ZERO, ZERO
    off = (ZERO, ZERO, ZERO)
    if v >= 0:
        a = (args.x0[v, 0] - args.x0[first, 0]) + args.move[v, 0] - args.sheets[s, SHEET.centre]
        b = (args.x0[v, 1] - args.x0[first, 1]) + args.move[v, 1] - args.sheets[s, SHEET.centre + 1]
        c = (args.x0[v, 2] - args.x0[first, 2]) + args.move[v, 2] - args.sheets[s, SHEET.centre + 2]
        off = (args.goal[v, 0] - args.move[v, 0], args.goal[v, 1] - args.move[v, 1], args.goal[v, 2] - args.move[v, 2])
    w = args.share[i]
    torque = vec3.cross((a, b, c), off)
    args.runs.values[0, i] = w * (b * b + c * c)
    args.runs.values[1, i] = -w * a * b
    args.runs.values[2, i] = -w * a * c
    args.runs.values[3, i] = w * (a * a + c * c)
    args.runs.values[4, i] = -w * b * c
    args.runs.values[5, i] = w * (a * a + b * b)
    args.runs.values[6, i] = w * torque[0]
    args.runs.values[7, i] = w * torque[1]
    args.runs.values[8, i] = w * torque[2]


@body
def find_turn(i, args):
    """The rotation that takes each free sheet's torque away; none of one that something holds. One thread."""
    for s in range(args.sheets.shape[0]):
        r = args.runs
        a, b, c = total_of(r, 0, s), total_of(r, 1, s), total_of(r, 2, s)
        H = (a, b, c, total_of(r, 3, s), total_of(r, 4, s), total_of(r, 5, s))
        x, y, z = sym3.solve(H, (total_of(r, 6, s), total_of(r, 7, s), total_of(r, 8, s)))
        free = args.held[s] == 0 and args.sheets[s, SHEET.touched] == ZERO
        args.sheets[s, SHEET.turn] = x if free else ZERO
        args.sheets[s, SHEET.turn + 1] = y if free else ZERO
        args.sheets[s, SHEET.turn + 2] = z if free else ZERO


@body
def rotate(i, args):
    """Turn a row with its sheet."""
    v = args.vertex[i]
    if v < 0 or args.moves[i] == 0:
        return
    s = args.sheet[i]
    first = args.vertex[args.runs.start[args.runs.first[s]]]
    known = args.sheets
    arm = (
        (args.x0[v, 0] - args.x0[first, 0]) + args.move[v, 0] - known[s, SHEET.centre],
        (args.x0[v, 1] - args.x0[first, 1]) + args.move[v, 1] - known[s, SHEET.centre + 1],
        (args.x0[v, 2] - args.x0[first, 2]) + args.move[v, 2] - known[s, SHEET.centre + 2],
    )
    displacement = vec3.cross((known[s, SHEET.turn], known[s, SHEET.turn + 1], known[s, SHEET.turn + 2]), arm)
    args.move[v, 0] += displacement[0]
    args.move[v, 1] += displacement[1]
    args.move[v, 2] += displacement[2]
