"""Settings of bodies and of the simulation by path and text, for as long as one bake lasts.

A path is `scene.NAME`, `BODY.NAME` or `*.NAME` (each body): NAME is that of a property of `scene.gpbd` or `object.gpbd`, of
an energy's parameter such as `discrete_shell.bending_warp`, or `preset`, whose value is a preset's name or file.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy

from ...solver.errors import SceneError
from ...solver.scene.presets import load_material, read_preset
from ..properties.energy_groups import ENERGY_GROUPS
from ..read import body_material, scene_input
from ..user_folder import user_presets_folder

#: Properties that are no settings: the range has its own option; the rest are paths of caches, display and kinds of bodies.
OTHERS = frozenset({
    "name", "own_range", "frame_start", "frame_end", "cache_folder", "drape_result", "rest_threshold",
    "heat_map_range", "body_type", "uuid", "cache_file", "cache_info", "clearance", "start_elements", "heat_map",
    "contact_map", "warp_lines", "colour_before",
})  # fmt: skip
#: What a preset writes beside numbers.
OF_PRESET = frozenset({
    "preset", "preset_grade", "preset_source", "preset_category", "preset_values",
})  # fmt: skip
#: The path's beginning that means the simulation, and that means each body.
SCENE, EACH = "scene", "*"
TRUTH = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


@dataclass(frozen=True)
class Override:
    """path: see above. value: as text."""

    path: str
    value: str

    def __str__(self) -> str:
        return f"{self.path}={self.value}"


@contextmanager
def applied(scene: bpy.types.Scene, overrides: list[Override]) -> Iterator[None]:
    """Inside, the scene has these settings, applied one after the other; afterwards its own. Raises: SceneError."""
    groups = [scene.gpbd, *(ob.gpbd for ob in scene_input.bodies_of(scene))] if overrides else []
    before = [(group, name, _value(group, name)) for owner in groups for group, name in _settings(owner)]
    try:
        for override in overrides:
            apply(scene, override)
        yield
    finally:
        for group, name, value in before:
            if _value(group, name) != value:
                setattr(group, name, value)


def apply(scene: bpy.types.Scene, override: Override) -> None:
    """Raises: SceneError if there is no such setting, or if it cannot have the value."""
    owners, name = _owners(scene, override.path)
    for owner in owners:
        if name == "preset" and isinstance(owner, bpy.types.Object):
            file = override.value.endswith(".toml")
            preset = read_preset(override.value) if file else load_material(override.value, user_presets_folder())
            body_material.write_material(owner, preset)
        else:
            _set(override, *_find(override, owner.gpbd, name))


def _owners(scene: bpy.types.Scene, path: str) -> tuple[list[Any], str]:
    """Return the owners of a setting, and its name. Names of bodies may have points in them."""
    bodies = scene_input.bodies_of(scene)
    begin, _, rest = path.partition(".")
    if begin == SCENE:
        return [scene], rest
    if begin == EACH:
        return list(bodies), rest
    for ob in sorted(bodies, key=lambda ob: -len(ob.name)):
        if path.startswith(f"{ob.name}."):
            return [ob], path[len(ob.name) + 1 :]
    wanted = ", ".join(f"{begin}." for begin in (SCENE, EACH, *(ob.name for ob in bodies)))
    raise SceneError(f"Setting '{path}': begins with nothing that has settings; wanted one of {wanted} Name one of these.")


def _find(override: Override, group: bpy.types.bpy_struct, name: str) -> tuple[Any, Any]:
    """The group of a setting and its property."""
    here, _, inner = name.partition(".")
    known = {key: prop for key, prop in group.bl_rna.properties.items() if _is_setting(prop) or _is_group(group, key)}
    if here in known and bool(inner) == _is_group(group, here):
        return _find(override, getattr(group, here), inner) if inner else (group, known[here])
    near = difflib.get_close_matches(here, known, 3) or sorted(known)
    raise SceneError(f"Setting '{override.path}': there is no '{name}'; wanted one of {', '.join(near)}. Name one of these.")


def _set(override: Override, group: bpy.types.bpy_struct, prop: Any) -> None:
    parse = PARSE.get(prop.type, str)
    try:
        if prop.type == "ENUM":
            _choose(group, prop, override.value)
        elif getattr(prop, "is_array", False):
            setattr(group, prop.identifier, _array(override.value, parse, prop))
        else:
            setattr(group, prop.identifier, _ranged(parse(override.value), prop))
    except ValueError as error:
        raise SceneError(f"Setting '{override.path}': '{override.value}' is {error}. Give it such a value.") from error


def _truth(text: str) -> bool:
    if text.lower() not in TRUTH:
        raise ValueError("neither true nor false; wanted one of them")
    return TRUTH[text.lower()]


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError("no whole number; wanted one") from None


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("no finite number; wanted one")
    return value


#: By the type of a property; others are text.
PARSE: dict[str, Callable[[str], Any]] = {"BOOLEAN": _truth, "INT": _whole, "FLOAT": _number}


def _ranged(value: Any, prop: Any) -> Any:
    """The same, within the property's limits, which Blender would put it to without a word."""
    if prop.type in ("INT", "FLOAT") and not prop.hard_min <= value <= prop.hard_max:
        raise ValueError(f"outside its range; wanted {prop.hard_min:g} to {prop.hard_max:g}")
    return value


def _array(text: str, parse: Callable[[str], Any], prop: Any) -> list[Any]:
    parts = text.split(",")
    if len(parts) != prop.array_length:
        raise ValueError(f"{len(parts)} numbers; wanted {prop.array_length}, separated by commas")
    return [_ranged(parse(part), prop) for part in parts]


def _choose(group: bpy.types.bpy_struct, prop: Any, text: str) -> None:
    """Names of choices are taken in small and in capital letters."""
    known = {item.identifier.lower(): item.identifier for item in prop.enum_items_static or prop.enum_items}
    if text.lower() not in known:
        raise ValueError(f"no choice; wanted one of {', '.join(known)}")
    setattr(group, prop.identifier, known[text.lower()])


#: What names end with of properties that show another in another unit.
TWINS = ("_shown", "_percent", "_mm")


def _is_setting(prop: Any) -> bool:
    plain = prop.type in ("BOOLEAN", "INT", "FLOAT", "ENUM", "STRING") and not prop.is_readonly
    return plain and prop.identifier not in OTHERS | OF_PRESET and not prop.identifier.endswith(TWINS)


def _is_group(group: bpy.types.bpy_struct, name: str) -> bool:
    """Return whether a property is a group of parameters of an energy."""
    return name in (*ENERGY_GROUPS, "maps") and name in group.bl_rna.properties


def _settings(group: bpy.types.bpy_struct) -> Iterator[tuple[Any, str]]:
    """The group and the name of everything that `apply` may change; choices that are views of other values last."""
    for name, prop in group.bl_rna.properties.items():
        if _is_group(group, name):
            yield from _settings(getattr(group, name))
        elif name in OF_PRESET or (_is_setting(prop) and prop.type != "ENUM"):
            yield group, name
    for name, prop in group.bl_rna.properties.items():
        if prop.type == "ENUM" and _is_setting(prop):
            yield group, name


def _value(group: bpy.types.bpy_struct, name: str) -> Any:
    value = getattr(group, name)
    return tuple(value) if group.bl_rna.properties[name].type == "FLOAT" and hasattr(value, "__len__") else value
