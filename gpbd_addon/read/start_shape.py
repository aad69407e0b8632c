"""Start of a body's simulation, if it is not its mesh: a point attribute of positions in object space."""

from __future__ import annotations

import bpy
import numpy as np

from ...solver.errors import SceneError
from ..identifiers import START_ATTRIBUTE
from . import evaluated_mesh, tearing
from .shared_mesh import check_unshared

Array = np.ndarray


def has(ob: bpy.types.Object) -> bool:
    """Return whether a body's mesh has a start of its own."""
    return START_ATTRIBUTE in ob.data.attributes


def write(ob: bpy.types.Object, positions: Array) -> None:
    """Set the start: positions (n, 3), object space. Raises: SceneError if the mesh has another number of vertices."""
    check_mesh(ob, len(positions))
    remove(ob)
    attribute = ob.data.attributes.new(START_ATTRIBUTE, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", np.ascontiguousarray(positions, dtype=np.float32).ravel())
    ob.gpbd.start_elements = _elements(ob.data)
    ob.data.update_tag()


def remove(ob: bpy.types.Object) -> bool:
    """The simulation begins at the mesh again; False where it did already."""
    attribute = ob.data.attributes.get(START_ATTRIBUTE)
    if attribute is None:
        return False
    ob.data.attributes.remove(attribute)
    ob.gpbd.start_elements = ""
    ob.data.update_tag()
    return True


def _elements(mesh: bpy.types.Mesh) -> str:
    """Return the number of elements of each kind: vertices added later have a start of zeros."""
    return f"{len(mesh.vertices)} vertices, {len(mesh.edges)} edges, {len(mesh.polygons)} faces"


def check_mesh(ob: bpy.types.Object, n_simulated: int) -> None:
    """Raises: SceneError if values of the simulated vertices cannot be kept on the mesh."""
    mesh = ob.data
    if ob.gpbd.use_tearing and len(mesh.vertices) != n_simulated:
        raise SceneError(
            f"{ob.name}: Tearing splits its mesh, which has {len(mesh.vertices)} vertices, into {n_simulated}. Switch "
            "Tearing off for this, and on afterwards."
        )
    if len(mesh.vertices) != n_simulated:
        raise SceneError(
            f"{ob.name}: {n_simulated} vertices are simulated, the mesh has {len(mesh.vertices)}; wanted as many. Apply the "
            "modifiers before the GPBD modifier, or move those that add vertices after it."
        )
    check_unshared(ob)


def _fits(ob: bpy.types.Object, there: bpy.types.Object) -> bool:
    """Return whether modifiers have added no vertices but copies of those of the mesh."""
    of = tearing.points(there)
    return len(ob.data.vertices) == (len(there.data.vertices) if of is None else of.max() + 1)


def read(ob: bpy.types.Object, there: bpy.types.Object, scale: float) -> Array | None:
    """The start [m], (n, 3), world space; None without one. there: the evaluated object.

    Raises: SceneError if it is of another kind, or if modifiers have added vertices that have no start.
    """
    attribute = there.data.attributes.get(START_ATTRIBUTE)
    if attribute is None:
        return None
    n = len(there.data.vertices)
    if attribute.domain != "POINT" or attribute.data_type != "FLOAT_VECTOR" or not _fits(ob, there):
        raise SceneError(
            f"{ob.name}: its start shape ('{START_ATTRIBUTE}') does not fit the {n} vertices that are simulated. "
            "Remove the start shape in the Drape panel, or drape again."
        )
    then, now = ob.gpbd.start_elements, _elements(ob.data)
    if then and then != now:  # another tool may write the attribute, and knows nothing of this
        raise SceneError(
            f"{ob.name}: its start shape was made for {then}; the mesh has {now}. "
            "Remove the start shape in the Drape panel, or undo the edit."
        )
    x = np.empty(n * 3, dtype=np.float32)
    attribute.data.foreach_get("vector", x)
    matrix = evaluated_mesh.world_matrix(there, scale)
    return x.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
