"""F-curves and drivers of our settings, which go with these from one object to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

PATHS = "gpbd."


def move(ob: bpy.types.Object, target: Any) -> None:
    """Move the GPBD keys of the action of `ob`, and its drivers, to `target`. NLA strips stay where they are."""
    data = ob.animation_data
    if data is None:
        return
    for bag in list(_bags(data)):
        for curve in [curve for curve in bag.fcurves if curve.data_path.startswith(PATHS)]:
            _copy(curve, _action(target).fcurve_ensure_for_datablock(target, curve.data_path, index=curve.array_index))
            bag.fcurves.remove(curve)
    for driver in [driver for driver in data.drivers if driver.data_path.startswith(PATHS)]:
        target.animation_data_create().drivers.from_existing(src_driver=driver)
        data.drivers.remove(driver)


def _action(target: Any) -> Any:
    data = target.animation_data_create()
    if data.action is None:
        data.action = bpy.data.actions.new(f"{target.name} Action")
    return data.action


def _bags(data: Any) -> Iterator[bpy.types.ActionChannelbag]:
    action = data.action
    for layer in action.layers if action is not None and action.is_editable else ():
        for strip in layer.strips:
            yield from (bag for bag in strip.channelbags if bag.slot == data.action_slot)


def _copy(curve: bpy.types.FCurve, made: bpy.types.FCurve) -> None:
    made.extrapolation = curve.extrapolation
    made.keyframe_points.add(len(curve.keyframe_points))
    names = ("co", "interpolation", "easing", "back", "period", "amplitude", "handle_left_type", "handle_right_type")
    for key, old in zip(made.keyframe_points, curve.keyframe_points, strict=True):
        for name in (*names, "handle_left", "handle_right"):
            setattr(key, name, getattr(old, name))
    for md in curve.modifiers:
        new = made.modifiers.new(md.type)
        for prop in md.bl_rna.properties:
            if not prop.is_readonly and prop.identifier != "name":
                setattr(new, prop.identifier, getattr(md, prop.identifier))
    made.update()
