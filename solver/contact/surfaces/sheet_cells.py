"""The cells that sheets whose rest shape is one convex region of a plane are divided into, and windows of 2 x 2 of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...steering import ACTIVATION, EDGE_END, LEAST_GAP, SAFE_SHARE
from .surfaces import Surfaces

Array = np.ndarray
#: Times their thickness that smooth sheets have to stay apart: contacts begin a little before, beside rounding.
KEPT = float(ACTIVATION / SAFE_SHARE)
#: Column and row of elements in no cell.
NOWHERE = 1 << 30


class Cells(NamedTuple):
    """The cells of all sheets, and the triangles and particles in each, some of them in several.

    corners: of the triangles in a cell (k, 3) int32; inverse: of their edges in the plane at rest [1/m], by rows, (k, 4);
    those of cell c are first[c] to first[c + 1]. members: particles of these triangles, (m,) int32, with member_first in
    the same way; middle: the one that is nearest to the cell's middle, (cells,). windows: that the cell is in, (cells, 4)
    int32. body, column, row: of each cell, (cells,) int32. lanes: scratch, (10 * 16,).
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


class Grid(NamedTuple):
    """Cells of sheets and their elements.

    place: column and row of particles, with fractions, (count, 2); each sheet's begin after the last one's, and particles of
    no sheet have -1. last: column and row of their sheet, (count, 2). columns, rows: windows around the cell in column i and
    row j are columns[i, k] + rows[j, l], with k and l 0 for those that begin a cell before and 1 for those that begin with
    it, (.., 2) int32.
    """

    place: Array
    last: Array
    columns: Array
    rows: Array


def are_all_sheets(s: Surfaces) -> bool:
    """Return whether nothing may touch but sheets that have cells."""
    if s.count > s.n or not len(s.triangles) or s.body_points > len(np.unique(s.triangles)):
        return False
    return all(plane is not None for _, _, plane in _sheets(s))


def _sheets(s: Surfaces) -> Iterator[tuple[int, Array, Array | None]]:
    """Iterate over bodies with triangles: its number, these, and coordinates in its plane, see `_plane_coordinates`."""
    triangles, rest = s.triangles[: s.body_triangles], s.rest.astype(float)
    for body in np.unique(s.owner[triangles[:, 0]]):
        mine = triangles[s.owner[triangles[:, 0]] == body]
        yield int(body), mine, _plane_coordinates(rest, mine)


def cells_of(s: Surfaces, size: int, whole: bool) -> tuple[Cells, Grid] | None:
    """The cells of a world's sheets; None if there are none whose rest shape is one convex region of a plane.

    size: edges in a cell, in the mean. whole: whether cells hold the elements that begin in them as a whole.
    """
    parts, window_count = [], 0
    place, final = np.full((s.count, 2), -1.0), np.zeros((s.count, 2), int)
    lines: list[list[Array]] = [[np.zeros((0, 2), int)] for _ in range(2)]
    after = np.zeros(2, int)
    for body, mine, plane in _sheets(s):
        if plane is None:
            continue
        low, cell, counts = _layout(plane[mine], size)
        rows = np.unique(mine)
        place[rows] = after + (plane[rows] - low) / cell
        final[rows] = after + counts - 1
        more = _overhang(place, final, mine) * cell if whole else np.zeros(2)
        thickness = 2 * float(s.half[mine].max()) if s.rules[body, body] else None
        parts.append(_of_sheet(plane, mine, body, window_count, thickness, (low, cell, counts, more)))
        wide = np.maximum(counts - 1, 1)
        for axis, (begin, stride) in enumerate(((window_count, wide[1]), (0, 1))):
            k = np.arange(counts[axis])
            around = np.stack([np.maximum(k - 1, 0), np.minimum(k, wide[axis] - 1)], 1)
            lines[axis] += [begin + stride * around, np.zeros((1, 2), int)]  # no window lies across two sheets
        after += counts + 1
        window_count += len(parts[-1][-1])
    if not parts:
        return None
    corners, inverse, sizes, members, member_counts, middle, windows, of_body, column, row, steepest = (
        np.concatenate(of_sheets) for of_sheets in zip(*parts, strict=True)
    )
    dtype, number = s.rest.dtype, np.int32
    limit = np.array([KEPT * 2 * float(s.half[corners].max())], dtype)
    of_columns, of_rows = (np.concatenate(of_sheets).astype(number) for of_sheets in lines)
    cells = Cells(
        corners.astype(number), inverse.astype(dtype), _starts(sizes), members.astype(number), _starts(member_counts),
        middle.astype(number), windows.astype(number), of_body.astype(number), column.astype(number), row.astype(number),
        np.zeros(10 * LANES, dtype), np.zeros((window_count, 6), dtype), steepest.astype(dtype),
        np.zeros((len(middle), 4), dtype), limit,
    )  # fmt: skip
    return cells, Grid(place, final, of_columns, of_rows)


def begun_in(grid: Grid | None, elements: Array) -> Array:
    """The column and row of the cell that elements begin in, (k, 2) int32; `NOWHERE` for those that are in none.

    elements: (k, corners).
    """
    cells_begun = np.full((len(elements), 2), NOWHERE, np.int32)
    if grid is not None and len(elements):
        inside = (grid.place[elements] >= 0).all((1, 2))
        cells_begun[inside] = _first_cell(grid.place, grid.last, elements[inside])
    return cells_begun


def _first_cell(place: Array, last: Array, elements: Array) -> Array:
    return np.minimum(np.floor(place[elements].min(1) + EDGE_END), last[elements[:, 0]]).astype(np.int32)


def _overhang(place: Array, last: Array, triangles: Array) -> Array:
    """Return the largest reach of triangles and their edges beyond the cell that they begin in, in cells, (2,)."""
    beyond = np.zeros(2)
    for corners in ([0, 1, 2], [0, 1], [1, 2], [2, 0]):
        part = triangles[:, corners]
        beyond = np.maximum(beyond, (place[part].max(1) - _first_cell(place, last, part) - 1).max(0))
    return np.where(beyond > EDGE_END, beyond, 0.0)


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
    half = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    there, back = (half @ np.array(layout) for layout in ((len(rest), 1), (1, len(rest))))
    border = half[~np.isin(there, back)]
    if not len(border):
        return None
    # So that cells lie along the rows of a mesh that has such.
    along = rest[border[0, 1]] - rest[border[0, 0]]
    along -= (along @ normal) * normal
    along /= max(np.linalg.norm(along), 1e-30)
    plane = rest @ np.stack([along, np.cross(normal, along)], 1)
    edges = plane[triangles[:, [1, 2]]] - plane[triangles[:, :1]]
    areas = 0.5 * _cross(edges[:, 0], edges[:, 1])
    ways = plane[border[:, 1]] - plane[border[:, 0]]
    path = np.cumsum(ways[np.argsort(np.arctan2(ways[:, 1], ways[:, 0]), kind="stable")], 0)
    polygon = 0.5 * _cross(path, np.roll(path, -1, 0)).sum()
    if not areas.min() > 0 or not abs(polygon - areas.sum()) <= LEAST_GAP * areas.min():
        return None
    return plane


def _cross(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _layout(corners: Array, size: int) -> tuple[Array, Array, Array]:
    """Lay out the cells of a sheet: their origin [m], their width [m], and their number, (2,).

    corners: of the triangles in the plane [m], (t, 3, 2). size: see `cells_of`; there are three edges to two triangles.
    """
    area = 0.5 * _cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum()
    low, extent = corners.min((0, 1)), np.ptp(corners, (0, 1))
    counts = np.maximum(np.round(extent / np.sqrt(size * area / (3 * len(corners) / 2))), 1).astype(int)
    return low, extent / counts, counts


def _of_sheet(
    plane: Array, triangles: Array, body: int, windows: int, thickness: float | None, layout: tuple[Array, ...]
) -> tuple[Array, ...]:
    """Return the part of one sheet in `Cells`; in place of the first triangles and particles of cells, their numbers.

    plane: see `_plane_coordinates`. windows: of the sheets before. thickness: kept from itself [m], None where it may pass
    through itself. layout: see `_layout`, and how far beyond their last side cells reach [m], (2,). Elements without a
    common corner are no nearer at rest than a triangle is high.
    """
    low, cell, counts, more = layout
    corners = plane[triangles]
    sides = corners[:, [1, 2, 2]] - corners[:, [0, 0, 1]]
    lengths = np.linalg.norm(sides, axis=2)
    height = (_cross(sides[:, 0], sides[:, 1]) / lengths.max(1)).min()
    first, last = (
        np.clip(np.floor((at - low) / cell + shift), 0, counts - 1).astype(int)
        for at, shift in ((corners.min(1) - more, EDGE_END), (corners.max(1), -EDGE_END))
    )
    wide, high = np.maximum(counts - 1, 1)
    least = -np.inf if thickness is None else KEPT * thickness / height
    inside, cells = _in_cells(first, last, counts)
    numbers, of_elements = np.unique(cells, return_inverse=True)
    column, row = np.divmod(numbers, counts[1])
    particle_cells, particles = np.divmod(np.unique(of_elements[:, None] * len(plane) + triangles[inside]), len(plane))
    centres = low + cell * (np.stack([column, row], 1) + 0.5)
    away = np.linalg.norm(plane[particles] - centres[particle_cells], axis=1)
    by_distance = np.lexsort((away, particle_cells))
    middle = particles[by_distance[np.searchsorted(particle_cells, np.arange(len(numbers)))]]
    left, right = np.maximum(column - 1, 0), np.minimum(column, wide - 1)
    below, above = np.maximum(row - 1, 0), np.minimum(row, high - 1)
    around = np.stack([i * high + j for i in (left, right) for j in (below, above)], 1)
    return (
        triangles[inside], np.linalg.inv(np.swapaxes(sides[:, :2], 1, 2)).reshape(-1, 4)[inside], np.bincount(of_elements),
        particles, np.bincount(particle_cells), middle, around + windows, np.full(len(numbers), body), column, row,
        np.full(wide * high, least),
    )  # fmt: skip


def _in_cells(first: Array, last: Array, counts: Array) -> tuple[Array, Array]:
    """Return the triangles of cells, one cell after the other, each in ascending order, and the cell of each, row by row of
    a column. first, last: column and row of each triangle's cells, (t, 2). counts: of columns and of rows."""
    columns, rows = (last - first + 1).T
    inside = np.repeat(np.arange(len(first)), columns * rows)
    step = np.arange(len(inside)) - np.repeat(np.cumsum(columns * rows) - columns * rows, columns * rows)
    across, along = np.divmod(step, rows[inside])
    cells = (first[inside, 0] + across) * counts[1] + first[inside, 1] + along
    order = np.argsort(cells, kind="stable")
    return inside[order], cells[order]
