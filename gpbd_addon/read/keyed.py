"""Numbers that are read at every frame because they may be animated or driven: of bodies, colliders, the air and time.

Only differences from the first frame are passed to the solver (`solver/scene/keyed.py`), in its names. Original objects are
read: Blender writes values of F-curves and drivers there, while an evaluated copy misses later changes by a script or a
panel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...solver.scene.keyed import Value
from ..body_kinds import BODY_KINDS
from . import body_material, changing_groups, evaluated_mesh

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object

Array = np.ndarray

#: Numbers of rigid bodies that are read at the first frame only.
RIGID_ONCE = ("gpbd.density_volume", "gpbd.mass")

#: Strength of keyed pins that do not let go [N].
NEVER = 1e9


@dataclass
class Numbers:
    """Numbers of one frame. objects: body or collider -> name -> number. weights, goals: body -> weights of its pins and of
    its goal, of the vertices of its mesh, (n,). air: air_density [kg/m^3], drag, lift. speed: simulated time over the
    scene's. maps: body -> painted property -> weights of the vertices of its mesh, (n,). radii: rope -> radius [m], of all
    or of each vertex, (n,).
    """

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    weights: dict[str, Array] = field(default_factory=dict)
    air: dict[str, float] = field(default_factory=dict)
    speed: float = 1.0
    maps: dict[str, dict[str, Array]] = field(default_factory=dict)
    goals: dict[str, Array] = field(default_factory=dict)
    radii: dict[str, Array | float] = field(default_factory=dict)

    def since(self, first: Numbers) -> Numbers:
        """Return the numbers that differ from the first frame."""
        objects = {name: _other(values, first.objects[name]) for name, values in self.objects.items()}
        weights, goals = _changed(self.weights, first.weights), _changed(self.goals, first.goals)
        maps = {
            name: {of: w for of, w in values_of.items() if not np.array_equal(w, first.maps[name][of])}
            for name, values_of in self.maps.items()
        }
        objects = {name: values_of for name, values_of in objects.items() if values_of}
        maps = {name: values_of for name, values_of in maps.items() if values_of}
        radii = _changed(self.radii, first.radii)
        return Numbers(objects, weights, _other(self.air, first.air), self.speed, maps, goals, radii)


def _changed(weights: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    return {name: w for name, w in weights.items() if not np.array_equal(w, first[name])}


def _other(values: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that differ. Numbers that the first frame lacks, as of a pin group chosen during the bake, have no
    effect on its bodies."""
    return {key: value for key, value in values.items() if key in first and value != first[key]}


def of_body(ob: bpy.types.Object) -> dict[str, Value]:
    """Return the numbers of a body, at the scene's frame."""
    settings = ob.gpbd
    kind = BODY_KINDS[settings.body_type]
    numbers: dict[str, Any] = {"friction": body_material.short(settings.friction)}
    if kind.material is not None:
        numbers |= {"thickness": settings.thickness or None, "self_thickness": settings.self_thickness or None}
        numbers |= body_material.numbers(ob)
    elif settings.thickness:
        numbers["thickness"] = settings.thickness
    if kind.line:
        numbers |= {"turn_start": settings.turn_start, "turn_end": settings.turn_end}
    if follows(settings):
        numbers |= {"pin_frequency": settings.pin_frequency, "pin_damping": settings.pin_damping}
        strength = pin_strength(ob)
        numbers |= {} if strength is None else {"pin_strength": strength}
    if (kind.sheet or kind.line) and settings.use_tearing:
        numbers["tear_strength"] = body_material.short(settings.rope_strength if kind.line else settings.tear_strength)
    if pulls(settings):
        numbers |= {"goal_frequency": settings.goal_frequency, "goal_damping_ratio": settings.goal_damping_ratio}
    return numbers


def of_scene(scene: bpy.types.Scene) -> tuple[dict[str, float], float]:
    """Numbers of the air, and the speed."""
    settings = scene.gpbd
    return {"air_density": settings.air_density, "drag": settings.drag, "lift": settings.lift}, settings.speed


def follows(settings: GPBD_PG_object) -> bool:
    """Return whether a body has pins."""
    return bool(settings.pin_group) and BODY_KINDS[settings.body_type].pins


def pin_strength(ob: bpy.types.Object) -> float | None:
    """Return the pull at which its pins let go [N]; None where they never do."""
    settings = ob.gpbd
    keyed = is_animated(ob, "gpbd.pin_strength")
    return body_material.short(settings.pin_strength) or (NEVER if keyed else None)


def pulls(settings: GPBD_PG_object) -> bool:
    """Return whether a body has a goal."""
    return bool(settings.use_goal) and BODY_KINDS[settings.body_type].pins


def goal_weights(ob: bpy.types.Object, there: bpy.types.Object, first: Array) -> Array:
    """Return the weights of the goal of the vertices of a mesh at a frame, (n,); see `pin_weights`."""
    settings = ob.gpbd
    group = first
    if settings.goal_group and changing_groups.may_change(ob, there, settings.goal_group):
        group = np.clip(evaluated_mesh.weights(there, settings.goal_group), 0.0, 1.0)
    return group * settings.goal_weight


def pin_weights(ob: bpy.types.Object, there: bpy.types.Object, first: Array) -> Array:
    """Return the pin weights of the vertices of a mesh at a frame, (n,).

    there: the evaluated body. first: weights of its group at the first frame, returned if nothing can change them.
    """
    settings = ob.gpbd
    group = first
    if changing_groups.may_change(ob, there, settings.pin_group):
        group = np.clip(evaluated_mesh.weights(there, settings.pin_group), 0.0, 1.0)
    return group * settings.pin_hold


def is_animated(ob: bpy.types.Object, path: str) -> bool:
    """Return whether F-curves or drivers act on a property of an object. path: from the object."""
    return any(curve.data_path == path for curve in curves(ob))


def curves(owner: Any) -> Iterator[bpy.types.FCurve]:
    """Yield all drivers and F-curves of an ID."""
    data = owner.animation_data
    if data is None:
        return
    yield from data.drivers
    action = data.action
    for layer in action.layers if action is not None else ():
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def unread(ob: bpy.types.Object) -> list[str]:
    """Return sentences on animated properties that are read at the first frame only."""
    settings = ob.gpbd
    if BODY_KINDS[settings.body_type].material is not None:
        return []
    return [
        f"{ob.name}: '{path.removeprefix('gpbd.')}' is animated, but a rigid body has one mass, that of the first frame. "
        "Delete its keys."
        for path in RIGID_ONCE
        if is_animated(ob, path)
    ]
