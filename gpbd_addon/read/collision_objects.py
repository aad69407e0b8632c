"""Colliders: the mesh objects that have Blender's own Collision physics, with their whole modifier stack.

Settings that affect cloth are read: Thickness Outer, Friction, Single Sided (or Override Normals), and as the depth of a
one-sided collider Thickness Inner. Damping, permeability and stickiness are those of particles and force fields. Our own
panel has the collision partners, the side, and thicknesses below Blender's minimum.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from . import keyed

#: Blender's cloth friction (0 to 80, 5 at first, no unit) times this is a Coulomb coefficient: 5 becomes 0.4.
FRICTION_FACTOR = 0.08
HIGHEST_FRICTION = 2.0
#: The smallest Thickness Outer that Blender takes [Blender units].
LEAST_OUTER = 1e-3


def friction(ob: bpy.types.Object) -> float:
    """Coulomb coefficient of a collision object."""
    return min(ob.collision.cloth_friction * FRICTION_FACTOR, HIGHEST_FRICTION)


def thickness(ob: bpy.types.Object, scale: float) -> float:
    """Return the distance [m] kept from a collision object, beside a body's own. scale: metres of a Blender unit."""
    settings = ob.gpbd
    return settings.outer_thickness if settings.own_thickness else ob.collision.thickness_outer * scale


def thickness_label(ob: bpy.types.Object, scale: float, wanted: float) -> str:
    """Return the label of the thickness to set for a distance [m]: Blender's if that can be as small, else ours."""
    below = wanted < LEAST_OUTER * scale * (1 - 1e-6)  # stored in single precision
    return "Own Thickness" if ob.gpbd.own_thickness or below else "Thickness Outer"


def set_thickness(ob: bpy.types.Object, scale: float, wanted: float) -> None:
    """Set the one that `thickness_label` names to a distance [m]."""
    if thickness_label(ob, scale, wanted) == "Thickness Outer":
        ob.collision.thickness_outer = wanted / scale
    else:
        ob.gpbd.own_thickness, ob.gpbd.outer_thickness = True, wanted


def find(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """The objects of the scene that have Collision switched on, or animated, and are no body themselves, in the order of
    their names."""
    body_names = {ob.name_full for ob in bodies}
    colliders = [ob for ob in scene.objects if ob.type == "MESH" and may_be_used(ob)]
    return sorted((ob for ob in colliders if ob.name_full not in body_names), key=lambda ob: ob.name_full)


def may_be_used(ob: bpy.types.Object) -> bool:
    """Return whether its Collision is switched on, or animated."""
    return ob.collision is not None and (ob.collision.use or keyed.is_animated(ob, "collision.use"))


def numbers(ob: bpy.types.Object, scale: float) -> dict[str, Any]:
    """Return the values read at every frame, in the solver's names. scale: metres of a Blender unit."""
    return {"friction": friction(ob), "thickness": thickness(ob, scale), "enabled": bool(ob.collision.use)}


def settings(ob: bpy.types.Object, scale: float) -> dict[str, Any]:
    """Return the settings of Blender's physics as fields of `Collider`."""
    return {
        **numbers(ob, scale),
        "one_sided": ob.collision.use_culling or ob.collision.use_normal,
        "depth": ob.collision.thickness_inner * scale,
    }
