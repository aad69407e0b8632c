"""Numbers that are read at every frame, for they may be animated or driven: of bodies, colliders, the air and time.

Only what differs from the first frame is told to the solver (`solver/scene/keyed.py`), in the names that it has there.
Objects are read as the user has them: Blender writes there what F-curves and drivers give, while an evaluated copy does not
see what a script or a panel has set since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ..body_kinds import BODY_KINDS
from . import body_material, changing_groups, evaluated_mesh

Array = np.ndarray

#: Numbers of rigid bodies that are read at the first frame only.
RIGID_ONCE = ("gpbd.density_volume", "gpbd.mass")


@dataclass
class Numbers:
    """Of one frame. objects: body or collider -> name -> number. weights: body -> pin weights of the vertices of its mesh,
    (n,). air: air_density [kg/m^3], drag, lift. speed: simulated time over that of the scene. maps: body -> what is painted
    -> weights of the vertices of its mesh, (n,)."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    weights: dict[str, Array] = field(default_factory=dict)
    air: dict[str, float] = field(default_factory=dict)
    speed: float = 1.0
    maps: dict[str, dict[str, Array]] = field(default_factory=dict)

    def since(self, first: Numbers) -> Numbers:
        """What is other than at the first frame."""
        objects = {name: _other(values, first.objects[name]) for name, values in self.objects.items()}
        weights = {name: w for name, w in self.weights.items() if not np.array_equal(w, first.weights[name])}
        maps = {
            name: {of: w for of, w in own.items() if not np.array_equal(w, first.maps[name][of])}
            for name, own in self.maps.items()
        }
        objects = {name: own for name, own in objects.items() if own}
        return Numbers(objects, weights, _other(self.air, first.air), self.speed, {k: own for k, own in maps.items() if own})


def _other(values: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value != first[key]}


def of_body(ob: bpy.types.Object) -> dict[str, Any]:
    """Of a body, at the scene's frame."""
    settings: Any = ob.gpbd
    kind = BODY_KINDS[settings.body_type]
    found: dict[str, Any] = {"friction": body_material.short(settings.friction)}
    if kind.material is not None:
        found |= {"thickness": settings.thickness or None, **body_material.numbers(ob)}
    elif settings.thickness:
        found["thickness"] = settings.thickness
    if follows(settings):
        found |= {"pin_frequency": settings.pin_frequency, "pin_damping": settings.pin_damping}
    return found


def of_scene(scene: bpy.types.Scene) -> tuple[dict[str, float], float]:
    """Numbers of the air, and the speed."""
    own: Any = scene.gpbd
    return {"air_density": own.air_density, "drag": own.drag, "lift": own.lift}, own.speed


def follows(settings: Any) -> bool:
    """Whether a body has pins."""
    return bool(settings.pin_group) and BODY_KINDS[settings.body_type].pins


def pin_weights(ob: bpy.types.Object, there: bpy.types.Object, first: Array) -> Array:
    """Pin weights of the vertices of a mesh at a frame, (n,). there: the body evaluated. first: those of its group at the
    first frame, which its weights stay where nothing can change them."""
    settings: Any = ob.gpbd
    group = first
    if changing_groups.may_change(ob, there, settings.pin_group):
        group = np.clip(evaluated_mesh.weights(there, settings.pin_group), 0.0, 1.0)
    return group * settings.pin_hold


def is_animated(ob: bpy.types.Object, path: str) -> bool:
    """Whether F-curves or drivers act on a property of an object. path: from the object."""
    return any(curve.data_path == path for curve in curves(ob))


def curves(owner: Any) -> Iterator[Any]:
    """All drivers and F-curves of an ID."""
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
    """Sentences on what is animated and is read at the first frame only."""
    settings: Any = ob.gpbd
    if BODY_KINDS[settings.body_type].material is not None:
        return []
    return [
        f"{ob.name}: '{path.removeprefix('gpbd.')}' is animated, but a rigid body has one mass, that of the first frame. "
        "Delete its keys."
        for path in RIGID_ONCE
        if is_animated(ob, path)
    ]
