"""The two modifiers of a cloth or a rope that may tear: one splits the mesh before the cache, one welds the intact parts
after it.

Copies of a vertex have equal positions, bit for bit, in each frame until they part. A Weld modifier with a tiny distance
therefore shows an intact cloth, with smooth shading and subdivision. Both are Blender's own modifiers: a cache plays without
the extension.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import ATTRIBUTES_MODIFIER, POINT_ATTRIBUTE, TEAR_MODIFIER, TEAR_WELD
from ..read import modifier
from .attribute_nodes import Group, set_inputs, used

#: Distance within which vertices are joined [m]: rounding of a file in single precision; vertices part by more.
NOTHING = 1e-6
GROUP = "Tear Group"


def follow(ob: bpy.types.Object) -> None:
    """Add the modifiers to a body that may tear, or remove them."""
    if ob.type != "MESH" or not ob.is_editable:
        return
    if not ob.gpbd.use_tearing:
        remove(ob)
        return
    split = ob.modifiers.get(TEAR_MODIFIER) or ob.modifiers.new(TEAR_MODIFIER, "NODES")
    split.show_expanded = False
    if BODY_KINDS[ob.gpbd.body_type].line:
        split.node_group = rope_nodes()
    else:
        split.node_group = nodes()
        set_inputs(split, {GROUP: ob.gpbd.tear_group})
    weld = ob.modifiers.get(TEAR_WELD) or ob.modifiers.new(TEAR_WELD, "WELD")
    weld.show_expanded, weld.merge_threshold = False, NOTHING
    place(ob)
    ob.update_tag()


def place(ob: bpy.types.Object) -> None:
    """Move them directly before and after the cache's modifier and its attributes."""
    ours, split, weld = modifier.find(ob), ob.modifiers.get(TEAR_MODIFIER), ob.modifiers.get(TEAR_WELD)
    if ours is None or split is None or weld is None:
        return
    _move(ob, split, lambda stack: stack.index(ours))
    _move(ob, weld, lambda stack: stack.index(ob.modifiers.get(ATTRIBUTES_MODIFIER) or ours) + 1)


def remove(ob: bpy.types.Object) -> None:
    for name in (TEAR_MODIFIER, TEAR_WELD):
        modifier = ob.modifiers.get(name)
        if modifier is not None:
            ob.modifiers.remove(modifier)


def _move(ob: bpy.types.Object, md: bpy.types.Modifier, wanted: Any) -> None:
    """Move a modifier to a place among the others."""
    others = [other for other in ob.modifiers if other != md]
    ob.modifiers.move(list(ob.modifiers).index(md), wanted(others))


def nodes() -> bpy.types.NodeTree:
    """Number the vertices, and split the edges in the group, or all without a group."""
    group = bpy.data.node_groups.get(TEAR_MODIFIER)
    if group is not None:
        return group
    made = Group(TEAR_MODIFIER, {GROUP: ("String", True)})
    numbered = made.store("INT", made.input("Geometry"), POINT_ATTRIBUTE, made.add("InputIndex").outputs[0])
    weight = made.add("InputNamedAttribute", data_type="FLOAT")
    made.link(made.input(GROUP), weight.inputs["Name"])
    painted = made.number("GREATER_THAN", used(weight.outputs), 0.0)
    chosen = made.number("MAXIMUM", painted, made.number("SUBTRACT", 1.0, weight.outputs["Exists"]))
    split = made.add("SplitEdges")
    made.link(numbered, split.inputs["Mesh"])
    made.link(chosen, split.inputs["Selection"])
    return made.finished(split.outputs[0])


def rope_nodes() -> bpy.types.NodeTree:
    """Number the vertices, and give each edge vertices of its own."""
    name = f"{TEAR_MODIFIER} Rope"
    group = bpy.data.node_groups.get(name)
    if group is not None:
        return group
    made = Group(name, {})
    numbered = made.store("INT", made.input("Geometry"), POINT_ATTRIBUTE, made.add("InputIndex").outputs[0])
    split = made.add("DuplicateElements", domain="EDGE")
    split.inputs["Amount"].default_value = 1
    made.link(numbered, split.inputs["Geometry"])
    return made.finished(split.outputs[0])
