"""Colliders: the mesh objects that have Blender's own Collision physics, with their whole modifier stack.

Of its settings those that cloth feels are read: Thickness Outer, Friction, Single Sided (or Override Normals), and as the
depth of a one-sided collider Thickness Inner. Damping, permeability and stickiness are those of particles and force fields.
What it touches, and on which side, is said in our own panel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.scene import Collider, checks
from . import contact_choice, evaluated_mesh, keyed

#: Blender's cloth friction (0 to 80, 5 at first, no unit) times this is a Coulomb coefficient: 5 becomes 0.4.
FRICTION_FACTOR = 0.08
HIGHEST_FRICTION = 2.0


def friction(ob: bpy.types.Object) -> float:
    """Coulomb coefficient of a collision object."""
    return min(ob.collision.cloth_friction * FRICTION_FACTOR, HIGHEST_FRICTION)


def find(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """The objects of the scene that have Collision switched on, or animated, and are no body themselves, in the order of
    their names."""
    taken = {ob.name_full for ob in bodies}
    found = [ob for ob in scene.objects if ob.type == "MESH" and ob.collision is not None and _may_be_used(ob)]
    return sorted((ob for ob in found if ob.name_full not in taken), key=lambda ob: ob.name_full)


def _may_be_used(ob: bpy.types.Object) -> bool:
    return ob.collision.use or keyed.is_animated(ob, "collision.use")


def numbers(ob: bpy.types.Object, scale: float) -> dict[str, Any]:
    """What is read of it at every frame, as the solver names it."""
    physics = ob.collision
    return {"friction": friction(ob), "thickness": physics.thickness_outer * scale, "enabled": bool(physics.use)}


def read(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> Collider:
    """The collider at the depsgraph's frame. scale: metres of a Blender unit. Raises: SceneError."""
    there = evaluated_mesh.evaluated(ob, depsgraph)
    if not len(there.data.polygons):
        raise SceneError(f"{ob.name_full}: the collider has no faces. Give it some or switch its Collision physics off.")
    untouched = contact_choice.untouched(ob, there)
    return Collider(
        ob.name_full,
        evaluated_mesh.world_positions(there, scale),
        evaluated_mesh.world_triangles(there),
        **numbers(ob, scale),
        touches=contact_choice.touches(ob.gpbd),
        without_contact=() if untouched is None else np.flatnonzero(untouched),
        one_sided=ob.collision.use_culling or ob.collision.use_normal,
        depth=ob.collision.thickness_inner * scale,
        side=ob.gpbd.collider_side.lower(),
    )


def pose(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float, n_vertices: int, corners: np.ndarray, frame: int
) -> np.ndarray:
    """Its vertices at this frame [m], (n, 3).

    corners: vertices of its faces, one after the other, at the first frame.
    Raises: SceneError if their number or the faces have changed since the first frame.
    """
    there = evaluated_mesh.evaluated(ob, depsgraph)
    vertices = evaluated_mesh.world_positions(there, scale)
    if len(vertices) != n_vertices:
        raise SceneError(
            f"{ob.name_full}: the collider has {len(vertices)} vertices at frame {frame}, {n_vertices} at the first frame. "
            "Keep the number: switch off the modifier that changes it, or its Collision physics."
        )
    if not np.array_equal(evaluated_mesh.face_corners(there.data), corners):
        raise SceneError(
            f"{ob.name_full}: the collider's faces join other vertices at frame {frame} than at the first frame. Keep them: "
            "switch off the modifier that makes them anew, or its Collision physics."
        )
    return checks.vertices(f"{ob.name_full} at frame {frame}", "vertices", vertices)
