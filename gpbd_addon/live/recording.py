"""Recording of grabs during live play, as keyed grabs of the bodies: a bake repeats them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ..bake import hands
from ..bake.hands import Done
from ..read import start_shape

#: Name of the objects and vertex groups that are made.
NAME = "GPBD Hand"


@dataclass
class _Stretch:
    """Motion of one hold over consecutive frames. first: the first of them."""

    first: int
    done: list[Done]

    @property
    def last(self) -> int:
        return self.first + len(self.done) - 1


def record(scene: bpy.types.Scene, bodies: Iterable[Any]) -> int:
    """Return how many grabs of these bodies were recorded. Raises: SceneError where there is none, or where the mesh that
    is simulated has other vertices than the object's; then nothing was made."""
    by_identity = {ob.gpbd.uuid: ob for ob in bodies}
    stretches = [stretch for stretch in _stretches() if stretch.done[0].body in by_identity]
    if not stretches:
        raise SceneError("Record: nothing was grabbed since the first frame. Play, grab, then record.")
    for stretch in stretches:
        ob = by_identity[stretch.done[0].body]
        if stretch.done[0].vertices.max() >= len(ob.data.vertices):
            start_shape.check_mesh(ob, int(stretch.done[0].vertices.max()) + 1)
    for stretch in stretches:
        _keep(scene, by_identity[stretch.done[0].body], stretch)
    return len(stretches)


def _stretches() -> list[_Stretch]:
    stretches: list[_Stretch] = []
    for frame, done in sorted(hands.done().items()):
        for one in done:
            before = next((s for s in stretches if s.last == frame - 1 and _is_same(s.done[-1], one)), None)
            if before is None:
                stretches.append(_Stretch(frame, [one]))
            else:
                before.done.append(one)
    return stretches


def _is_same(a: Done, b: Done) -> bool:
    return a.number == b.number and a.stiffness == b.stiffness and np.array_equal(a.vertices, b.vertices)


def _keep(scene: bpy.types.Scene, ob: bpy.types.Object, stretch: _Stretch) -> None:
    one = stretch.done[0]
    group = ob.vertex_groups.new(name=NAME)
    for vertex, share in zip(one.vertices.tolist(), one.shares.tolist(), strict=True):
        group.add([vertex], share, "REPLACE")
    item = ob.gpbd.grabs.add()
    item.vertex_group, item.is_held = group.name, bool(np.isinf(one.stiffness))
    if not item.is_held:
        item.stiffness = one.stiffness
        item.hand = _hand(scene, stretch)
    path = f"gpbd.grabs[{len(ob.gpbd.grabs) - 1}].on"
    for frame, on in ((stretch.first - 1, False), (stretch.first, True), (stretch.last + 1, False)):
        item.on = on
        ob.keyframe_insert(path, frame=frame)


def _hand(scene: bpy.types.Scene, stretch: _Stretch) -> bpy.types.Object:
    """An empty that goes where the hand went."""
    hand = bpy.data.objects.new(NAME, None)
    scene.collection.objects.link(hand)
    hand.empty_display_type, hand.empty_display_size = "SPHERE", 0.05
    places = [stretch.done[0].before, *(one.place for one in stretch.done)]
    for frame, place in enumerate(places, stretch.first - 1):
        hand.location = place.tolist()
        hand.keyframe_insert("location", frame=frame)
    return hand


def remove(ob: bpy.types.Object, index: int) -> None:
    """A recorded grab of a body, with its keys; its hand and its vertex group too where these are ours."""
    item = ob.gpbd.grabs[index]
    hand, group = item.hand, ob.vertex_groups.get(item.vertex_group)
    _drop_keys(ob, index)
    ob.gpbd.grabs.remove(index)
    if hand is not None and hand.name.startswith(NAME):
        bpy.data.objects.remove(hand)
    if group is not None and group.name.startswith(NAME):
        ob.vertex_groups.remove(group)


def _drop_keys(ob: bpy.types.Object, index: int) -> None:
    """F-curves are of numbers: those behind it move up."""
    paths = {f"gpbd.grabs[{k}].on": f"gpbd.grabs[{k - 1}].on" for k in range(index + 1, len(ob.gpbd.grabs))}
    action = None if ob.animation_data is None else ob.animation_data.action
    for layer in action.layers if action is not None else ():
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in list(bag.fcurves):
                    if curve.data_path == f"gpbd.grabs[{index}].on":
                        bag.fcurves.remove(curve)
                for curve in bag.fcurves:
                    curve.data_path = paths.get(curve.data_path, curve.data_path)
