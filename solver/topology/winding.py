"""Points of a regular grid inside a triangle mesh, by the generalised winding number; meshes may be open.

A mesh with a boundary is closed by one cone of triangles over each boundary loop. The closed mesh has whole winding numbers,
which are counted along columns of the grid; the cones' own share, a solid angle, is then subtracted again. The result is the
exact winding number of the open mesh, at a cost that grows with its boundary only.
Source: Jacobson, Kavan and Sorkine-Hornung 2013, "Robust inside-outside segmentation using generalized winding numbers".
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..errors import TetrahedralizationError
from .box_grid import ranges
from .components import label_components
from .edges import edge_uses

Array = np.ndarray

#: Pairs of triangle and column, or of point and triangle, worked on at a time: some ten megabytes an array.
CHUNK = 1_000_000
#: How often the samples may be moved when a column hits an edge so exactly that rounding decides.
ATTEMPTS = 4
#: A cell whose corners all see less than this share of the cones is decided by the whole winding numbers alone.
CONE_MATTERS = 0.2


def inside_grid(name: str, x: Array, triangles: Array, origin: Array, step: float, cells: Array, per_cell: int) -> Array:
    """True where the winding number is nearer to 1 (or -1, for a mesh turned inside out) than to 0.

    x: positions [m], (n, 3). triangles: (t, 3). The grid has `cells` (3,) cells of `per_cell` samples along each axis;
    sample i of an axis lies somewhere between origin + i step and origin + (i + 1) step [m]: evenly spread, because
    samples in straight rows would count a whole row too many or too few at a face along the axes.
    Returns bool of shape cells * per_cell.
    Raises: TetrahedralizationError if columns keep hitting edges exactly (not known to happen).
    """
    cones, points = boundary_cones(x, triangles)
    closed = np.concatenate([triangles, cones])
    shape = np.asarray(cells) * per_cell
    for attempt in range(ATTEMPTS):
        column, level, sign = _crossings(points, closed, np.asarray(origin, float), step, shape, attempt)
        if not np.bincount(column, weights=sign, minlength=1).any():
            break
    else:
        raise TetrahedralizationError(
            f"{name}: inside and outside cannot be told apart on a grid of step {step:g} m. Change Resolution slightly."
        )
    winding = _summed(column, level, sign, shape)
    inside = winding != 0
    if len(cones):
        _without_cones(inside, winding, points, cones, np.asarray(origin, float), step, np.asarray(cells), per_cell, attempt)
    return inside


def _offsets(column: Array, attempt: int) -> Array:
    """Return the offsets of the samples of each column (m, 2) within their step, along x, y, z: (m, 3), evenly spread in
    0..1.

    Multiples of irrational numbers: any row of columns, and any plane of samples, is spread evenly too.
    """
    i, j = column[:, :1], column[:, 1:]
    return np.modf(i * np.sqrt([3.0, 2.0, 5.0]) + j * np.sqrt([7.0, 11.0, 13.0]) + 0.3819 * attempt + 0.1)[0]


def boundary_cones(x: Array, triangles: Array) -> tuple[Array, Array]:
    """Triangles (b, 3) that close the mesh, and the positions (n + loops, 3) they use: `x` and one apex for each loop."""
    edges, _, net = edge_uses(triangles)
    edges, net = edges[net != 0], net[net != 0]
    if not len(edges):
        return np.zeros((0, 3), np.int32), np.asarray(x, np.float64)
    _, loop = np.unique(label_components(edges, len(x))[edges[:, 0]], return_inverse=True)
    loop = loop.reshape(-1)
    count = np.bincount(loop)
    middle = x[edges].mean(1)
    apex = np.stack([np.bincount(loop, weights=middle[:, k]) / count for k in range(3)], axis=1)
    # An edge that the mesh runs from low to high is run from high to low by the cone, as often as the mesh has too many.
    cones = np.column_stack([np.where(net[:, None] > 0, edges[:, ::-1], edges), len(x) + loop]).astype(np.int32)
    return np.repeat(cones, np.abs(net), axis=0), np.concatenate([x, apex])


def _crossings(x: Array, triangles: Array, origin: Array, step: float, shape: Array, attempt: int):
    """Return crossings of triangles with the columns along z: flat column index, first sample above, +1 (into the
    solid) or -1."""
    corners = x[triangles]
    low = np.floor((corners[..., :2].min(1) - origin[:2]) / step).astype(np.int64)
    high = np.floor((corners[..., :2].max(1) - origin[:2]) / step).astype(np.int64)
    low, high = np.maximum(low, 0), np.minimum(high, shape[:2] - 1)
    size = np.maximum(high - low + 1, 0)
    counts = size.prod(1)
    hits = []
    for part in _parts(counts):
        row, k = ranges(counts[part])
        row += part.start
        column = low[row] + np.stack([k // size[row, 1], k % size[row, 1]], axis=1)
        offset = _offsets(column, attempt)
        hit, sign, z = _pierced(x, triangles[row], origin[:2] + (column + offset[:, :2]) * step)
        level = np.ceil((z - origin[2]) / step - offset[hit, 2]).astype(np.int64)
        hits.append((column[hit, 0] * shape[1] + column[hit, 1], np.clip(level, 0, shape[2]), sign))
    if not hits:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    return tuple(np.concatenate(values) for values in zip(*hits, strict=True))


def _parts(counts: Array) -> list[slice]:
    """Consecutive slices of the rows whose counts add up to about CHUNK each."""
    block = np.cumsum(counts) // CHUNK
    cuts = np.flatnonzero(np.diff(block)) + 1
    bounds = [0, *cuts.tolist(), len(counts)]
    return [slice(a, b) for a, b in pairwise(bounds) if b > a]


def _pierced(x: Array, triangles: Array, p: Array) -> tuple[Array, Array, Array]:
    """Return which columns p (m, 2) pierce their triangle (m, 3), with sign and height [m] of those that do.

    An edge is always evaluated from its lower vertex, so that both its triangles decide alike and no column slips through
    between them or is counted twice.
    """
    side, area = [], []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        a, b = triangles[:, i], triangles[:, j]
        swap = a > b
        u, v = x[np.where(swap, b, a), :2], x[np.where(swap, a, b), :2]
        e = (v[:, 0] - u[:, 0]) * (p[:, 1] - u[:, 1]) - (v[:, 1] - u[:, 1]) * (p[:, 0] - u[:, 0])
        side.append((e >= 0) ^ swap)
        area.append(np.where(swap, -e, e))
    hit = np.flatnonzero((side[0] == side[1]) & (side[1] == side[2]))
    weights = np.stack([area[1][hit], area[2][hit], area[0][hit]], axis=1)
    total = weights.sum(1, keepdims=True)
    weights = np.divide(weights, total, out=np.full_like(weights, 1 / 3), where=total != 0)
    z = (weights * x[triangles[hit], 2]).sum(1)
    return hit, np.where(side[0][hit], -1.0, 1.0), z


def _summed(column: Array, level: Array, sign: Array, shape: Array) -> Array:
    """Whole winding numbers int16 of shape `shape`: the signs of all crossings below each sample."""
    steps = np.zeros((int(shape[0] * shape[1]), int(shape[2]) + 1), np.int16)
    np.add.at(steps, (column, level), sign.astype(np.int16))
    return np.cumsum(steps, axis=1, dtype=np.int16, out=steps)[:, :-1].reshape(shape)


def _without_cones(inside, winding, x, cones, origin, step, cells, per_cell, attempt) -> None:
    """Decide again, in `inside`, the cells that the cones matter to."""
    size = step * per_cell
    axes = [origin[k] + size * np.arange(cells[k] + 1) for k in range(3)]
    corners = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    share = np.abs(solid_angle_share(corners.reshape(-1, 3), x, cones)).reshape(corners.shape[:3])
    for axis in range(3):  # the largest of each cell's eight corners
        share = np.maximum(np.take(share, range(cells[axis]), axis), np.take(share, range(1, cells[axis] + 1), axis))
    pattern = (np.stack(np.meshgrid(*3 * [np.arange(per_cell)], indexing="ij"), axis=-1).reshape(-1, 3)).astype(np.int64)
    where = np.argwhere(share > CONE_MATTERS)
    rows = max(1, CHUNK // len(pattern))
    for k in range(0, len(where), rows):
        sample = (where[k : k + rows, None] * per_cell + pattern).reshape(-1, 3)
        open_share = solid_angle_share(origin + (sample + _offsets(sample[:, :2], attempt)) * step, x, cones)
        at = tuple(sample.T)
        inside[at] = np.abs(winding[at] - open_share) > 0.5


def solid_angle_share(points: Array, x: Array, triangles: Array) -> Array:
    """Winding number (m,) of triangles (t, 3) about points [m], (m, 3): their signed solid angle over 4 pi.

    Source: Van Oosterom and Strackee 1983, "The solid angle of a plane triangle".
    """
    share = np.zeros(len(points))
    rows = max(1, CHUNK // max(1, len(triangles)))
    for k in range(0, len(points), rows):
        a, b, c = (x[triangles[:, i]] - points[k : k + rows, None] for i in range(3))
        la, lb, lc = (np.sqrt(np.einsum("ijk,ijk->ij", v, v)) for v in (a, b, c))
        ab, bc, ca = (np.einsum("ijk,ijk->ij", u, v) for u, v in ((a, b), (b, c), (c, a)))
        det = np.einsum("ijk,ijk->ij", np.cross(a, b), c)
        share[k : k + rows] = np.arctan2(det, la * lb * lc + ab * lc + bc * la + ca * lb).sum(1) / (2 * np.pi)
    return share
