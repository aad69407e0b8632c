"""Sheets that start exactly flat, and their disturbance under compression, see `stepping/flat_starts.py`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..scene import Cloth
from ..topology.components import label_components
from ..topology.edges import half_edges

Array = np.ndarray

#: Largest distance from its plane at the start as a share of a sheet's size: rounding of coordinates in single precision.
FLAT = 1e-6
#: Waves of the disturbance, and the shortest one in mean edges: shorter ones are folds that the mesh cannot resolve.
WAVES, SHORTEST = 16, 10.0
#: Differences of the directions and of the phases of successive waves, as shares of a turn; no two waves are alike.
GOLDEN, ROOT_TWO = (5**0.5 - 1) / 2, 2**0.5 - 1


class FlatSheets(NamedTuple):
    """Connected sheets that start flat, one after the other. vertex_first, triangle_first: where each begins, (s + 1,).

    rows: of their vertices. shape: of the disturbance, -1 to 1, 0 at vertices with prescribed motion. anchors: three
    vertices far apart, (s, 3). edge: mean length [m], (s,). triangles: (t, 3). rest: of each triangle the inverse of its
    edges at rest in its plane, an upper triangle's three entries [1/m], (t, 3).
    """

    vertex_first: Array
    rows: Array
    shape: Array
    anchors: Array
    edge: Array
    triangle_first: Array
    triangles: Array
    rest: Array


def flat_sheets(cloths: list[tuple[Cloth, int]], fixed: Array, dtype: np.dtype) -> FlatSheets:
    """Return the flat sheets of all cloths. cloths: with the first row of each. fixed: vertices without free
    motion, (n,) bool."""
    rows, shapes, anchors, edges, triangles, rests = [], [], [], [], [], []
    for cloth, start in cloths:
        x, t = cloth.vertices, cloth.whole_triangles
        tail, head, _ = half_edges(t)
        label = label_components(np.stack([tail, head], 1), len(x))
        lengths = np.linalg.norm(x[tail] - x[head], axis=1)
        inverse, valid = _rest_inverses(cloth.rest[t])
        for component in np.unique(label[t]):
            mine = np.flatnonzero(label == component)
            three = _anchors(x[mine])
            if three is None:
                continue
            edge = float(lengths[label[tail] == component].mean())
            component_triangles = np.flatnonzero((label[t[:, 0]] == component) & valid)
            rows.append(mine + start)
            shapes.append(np.where(fixed[mine + start], 0.0, _waves(x[mine], three, edge)))
            anchors.append(mine[three] + start)
            edges.append(edge)
            triangles.append(t[component_triangles] + start)
            rests.append(inverse[component_triangles])
    return FlatSheets(
        np.cumsum([0, *(len(r) for r in rows)]),
        np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32),
        np.concatenate([np.zeros(0), *shapes]).astype(dtype),
        np.array(anchors, np.int32).reshape(-1, 3),
        np.array(edges, dtype),
        np.cumsum([0, *(len(t) for t in triangles)]),
        np.concatenate([np.zeros((0, 3), np.int32), *triangles]).astype(np.int32),
        np.concatenate([np.zeros((0, 3)), *rests]).astype(dtype),
    )


def _anchors(x: Array) -> Array | None:
    """Three vertices far apart, (3,), of a flat sheet; None of another one, or of a line."""
    first = 0
    second = int(np.argmax(((x - x[first]) ** 2).sum(1)))
    along = x[second] - x[first]
    normals = np.cross(along, x - x[first])
    third = int(np.argmax((normals**2).sum(1)))
    size, area = np.linalg.norm(along), np.linalg.norm(normals[third])
    if area <= FLAT * size**2:
        return None
    off = np.abs((x - x[first]) @ normals[third]) / area
    return np.array([first, second, third]) if off.max() <= FLAT * size else None


def _waves(x: Array, anchors: Array, edge: float) -> Array:
    """Return waves in all directions, with lengths from twice the sheet's size down to some edges. They include the fastest
    buckling modes."""
    a, b, c = x[anchors]
    along = (b - a) / np.linalg.norm(b - a)
    across = c - a - ((c - a) @ along) * along
    across /= np.linalg.norm(across)
    u, v = (x - a) @ along, (x - a) @ across
    longest = 2 * float(np.linalg.norm(b - a))
    shortest = min(SHORTEST * edge, 0.5 * longest)
    wave = np.zeros(len(x))
    for k in range(WAVES):
        length = longest * (shortest / longest) ** (k / (WAVES - 1))
        direction, phase = np.pi * (k * GOLDEN % 1), 2 * np.pi * (k * ROOT_TWO % 1)
        wave += np.cos(2 * np.pi * (u * np.cos(direction) + v * np.sin(direction)) / length + phase)
    return wave / np.abs(wave).max()


def _rest_inverses(corners: Array) -> tuple[Array, Array]:
    """See `FlatSheets.rest`; and which triangles have one, (t,) bool. Corners at rest: (t, 3, 3) [m]."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    length = np.linalg.norm(one, axis=1)
    height = np.linalg.norm(np.cross(one, two), axis=1)
    valid = height > FLAT * length**2
    along = (one * two).sum(1) / np.where(valid, length, 1)
    height = np.where(valid, height, 1) / np.where(valid, length, 1)
    length = np.where(valid, length, 1)
    return np.stack([1 / length, -along / (length * height), 1 / height], 1), valid
