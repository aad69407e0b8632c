"""F-curves and drivers of Blender's settings: those of a number that is scaled are copied, others are reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy


def carry(ob: bpy.types.Object, path: str, target: str, factor: float | None) -> str:
    """Copy the F-curves of a property; return the result for these and for drivers as a sentence, "" without any. The old
    ones stay.

    path, target: of Blender's property and of ours, from the object; factor: ours over Blender's. None, if ours is no
    multiple of it.
    """
    data = ob.animation_data
    if data is None:
        return ""
    sentences = []
    if any(driver.data_path == path for driver in data.drivers):
        sentences.append("a driver, which is not carried over: add it to what answers the property")
    for bag, curve in list(_curves(data)):
        if curve.data_path == path:
            reason = _reason(bag, curve, target, factor)
            if not reason:
                _copy(bag, curve, target, factor or 1.0)
            sentences.append(f"an F-curve, which {reason or f'goes over, times {factor:.4g}'}")
    return "; ".join(sentences)


def _curves(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the F-curves of the action, each with its bag; of NLA strips, without one."""
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    owners = [(data.action, data.action_slot, True), *((strip.action, strip.action_slot, False) for strip in strips)]
    for action, slot, bag_of_action in owners:
        for layer in action.layers if action is not None else ():
            for strip in layer.strips:
                for bag in strip.channelbags:
                    if bag.slot == slot:
                        yield from ((bag if bag_of_action else None, curve) for curve in bag.fcurves)


def _reason(bag: bpy.types.ActionChannelbag | None, curve: bpy.types.FCurve, target: str, factor: float | None) -> str:
    """Return the reason why a curve is not carried over; "" if it can be."""
    if factor is None:
        return "is not carried over: key what answers the property"
    if bag is None or not bag.id_data.is_editable:
        return "is not carried over: it is of an NLA strip or a linked action"
    if curve.modifiers or not curve.keyframe_points:
        return "is not carried over: it has modifiers or no keys"
    if bag.fcurves.find(target) is not None:
        return "is not carried over: ours has one already"
    return ""


def _copy(bag: bpy.types.ActionChannelbag | None, curve: bpy.types.FCurve, target: str, factor: float) -> None:
    copied = bag.fcurves.new(target)
    copied.extrapolation = curve.extrapolation
    copied.keyframe_points.add(len(curve.keyframe_points))
    for key, old in zip(copied.keyframe_points, curve.keyframe_points, strict=True):
        for name in ("interpolation", "easing", "back", "period", "handle_left_type", "handle_right_type"):
            setattr(key, name, getattr(old, name))
        key.amplitude = factor * old.amplitude
        for name in ("co", "handle_left", "handle_right"):
            frame, value = getattr(old, name)
            setattr(key, name, (frame, factor * value))
    copied.update()
