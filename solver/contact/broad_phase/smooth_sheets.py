"""Test whether sheets are so smooth, and so far from each other, that no two parts can touch: then no search for pairs.

A sheet whose rest shape is one convex region of a plane is divided there into square cells. Within each window of 2 x 2
cells the sheet has to rise from a plane in space like a landscape, nowhere too steep: with that plane's axes R and the
deformation gradient F of each triangle, all eigenvalues of sym(R^T F) above c. As a straight line between two points of a
window stays within it, these are then no nearer in space than c times their distance at rest. Cells that share no window
have to be apart as spheres. Both bounds hold all along a straight motion of which they hold at the ends.
Source: Volino and Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations
using geometrical shape regularity", for the idea; Noshiro 1934 and Warschawski 1935 for why such a map is one to one.
"""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import LANES, f32
from ...device.uncounted import inline, uncounted_kernel
from ...steering import CELL_SIZE
from ..surfaces.motion import SubstepMotion
from ..surfaces.sheet_cells import are_all_sheets, cells_of
from ..surfaces.surfaces import Surfaces

ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)


class SmoothSheets:
    """Test, once or twice a substep. A world with anything else in it than such sheets is never taken for smooth."""

    def __init__(self, surfaces: Surfaces) -> None:
        cells = cells_of(surfaces, CELL_SIZE, False) if are_all_sheets(surfaces) else None
        self._cells, self._rules = None if cells is None else cells[0], surfaces.rules
        self._smooth = np.zeros(0 if self._cells is None else len(self._cells.axes), bool)
        self._none = self._smooth_at = np.zeros((0, 4), surfaces.rest.dtype)
        self.begin_frame()

    def begin_frame(self) -> None:
        """Take new planes at the next substep, and test again where it was given up."""
        self._given_up, self._begun = self._cells is None, False

    def stay_apart(self, motion: SubstepMotion, predicted: bool) -> bool:
        """Return whether no two elements without a common corner come nearer in a motion than contact begins at.

        predicted: whether the motion is; that which the substep ends with has the same start. Where elements may come
        nearer, also with new planes, nothing is looked at until the frame ends.
        """
        cells, rules = self._cells, self._rules
        if self._given_up or cells is None:
            return False
        known = self._smooth_at if predicted else motion.x0
        if not self._begun or not sheets_stay_apart(motion, known, rules, cells, self._smooth):
            if predicted:
                take_planes(motion.x0, cells)
                self._begun = sheets_stay_apart(motion, self._none, rules, cells, self._smooth)
            self._given_up = not predicted or not self._begun
        if not predicted and not self._given_up:
            self._smooth_at = motion.x1.copy()
        return not self._given_up


@inline
def _gradient(x, corners, inverse, t):
    """Deformation gradient of triangle t, both columns."""
    # Unsigned, because Numba lets negative numbers count from the end.
    i, j, k = np.uint32(corners[t, 0]), np.uint32(corners[t, 1]), np.uint32(corners[t, 2])
    a0, a1, a2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
    b0, b1, b2 = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
    p, q, r, s = inverse[t, 0], inverse[t, 1], inverse[t, 2], inverse[t, 3]
    return (
        (a0 * p + b0 * r, a1 * p + b1 * r, a2 * p + b2 * r),
        (a0 * q + b0 * s, a1 * q + b1 * s, a2 * q + b2 * s),
    )  # fmt: skip


@uncounted_kernel
def take_planes(x, cells):
    """The plane of each window: that of its mean deformation gradient, the columns made orthonormal evenly.

    x: (count, 4) [m]. Written: axes.
    """
    axes, corners = cells.axes, cells.corners
    for w in range(len(axes)):
        for c in range(6):
            axes[w, c] = ZERO
    for cell in range(len(cells.windows)):
        for t in range(cells.first[cell], cells.first[cell + 1]):
            f, g = _gradient(x, corners, cells.inverse, t)
            for w in range(4):
                row = axes[cells.windows[cell, w]]
                for c in range(3):
                    row[c] += f[c]
                    row[3 + c] += g[c]
    tiny = f32(1e-12)
    for w in range(len(axes)):
        row = axes[w]
        one = ONE / math.sqrt(max(row[0] * row[0] + row[1] * row[1] + row[2] * row[2], tiny))
        two = ONE / math.sqrt(max(row[3] * row[3] + row[4] * row[4] + row[5] * row[5], tiny))
        plus = minus = ZERO * one
        for c in range(3):
            a, b = one * row[c], two * row[3 + c]
            row[c], row[3 + c] = a + b, a - b
            plus += row[c] * row[c]
            minus += row[3 + c] * row[3 + c]
        of_sum, of_difference = math.sqrt(HALF / max(plus, tiny)), math.sqrt(HALF / max(minus, tiny))
        for c in range(3):
            a, b = of_sum * row[c], of_difference * row[3 + c]
            row[c], row[3 + c] = a + b, a - b


@inline
def _least_of_pack(lanes, axes, w, least, column):
    """Lower a column of `lanes` to how far, of each of 16 deformation gradients, the eigenvalues of sym(R^T F) are above
    `least`. w: window that R is of."""
    a, b, c, d, e, f = axes[w, 0], axes[w, 1], axes[w, 2], axes[w, 3], axes[w, 4], axes[w, 5]
    for lane in range(LANES):
        u, v, s = lanes[lane], lanes[LANES + lane], lanes[2 * LANES + lane]
        g, h, k = lanes[3 * LANES + lane], lanes[4 * LANES + lane], lanes[5 * LANES + lane]
        p, q = a * u + b * v + c * s - least, d * g + e * h + f * k - least
        o = a * g + b * h + c * k + d * u + e * v + f * s
        smaller, at = HALF * (p + q - math.sqrt((p - q) * (p - q) + o * o)), column * LANES + lane
        lanes[at] = smaller if smaller < lanes[at] else lanes[at]


@uncounted_kernel
def look_at_cell(x, cell, margin, cells):
    """Compute the excess of the eigenvalues of a cell's triangles over c and a margin, as the columns 6 to 9 of lanes, one
    for each window that it is in. x: (count, 4) [m]. Written: lanes."""
    corners, inverse, axes, steepest, lanes = cells.corners, cells.inverse, cells.axes, cells.steepest, cells.lanes
    k, l, m, n = cells.windows[cell, 0], cells.windows[cell, 1], cells.windows[cell, 2], cells.windows[cell, 3]
    stop = cells.first[cell + 1]
    for lane in range(6 * LANES, 10 * LANES):
        lanes[lane] = ONE
    for start in range(cells.first[cell], stop, LANES):
        for lane in range(LANES):
            f, g = _gradient(x, corners, inverse, min(start + lane, stop - 1))
            lanes[lane], lanes[LANES + lane], lanes[2 * LANES + lane] = f
            lanes[3 * LANES + lane], lanes[4 * LANES + lane], lanes[5 * LANES + lane] = g
        _least_of_pack(lanes, axes, k, steepest[k] + margin, 6)
        _least_of_pack(lanes, axes, l, steepest[l] + margin, 7)
        _least_of_pack(lanes, axes, m, steepest[m] + margin, 8)
        _least_of_pack(lanes, axes, n, steepest[n] + margin, 9)


@inline
def least_of_window(lanes, k):
    """Return the least value of `look_at_cell`, for the k-th window of the cell; negative where a triangle is not finite."""
    least = lanes[(6 + k) * LANES]
    for lane in range(LANES):
        value = lanes[(6 + k) * LANES + lane]
        least = value if not value >= least else least
    return least if least == least else -ONE


@uncounted_kernel
def find_smooth(x, margin, cells, smooth):
    """Test the windows that are `smooth`, (windows,) bool, here: their triangles must all rise gently from its plane.

    Returns how many windows do not. x: (count, 4) [m]. margin: by which eigenvalues have to be above c. Read and written:
    smooth. Written: lanes.
    """
    windows = cells.windows
    for cell in range(len(windows)):
        if smooth[windows[cell, 0]] | smooth[windows[cell, 1]] | smooth[windows[cell, 2]] | smooth[windows[cell, 3]]:
            look_at_cell(x, cell, margin, cells)
            for k in range(4):
                smooth[windows[cell, k]] &= least_of_window(cells.lanes, k) > ZERO
    steep = 0
    for w in range(len(smooth)):
        steep += not smooth[w]
    return steep


@uncounted_kernel
def make_spheres(motion, cells):
    """Spheres that hold cells all along a motion, in a frame that goes with the mean of their middles. Written: spheres."""
    x0, x1 = motion.x0, motion.x1
    members, first, spheres = cells.members, cells.member_first, cells.spheres
    count = len(cells.middle)
    u = v = w = ZERO * x0[0, 0]
    for cell in range(count):
        i = cells.middle[cell]
        u += x1[i, 0] - x0[i, 0]
        v += x1[i, 1] - x0[i, 1]
        w += x1[i, 2] - x0[i, 2]
    u, v, w = u / count, v / count, w / count
    for cell in range(count):
        i = cells.middle[cell]
        a = HALF * (x0[i, 0] + x1[i, 0] - u)
        b = HALF * (x0[i, 1] + x1[i, 1] - v)
        c = HALF * (x0[i, 2] + x1[i, 2] - w)
        square = ZERO * a
        for k in range(first[cell], first[cell + 1]):
            i = np.uint32(members[k])
            d, e, f = x0[i, 0] - a, x0[i, 1] - b, x0[i, 2] - c
            square = max(square, d * d + e * e + f * f)
            d, e, f = x1[i, 0] - u - a, x1[i, 1] - v - b, x1[i, 2] - w - c
            square = max(square, d * d + e * e + f * f)
        spheres[cell, 0], spheres[cell, 1], spheres[cell, 2], spheres[cell, 3] = a, b, c, math.sqrt(square)


@uncounted_kernel
def are_apart(rules, cells):
    """Return whether the spheres of all cells that may touch and share no window keep their distance. rules: of bodies."""
    spheres, body, column, row, limit = cells.spheres, cells.body, cells.column, cells.row, cells.limit[0]
    for one in range(len(spheres)):
        a, b, c, r = spheres[one, 0], spheres[one, 1], spheres[one, 2], spheres[one, 3] + limit
        good = True
        for two in range(one):
            d, e, f = spheres[two, 0] - a, spheres[two, 1] - b, spheres[two, 2] - c
            reach = spheres[two, 3] + r
            beside = (abs(column[two] - column[one]) <= 1) & (abs(row[two] - row[one]) <= 1) & (body[two] == body[one])
            good &= beside | (d * d + e * e + f * f > reach * reach) | (not rules[body[one], body[two]])
        if not good:
            return False
    return True


@uncounted_kernel
def are_equal(x, known):
    """Return whether positions equal the known ones, (count, 4) or none [m]."""
    same = len(known) == len(x)
    for i in range(len(known)):
        same &= (x[i, 0] == known[i, 0]) & (x[i, 1] == known[i, 1]) & (x[i, 2] == known[i, 2])
    return same


@uncounted_kernel
def sheets_stay_apart(motion, known, rules, cells, smooth):
    """See `SmoothSheets.stay_apart`. known: positions at which windows are known to be smooth, (count, 4) or none [m].
    Written: lanes, spheres, smooth."""
    for w in range(len(smooth)):
        smooth[w] = True
    if not are_equal(motion.x0, known) and find_smooth(motion.x0, ZERO, cells, smooth):
        return False
    if find_smooth(motion.x1, ZERO, cells, smooth):
        return False
    make_spheres(motion, cells)
    return are_apart(rules, cells)
