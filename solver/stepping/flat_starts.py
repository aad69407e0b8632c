"""Flat sheets in compression buckle: an exactly flat one has no force out of its plane, so it would crush in it.

While a sheet that started flat is flat to rounding, and some triangle of it is compressed, its prediction is disturbed
out of its plane by a ten-thousandth of its mean edge, in smooth waves (`model/flat_sheets.py`), and again whenever it is
compressed by a tenth more: one that lies under its weight comes to rest. The disturbance depends on the sheet alone.
"""

from __future__ import annotations

import math

from ..device.cpu import f32
from ..device.epsilon import epsilon
from ..device.uncounted import inline, uncounted_kernel
from ..mathlib.vec3 import add_scaled, cross, dot, scale, sub
from ..model.flat_sheets import FlatSheets
from ..model.state import State

#: Disturbance of a sheet, a share of the mean edge; far below the visible, and it grows tenfold and more a substep.
DISTURBANCE = f32(1e-4)
#: Units of rounding of its coordinates within which a sheet is flat, and times these that it is disturbed by at least.
FLAT_UNITS, LEAST = f32(8), f32(4)
#: Strain beyond which a triangle counts as compressed: less is not seen. Of the strain along the other axis this share is
#: no compression, but the contraction under tension: Poisson's ratio is no more than this.
COMPRESSED, POISSON = f32(1e-3), f32(0.5)
#: Times the compression that it was disturbed at last, beyond which a sheet is disturbed again.
GROWN = f32(1.1)
HALF, ONE, ZERO, TINY = f32(0.5), f32(1), f32(0), f32(1e-30)


def disturb_flat_sheets(sheets: FlatSheets, state: State) -> None:
    """Disturb flat sheets under compression, after the prediction of a substep. Written: state.x, state.flat_compression."""
    if len(sheets.anchors):
        disturb(sheets, state.x0, state.flat_compression, state.x)


@uncounted_kernel
def disturb(sheets, x0, before, x):
    """Move the vertices of each flat sheet that is compressed along its normal.

    x0: start of the substep [m]. before: compression at which each was disturbed last [1], (s,). Written: before, x (n, 4).
    """
    for s in range(len(sheets.anchors)):
        disturb_sheet(s, sheets, x0, before, x)


@inline
def disturb_sheet(s, sheets, x0, before, x):
    """`disturb` of sheet s."""
    rounding = epsilon(x0[0, 0])
    a, b, c = point(x0, sheets.anchors[s, 0]), point(x0, sheets.anchors[s, 1]), point(x0, sheets.anchors[s, 2])
    normal = cross(sub(b, a), sub(c, a))
    square = dot(normal, normal)
    if not square > TINY:
        return
    normal = scale(ONE / math.sqrt(square), normal)
    flat = FLAT_UNITS * rounding * max(largest(a), max(largest(b), largest(c)))
    if not is_flat(sheets, s, x0, a, normal, flat):
        return
    now = compression(sheets, s, x0)
    if now < HALF * before[s]:
        before[s] = now
    if not now > GROWN * max(before[s], COMPRESSED):
        return
    before[s] = now
    amount = DISTURBANCE * sheets.edge[s] + LEAST * flat
    for v in range(sheets.vertex_first[s], sheets.vertex_first[s + 1]):
        row, move = sheets.rows[v], amount * sheets.shape[v]
        if x[row, 3] > 0:  # else it is asleep
            for axis in range(3):
                x[row, axis] += move * normal[axis]


@inline
def is_flat(sheets, s, x, origin, normal, flat):
    """Return whether no vertex of sheet s is further than `flat` [m] from a plane."""
    for v in range(sheets.vertex_first[s], sheets.vertex_first[s + 1]):
        if not abs(dot(sub(point(x, sheets.rows[v]), origin), normal)) <= flat:
            return False
    return True


@inline
def compression(sheets, s, x):
    """Return the largest compression of a triangle of sheet s, beyond what stretch along its other axis explains [1]."""
    largest = ZERO
    for t in range(sheets.triangle_first[s], sheets.triangle_first[s + 1]):
        a = point(x, sheets.triangles[t, 0])
        one, two = sub(point(x, sheets.triangles[t, 1]), a), sub(point(x, sheets.triangles[t, 2]), a)
        u = scale(sheets.rest[t, 0], one)
        v = add_scaled(scale(sheets.rest[t, 1], one), sheets.rest[t, 2], two)
        mean, half = HALF * (dot(u, u) + dot(v, v)), HALF * (dot(u, u) - dot(v, v))
        shear = dot(u, v)
        spread = math.sqrt(half * half + shear * shear)
        least, most = math.sqrt(max(ZERO, mean - spread)) - ONE, math.sqrt(mean + spread) - ONE
        largest = max(largest, -least - POISSON * max(ZERO, most))
    return largest


@inline
def point(x, i):
    return x[i, 0], x[i, 1], x[i, 2]


@inline
def largest(p):
    return max(abs(p[0]), max(abs(p[1]), abs(p[2])))
