"""Conversion by the tables: sets our properties from Blender's, and reports the result for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...solver.scene import catalog
from ..body_kinds import ROPE, SHEET, SOLID
from ..properties import energy_choices
from ..read import body_material
from . import keys, reading
from .cloth_collision_rows import CLOTH_COLLISION_ROWS
from .cloth_rows import CLOTH_ROWS
from .cloth_source import ClothSource
from .effector_rows import EFFECTOR_ROWS
from .row import Row, Values
from .soft_body_rope_rows import SOFT_BODY_ROPE_ROWS
from .soft_body_rows import SOFT_BODY_ROWS
from .soft_body_source import SoftBodySource

SCENE = "scene."
_OF_SOFT_BODIES = ("Soft Body > Field Weights", "settings.effector_weights", EFFECTOR_ROWS)
#: Modifier, or a rope of its Soft Body -> its tables: name, path of Blender's settings below the modifier, rows.
TABLES: dict[str, tuple[tuple[str, str, tuple[Row, ...]], ...]] = {
    SHEET: (
        ("Cloth", "settings", CLOTH_ROWS),
        ("Cloth > Collisions", "collision_settings", CLOTH_COLLISION_ROWS),
        ("Cloth > Field Weights", "settings.effector_weights", EFFECTOR_ROWS),
    ),
    SOLID: (("Soft Body", "settings", SOFT_BODY_ROWS), _OF_SOFT_BODIES),
    ROPE: (("Soft Body", "settings", SOFT_BODY_ROPE_ROWS), _OF_SOFT_BODIES),
}


@dataclass(frozen=True)
class Line:
    """Result of one Blender property. name: its identifier; label: Blender's label. value: before conversion; set_: whether
    that differs from Blender's default. became: the values set, each as text; how: the conversion, or the reason for none.
    mapped: whether there is a counterpart. animated: result for its F-curves and drivers; "" without any.
    """

    table: str
    name: str
    label: str
    value: str
    set_: bool
    became: tuple[str, ...]
    how: str
    mapped: bool
    animated: str = ""


def convert(md: bpy.types.Modifier, source: ClothSource | SoftBodySource, begin: Any, scene: bpy.types.Scene) -> list[Line]:
    """Set all properties of a body, which the object is already. begin: a fresh modifier of the type. The rest of its
    properties stay.

    Raises: KeyError if Blender has a property that no table knows.
    """
    ob = md.id_data
    settings = ob.gpbd
    for name in energy_choices.possible(settings.body_type):
        getattr(settings, name).use = False
    lines: list[Line] = []
    for title, path, rows in TABLES[ROPE if source.kind == ROPE else md.type]:
        there, usual, known = _below(md, path), _below(begin, path), {row.name: row for row in rows}
        for prop in there.bl_rna.properties:
            if prop.identifier != "rna_type":
                lines.append(_line(title, prop, known[prop.identifier], there, usual, source, ob, scene))
    name = f"From Blender's {reading.CONVERTED[md.type]}"
    material = replace(
        body_material.material_of(ob), name=name, category="", grade="estimated", source=f"{name} '{md.name}' of {ob.name}"
    )
    body_material.write_material(ob, material)
    return lines


def _line(
    title: str,
    prop: Any,
    row: Row,
    there: bpy.types.bpy_struct,
    usual: bpy.types.bpy_struct,
    source: Any,
    ob: bpy.types.Object,
    scene: bpy.types.Scene,
) -> Line:
    value = getattr(there, prop.identifier)
    values = dict(row.values(source)) if row.values is not None else {}
    became = [_set(ob, scene, path, wanted) for path, wanted in values.items()]
    mapped = row.values is not None
    other = prop.type != "POINTER" and _text(value) != _text(getattr(usual, prop.identifier))
    other |= prop.type == "POINTER" and prop.identifier != "effector_weights" and value is not None
    label = prop.name or prop.identifier
    if prop.identifier.startswith("internal_") and "Internal" not in label:
        label = f"Internal {label}"
    factor = float(row.factor(source)) if row.factor is not None and row.name in _names(values) else None
    target = f"gpbd.{_names(values).get(row.name, '')}"
    animated = keys.carry(ob, there.path_from_id(prop.identifier), target, factor)
    return Line(title, prop.identifier, label, _text(value), other, tuple(became), row.how, mapped, animated)


def _names(values: Values) -> dict[str, str]:
    """Name of a property -> its path."""
    return {path.rpartition(".")[2]: path for path in values}


def _below(owner: bpy.types.bpy_struct, path: str) -> bpy.types.bpy_struct:
    for name in path.split("."):
        owner = getattr(owner, name)
    return owner


def _set(ob: bpy.types.Object, scene: bpy.types.Scene, path: str, wanted: Any) -> str:
    """Set a property; return its label, and its value after that."""
    owner = scene.gpbd if path.startswith(SCENE) else ob.gpbd
    *groups, name = path.removeprefix(SCENE).split(".")
    owner = _below(owner, ".".join(groups)) if groups else owner
    more = ""
    if isinstance(wanted, tuple):  # a new vertex group
        more = f" (weights {wanted[1].min():.3g} to {wanted[1].max():.3g})"
        wanted = _group(ob, *wanted)
    setattr(owner, name, wanted)
    value, prop = getattr(owner, name), owner.bl_rna.properties[name]
    limited = isinstance(wanted, float) and abs(value - wanted) > 1e-5 * abs(wanted) + 1e-12
    energy = catalog.energies().get(groups[-1]) if groups else None
    unit = energy.parameters[name].unit if energy is not None and name in energy.parameters else ""
    shown = bpy.types.UILayout.enum_item_name(owner, name, value) if prop.type == "ENUM" else _text(value)
    text = f"{prop.name} {shown}{' ' if unit else ''}{unit}{more}"
    return f"{text} (the limit; it would be {_text(wanted)})" if limited else text


def _group(ob: bpy.types.Object, name: str, weights: np.ndarray) -> str:
    """A vertex group of these weights, made anew."""
    old = ob.vertex_groups.get(name)
    if old is not None:
        ob.vertex_groups.remove(old)
    group = ob.vertex_groups.new(name=name)
    for weight in np.unique(weights):
        if weight > 0:
            group.add(np.flatnonzero(weights == weight).tolist(), float(weight), "REPLACE")
    return str(group.name)


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (int, str)):
        return str(value) or '""'
    if isinstance(value, bpy.types.ID | bpy.types.ShapeKey):
        return str(value.name)
    if isinstance(value, Iterable):
        return "(" + ", ".join(_text(part) for part in value) + ")"
    return "below"
