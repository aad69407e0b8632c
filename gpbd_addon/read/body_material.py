"""The material of a body: from `object.gpbd` to the solver's Material and back."""

from __future__ import annotations

import base64
import binascii
import functools
import json
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...solver.errors import MaterialError, PresetError
from ...solver.scene import Material, catalog
from ...solver.scene.fabric_table import FabricTable, packed, unpacked
from ...solver.scene.material import KINDS
from .. import body_kinds
from ..properties import energy_choices
from ..properties.energy_groups import energies_of

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object


def material_of(ob: bpy.types.Object) -> Material:
    """The material as the panel shows it. Raises: MaterialError, also if it is no body or has no energy."""
    settings = ob.gpbd
    kind = _kind(ob)
    if not energies_of(settings):
        raise MaterialError(
            f"{ob.name}: the material has no energy, so nothing holds it together; wanted at least one. Choose a model in "
            "the panel Material, or a preset."
        )
    changed = is_changed(ob)
    return Material(
        name=settings.preset or ob.name,
        kind=kind,
        density=short(getattr(settings, density_property(kind))),
        energies=_energies(settings),
        thickness=2 * short(settings.rope_radius) if kind == "rope" else short(settings.material_thickness),
        friction=short(settings.friction),
        category=settings.preset_category,
        grade="estimated" if changed or not settings.preset_grade else settings.preset_grade,
        source=_source(settings, changed),
        table=table_of(settings),
    )


def density_property(kind: str) -> str:
    """Return the property of `object.gpbd` with the density of a kind of material."""
    return "density_area" if KINDS[kind].density_unit == "kg/m^2" else "density_volume"


def table_of(settings: GPBD_PG_object) -> FabricTable | None:
    """The table of a fabric made of yarns, which the .blend file has in it; None of others. Raises: PresetError."""
    wanted = any(catalog.energies()[name].has_table for name in energies_of(settings))
    return _decoded(settings.id_data.name, settings.fabric_table) if wanted and settings.fabric_table else None


@functools.lru_cache(maxsize=64)
def _decoded(name: str, text: str) -> FabricTable:
    """Decode a material once; panels call this at every redraw."""
    try:
        return unpacked(name, base64.b64decode(text, validate=True))
    except binascii.Error as error:
        raise PresetError(f"{name}: the table of its fabric is damaged ({error}). Choose the preset again.") from error


def fields(material: Material) -> dict[str, Any]:
    """A material as JSON values."""
    return {
        "name": material.name,
        "density": material.density,
        "thickness": material.thickness,
        "friction": material.friction,
        "energies": {name: dict(values) for name, values in material.energies.items()},
    }


def write_material(ob: bpy.types.Object, material: Material) -> None:
    """Set a material, and store its preset.

    Raises: MaterialError if it is made for another kind of body, or of energies that this kind cannot use.
    """
    settings = ob.gpbd
    if material.kind != _kind(ob):
        raise MaterialError(
            f"{ob.name}: is a {body_kinds.BODY_KINDS[settings.body_type].label} and '{material.name}' is a {material.kind}; "
            f"wanted a {_kind(ob)}. Choose another preset, or change the type of the body."
        )
    _choose_energies(ob, material)
    setattr(settings, density_property(material.kind), material.density)
    if material.kind == "rope":
        settings.rope_radius = 0.5 * material.thickness
    else:
        settings.material_thickness = material.thickness
    settings.friction = material.friction
    for name, values in material.energies.items():
        for key, value in values.items():
            setattr(getattr(settings, name), key, value)
    settings.fabric_table = "" if material.table is None else base64.b64encode(packed(material.table, "float64")).decode()
    settings.preset = material.name
    settings.preset_category = material.category
    settings.preset_grade = material.grade
    settings.preset_source = material.source
    settings.preset_values = _values(settings)


def numbers(ob: bpy.types.Object) -> dict[str, float]:
    """Return the numbers of its material that may change from frame to frame, in the solver's names
    (`solver/scene/keyed.py`)."""
    settings = ob.gpbd
    density = getattr(settings, density_property(_kind(ob)))
    of_material = {"density": short(density), "material_thickness": short(settings.material_thickness)}
    return of_material | {f"{name}.{key}": v for name, values in _energies(settings).items() for key, v in values.items()}


def is_changed(ob: bpy.types.Object) -> bool:
    """Return whether a value differs from the material's preset."""
    settings = ob.gpbd
    return bool(settings.preset) and settings.preset_values != _values(settings)


def _kind(ob: bpy.types.Object) -> str:
    kind = body_kinds.material_of(ob.gpbd.body_type)
    if kind is None:
        wanted = " or ".join(f"a {one.label}" for one in body_kinds.BODY_KINDS.values() if one.material is not None)
        raise MaterialError(f"{ob.name}: is no GPBD body with a material. Add {wanted} in the Physics tab.")
    return kind


def _energies(settings: GPBD_PG_object) -> dict[str, dict[str, float]]:
    known = catalog.energies()
    return {
        name: {key: short(getattr(getattr(settings, name), key)) for key in known[name].parameters}
        for name in energies_of(settings)
    }


def _choose_energies(ob: bpy.types.Object, material: Material) -> None:
    possible = energy_choices.possible(ob.gpbd.body_type)
    wanted = set(material.energies)
    if not wanted or not wanted <= set(possible):
        raise MaterialError(
            f"{ob.name}: '{material.name}' is made of {', '.join(sorted(wanted)) or 'no energy'}; wanted some of "
            f"{', '.join(possible)}. Choose another preset."
        )
    for name in possible:
        getattr(ob.gpbd, name).use = name in wanted


def _source(settings: GPBD_PG_object, changed: bool) -> str:
    if not settings.preset:
        return "Set by hand"
    return f"Changed by hand from '{settings.preset}'" if changed else settings.preset_source


def _values(settings: Any) -> str:
    """Return all numbers of the material as text, equal for equal materials."""
    numbers = [settings.density_area, settings.density_volume, settings.material_thickness, settings.friction]
    return json.dumps([numbers, _energies(settings)])


def short(value: float) -> float:
    """A stored float32 as the shortest decimal that means it: 4e-06, not 3.999999989900971e-06."""
    return float(str(np.float32(value)))
