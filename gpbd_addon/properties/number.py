"""A number in SI units as Blender keeps it, and its twin in the unit of `display_units` for panels."""

from typing import Any

from bpy.props import FloatProperty

from .display_units import display_unit

# What is read once, at the first frame of a bake, cannot be animated: a key would silently do nothing.
OWN: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}
#: Of what is read at every frame.
KEYED: dict[str, Any] = {"options": {"ANIMATABLE"}, "override": {"LIBRARY_OVERRIDABLE"}}


def number_property(
    name: str, label: str, unit: str, default: float, low: float, high: float, description: str, keyed: bool = True
) -> dict[str, Any]:
    """The annotations of a value in SI units and, where it is shown in another, of its twin for panels. keyed: whether it is
    read at every frame; then the twin takes keys and drivers too, in its unit: Blender 5.2 makes what a driver gives below
    1e-4 zero, so that one of a bending rigidity [N m] does nothing."""
    kind = KEYED if keyed else OWN
    text = f"{description} [{unit}]" if unit else description
    soft = min(high, 100 * default) if default > 0 else min(high, 1.0)
    shown = display_unit(unit)
    precision = shown.decimals if shown.scale == 1 else 6
    own = FloatProperty(
        name=label, description=text, default=default, min=low, max=high, soft_max=soft, step=10, precision=precision, **kind
    )
    if shown.scale == 1:
        return {name: own}
    scale = shown.scale

    def get(self: Any) -> float:
        return getattr(self, name) / scale

    def set_(self: Any, value: float) -> None:
        setattr(self, name, value * scale)

    twin = FloatProperty(
        name=label,
        description=f"{description} [{shown.label}]",
        min=low / scale,
        max=min(high / scale, 1e30),
        soft_max=soft / scale,
        step=10,
        precision=shown.decimals,
        options=kind["options"] | {"SKIP_SAVE"},
        get=get,
        set=set_,
    )
    return {name: own, f"{name}_shown": twin}


def is_shown_scaled(group: Any, name: str) -> bool:
    """Whether a value has a twin in another unit for the panels."""
    return f"{name}_shown" in group.bl_rna.properties
