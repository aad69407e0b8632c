"""Rest lengths of a body's edges, as an attribute of its mesh: reference of the stretch of a baked frame."""

from __future__ import annotations

import bpy
import numpy as np

from ..identifiers import REST_LENGTH_ATTRIBUTE
from ..read import evaluated_mesh, start_shape
from . import mesh_attribute

Array = np.ndarray


def write(ob: bpy.types.Object, positions: Array) -> None:
    """positions: unstretched [m], (n, 3), world space. Raises: SceneError if the mesh has another number of vertices."""
    start_shape.check_mesh(ob, len(positions))
    edges = evaluated_mesh.edges(ob.data)
    lengths = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1)
    attribute = mesh_attribute.ensure(ob.data, REST_LENGTH_ATTRIBUTE, "FLOAT", "EDGE")
    attribute.data.foreach_set("value", lengths.astype(np.float32))


def read(mesh: bpy.types.Mesh) -> Array | None:
    """[m], (e,); None where there are none, or not of these edges."""
    attribute = mesh.attributes.get(REST_LENGTH_ATTRIBUTE)
    if attribute is None or len(attribute.data) != len(mesh.edges):
        return None
    lengths = np.empty(len(mesh.edges), np.float32)
    attribute.data.foreach_get("value", lengths)
    return lengths
