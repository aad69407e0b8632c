"""The cells that sheets whose rest shape is one convex region of a plane are divided into, for `smooth_sheets`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ..tolerances import ACTIVATION, CELL_EDGES, CONVEX_SHARE, SMOOTH_SHARE
from .surfaces import Surfaces

Array = np.ndarray


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


def cells_of(s: Surfaces) -> Cells | None:
    """The cells of a world's sheets; None if there is anything else that may touch, or a sheet of another rest shape."""
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
