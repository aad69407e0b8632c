"""Fills a closed surface with tetrahedra: with TetWild where the surface allows it, or with the built-in lattice."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass

import numpy as np

from ..errors import TetrahedralizationError
from .edges import edge_uses
from .intersections import crossing_triangles
from .lattice import fill_with_lattice
from .outward import outward_winding
from .surface_checks import FLAT_TETRAHEDRON, relative_volumes

Array = np.ndarray

TETWILD = "tetwild"
METHODS = (TETWILD, "lattice")
#: Longest edge as a share of the bounding box's diagonal: below, a body has millions of tetrahedra; above, a handful.
EDGE_FRACTION_LOW, EDGE_FRACTION_HIGH = 0.005, 0.5
#: Bounds on the distance of the tetrahedra from the surface: a share of their longest edge, and at least a share of the
#: diagonal, TetWild's own. A tighter one takes many small tetrahedra and many times as long to fill, for little: the visible
#: mesh is embedded in any case.
ENVELOPE_SHARE, FINEST_ENVELOPE = 0.03, 1e-3
REMEDY = "Choose Lattice in the Body panel, which fills any surface"


@dataclass(frozen=True)
class Tetrahedralization:
    """A filled surface.

    vertices: [m], (n, 3) float64. tetrahedra: (t, 4) int32, positively oriented.
    volume_fraction: how full each tetrahedron is, (t,) in (0, 1]; None where all are full.
    """

    vertices: Array
    tetrahedra: Array
    volume_fraction: Array | None


def tetrahedralize(
    name: str, vertices: Array, triangles: Array, method: str = "tetwild", edge_fraction: float = 0.1, quiet: bool = True
) -> Tetrahedralization:
    """Return tetrahedra inside a surface.

    name: the body, for messages. vertices: [m], (n, 3). triangles: (t, 3); turned-over faces are corrected. method:
    "tetwild" follows the surface, which must be closed and free of self-intersections; "lattice" takes any surface with an
    inside, and reaches beyond it. edge_fraction: edge length as a share of the bounding box's diagonal. quiet: else TetWild
    prints its progress.
    TetWild draws random numbers that cannot be seeded: it gives other tetrahedra each time. Keep the result if a run has to
    be repeated or resumed. The lattice is the same each time.
    Raises: TetrahedralizationError with the problem and the remedy.
    """
    vertices = np.array(vertices, np.float64)
    triangles = np.array(triangles, np.int32)
    if method not in METHODS:
        raise TetrahedralizationError(f"{name}: fill method is {method!r}; wanted one of {', '.join(METHODS)}.")
    if not EDGE_FRACTION_LOW <= edge_fraction <= EDGE_FRACTION_HIGH:
        raise TetrahedralizationError(
            f"{name}: tetrahedra have edges of {edge_fraction:g} of the body's size; "
            f"wanted {EDGE_FRACTION_LOW} to {EDGE_FRACTION_HIGH}."
        )
    if triangles.size == 0 or triangles.ndim != 2 or triangles.shape[1] != 3:
        raise TetrahedralizationError(f"{name}: triangles have shape {triangles.shape}; wanted (t, 3) with t > 0.")
    if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.min() < 0 or triangles.max() >= len(vertices):
        raise TetrahedralizationError(f"{name}: triangles name vertices outside 0..{len(vertices) - 1}. Rebuild the mesh.")
    bad = np.flatnonzero(~np.isfinite(vertices).all(1))
    if len(bad):
        raise TetrahedralizationError(
            f"{name}: vertex {bad[0]} is at {vertices[bad[0]].tolist()}; wanted finite coordinates. Remove or move it."
        )
    triangles = outward_winding(vertices, triangles)
    if method == "lattice":
        return Tetrahedralization(*fill_with_lattice(name, vertices, triangles, edge_fraction))
    check_fillable(name, vertices, triangles)
    return _tetwild(name, vertices, triangles, edge_fraction, quiet)


def check_fillable(name: str, x: Array, triangles: Array) -> None:
    """Check that TetWild can fill the surface without guessing.

    x: [m], (n, 3). triangles: (t, 3), wound consistently if that is possible.
    Raises: TetrahedralizationError if the surface is open, branches, has only one side, or passes through itself.
    """
    edges, uses, net = edge_uses(triangles)
    for is_bad, noun in (
        (uses == 1, "the surface is open: {n} edges have only one face"),
        (uses > 2, "the surface branches: {n} edges have more than two faces"),
        (net != 0, "the surface has no inside: {n} edges join faces that look to opposite sides"),
    ):
        if is_bad.any():
            edge = edges[np.flatnonzero(is_bad)[0]]
            raise TetrahedralizationError(
                f"{name}: {noun.format(n=int(is_bad.sum()))} (first: the edge between vertices {edge[0]} and {edge[1]}); "
                f"wanted a closed surface with two faces at every edge. {REMEDY}, or close the mesh."
            )
    crossing = crossing_triangles(x, triangles)
    if len(crossing):
        first = [triangles[i].tolist() for i in crossing[0]]
        raise TetrahedralizationError(
            f"{name}: the surface passes through itself at {len(crossing)} pairs of faces (first: those with vertices "
            f"{first[0]} and {first[1]}); wanted a surface without crossings. {REMEDY}, or remesh it."
        )


def _tetwild(name: str, x: Array, triangles: Array, edge_fraction: float, quiet: bool) -> Tetrahedralization:
    try:
        import pytetwild
    except ImportError as error:
        raise TetrahedralizationError(
            f"{name}: the library pytetwild is not installed ({error}); wanted it to fill the surface. {REMEDY}, "
            "or install pytetwild 0.2.3."
        ) from error
    used, triangles = np.unique(triangles, return_inverse=True)
    try:
        # TetWild leaves a file, __tracked_surface.stl, in the working directory, which may not be writable either.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            vertices, elements = pytetwild.tetrahedralize(
                np.ascontiguousarray(x[used]),
                triangles.reshape(-1, 3).astype(np.int32),
                edge_length_fac=edge_fraction,
                epsilon=max(ENVELOPE_SHARE * edge_fraction, FINEST_ENVELOPE),
                quiet=quiet,
            )
    except RuntimeError as error:
        raise TetrahedralizationError(f"{name}: TetWild could not fill the surface: {error}. {REMEDY}.") from error
    tetrahedra = np.array(elements, np.int32)
    relative = relative_volumes(vertices, tetrahedra)
    turned = relative < 0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
    tetrahedra = tetrahedra[np.abs(relative) > FLAT_TETRAHEDRON]  # TetWild may leave flat ones; they hold no material
    if not len(tetrahedra):
        raise TetrahedralizationError(f"{name}: TetWild found no volume inside the surface. {REMEDY}.")
    used_vertices, corners = np.unique(tetrahedra, return_inverse=True)
    return Tetrahedralization(np.asarray(vertices, np.float64)[used_vertices], corners.reshape(-1, 4).astype(np.int32), None)
