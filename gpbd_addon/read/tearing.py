"""Tearing of a cloth or a rope, from `object.gpbd` and the points that its split mesh is of."""

from __future__ import annotations

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import Tearing
from ..body_kinds import BODY_KINDS
from ..identifiers import POINT_ATTRIBUTE, TEAR_MODIFIER
from . import body_material, evaluated_mesh

Array = np.ndarray

#: Choices of *Pre-Cut Edges* -> property of a mesh's edges.
MARKS = {"SEAM": "use_seam", "SHARP": "use_edge_sharp"}


def points(there: bpy.types.Object) -> Array | None:
    """The vertex of the mesh that each evaluated one is a copy of, (n,); None where the mesh is not split."""
    mesh = there.data
    attribute = mesh.attributes.get(POINT_ATTRIBUTE)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type != "INT":
        return None
    number = np.empty(len(mesh.vertices), np.int32)
    attribute.data.foreach_get("value", number)
    return number


def read(there: bpy.types.Object) -> Tearing | None:
    """None where it is off. there: the evaluated body. Raises: SceneError."""
    settings = there.gpbd
    if not settings.use_tearing:
        return None
    of_vertices = points(there)
    if of_vertices is None:
        raise SceneError(
            f"{there.name}: Tearing is on, and its mesh is not split: the modifier '{TEAR_MODIFIER}' is missing, off, or "
            "after the GPBD modifier. Switch Tearing off and on."
        )
    if BODY_KINDS[settings.body_type].line:
        return Tearing(body_material.short(settings.rope_strength), 0.0, of_vertices)
    if settings.tear_group:
        evaluated_mesh.weights(there, settings.tear_group, "Tear Group")
    return Tearing(
        body_material.short(settings.tear_strength),
        settings.fracture_energy,
        of_vertices,
        _marked(there, MARKS[settings.precut_edges]) if settings.precut_edges in MARKS else None,
        body_material.short(settings.precut_share),
    )


def _marked(there: bpy.types.Object, mark: str) -> Array:
    """Vertices of the edges with a mark, (k, 2). Raises: SceneError if there are none."""
    mesh = there.data
    edges, is_marked = np.empty(2 * len(mesh.edges), np.int32), np.empty(len(mesh.edges), np.bool_)
    mesh.edges.foreach_get("vertices", edges)
    mesh.edges.foreach_get(mark, is_marked)
    if not is_marked.any():
        name = there.gpbd.bl_rna.properties["precut_edges"].enum_items[there.gpbd.precut_edges].name
        raise SceneError(
            f"{there.name}: its Pre-Cut Edges are {name}, and no edge of its mesh is marked so; wanted at least one. Mark "
            "edges in Edit Mode, or set Pre-Cut Edges to None."
        )
    return edges.reshape(-1, 2)[is_marked]


def identity(tearing: Tearing | None) -> dict[str, JsonValue]:
    """Return JSON values that must be equal for a cache to be continued; nothing where it is off."""
    if tearing is None:
        return {}
    numbers = [tearing.strength, tearing.fracture_energy, evaluated_mesh.digest(tearing.points)]
    if tearing.precut is not None:
        numbers += [tearing.precut_share, evaluated_mesh.digest(tearing.precut)]
    return {"tearing": numbers}
