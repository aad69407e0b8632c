"""Numbers of a scene that may change at each frame (`FrameInputs.values`), and the scene with changed numbers.

Numbers of a material are named as its energies name them, "stvk_membrane.young_warp". Meshes, the method, and collision
partners are fixed, because elements and pairs depend on them.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ..errors import SceneError
from . import checks
from .body import Body
from .collider import Collider, Plane
from .deformable import Deformable
from .maps import PAINTED, repainted
from .rigid import Rigid
from .rope import Rope, checked_radius
from .scene import Scene
from .shape_collider import ShapeCollider

#: A number that may change, weights of vertices, or None.
Value: TypeAlias = float | bool | np.ndarray | list[float] | None
Values = Mapping[str, Mapping[str, Value]]
#: An object with contact.
Item: TypeAlias = Deformable | Rigid | Collider | Plane | ShapeCollider
Changed = TypeVar("Changed", bound=Body | Collider | Plane | ShapeCollider)

#: Owner of animated values in messages.
OWNER = "FrameInputs"


def _material(field: str) -> Callable[[Deformable, Value], None]:
    def take(body: Deformable, value: Value) -> None:
        body.material = body.material.changed(**{field: value})

    return take


def _friction(item: Item, value: Value) -> None:
    item.friction = checks.number(item.name, "friction", value, "", checks.NOT_NEGATIVE)


def _thickness(item: Item, value: Value) -> None:
    if isinstance(item, Deformable):
        item.thickness = None if value is None else checks.number(item.name, "thickness", value, "m")
    else:
        within = checks.POSITIVE if isinstance(item, Body) else checks.NOT_NEGATIVE
        item.thickness = checks.number(item.name, "thickness", value, "m", within)


def _self_thickness(body: Deformable, value: Value) -> None:
    body.self_thickness = None if value is None else checks.number(body.name, "self_thickness", value, "m")


def _enabled(item: Collider | Plane | ShapeCollider, value: Value) -> None:
    item.enabled = checks.flag(item.name, "enabled", value)


def _pins(field: str) -> Callable[[Deformable, Value], None]:
    def take(body: Deformable, value: Value) -> None:
        if body.pins is None:
            raise SceneError(f"{body.name}: has no pins whose {field} could change; wanted some. Give it Pins(...).")
        body.pins = body.pins.changed(body.name, field, value)

    return take


def _goal(field: str) -> Callable[[Deformable, Value], None]:
    def take(body: Deformable, value: Value) -> None:
        if body.pins is None:
            raise SceneError(f"{body.name}: has no pins whose goal could change; wanted some. Give it Pins(...).")
        body.pins = body.pins.pulled_by(body.name, field, value)

    return take


def _tear_strength(body: Deformable, value: Value) -> None:
    tearing = getattr(body, "tearing", None)
    if tearing is None:
        raise SceneError(
            f"{body.name}: does not tear, so its tear_strength cannot change; wanted Cloth(tearing=...). Give it."
        )
    body.tearing = dataclasses.replace(tearing, strength=value)  # type: ignore[attr-defined]


def _turn(field: str) -> Callable[[Rope, Value], None]:
    def take(body: Rope, value: Value) -> None:
        setattr(body, field, checks.number(body.name, field, value, "rad", checks.FINITE))

    return take


def _radius(body: Rope, value: Value) -> None:
    body.radius = checked_radius(body.name, value, len(body.vertices))


_CONTACT: dict[str, Callable[[Item, Value], None]] = {"friction": _friction, "thickness": _thickness}
#: Fields that may change of a deformable body beside the parameters of its energies, of another body, and of a collider.
OF_DEFORMABLE = {
    **_CONTACT,
    "self_thickness": _self_thickness,
    "density": _material("density"),
    "material_thickness": _material("thickness"),
    "pin_weight": _pins("weight"),
    "pin_frequency": _pins("frequency"),
    "pin_damping": _pins("damping"),
    "pin_strength": _pins("strength"),
    "goal_weight": _goal("weight"),
    "goal_frequency": _goal("frequency"),
    "goal_damping_ratio": _goal("damping_ratio"),
    "tear_strength": _tear_strength,
}
#: Of a rope beside them: radius [m], a number or (n,), and turns [rad].
OF_ROPE: dict[str, Callable[[Rope, Value], None]] = {
    "radius": _radius,
    **{name: _turn(name) for name in ("turn_start", "turn_end")},
}
#: Weights of a map, (n,): of "map.stretch", "map.density" ...
MAP = "map"
OF_COLLIDER = {**_CONTACT, "enabled": _enabled}
#: Fields of a scene that may change beside wind and gravity.
AIR = "air_density", "drag", "lift"


def scene_at(scene: Scene, values: Values, air: Mapping[str, float]) -> Scene:
    """Return the scene with these numbers in place of its own. values: object -> name -> number. air: those of `AIR` that
    change.

    Raises: SceneError, MaterialError, naming the object.
    """
    changes = checks.mapping(OWNER, "values", values)
    known = [item.name for item in [*scene.bodies, *scene.colliders]]
    names = ", ".join(known)
    for name in changes:
        if name not in known:
            raise SceneError(
                f"{OWNER}: '{name}' is no body or collider of the scene; wanted one of {names}. Name one of these."
            )
    there = copy.copy(scene)
    there.bodies = [_changed(body, changes.get(body.name)) for body in scene.bodies]
    for name, value in air.items():
        setattr(there, name, value)
    there.colliders = [_changed(collider, changes.get(collider.name)) for collider in scene.colliders]
    return there


def _changed(item: Changed, values: Mapping[str, Value] | None) -> Changed:
    if values is None:
        return item
    there = copy.copy(item)
    energies: dict[str, dict[str, Value]] = {}
    weights: dict[str, Value] = {}
    fields: Mapping[str, Callable[[Any, Value], None]] = _CONTACT  # of the item's class
    if isinstance(item, Collider | Plane | ShapeCollider):
        fields = OF_COLLIDER
    if isinstance(item, Deformable):
        fields = {**OF_DEFORMABLE, **(OF_ROPE if isinstance(item, Rope) else {})}
        energies = {name: dict(numbers) for name, numbers in item.material.energies.items()}
    for name, value in checks.mapping(item.name, "values", values).items():
        energy, _, parameter = name.partition(".")
        if energy in energies and parameter in energies[energy]:
            energies[energy][parameter] = value
        elif isinstance(item, Deformable) and energy == MAP and parameter in PAINTED:
            weights[parameter] = value
        elif name in fields:
            fields[name](there, value)
        else:
            names = [f"{one}.{key}" for one, numbers in energies.items() for key in numbers]
            names += [f"{MAP}.{key}" for key in item.maps] if isinstance(item, Deformable) else []
            wanted = ", ".join([*fields, *names])
            raise SceneError(
                f"{item.name}: '{name}' cannot change from frame to frame; wanted one of {wanted}. Set it where the scene "
                "is made."
            )
    if isinstance(there, Deformable) and energies:
        there.material = there.material.changed(energies=energies)
    if isinstance(there, Deformable) and weights:
        there.maps = repainted(there.name, there.maps, weights)
    return there


def plain(values: Values) -> dict[str, dict[str, Value]]:
    """The same values as numbers, lists, True, False and None, sorted: equal where they mean the same."""
    return {
        name: {key: _plain(numbers[key]) for key in sorted(numbers)} for name, numbers in sorted(values.items()) if numbers
    }


def _plain(value: Value) -> Value:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
