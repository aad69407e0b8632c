"""Weights of force fields and gravity on a body, under Blender's own names: `object.gpbd.effector_weights`.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import Any

import bpy
from bpy.props import FloatProperty, PointerProperty

#: Property -> the solver's kind of field, in the order of Blender's panel.
KINDS = {
    "force": "force",
    "vortex": "vortex",
    "magnetic": "magnetic",
    "harmonic": "harmonic",
    "charge": "charge",
    "lennardjones": "lennard_jones",
    "wind": "wind",
    "curve_guide": "curve_guide",
    "texture": "texture",
    "smokeflow": "fluid_flow",
    "turbulence": "turbulence",
    "drag": "drag",
}
#: What the panel calls them.
LABELS = {
    "force": "Force", "vortex": "Vortex", "magnetic": "Magnetic", "harmonic": "Harmonic", "charge": "Charge",
    "lennardjones": "Lennard-Jones", "wind": "Wind", "curve_guide": "Curve Guide", "texture": "Texture",
    "smokeflow": "Fluid Flow", "turbulence": "Turbulence", "drag": "Drag",
}  # fmt: skip
OVERRIDABLE: dict[str, Any] = {"override": {"LIBRARY_OVERRIDABLE"}}


def _weight(label: str, description: str) -> Any:
    return FloatProperty(
        name=label, description=description, default=1.0, min=-200.0, max=200.0, soft_min=0.0, soft_max=1.0, precision=3,
        subtype="FACTOR", options={"ANIMATABLE"}, **OVERRIDABLE,
    )  # fmt: skip


class _Kinds:
    """A weight for each kind; a mixin, because its annotations are generated."""

    __annotations__ = {name: _weight(label, f"Factor of {label} fields") for name, label in LABELS.items()}


class GPBD_PG_effector_weights(_Kinds, bpy.types.PropertyGroup):
    """How much of gravity and of each kind of force field acts on a body"""

    collection: PointerProperty(
        name="Effector Collection",
        description="Only force fields of this collection act on the body; empty: all",
        type=bpy.types.Collection,
        options=set(),
    )
    gravity: _weight("Gravity", "Factor of the scene's gravity")
    all: _weight("All", "Factor of all force fields")
