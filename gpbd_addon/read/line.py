"""The mesh of a rope: its edges, and its radius."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import Pins, Rope
from . import contact_choice, evaluated_mesh

Array = np.ndarray

#: The bending of a flat section.
FLAT = "flat_rod"
#: Point attribute of a mesh with the radius at each vertex, in Blender's units.
RADIUS = "radius"


@dataclass
class Line:
    """Edges of a rope, (e, 2). radius: [m], of all or of each vertex, (n,). is_straight: at rest. turns: of its ends
    [rad]. roll: see `Rope`."""

    edges: Array
    radius: Array | float
    is_straight: bool
    turns: tuple[float, float]
    roll: float | None

    def identity(self) -> list[JsonValue]:
        """Return JSON values that must be equal for a cache to be continued."""
        radius = evaluated_mesh.digest(np.asarray(self.radius, float))
        return [evaluated_mesh.digest(self.edges), radius, self.is_straight, list(self.turns), self.roll]

    def rope(self, body: Any, start: Array, pins: Pins | None) -> Rope:
        """Return the solver's body. body: `BodyInput`. start: of its vertices [m], (n, 3)."""
        assert body.material is not None
        return Rope(
            body.name,
            start,
            self.edges,
            np.asarray(self.radius),
            body.material,
            pins=pins,
            rest_vertices=None if body.start is None else body.vertices,
            is_straight=self.is_straight,
            turn_start=self.turns[0],
            turn_end=self.turns[1],
            roll=self.roll,
            shrink=None if body.shape is None or body.shape.shrink is None else np.asarray(body.shape.shrink),
            tearing=body.tearing,
            velocities=None if body.velocity is None else np.tile(body.velocity, (len(start), 1)),
            thickness=body.thickness,
            self_thickness=body.self_thickness,
            friction=body.friction,
            self_contact=body.self_contact,
            without_contact=contact_choice.without_contact(body.untouched),
            touches=body.touches,
            maps=body.maps,
        )


def read(ob: bpy.types.Object, there: bpy.types.Object, scale: float) -> Line:
    """Read a rope. there: the evaluated body. scale: metres of a Blender unit. Raises: SceneError."""
    settings = ob.gpbd
    turns = settings.turn_start, settings.turn_end
    roll = settings.rope_roll if is_flat(ob) else None
    return Line(_edges(ob, there), radius(ob, there, scale), settings.rope_is_straight, turns, roll)


def is_flat(ob: bpy.types.Object) -> bool:
    """Return whether a rope has a flat section, by its material's bending."""
    settings = ob.gpbd
    return bool(settings.rope_bend_model == FLAT)


def own_radius(mesh: bpy.types.Mesh) -> Any:
    """Return the attribute of the radius; None where the mesh has none."""
    radius = mesh.attributes.get(RADIUS)
    return radius if radius is not None and radius.domain == "POINT" and radius.data_type == "FLOAT" else None


def radius(ob: bpy.types.Object, there: bpy.types.Object, scale: float) -> Array | float:
    """Radius of a rope [m], of each vertex, (n,), or of all. there: the evaluated body. Raises: SceneError."""
    settings = ob.gpbd
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


def _edges(ob: bpy.types.Object, there: bpy.types.Object) -> Array:
    """Edges of a rope, (e, 2) int32. Raises: SceneError, naming the object, for a mesh without edges, or with faces."""
    mesh = there.data
    if len(mesh.polygons):
        raise SceneError(
            f"{ob.name}: has {len(mesh.polygons)} faces below its GPBD modifier; a rope is of edges alone. Delete the faces "
            "only (Delete > Only Faces), or make it a GPBD Cloth."
        )
    if not len(mesh.edges):
        raise SceneError(f"{ob.name}: has no edges; wanted at least one. Extrude a vertex in edit mode.")
    return evaluated_mesh.edges(mesh)
