"""The mesh of a rope: its edges, and its radius."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from . import evaluated_mesh

Array = np.ndarray

#: Point attribute of a mesh with the radius at each vertex, in Blender's units.
RADIUS = "radius"


def own_radius(mesh: Any) -> Any:
    """Return the attribute of the radius; None where the mesh has none."""
    found = mesh.attributes.get(RADIUS)
    return found if found is not None and found.domain == "POINT" and found.data_type == "FLOAT" else None


def radius(ob: bpy.types.Object, there: bpy.types.Object, scale: float) -> Array | float:
    """Radius of a rope [m], of each vertex, (n,), or of all. there: the evaluated body. Raises: SceneError."""
    settings: Any = ob.gpbd
    attribute = own_radius(there.data)
    if attribute is None:
        return float(settings.rope_radius)
    values = np.empty(len(there.data.vertices), np.float32)
    attribute.data.foreach_get("value", values)
    bad = np.flatnonzero(~(values > 0))
    if len(bad):
        raise SceneError(
            f"{ob.name}: the attribute '{RADIUS}' is {values[bad[0]]:g} at vertex {bad[0]}; wanted more than 0. Correct it, "
            "or remove the attribute to use the Radius of the Body panel."
        )
    return values.astype(float) * scale


def edges(ob: bpy.types.Object, there: bpy.types.Object) -> Array:
    """Edges of a rope, (e, 2) int32. Raises: SceneError, naming the object, for a mesh without edges, or with faces."""
    mesh: Any = there.data
    if len(mesh.polygons):
        raise SceneError(
            f"{ob.name}: has {len(mesh.polygons)} faces below its GPBD modifier; a rope is of edges alone. Delete the faces "
            "only (Delete > Only Faces), or make it a GPBD Cloth."
        )
    if not len(mesh.edges):
        raise SceneError(f"{ob.name}: has no edges; wanted at least one. Extrude a vertex in edit mode.")
    return evaluated_mesh.edges(mesh)
