"""Whether sheets are so smooth, and so far from each other, that nothing of them can touch: then no pair is searched for.

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
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.uncounted import inline, uncounted_kernel
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import Surfaces
from ..tolerances import ACTIVATION, CELL_EDGES, CONVEX_SHARE, SMOOTH_SHARE

Array = np.ndarray

ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)


class Cells(NamedTuple):
    """The cells of all sheets, and the triangles and particles in each, some of them in several.

    corners: of the triangles in a cell (k, 3) int32; inverse: of their edges in the plane at rest [1/m], by rows, (k, 4);
    those of cell c are first[c] to first[c + 1]. members: particles of these triangles, (m,) int32, with member_first in
    the same way; middle: the one that is nearest to the cell's middle, (cells,). windows: that the cell is in, (cells, 4)
    int32. body, column, row: of each cell, (cells,) int32. lanes: scratch, (7 * 16,).
    axes: of each window's plane in space, (windows, 6). steepest: c of each window, (windows,). spheres: around cells in a
    substep, centre and radius [m], (cells, 4). limit: distance that cells without a common window keep [m], (1,).
    """

    corners: Array
    inverse: Array
    first: Array
    members: Array
    member_first: Array
    middle: Array
    windows: Array
    body: Array
    column: Array
    row: Array
    lanes: Array
    axes: Array
    steepest: Array
    spheres: Array
    limit: Array


class SmoothSheets:
    """Asks, once or twice a substep. A world with anything else in it than such sheets is never taken for smooth."""

    def __init__(self, surfaces: Surfaces) -> None:
        cells = _cells_of(surfaces)
        self._cells, self._rules = cells, surfaces.rules
        self._given_up, self._begun = cells is None, False
        self._smooth_at = np.zeros((0, 4), surfaces.rest.dtype)

    def begin_frame(self) -> None:
        """Takes new planes at the next substep, and asks again where it was given up."""
        self._given_up, self._begun = self._cells is None, False

    def stay_apart(self, motion: SubstepMotion, predicted: bool) -> bool:
        """Whether no two elements without a common corner come nearer in a motion than contact begins at.

        predicted: whether the motion is; that which the substep ends with has the same start. Where elements may come
        nearer, also with new planes, nothing is looked at until the frame ends.
        """
        cells = self._cells
        if self._given_up or cells is None:
            return False
        at_start = predicted and not np.array_equal(self._smooth_at[:, :3], motion.x0[:, :3])
        if not self._begun or not sheets_stay_apart(motion, at_start, self._rules, cells):
            if predicted:
                take_planes(motion.x0, cells)
                self._begun = sheets_stay_apart(motion, True, self._rules, cells)
            self._given_up = not predicted or not self._begun
        if not predicted and not self._given_up:
            self._smooth_at = motion.x1.copy()
        return not self._given_up


def _cells_of(s: Surfaces) -> Cells | None:
    """The cells of a world's sheets; None if there is anything else that may touch."""
    triangles, rest = s.triangles, s.rest.astype(float)
    if s.count > s.n or not len(triangles) or s.body_points > len(np.unique(triangles)):
        return None
    parts, window_count = [], 0
    for body in np.unique(s.owner[triangles[:, 0]]):
        mine = triangles[s.owner[triangles[:, 0]] == body]
        plane = _plane_coordinates(rest, mine)
        if plane is None:
            return None
        thickness = 2 * float(s.half[mine].max()) if s.rules[body, body] else None
        part = _of_sheet(plane, mine, int(body), window_count, thickness)
        parts.append(part)
        window_count += len(part[-1])
    corners, inverse, counts, members, member_counts, middle, windows, body, column, row, steepest = (
        np.concatenate(of_sheets) for of_sheets in zip(*parts, strict=True)
    )
    dtype, whole = s.rest.dtype, np.int32
    limit = np.array([float(ACTIVATION) * 2 * float(s.half[triangles].max()) * SMOOTH_SHARE], dtype)
    return Cells(
        corners.astype(whole), inverse.astype(dtype), _starts(counts), members.astype(whole), _starts(member_counts),
        middle.astype(whole), windows.astype(whole), body.astype(whole), column.astype(whole), row.astype(whole),
        np.zeros(7 * LANES, dtype), np.zeros((window_count, 6), dtype), steepest.astype(dtype),
        np.zeros((len(middle), 4), dtype), limit,
    )  # fmt: skip


def _starts(counts: Array) -> Array:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _plane_coordinates(rest: Array, triangles: Array) -> Array | None:
    """Coordinates of the rest shape in its plane [m], (count, 2); None unless it is one convex region, covered once.

    The edges of the border, sorted by direction, close to a convex polygon, of more area than any other order of them
    gives, several loops included: only a border that is that polygon already has as much as the triangles together.
    """
    a, b, c = (rest[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a).sum(0)
    size = np.linalg.norm(normal)
    if not size > 0:
        return None
    normal /= size
    along = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    along /= np.linalg.norm(along)
    plane = rest @ np.stack([along, np.cross(normal, along)], 1)
    edges = plane[triangles[:, [1, 2]]] - plane[triangles[:, :1]]
    areas = 0.5 * _cross(edges[:, 0], edges[:, 1])
    half = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    there, back = (half @ np.array(way) for way in ((len(rest), 1), (1, len(rest))))
    border = half[~np.isin(there, back)]
    ways = plane[border[:, 1]] - plane[border[:, 0]]
    path = np.cumsum(ways[np.argsort(np.arctan2(ways[:, 1], ways[:, 0]), kind="stable")], 0)
    polygon = 0.5 * _cross(path, np.roll(path, -1, 0)).sum()
    if not areas.min() > 0 or not abs(polygon - areas.sum()) <= CONVEX_SHARE * areas.min():
        return None
    return plane


def _cross(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _of_sheet(plane: Array, triangles: Array, body: int, windows: int, thickness: float | None) -> tuple[Array, ...]:
    """What one sheet brings to `Cells`; in place of where triangles and particles of a cell begin, how many these are.

    plane: see `_plane_coordinates`. windows: of the sheets before. thickness: kept from itself [m], None where it may pass
    through itself. Elements without a common corner are no nearer at rest than a triangle is high.
    """
    corners = plane[triangles]
    sides = corners[:, [1, 2, 2]] - corners[:, [0, 0, 1]]
    lengths = np.linalg.norm(sides, axis=2)
    height = (_cross(sides[:, 0], sides[:, 1]) / lengths.max(1)).min()
    low, extent = corners.min((0, 1)), np.ptp(corners, (0, 1))
    counts = np.maximum(np.round(extent / (CELL_EDGES * np.median(lengths))), 1).astype(int)
    cell = extent / counts
    first, last = (
        np.clip(np.floor((f(corners, 1) - low) / cell + shift), 0, counts - 1).astype(int)
        for f, shift in ((np.min, 1e-6), (np.max, -1e-6))
    )
    wide, high = np.maximum(counts - 1, 1)
    least = -1e15 if thickness is None else float(ACTIVATION) * SMOOTH_SHARE * thickness / height
    found: list[list[Array]] = [[] for _ in range(10)]
    for column, row in np.ndindex(*counts):
        inside = np.flatnonzero((first <= (column, row)).all(1) & (last >= (column, row)).all(1))
        if not len(inside):
            continue
        particles = np.unique(triangles[inside])
        centre = low + cell * (np.array([column, row]) + 0.5)
        middle = particles[np.argmin(np.linalg.norm(plane[particles] - centre, axis=1))]
        left, right = max(column - 1, 0), min(column, wide - 1)
        below, above = max(row - 1, 0), min(row, high - 1)
        around = np.array([i * high + j for i in (left, right) for j in (below, above)])
        inverse = np.linalg.inv(np.swapaxes(sides[inside][:, :2], 1, 2)).reshape(-1, 4)
        new = (
            triangles[inside], inverse, [len(inside)], particles, [len(particles)], [middle], [around + windows], [body],
            [column], [row],
        )  # fmt: skip
        for parts, part in zip(found, new, strict=True):
            parts.append(np.asarray(part))
    return *(np.concatenate(parts) for parts in found), np.full(wide * high, least)


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
        plus, minus = math.sqrt(HALF / max(plus, tiny)), math.sqrt(HALF / max(minus, tiny))
        for c in range(3):
            a, b = plus * row[c], minus * row[3 + c]
            row[c], row[3 + c] = a + b, a - b


@inline
def _least_of_pack(lanes, axes, w, least):
    """Lowers the last column of `lanes` to what is above 0 where, of each of 16 deformation gradients, the eigenvalues of
    sym(R^T F) are above `least`. w: window that R is of."""
    a, b, c, d, e, f = axes[w, 0], axes[w, 1], axes[w, 2], axes[w, 3], axes[w, 4], axes[w, 5]
    for lane in range(LANES):
        u, v, s = lanes[lane], lanes[LANES + lane], lanes[2 * LANES + lane]
        g, h, k = lanes[3 * LANES + lane], lanes[4 * LANES + lane], lanes[5 * LANES + lane]
        p, q = a * u + b * v + c * s - least, d * g + e * h + f * k - least
        o = HALF * (a * g + b * h + c * k + d * u + e * v + f * s)
        both = min(p, p * q - o * o)
        lanes[6 * LANES + lane] = both if both < lanes[6 * LANES + lane] else lanes[6 * LANES + lane]


@uncounted_kernel
def are_smooth(x, cells):
    """Whether every window's triangles rise gently from its plane. x: (count, 4) [m]. Written: lanes."""
    corners, inverse, axes, steepest, lanes = cells.corners, cells.inverse, cells.axes, cells.steepest, cells.lanes
    for lane in range(LANES):
        lanes[6 * LANES + lane] = ONE
    for cell in range(len(cells.windows)):
        k, l, m, n = cells.windows[cell, 0], cells.windows[cell, 1], cells.windows[cell, 2], cells.windows[cell, 3]
        stop = cells.first[cell + 1]
        for start in range(cells.first[cell], stop, LANES):
            for lane in range(LANES):
                f, g = _gradient(x, corners, inverse, min(start + lane, stop - 1))
                lanes[lane], lanes[LANES + lane], lanes[2 * LANES + lane] = f
                lanes[3 * LANES + lane], lanes[4 * LANES + lane], lanes[5 * LANES + lane] = g
            _least_of_pack(lanes, axes, k, steepest[k])
            _least_of_pack(lanes, axes, l, steepest[l])
            _least_of_pack(lanes, axes, m, steepest[m])
            _least_of_pack(lanes, axes, n, steepest[n])
        for lane in range(LANES):
            if not lanes[6 * LANES + lane] > ZERO:
                return False
    return True


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
    """Whether the spheres of all cells that may touch and share no window keep their distance. rules: of bodies."""
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
def sheets_stay_apart(motion, at_start, rules, cells):
    """See `SmoothSheets.stay_apart`. Written: spheres."""
    if at_start and not are_smooth(motion.x0, cells):
        return False
    if not are_smooth(motion.x1, cells):
        return False
    make_spheres(motion, cells)
    return are_apart(rules, cells)
