"""Number in SI units, and its twin in the unit of `display_units` for panels."""

from typing import Any

import bpy
from bpy.props import FloatProperty, FloatVectorProperty

from ..identifiers import OWN_CONTEXT
from .display_units import DisplayUnit, display_unit

# A property read once, at the first frame of a bake, cannot be animated: a key would silently do nothing.
# Our context: Blender's dictionary takes the warp of a cloth for a distortion, and drag for that of the mouse.
_OURS: dict[str, Any] = {"override": {"LIBRARY_OVERRIDABLE"}, "translation_context": OWN_CONTEXT}
OWN: dict[str, Any] = {"options": set(), **_OURS}
#: Options of properties read at every frame.
KEYED: dict[str, Any] = {"options": {"ANIMATABLE"}, **_OURS}


def number_property(
    name: str, label: str, unit: str, default: float, low: float, high: float, description: str, keyed: bool = True,
    thin: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Annotations of a value in SI units and, if shown in another unit, of its twin for panels. keyed: whether it is read at
    every frame; then the twin has keys and drivers too, in its unit: Blender 5.2 rounds driver values below 1e-4 to zero, as
    of a bending rigidity [N m]. thin: whether panels show it in millimetres."""
    kind = KEYED if keyed else OWN
    text = f"{description} [{unit}]" if unit else description
    soft = min(high, 100 * default) if default > 0 else min(high, 1.0)
    shown = display_unit(unit)
    precision = shown.decimals if shown.scale == 1 else 6
    stored = FloatProperty(
        name=label, description=text, default=default, min=low, max=high, soft_max=soft, step=10, precision=precision,
        unit="NONE" if shown.power else shown.blender, **kind
    )  # fmt: skip
    if shown.scale == 1 and not shown.power:
        return {name: stored}

    def get(self: bpy.types.bpy_struct) -> float:
        return getattr(self, name) / _scale(shown)

    def set_(self: bpy.types.bpy_struct, value: float) -> None:
        setattr(self, name, value * _scale(shown))

    twin = FloatProperty(
        name=label,
        description=f"{description} [{shown.label}]" if shown.label else description,
        min=low / shown.scale if not shown.power else 0.0,  # the stored value keeps to its own limits
        max=min(high / shown.scale, 1e30) if not shown.power else 1e9,
        soft_max=soft / shown.scale,
        step=10 if not shown.power else 0.1,
        precision=shown.decimals,
        unit=shown.blender,
        options=kind["options"] | {"SKIP_SAVE"},
        get=get,
        set=set_,
    )
    return {name: stored, f"{name}_shown": twin} | (_millimetres(name, label, description, low, high, kind) if thin else {})


def _millimetres(name: str, label: str, description: str, low: float, high: float, kind: dict[str, Any]) -> dict[str, Any]:
    """Twin in millimetres: Blender shows lengths in the scene's unit, mostly metres, in which a fabric is 0.00025 thick;
    only camera lengths are always in millimetres."""

    twin = FloatProperty(
        name=label,
        description=description,
        min=1e3 * low,
        max=1e3 * high,
        soft_max=min(1e3 * high, 100.0),
        step=1,
        precision=3,
        unit="CAMERA",
        options=kind["options"] | {"SKIP_SAVE"},
        **_multiple(name, 1e3, 1e-3),
    )
    return {f"{name}_mm": twin}


def percent_property(name: str, label: str, description: str, low: float, high: float, soft: float) -> dict[str, Any]:
    """Return the annotation of a share's twin in percent, for panels; the stored value is the share."""

    twin = FloatProperty(
        name=label,
        description=description,
        min=100 * low,
        max=100 * high,
        soft_max=100 * soft,
        step=100,
        precision=1,
        subtype="PERCENTAGE",
        options={"SKIP_SAVE"},
        **_multiple(name, 100.0, 0.01),
    )
    return {f"{name}_percent": twin}


def _multiple(name: str, times: float, back: float) -> dict[str, Any]:
    """Return accessors that read a property as a multiple of its stored value and write it back by the other factor."""

    def get(self: bpy.types.bpy_struct) -> float:
        return times * getattr(self, name)

    def set_(self: bpy.types.bpy_struct, value: float) -> None:
        setattr(self, name, back * value)

    return {"get": get, "set": set_}


def velocity_property(name: str, label: str, description: str, keyed: bool) -> dict[str, Any]:
    """The annotations of a velocity [m/s] and of its twin for scenes whose unit scale is another than 1."""
    kind = KEYED if keyed else OWN
    stored = FloatVectorProperty(
        name=label, description=f"{description} [m/s]", size=3, subtype="XYZ", unit="VELOCITY", step=10, **kind
    )

    def get(self: bpy.types.bpy_struct) -> tuple[float, ...]:
        return tuple(value / unit_scale() for value in getattr(self, name))

    def set_(self: bpy.types.bpy_struct, values: Any) -> None:
        setattr(self, name, [value * unit_scale() for value in values])

    twin = FloatVectorProperty(
        name=label,
        description=description,
        size=3,
        subtype="XYZ",
        unit="VELOCITY",
        step=10,
        options=kind["options"] | {"SKIP_SAVE"},
        get=get,
        set=set_,
    )
    return {name: stored, f"{name}_shown": twin}


def unit_scale() -> float:
    """Metres in one of Blender's units, in the visible scene."""
    scene = bpy.context.scene
    return scene.unit_settings.scale_length if scene is not None else 1.0


def _scale(shown: DisplayUnit) -> float:
    """SI units in one shown unit: Blender's units depend on the scene's scale."""
    if not shown.power:
        return shown.scale
    return shown.scale * unit_scale() ** shown.power


def field_of(group: bpy.types.bpy_struct, name: str) -> str:
    """Return the property that a panel shows: the twin in another unit, or the value itself."""
    scene = bpy.context.scene
    metric = scene is None or scene.unit_settings.system != "IMPERIAL"
    if metric and f"{name}_mm" in group.bl_rna.properties:
        return f"{name}_mm"
    return f"{name}_shown" if is_shown_scaled(group, name) else name


def is_shown_scaled(group: bpy.types.bpy_struct, name: str) -> bool:
    """Return whether a value has a twin in another unit for the panels."""
    return f"{name}_shown" in group.bl_rna.properties
