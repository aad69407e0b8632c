"""Differences that keep a bake from being continued, in the words of the panels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...solver.scene import catalog
from ..properties.display_units import display_unit
from ..properties.object_properties import GPBD_PG_object
from ..properties.scene_properties import GPBD_PG_scene
from ..translations import first_of, tr

#: How a number is said that was another.
WAS = "{} (was {})"
#: A difference: the object in quotes, what differs, and the former value.
DIFFERENCE = re.compile(r"(?:('.+?') )?(.+?)(?: \(was (.+)\))?")
#: Fields of `World.identity`, of a body, its material and a collider -> what an artist changes them by.
WORLD = {
    "solver": "version of GPBD",
    "start": "Start",
    "stretching": "Time Stretching",
    "gravity": "Gravity",
    "wind": "Wind",
    "air": "Air Density, Drag or Lift",
    "fields": "Force Fields",
    "animation": "keyframes of the scene",
}
SETTINGS = {"fps": "Frame Rate"}  # others are called as their fields of the panels
BODY = {
    "uuid": "object",
    "topology": "faces",
    "shape": "shape at the first frame",
    "start": "start shape",
    "pins": "Pin Group",
    "pin numbers": "Pin Hold, Pin Stiffness or Pin Damping",
    "pin strength": "Pin Strength",
    "maps": "Vertex Groups",
    "uv": "Fabric UV Map",
    "material": "Material",
    "regions": "Slot Materials",
    "thickness": "Collision Distance",
    "self_thickness": "Self Distance",
    "friction": "Friction",
    "self_contact": "Self Collisions",
    "contact": "Object Collisions, Collision Collection, No Collision Group or Garment Layer",
    "velocity": "Velocity",
    "tetrahedra": "Fill, Resolution or Collision Surface",
    "rigid": "Density, Mass or Spin",
    "rope": "Radius, Straight at Rest or Turn",
    "clusters": "Flexibility or Cluster Size",
    "response": "Field Weights or Air",
    "follow": "Follow Parent",
    "grabs": "recorded grabs",
    "mesh": "mesh",
    "animation": "animation",
    "modifiers": "modifiers",
    "kind": "kind of body",
    "goal": "Goal",
    "rest": "Rest Shape Key",
    "shrink": "Shrink",
    "pressure": "Pressure",
    "sewing": "Sewing",
    "seams": "Sewing",
    "tearing": "Tearing",
    "attached": "Attachments",
}
MATERIAL = {"name": "Preset", "density": "Weight or Density", "thickness": "Fabric Thickness", "friction": "Friction"}
COLLIDER = {
    "topology": "faces",
    "friction": "Friction",
    "thickness": "Thickness Outer or Own Thickness",
    "depth": "Inner Thickness or Single Sided",
    "side": "Side",
    "contact": "Collision Collection or No Collision Group",
    "mesh": "mesh",
    "animation": "animation",
}
#: Of a body or a collider, by whether it was there.
PRESENCE = {True: "is gone", False: "is new"}
#: All words of differences that are no labels of fields.
TABLES = (WORLD, SETTINGS, BODY, MATERIAL, COLLIDER, PRESENCE)
#: What cannot change from a frame on: the meshes and where they began, which the state of each vertex belongs to.
UNCHANGEABLE = {"start"}
UNCHANGEABLE_BODY = {"uuid", "kind", "topology", "shape", "start", "tetrahedra", "clusters"}
UNCHANGEABLE_COLLIDER = {"topology"}


def differences(then: Mapping[str, Any], now: Mapping[str, Any], number: str = "{} to {}") -> list[str]:
    """Return what to change back between two identities, with the former value of a number. number: format of a number."""
    labels = []
    for path, old in changed(then, now, ()):
        scalar = isinstance(old, (int, float)) and not isinstance(old, bool)
        value = _shown(path, float(old), then) if scalar else ""
        words = _words(path, then)
        labels.append(number.format(words, value) if value else words)
    return list(dict.fromkeys(labels))


def shown(changes: Iterable[str], most: int | None = None) -> str:
    """Return differences as one text, in the language of the interface. most: number of those that are named."""
    return first_of([*map(_translated, changes)], most)


def _translated(one: str) -> str:
    """Return one with its translation, but for the name of the object and the former value."""
    match = DIFFERENCE.fullmatch(one)
    if match is None or tr(one) != one:
        return tr(one)
    owner, what, was = match.groups()
    words = tr(what) if owner is None else f"{owner} {tr(what)}"
    return words if was is None else f"{words} ({tr(f'was {was}')})"


def _shown(path: tuple[str, ...], old: float, then: Mapping[str, Any]) -> str:
    """A number as its panel shows it; "" of one that no panel shows by itself."""
    match path:
        case ("settings", name) if name != "error_tolerance":
            return f"{old:g}"
        case (*_, "friction"):
            return f"{old:g}"
        case ("bodies", owner, "material", "density"):
            energies = then["bodies"][owner]["material"].get("energies", ())
            solid = any(known.element == "tetrahedron" for name, known in catalog.energies().items() if name in energies)
            return display_unit("kg/m^3" if solid else "kg/m^2").text(old)
        case ("bodies", _, "material", "thickness"):
            return display_unit("m").text(old)
        case ("bodies", _, "material", "energies", energy, name) if energy in catalog.energies():
            return display_unit(catalog.energies()[energy].parameters[name].unit).text(old)
    return ""


def unchangeable(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the `differences` of two identities that a bake cannot take over from a frame on."""
    labels = []
    for path, _ in changed(then, now, ()):
        match path:
            case ("bodies", _, field, *_) if field not in UNCHANGEABLE_BODY:
                continue
            case ("colliders", _, field, *_) if field not in UNCHANGEABLE_COLLIDER:
                continue
            case ("bodies" | "colliders", *_) | ("settings", "samples"):
                pass
            case (field, *_) if field not in UNCHANGEABLE:
                continue
        labels.append(_words(path, then))
    return list(dict.fromkeys(labels))


def changed(
    then: Mapping[str, Any], now: Mapping[str, Any], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return the path of each value that differs, and its former value; of a body of another kind, the kind alone."""
    if then.get("kind", now.get("kind")) != now.get("kind"):
        yield (*above, "kind"), then["kind"]
        return
    for key in dict.fromkeys([*now, *then]):
        default: Any = {} if key == "shaping" else None  # without any of its properties there is no row
        old, new = then.get(key, default), now.get(key, default)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from changed(old, new, (*above, key))
        elif old != new and key != "kind":  # which caches of before lack
            yield (*above, key), old


def _words(path: tuple[str, ...], then: Mapping[str, Any]) -> str:
    match path:
        case ("playing", name):
            return f"version of '{name}'"
        case ("fields", name):
            return f"'{name}'"
        case ("bodies", owner, "response", *_):
            return f"'{owner}' {BODY['response']}"
        case ("settings", name):
            return SETTINGS.get(name) or _label(name)
        case ("bodies" | "colliders" as kind, owner):
            return f"'{owner}' {PRESENCE[owner in then.get(kind, ())]}"
        case ("colliders", owner, field):
            return f"'{owner}' {COLLIDER.get(field, 'settings')}"
        case ("bodies", owner, "material", "energies", energy, *parameter):
            known = catalog.energies().get(energy)
            if known is None:  # from a folder of energies that is no longer named
                return f"'{owner}' {BODY['material']}"
            return f"'{owner}' {known.parameters[parameter[0]].label if parameter else known.label}"
        case ("bodies", owner, "material", field):
            return f"'{owner}' {MATERIAL.get(field, BODY['material'])}"
        case ("bodies", owner, "shaping", name) if name in GPBD_PG_object.bl_rna.properties:
            return f"'{owner}' {GPBD_PG_object.bl_rna.properties[name].name}"
        case ("bodies", owner, "shaping", name, *_):
            return f"'{owner}' {BODY.get(name, 'settings')}"
        case ("bodies", owner, field, *_):
            return f"'{owner}' {BODY.get(field, 'settings')}"
    return WORLD.get(path[0], path[0])


def _label(name: str) -> str:
    """Return the label of a field of `solver.Settings`, as in the panel where it is shown."""
    known = GPBD_PG_scene.bl_rna.properties
    return known[name].name if name in known else name
