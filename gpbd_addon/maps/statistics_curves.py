"""Statistics as keyed custom properties of an object, which the Graph Editor shows."""

from __future__ import annotations

import bpy
import numpy as np

from ..bake.frame_reports import Reports
from ..identifiers import STATISTICS_GROUP, STATISTICS_PREFIX


def make(ob: bpy.types.Object, reports: Reports, names: list[str], first: float, step: float) -> int:
    """Make a custom property and an F-curve for each number, in place of earlier ones; return how many frames they have.

    first, step: place of the first frame's key, and the distance to the next one.
    """
    remove(ob)
    solved = reports.solved()
    data = ob.animation_data or ob.animation_data_create()
    if data.action is None:
        data.action = bpy.data.actions.new(f"{ob.name} {STATISTICS_GROUP}")
    for name in names:
        keyed = [(first + step * (frame - reports.start), numbers[name]) for frame, numbers in solved if name in numbers]
        if not keyed:
            continue
        ob[STATISTICS_PREFIX + name] = float(keyed[0][1])
        curve = data.action.fcurve_ensure_for_datablock(ob, path(name))
        bag = next(bag for bag in _bags(data.action) if bag.slot == data.action_slot)
        curve.group = bag.groups.get(STATISTICS_GROUP) or bag.groups.new(STATISTICS_GROUP)
        curve.keyframe_points.add(len(keyed))
        curve.keyframe_points.foreach_set("co", np.array(keyed, dtype=np.float32).ravel())
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
        curve.update()
        curve.lock = True  # numbers of a bake: dragging them would mean nothing
    ob.update_tag()
    return len(solved)


def path(name: str) -> str:
    """The data path of a statistic."""
    return f'["{STATISTICS_PREFIX}{name}"]'


def has(ob: bpy.types.Object) -> bool:
    """Return whether an object shows statistics."""
    return bool(_curves(ob))


def remove(ob: bpy.types.Object) -> int:
    """Remove the curves and properties, and our action if it is empty; return the number of curves."""
    bags_and_curves = _curves(ob)
    for curves, curve in bags_and_curves:
        name = curve.data_path[2:-2]
        curves.remove(curve)
        if name in ob.keys():  # noqa: SIM118 - an object is no mapping
            del ob[name]
    if bags_and_curves:
        action = ob.animation_data.action
        for bag in _bags(action):
            group = bag.groups.get(STATISTICS_GROUP)
            if group is not None and not len(group.channels):
                bag.groups.remove(group)
        ours = action.name.endswith(STATISTICS_GROUP) and action.users == 1
        if ours and not any(len(bag.fcurves) for bag in _bags(action)):
            bpy.data.actions.remove(action)
        ob.update_tag()
    return len(bags_and_curves)


def _bags(action: bpy.types.Action | None) -> list[bpy.types.ActionChannelbag]:
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def _curves(ob: bpy.types.Object) -> list[tuple[bpy.types.ActionChannelbagFCurves, bpy.types.FCurve]]:
    """Our curves of an object, each with the collection that it is in."""
    data = ob.animation_data
    if data is None or data.action is None:
        return []
    bags = [bag for bag in _bags(data.action) if bag.slot == data.action_slot]
    prefix = f'["{STATISTICS_PREFIX}'
    return [(bag.fcurves, curve) for bag in bags for curve in list(bag.fcurves) if curve.data_path.startswith(prefix)]
