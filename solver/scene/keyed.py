"""Numbers of a scene that may be others at each frame (`FrameInputs.values`): which these are, and the scene that has them.

Numbers of a material are named as its energies name them, "stvk_membrane.young_warp". What a mesh is made of, how it is
solved, and what touches what is said once: elements and pairs stand on it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks
from .body import Body
from .collider import Collider, Plane
from .deformable import Deformable
from .maps import PAINTED, repainted
from .scene import Scene

Values = Mapping[str, Mapping[str, Any]]

#: How messages call what a caller animates.
OWNER = "FrameInputs"


def _material(field: str) -> Callable[[Any, Any], None]:
    def take(body: Deformable, value: Any) -> None:
        body.material = body.material.changed(**{field: value})

    return take


def _friction(item: Any, value: Any) -> None:
    item.friction = checks.number(item.name, "friction", value, "", checks.NOT_NEGATIVE)


def _thickness(item: Any, value: Any) -> None:
    if isinstance(item, Deformable):
        item.thickness = None if value is None else checks.number(item.name, "thickness", value, "m")
    else:
        within = checks.POSITIVE if isinstance(item, Body) else checks.NOT_NEGATIVE
        item.thickness = checks.number(item.name, "thickness", value, "m", within)


def _enabled(item: Any, value: Any) -> None:
    item.enabled = checks.flag(item.name, "enabled", value)


def _pins(field: str) -> Callable[[Any, Any], None]:
    def take(body: Deformable, value: Any) -> None:
        if body.pins is None:
            raise SceneError(f"{body.name}: has no pins whose {field} could change; wanted some. Give it Pins(...).")
        body.pins = body.pins.changed(body.name, field, value)

    return take


_CONTACT: dict[str, Callable[[Any, Any], None]] = {"friction": _friction, "thickness": _thickness}
#: What may change of a deformable body beside the parameters of its energies, of another body, and of a collider.
OF_DEFORMABLE = {
    **_CONTACT,
    "density": _material("density"),
    "material_thickness": _material("thickness"),
    "pin_weight": _pins("weight"),
    "pin_frequency": _pins("frequency"),
    "pin_damping": _pins("damping"),
}
#: Weights of a map, (n,): of "map.stretch", "map.density" ...
MAP = "map"
OF_COLLIDER = {**_CONTACT, "enabled": _enabled}
#: Fields of a scene that may change beside wind and gravity.
AIR = "air_density", "drag", "lift"


def scene_at(scene: Scene, values: Values, air: Mapping[str, float]) -> Scene:
    """The scene with these numbers in place of its own. values: object -> name -> number. air: those of `AIR` that change.

    Raises: SceneError, MaterialError, naming the object.
    """
    given = checks.mapping(OWNER, "values", values)
    known = [item.name for item in [*scene.bodies, *scene.colliders]]
    names = ", ".join(known)
    for name in given:
        if name not in known:
            raise SceneError(
                f"{OWNER}: '{name}' is no body or collider of the scene; wanted one of {names}. Name one of these."
            )
    there = copy.copy(scene)
    there.bodies = [_changed(body, given.get(body.name)) for body in scene.bodies]
    for name, value in air.items():
        setattr(there, name, value)
    there.colliders = [_changed(collider, given.get(collider.name)) for collider in scene.colliders]
    return there


def _changed(item: Any, given: Any) -> Any:
    if given is None:
        return item
    there, energies, weights = copy.copy(item), {}, {}
    fields = OF_COLLIDER if isinstance(item, Collider | Plane) else _CONTACT
    if isinstance(item, Deformable):
        fields = OF_DEFORMABLE
        energies = {name: dict(numbers) for name, numbers in item.material.energies.items()}
    for name, value in checks.mapping(item.name, "values", given).items():
        energy, _, parameter = name.partition(".")
        if energy in energies and parameter in energies[energy]:
            energies[energy][parameter] = value
        elif isinstance(item, Deformable) and energy == MAP and parameter in PAINTED:
            weights[parameter] = value
        elif name in fields:
            fields[name](there, value)
        else:
            own = [f"{one}.{key}" for one, numbers in energies.items() for key in numbers]
            own += [f"{MAP}.{key}" for key in item.maps] if isinstance(item, Deformable) else []
            wanted = ", ".join([*fields, *own])
            raise SceneError(
                f"{item.name}: '{name}' cannot change from frame to frame; wanted one of {wanted}. Set it where the scene "
                "is made."
            )
    if energies:
        there.material = there.material.changed(energies=energies)
    if weights:
        there.maps = repainted(item.name, item.maps, weights)
    return there


def plain(values: Values) -> dict[str, dict[str, Any]]:
    """The same values as numbers, lists, True, False and None, sorted: equal where they mean the same."""
    return {name: {key: _plain(given[key]) for key in sorted(given)} for name, given in sorted(values.items()) if given}


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
