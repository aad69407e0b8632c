"""Stretch, gap to other surfaces or tension, solver error and plastic strains at the vertices of visible meshes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contact.contact import Contact
from ..model.model import BodyPart, Model
from ..model.state import State
from ..scene import Collider, Rope
from ..topology.edge_stretch import edge_stretch
from ..topology.edges import unique_edges
from ..topology.gaps import signed_gaps
from ..topology.intersections import crossing_edges
from . import residual, tension
from .error import ErrorEstimate
from .plasticity import plastic_numbers

Array = np.ndarray


@dataclass(frozen=True)
class MeshEdges:
    """Edges of a visible mesh: vertices of each, (e, 2); lengths at rest [m], (e,)."""

    edges: Array
    lengths: Array


def vertex_values(
    model: Model, state: State, contact: Contact | None, estimate: ErrorEstimate | None, surfaces: Mapping[str, Array],
    collider_vertices: Array, wanted: Mapping[str, MeshEdges],
) -> dict[str, Array]:  # fmt: skip
    """Return for each body of `wanted` (n, 3) float32, or (n, 6) if its material flows: mean stretch of the edges at a
    vertex, signed; gap [m], see `signed_gaps`, of ropes the tension [N] in its place; error [m], see `ErrorEstimate`; then
    plastic curvature [1/m], plastic strain [1] and 0.

    estimate: None at the start, before any solve. surfaces: visible meshes [m], body -> (n, 3), world space.
    collider_vertices: [m], (m, 3), from the model's origin on.
    """
    meshes = [(surfaces[part.body.name], _triangles(part.body)) for part in model.parts]
    first = 0
    for collider in model.scene.colliders:
        if isinstance(collider, Collider):
            n = collider.count
            if collider.enabled:
                meshes.append((collider_vertices[first : first + n] + model.origin, collider.triangles))
            first += n
    starts = np.cumsum([0, *(len(x) for x, _ in meshes)])
    x = np.concatenate([positions for positions, _ in meshes])
    triangles = np.concatenate([rows + start for (_, rows), start in zip(meshes, starts, strict=False)])
    edges = unique_edges(triangles)
    hits = crossing_edges(x, edges, triangles, np.arange(len(x)) < starts[len(model.parts)])
    pulled = tension.tensions(model, state)
    flowed, flows = plastic_numbers(model, state)
    errors = {} if estimate is None else _errors(model, state, contact, estimate)
    values = {}
    for number, part in enumerate(model.parts):
        name = part.body.name
        if name in wanted:
            rows = slice(int(starts[number]), int(starts[number + 1]))
            if part.kind.is_line:
                second = pulled[part.start : part.stop]
            else:
                second, _ = signed_gaps(rows, x, triangles, edges, hits)
            stretch = edge_stretch(x[rows], wanted[name].edges, wanted[name].lengths)
            error = _on_surface(part, errors.get(name), len(second))
            numbers = [stretch, second, error]
            if flows[part.start : part.stop].any():
                both = [_on_surface(part, flowed[part.start : part.stop, k], len(second)) for k in range(2)]
                numbers += [*both, np.zeros(len(second))]
            values[name] = np.stack(numbers, axis=1).astype(np.float32)
    return values


def _errors(model: Model, state: State, contact: Contact | None, estimate: ErrorEstimate) -> dict[str, Array]:
    force, _ = residual.force_at(model, state, state.x, state.correction)
    pushed = np.zeros(model.n_vertices, bool) if contact is None else contact.results.touched()
    return estimate.at_vertices(state, force, pushed)


def _on_surface(part: BodyPart, error: Array | None, n: int) -> Array:
    """Return the error at the vertices of the visible mesh, (n,). error: of simulated vertices; None of a body without
    energies."""
    if error is None:
        return np.zeros(n)
    if part.embedded is None:
        return error
    return (error[part.embedded.corners] * part.embedded.weights).sum(1)


def _triangles(body: Any) -> Array:
    if isinstance(body, Rope):
        return np.zeros((0, 3), np.int32)
    triangles: Array = body.triangles if getattr(body, "surface", None) is None else body.surface_triangles
    return triangles
