"""Colliders: the mesh objects that have Blender's own Collision physics, with their whole modifier stack.

Of its settings those that cloth feels are read: Thickness Outer, Friction, Single Sided (or Override Normals), and as the
depth of a one-sided collider Thickness Inner. Damping, permeability and stickiness are those of particles and force fields.
What it touches, on which side, and a thickness below Blender's least, are said in our own panel.
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
    """Distance [m] kept from a collision object, beside a body's own. scale: metres of a Blender unit."""
    own: Any = ob.gpbd
    return own.outer_thickness if own.own_thickness else ob.collision.thickness_outer * scale


def thickness_label(ob: bpy.types.Object, scale: float, wanted: float) -> str:
    """Which of its two thicknesses is to be set for a distance [m] to be kept: Blender's where that can be as small."""
    below = wanted < LEAST_OUTER * scale * (1 - 1e-6)  # stored in single precision
    return "Own Thickness" if ob.gpbd.own_thickness or below else "Thickness Outer"


def set_thickness(ob: bpy.types.Object, scale: float, wanted: float) -> None:
    """Sets the one that `thickness_label` names to a distance [m]."""
    if thickness_label(ob, scale, wanted) == "Thickness Outer":
        ob.collision.thickness_outer = wanted / scale
    else:
        ob.gpbd.own_thickness, ob.gpbd.outer_thickness = True, wanted


def find(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """The objects of the scene that have Collision switched on, or animated, and are no body themselves, in the order of
    their names."""
    taken = {ob.name_full for ob in bodies}
    found = [ob for ob in scene.objects if ob.type == "MESH" and may_be_used(ob)]
    return sorted((ob for ob in found if ob.name_full not in taken), key=lambda ob: ob.name_full)


def may_be_used(ob: bpy.types.Object) -> bool:
    """Whether its Collision is switched on, or animated."""
    return ob.collision is not None and (ob.collision.use or keyed.is_animated(ob, "collision.use"))


def numbers(ob: bpy.types.Object, scale: float) -> dict[str, Any]:
    """What is read of it at every frame, as the solver names it. scale: metres of a Blender unit."""
    return {"friction": friction(ob), "thickness": thickness(ob, scale), "enabled": bool(ob.collision.use)}


def settings(ob: bpy.types.Object, scale: float) -> dict[str, Any]:
    """What Blender's physics says of it, as fields of `Collider`."""
    return {
        **numbers(ob, scale),
        "one_sided": ob.collision.use_culling or ob.collision.use_normal,
        "depth": ob.collision.thickness_inner * scale,
    }
