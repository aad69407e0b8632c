"""The parameters of each energy as a group of properties, made from the catalogue, and the choices between energies.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty

from ...solver.scene import catalog
from . import energy_choices
from .number import OWN, number_property

if TYPE_CHECKING:
    from .object_properties import GPBD_PG_object


def _above(low: float, default: float) -> float:
    """The smallest value that a field takes where `low` itself is impossible."""
    return low + 1e-6 * (default - low)


def _energy_group(energy: catalog.Energy) -> type:
    """The PropertyGroup of an energy, made from its catalogue entry."""
    used = energy.name in energy_choices.DEFAULTS
    fields: dict[str, Any] = {
        "use": BoolProperty(name=energy.label, description=f"Use in the material ({energy.name})", default=used, **OWN)
    }
    for p in energy.parameters.values():
        low = _above(p.low, p.default) if p.low_open else p.low
        fields |= number_property(p.name, p.label, p.unit, p.default, low, p.high, p.description)
    content = {"__annotations__": fields, "__module__": __name__, "__doc__": f"Parameters of the energy {energy.name}"}
    return type(f"GPBD_PG_{energy.name}", (bpy.types.PropertyGroup,), content)


ENERGY_GROUPS: dict[str, type] = {name: _energy_group(energy) for name, energy in catalog.energies().items()}


def choice_property(label: str, description: str, kind: str, place: str) -> Any:
    """An enum that uses one energy of a place: a view of the energies' own `use`, which keeps its meaning in saved files."""
    names = energy_choices.offered(kind, place)
    labels = [catalog.energies()[name].label for name in names]
    items = [(name, label, f"{label} ({name})", k) for k, (name, label) in enumerate(zip(names, labels))]
    items += [
        (energy_choices.NONE, "None", "Nothing of this kind", len(names)),
        (
            energy_choices.SEVERAL,
            "Several",
            "More than one at once, as the preset has it; choosing this changes nothing",
            len(names) + 1,
        ),
    ]

    def offered(self: bpy.types.bpy_struct, context: bpy.types.Context) -> list[tuple[str, str, str, int]]:
        hidden = [
            name for name in energy_choices.FOR_SCRIPTS if self is None or (name in names and not getattr(self, name).use)
        ]
        return [item for item in items if item[0] not in hidden]  # `items` keeps the texts, as Blender wants it

    def get(self: bpy.types.bpy_struct) -> int:
        used = [number for number, name in enumerate(names) if getattr(self, name).use]
        if len(used) == 1:
            return used[0]
        return len(names) + (1 if used else 0)

    def set_(self: bpy.types.bpy_struct, value: int) -> None:
        if items[value][0] != energy_choices.SEVERAL:
            for number, name in enumerate(names):
                getattr(self, name).use = number == value

    shown: Any = offered if set(names) & set(energy_choices.FOR_SCRIPTS) else items
    return EnumProperty(name=label, description=description, items=shown, get=get, set=set_, options={"SKIP_SAVE"})


def energies_of(settings: "GPBD_PG_object") -> list[str]:
    """The names of the energies that a body's material is made of, stretch before bend; empty for no body."""
    return [name for name in energy_choices.possible(settings.body_type) if getattr(settings, name).use]
