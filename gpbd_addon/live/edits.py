"""Effect of an edit on the running simulation: it is read with the next frame, or the model is rebuilt, or the simulation
restarts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...solver.errors import GpbdError
from ..bake import made_from
from ..bake.differences import WAS, changed, differences
from ..properties.map_properties import LABELS
from ..read import collision_objects, keyed, scene_input, taking_part

#: Consequences of an edit, in increasing order.
NOTHING, READ, REMAKE, RESTART = range(4)
#: Keys that each frame reads, of the scene, of a body and of a collider (`read_frame`).
READ_OF_SCENE = ("gravity", "wind", "air", "fields", "animation")
READ_OF_BODY = ("mesh", "thickness", "self_thickness", "friction", "pin numbers", "response", "follow", "animation", "grabs")
READ_OF_COLLIDER = ("mesh", "animation", "friction", "thickness")
#: Keys that the state of each vertex depends on; "shape" is the mesh without its placement.
KEPT_OF_BODY = ("uuid", "kind", "shape", "start", "tetrahedra", "modifiers", "velocity")
#: Choices of a body, and of its maps, that the model is made with; none can be animated.
CHOICES = ("pin_group", "goal_group", "no_contact_group", "self_contact", "layer", "uv_map")
MAPS = tuple(f"{name}_{end}" for name in LABELS for end in ("group", "low", "high"))


def state(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> dict[str, Any]:
    """All that a simulation of these bodies is made from, as JSON values."""
    listed = list(bodies)
    inputs = made_from.read(scene, listed)
    for ob in listed:
        inputs["bodies"][ob.name]["shape"] = made_from.mesh(ob, placed=False)
    return {**inputs, "speed": scene.gpbd.speed}


def need(then: Mapping[str, Any], now: Mapping[str, Any]) -> int:
    """Return the consequence of the changes between two results of `state`."""
    paths = [path for path, _ in changed(then, now, ())]
    anew = {path[1] for path in paths if _is_of_mesh(path, then, now)}
    if anew and not (then["bodies"].keys() & now["bodies"].keys()) - anew:
        return RESTART  # no body can continue
    return max((_need_of(path, then, now) for path in paths), default=NOTHING)


def meshes(bodies: Iterable[bpy.types.Object]) -> dict[str, Any]:
    """Return, by their identities, what of bodies the state of each vertex depends on."""
    known = {}
    for ob in bodies:
        of_body = made_from.body(ob) | {"shape": made_from.mesh(ob, placed=False)}
        known[ob.gpbd.uuid] = [of_body[name] for name in KEPT_OF_BODY] + of_body["rigid"][-1:]
    return known


def _is_of_mesh(path: tuple[str, ...], then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether a body whose change this is has to begin anew, has come or has gone."""
    match path:
        case ("bodies", _):
            return True
        case ("bodies", body, "rigid"):
            spins = [one["bodies"][body]["rigid"][-1] for one in (then, now)]
            return bool(spins[0] != spins[1])
        case ("bodies", _, field, *_):
            return field in KEPT_OF_BODY
    return False


def words(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the differences, by their names in panels."""
    return differences(then, now, WAS)


def structure(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> tuple[Any, Any]:
    """Return the structure that must stay the same for a frame to be read: the bodies; the settings, the numbers and choices
    of each body, and the colliders. Costs next to nothing. Raises: GpbdError."""
    listed = list(bodies)
    numbers = {ob.gpbd.uuid: sorted(keyed.of_body(ob)) for ob in listed}
    colliders = [ob.name_full for ob in collision_objects.find(scene, taking_part.all_bodies(scene))]
    who = [(ob.name, ob.gpbd.uuid, ob.gpbd.body_type) for ob in listed]
    choices = [
        [*(getattr(ob.gpbd, name) for name in CHOICES), *(getattr(ob.gpbd.maps, name) for name in MAPS)] for ob in listed
    ]
    return who, (scene_input.settings_of(scene), numbers, colliders, choices)


def structural_need(then: tuple[Any, Any], scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> int:
    """Return the consequence of the changes of `structure`."""
    try:
        who, how = structure(scene, bodies)
    except GpbdError:
        return RESTART
    if not who or how[0].samples != then[1][0].samples:
        return RESTART
    return REMAKE if (who, how) != then else NOTHING


def _need_of(path: tuple[str, ...], then: Mapping[str, Any], now: Mapping[str, Any]) -> int:
    match path:
        case ("speed",):
            return READ
        case (name, *_) if name in READ_OF_SCENE:
            return READ
        case ("settings", "samples"):
            return RESTART
        case ("settings", *_):
            return REMAKE
        case ("bodies", _, "material", *_):
            return READ if _energies(then, path[1]) == _energies(now, path[1]) else REMAKE
        case ("bodies", _, field, *_):
            return READ if field in READ_OF_BODY else REMAKE
        case ("bodies", _):  # one more, or one less
            return REMAKE
        case ("colliders", _, field, *_):
            return READ if field in READ_OF_COLLIDER else REMAKE
        case ("colliders", _):  # one more, or one less
            return REMAKE
    return RESTART


def _energies(state: Mapping[str, Any], body: str) -> Any:
    material = state["bodies"][body]["material"]
    return None if material is None else {name: sorted(parameters) for name, parameters in material["energies"].items()}
