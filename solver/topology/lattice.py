"""Fills any mesh, open or self-intersecting, with a regular lattice of tetrahedra and says how full each one is.

The lattice is body-centred cubic: two neighbouring cell centres and an edge of the face between them make a tetrahedron.
All are alike, none is thin and no direction is preferred, which cubes cut in five or six tetrahedra do not give.
Source of the lattice: Labelle and Shewchuk 2007, "Isosurface stuffing", section 2.
"""

from __future__ import annotations

import numpy as np

from ..errors import TetrahedralizationError
from .box_grid import ranges
from .components import label_components
from .faces import face_links
from .winding import inside_grid

Array = np.ndarray

#: Samples along each axis of a cell: 216 a cell, 18 a tetrahedron.
SAMPLES = 6
#: A tetrahedron that is less full is dropped, unless it holds a vertex of the mesh or a connection; then it counts as this
#: full.
LEAST_FRACTION = 0.03
#: Least share of a full one's stiffness and mass, at the expense of all, whose sum stays: an impact stretches the lightest
#: corners to needles. All of a monkey of 30 cells lose 1.5 %; its tips stretch to 6 times their length, not to 10.
LEAST_COUNTED = 0.25
#: Above this the arrays would need gigabytes.
MOST_CELLS = 500_000


def fill_with_lattice(name: str, x: Array, triangles: Array, edge_fraction: float) -> tuple[Array, Array, Array]:
    """Vertices [m] (n, 3) float64, tetrahedra (t, 4) int32, positively oriented, and how full each is, (t,) in (0, 1].

    x: surface positions [m], (m, 3). triangles: (s, 3), consistently wound within each part. edge_fraction: longest edge
    as a share of the bounding box's diagonal.
    Every vertex that a triangle uses lies in a tetrahedron, and parts of the surface are not cut apart.
    Raises: TetrahedralizationError if the mesh encloses no volume, or if the lattice would be too fine.
    """
    used = x[np.unique(triangles)]
    low, high = used.min(0), used.max(0)
    size = edge_fraction * float(np.linalg.norm(high - low))
    # One empty cell around: tetrahedra reach half a cell beyond the faces they straddle. Half a cell more centres the box.
    cells = np.ceil((high - low) / size).astype(np.int64) + 2
    if np.prod(cells.astype(float)) > MOST_CELLS:
        raise TetrahedralizationError(
            f"{name}: a lattice with edges of {edge_fraction:g} of the size has {int(np.prod(cells.astype(float)))} cells; "
            f"wanted at most {MOST_CELLS}. Raise Resolution."
        )
    origin = (low + high - cells * size) / 2
    inside = inside_grid(name, x, triangles, origin, size / SAMPLES, cells, SAMPLES)
    fraction = _fractions(inside, cells)
    if not (fraction > 0).any():
        raise TetrahedralizationError(
            f"{name}: the surface encloses no volume that edges of {size:g} m could fill; wanted a solid. Lower "
            "Resolution, give the surface a thickness (Solidify), or make it a GPBD Cloth."
        )
    touched = np.zeros(len(fraction), bool)
    touched[_tetrahedron_of((_surface_samples(x, triangles, size / 4) - origin) / size, cells)] = True
    holds_vertex = np.zeros(len(fraction), bool)
    holds_vertex[_tetrahedron_of((used - origin) / size, cells)] = True
    possible = _joined(np.flatnonzero((fraction > 0) | touched), cells)
    tetrahedra = _corners(possible, cells)
    keep = _connected((fraction[possible] >= LEAST_FRACTION) | holds_vertex[possible], tetrahedra)
    vertices, tetrahedra = np.unique(tetrahedra[keep], return_inverse=True)
    full = np.clip(fraction[possible[keep]], LEAST_FRACTION, 1.0)
    counted = np.maximum(full, LEAST_COUNTED)
    full = counted * (full.sum() / counted.sum())
    return origin + size * _lattice_points(vertices, cells), tetrahedra.reshape(-1, 4).astype(np.int32), full


def _sides(u: Array) -> tuple[Array, Array, Array]:
    """Return for points u (m, 3) relative to their cell's centre, within +-1/2, the axis and the direction (0 down, 1 up) of
    their face, and the nearest of its four edges; the edges run counter-clockwise about the axis."""
    row = np.arange(len(u))
    axis = np.abs(u).argmax(1)
    b, c = u[row, (axis + 1) % 3], u[row, (axis + 2) % 3]
    edge = np.where(np.abs(c) > np.abs(b), np.where(c > 0, 2, 0), np.where(b > 0, 1, 3))
    return axis, (u[row, axis] > 0).astype(np.int64), edge


def _index(cell: Array, axis: Array, edge: Array, cells: Array) -> Array:
    """Index of the tetrahedron at the upper face of a cell (m, 3) along an axis, at one of the face's edges."""
    return ((((cell[:, 0] * cells[1] + cell[:, 1]) * cells[2] + cell[:, 2]) * 3) + axis) * 4 + edge


def _tetrahedron_of(points: Array, cells: Array) -> Array:
    """Index of the tetrahedron around each point (m, 3), in units of cells from the origin."""
    cell = np.floor(points).astype(np.int64)
    axis, up, edge = _sides(points - cell - 0.5)
    cell[np.arange(len(cell)), axis] -= 1 - up  # the lower face of a cell is the upper face of the one below
    return _index(cell, axis, edge, cells)


def _fractions(inside: Array, cells: Array) -> Array:
    """Return the filled share of each tetrahedron, (12 x number of cells,), from the samples of `inside_grid`."""
    k = SAMPLES
    table = np.zeros((k**3, 3, 2, 4), np.float32)
    middle = (np.stack(np.meshgrid(*3 * [np.arange(k)], indexing="ij"), axis=-1).reshape(-1, 3) + 0.5) / k - 0.5
    # Samples on the border of several tetrahedra count in equal parts for each: nudge them in all orders of the axes.
    nudges = np.array([n for n in np.ndindex(3, 3, 3) if len(set(n)) == 3]) - 1.0
    for nudge in nudges:
        axis, up, edge = _sides(middle * (1 + 1e-3 * nudge))
        np.add.at(table, (np.arange(k**3), axis, up, edge), np.float32(1 / len(nudges)))
    weights = table.reshape(k**3, 24)
    halves = np.zeros((*cells, 24), np.float32)
    for i in range(cells[0]):  # one layer of cells at a time keeps the memory small
        layer = inside[i * k : (i + 1) * k].reshape(k, cells[1], k, cells[2], k)
        halves[i] = layer.transpose(1, 3, 0, 2, 4).reshape(cells[1], cells[2], k**3).astype(np.float32) @ weights
    sides = halves.reshape(*cells, 3, 2, 4)
    full = sides[..., 1, :].copy()
    full[:-1, :, :, 0] += sides[1:, :, :, 0, 0]
    full[:, :-1, :, 1] += sides[:, 1:, :, 1, 0]
    full[:, :, :-1, 2] += sides[:, :, 1:, 2, 0]
    return (full / (k**3 / 12)).reshape(-1).astype(np.float64)


def _corners(index: Array, cells: Array) -> Array:
    """Corners (m, 4) of tetrahedra by index: lattice point numbers, cell centres first, then cell corners."""
    edge, axis, flat = index % 4, index // 4 % 3, index // 12
    cell = np.stack([flat // (cells[1] * cells[2]), flat // cells[2] % cells[1], flat % cells[2]], axis=1)
    unit = np.eye(3, dtype=np.int64)
    above = cell + unit[axis]
    n_cells = int(np.prod(cells))

    def corner(b: Array, c: Array) -> Array:
        p = above + b[:, None] * unit[(axis + 1) % 3] + c[:, None] * unit[(axis + 2) % 3]
        return n_cells + (p[:, 0] * (cells[1] + 1) + p[:, 1]) * (cells[2] + 1) + p[:, 2]

    b, c = np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1])  # the square's corners, counter-clockwise
    centre_above = (above[:, 0] * cells[1] + above[:, 1]) * cells[2] + above[:, 2]
    following = (edge + 1) % 4
    return np.stack([flat, centre_above, corner(b[edge], c[edge]), corner(b[following], c[following])], axis=1)


def _lattice_points(number: Array, cells: Array) -> Array:
    """Positions (m, 3), in units of cells from the origin, of lattice points by number."""
    n_cells = int(np.prod(cells))
    centre = number < n_cells
    size = np.where(centre[:, None], cells, cells + 1)
    flat = np.where(centre, number, number - n_cells)
    p = np.stack([flat // (size[:, 1] * size[:, 2]), flat // size[:, 2] % size[:, 1], flat % size[:, 2]], axis=1)
    return p + np.where(centre, 0.5, 0.0)[:, None]


def _surface_samples(x: Array, triangles: Array, spacing: float) -> Array:
    """Points [m] (m, 3) on the triangles, at most about `spacing` apart, corners among them."""
    corners = x[triangles]
    longest = np.sqrt(((corners - corners[:, [1, 2, 0]]) ** 2).sum(-1)).max(1)
    divisions = np.maximum(np.ceil(longest / spacing).astype(np.int64), 1)
    row, k = ranges((divisions + 1) ** 2)
    i, j = k // (divisions[row] + 1), k % (divisions[row] + 1)
    inner = i + j <= divisions[row]
    row, u, v = row[inner], (i / divisions[row])[inner, None], (j / divisions[row])[inner, None]
    return corners[row, 0] * (1 - u - v) + corners[row, 1] * u + corners[row, 2] * v


def _joined(possible: Array, cells: Array) -> Array:
    """Return `possible` with all tetrahedra around those lattice points at which pieces of it meet without a common face.

    Such pieces would swing about the point: the samples of the surface missed a tetrahedron between them.
    """
    while True:
        tetrahedra = _corners(possible, cells)
        piece = label_components(face_links(tetrahedra), len(possible))
        points, corner = np.unique(tetrahedra, return_inverse=True)
        lowest, highest = np.full(len(points), len(possible)), np.full(len(points), -1)
        np.minimum.at(lowest, corner.reshape(-1), np.repeat(piece, 4))
        np.maximum.at(highest, corner.reshape(-1), np.repeat(piece, 4))
        swings = points[lowest < highest]
        if not len(swings):
            return possible
        lattice = np.arange(12 * int(np.prod(cells)))
        lattice = lattice[_inner(lattice, cells)]
        around = np.isin(_corners(lattice, cells), swings).any(1)
        possible = np.union1d(possible, lattice[around])


def _inner(index: Array, cells: Array) -> Array:
    """Return whether the upper face of the tetrahedron's cell has a cell beyond it."""
    axis, flat = index // 4 % 3, index // 12
    cell = np.stack([flat // (cells[1] * cells[2]), flat // cells[2] % cells[1], flat % cells[2]], axis=1)
    return cell[np.arange(len(index)), axis] + 1 < cells[axis]


def _connected(keep: Array, tetrahedra: Array) -> Array:
    """`keep` (m,) with as many more of the tetrahedra as its pieces need to hang together by faces where all of them do."""
    links = face_links(tetrahedra)
    whole = label_components(links, len(keep))
    keep = keep.copy()
    while True:
        part = label_components(links[keep[links].all(1)], len(keep))
        pairs = np.unique(np.stack([whole[keep], part[keep]], axis=1), axis=0)
        pieces = np.bincount(pairs[:, 0], minlength=len(keep))
        torn = links[(pieces[whole[links[:, 0]]] > 1) & (keep[links[:, 0]] != keep[links[:, 1]])]
        if not len(torn):
            return np.flatnonzero(keep)
        size = np.bincount(part[keep], minlength=len(keep))
        largest = np.zeros(len(keep), np.int64)
        np.maximum.at(largest, pairs[:, 0], size[pairs[:, 1]])
        inner = np.where(keep[torn[:, 0]], torn[:, 0], torn[:, 1])
        small = size[part[inner]] < largest[whole[inner]]
        # Grow the smaller pieces by one ring; where all are of one size, grow them all.
        keep[torn[small] if small.any() else torn] = True
