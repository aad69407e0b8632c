"""Checks that elements have a size and are there only once, before the solver divides by that size."""

from __future__ import annotations

import numpy as np

from ..counted import counted
from ..errors import TopologyError

Array = np.ndarray

#: Least height of a triangle, as a share of its longest side: float32 positions do not resolve a smaller one.
FLAT_TRIANGLE = 1e-6
#: Least volume of a tetrahedron, as a share of the cube of its longest side.
FLAT_TETRAHEDRON = 1e-12


def check_triangles(name: str, x: Array, triangles: Array) -> None:
    """Refuse duplicate and zero-area triangles.

    x: positions [m], (n, 3). triangles: (t, 3). name: the body, for messages.
    Raises: TopologyError naming the body, the count and the first offender.
    """
    ordered = np.sort(triangles, axis=1)
    order = np.lexsort((ordered[:, 2], ordered[:, 1], ordered[:, 0]))
    same = np.flatnonzero((ordered[order[1:]] == ordered[order[:-1]]).all(1))
    if len(same):
        i, j = order[same[0]], order[same[0] + 1]
        raise TopologyError(
            f"{name}: {counted(len(same), 'face is a duplicate', 'faces are duplicates')} (first: triangle {j} has "
            f"the vertices {triangles[j].tolist()} of triangle {i}); wanted each face once. Delete one of "
            "each, then bake again."
        )
    flat = np.flatnonzero(triangle_heights(x, triangles) < FLAT_TRIANGLE)
    if len(flat):
        raise TopologyError(
            f"{name}: {counted(len(flat), 'face has', 'faces have')} no area (first: triangle {flat[0]} with vertices "
            f"{triangles[flat[0]].tolist()}); wanted three corners that are not in line. "
            "Clean up with Mesh > Clean Up > Degenerate Dissolve, then bake again."
        )


def triangle_heights(x: Array, triangles: Array) -> Array:
    """Height over the longest side, as a share of that side: (t,), 0 where a triangle is a line or a point."""
    a, b, c = (x[triangles[:, k]].astype(np.float64) for k in range(3))
    longest2 = np.maximum.reduce([((p - q) ** 2).sum(1) for p, q in ((a, b), (b, c), (c, a))])
    area2 = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.divide(area2, longest2, out=np.zeros_like(area2), where=longest2 > 0)


def check_tetrahedra(name: str, x: Array, tetrahedra: Array) -> None:
    """Refuse duplicate, inverted and flat tetrahedra.

    x: positions [m], (n, 3). tetrahedra: (t, 4), positively oriented: (x1 - x0) x (x2 - x0) . (x3 - x0) > 0.
    Raises: TopologyError naming the body, the count and the first offender.
    """
    relative = relative_volumes(x, tetrahedra)
    flat = np.flatnonzero(np.abs(relative) < FLAT_TETRAHEDRON)
    if len(flat):
        raise TopologyError(
            f"{name}: {counted(len(flat), 'tetrahedron is', 'tetrahedra are')} flat (first: tetrahedron {flat[0]} with "
            f"vertices {tetrahedra[flat[0]].tolist()}); wanted four corners that are not in one plane. Fill the "
            "surface again, or choose Lattice in the Body panel."
        )
    inverted = np.flatnonzero(relative < 0)
    if len(inverted):
        raise TopologyError(
            f"{name}: {counted(len(inverted), 'tetrahedron is', 'tetrahedra are')} inverted (first: tetrahedron "
            f"{inverted[0]} with vertices {tetrahedra[inverted[0]].tolist()}); wanted a positive volume. Swap "
            "two of its corners."
        )
    ordered = np.sort(tetrahedra, axis=1)
    order = np.lexsort(ordered.T)
    same = np.flatnonzero((ordered[order[1:]] == ordered[order[:-1]]).all(1))
    if len(same):
        raise TopologyError(
            f"{name}: {counted(len(same), 'tetrahedron is a duplicate', 'tetrahedra are duplicates')} (first: "
            f"tetrahedron {order[same[0] + 1]} with vertices {tetrahedra[order[same[0] + 1]].tolist()}); "
            "wanted each once. Delete the copies."
        )


def triangle_areas(points: Array, triangles: Array) -> Array:
    """Return their areas [m^2], (t,). points: [m], (n, 3). triangles: (t, 3)."""
    corners = points[triangles]
    return 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)


def tetrahedron_volumes(x: Array, tetrahedra: Array) -> Array:
    """Signed volumes [m^3], (t,), of tetrahedra (t, 4) with corners x [m], (n, 3)."""
    a, b, c, d = (x[tetrahedra[:, k]].astype(np.float64) for k in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6.0


def relative_volumes(x: Array, tetrahedra: Array) -> Array:
    """Signed volume as a share of the cube of the longest edge, (t,); 0 for four equal corners, 0.118 for a regular one."""
    corners = [x[tetrahedra[:, k]].astype(np.float64) for k in range(4)]
    longest2 = np.maximum.reduce([((corners[i] - corners[j]) ** 2).sum(1) for i in range(4) for j in range(i)])
    volume = tetrahedron_volumes(x, tetrahedra)
    return np.divide(volume, longest2**1.5, out=np.zeros_like(volume), where=longest2 > 0)
