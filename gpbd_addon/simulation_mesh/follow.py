"""The Geometry Nodes by which a garment follows its simulation mesh.

A vertex keeps its place beside the point of the simulation mesh that it is tied to, its anchor: what lies between both turns
as the sheet turns there. The anchor is a position on the mesh at rest, an attribute of the garment, which Blender carries
over where vertices are moved, extruded or subdivided; a vertex without one takes the point that is nearest to it.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import ANCHOR_ATTRIBUTE, FOLLOW_MODIFIER, REST_ATTRIBUTE

#: Attributes that live inside of the nodes only.
NOW, COLUMNS = "gpbd_now", ("gpbd_turn_x", "gpbd_turn_y", "gpbd_turn_z")
AXES = "X", "Y", "Z"


def find(ob: bpy.types.Object) -> bpy.types.Modifier | None:
    """Our modifier of a garment; None if there is none."""
    for md in ob.modifiers:
        if md.type == "NODES" and md.node_group is not None and md.node_group.name.startswith(FOLLOW_MODIFIER):
            return md
    return None


def make(ob: bpy.types.Object, twin: bpy.types.Object, place: int) -> bpy.types.Modifier:
    """The modifier, at this place in the stack."""
    md = ob.modifiers.new(FOLLOW_MODIFIER, "NODES")
    md.node_group = _group(twin)
    ob.modifiers.move(len(ob.modifiers) - 1, place)
    return md


def remove(ob: bpy.types.Object) -> None:
    """Remove the modifier, and its nodes where nothing else uses them."""
    md = find(ob)
    if md is None:
        return
    group = md.node_group
    ob.modifiers.remove(md)
    if group.users == 0:
        bpy.data.node_groups.remove(group)


class _Nodes:
    """A node tree in the making: a node is called as a function of what goes into it."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self.tree = tree

    def __call__(self, kind: str, *inputs: Any, out: Any = 0, **settings: Any) -> Any:
        """A node, its inputs linked or set in their order (None: left as they are); the output of this number or name."""
        node = self.tree.nodes.new(kind)
        for name, value in settings.items():
            setattr(node, name, value)
        shown = [socket for socket in node.inputs if socket.enabled]
        for socket, value in zip(shown, inputs, strict=False):
            if isinstance(value, bpy.types.NodeSocket):
                self.tree.links.new(value, socket)
            elif value is not None:
                socket.default_value = value
        return self.output(node, out)

    def output(self, node: bpy.types.Node, out: Any) -> Any:
        shown = [socket for socket in node.outputs if socket.enabled]
        return shown[out] if isinstance(out, int) else next(socket for socket in shown if socket.name == out)

    def math(self, operation: str, *inputs: Any, out: Any = 0) -> Any:
        return self("ShaderNodeVectorMath", *inputs, operation=operation, out=out)

    def vector(self, name: str) -> Any:
        """A named attribute of vectors."""
        return self("GeometryNodeInputNamedAttribute", name, data_type="FLOAT_VECTOR")

    def store(self, geometry: bpy.types.NodeSocket, value: Any, name: str) -> Any:
        """The geometry with this attribute of its points."""
        return self("GeometryNodeStoreNamedAttribute", geometry, None, name, value, data_type="FLOAT_VECTOR", domain="POINT")

    def scaled_sum(self, vectors: list[Any], components: Any) -> Any:
        """The sum of three vectors, each times a component of another."""
        parts = self("ShaderNodeSeparateXYZ", components).node.outputs
        total = None
        for vector, part in zip(vectors, parts, strict=True):
            node = self.tree.nodes.new("ShaderNodeVectorMath")
            node.operation = "SCALE"
            self.tree.links.new(vector, node.inputs["Vector"])
            self.tree.links.new(part, node.inputs["Scale"])
            total = node.outputs[0] if total is None else self.math("ADD", total, node.outputs[0])
        return total


def _group(twin: bpy.types.Object) -> Any:
    tree: Any = bpy.data.node_groups.new(f"{FOLLOW_MODIFIER}: {twin.name}", "GeometryNodeTree")
    tree.is_modifier = True
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes = _Nodes(tree)
    garment = nodes("NodeGroupInput")
    info = nodes("GeometryNodeObjectInfo", out="Geometry", transform_space="RELATIVE")
    info.node.inputs["Object"].default_value = twin
    now = nodes.store(info, nodes("GeometryNodeInputPosition"), NOW)
    for name, axis in zip(COLUMNS, _axes(nodes), strict=True):  # where the sheet is now
        now = nodes.store(now, axis, name)
    rest = nodes("GeometryNodeSetPosition", now, None, nodes.vector(REST_ATTRIBUTE))
    turn = _columns(nodes, [nodes.vector(name) for name in COLUMNS], _axes(nodes))
    rest = nodes.store(rest, turn[0], "gpbd_column_x")
    rest = nodes.store(rest, turn[1], "gpbd_column_y")
    rest = nodes.store(rest, turn[2], "gpbd_column_z")
    place = nodes("GeometryNodeInputPosition")
    anchor = _anchor(nodes, place)
    rest_point = _sampled(nodes, rest, nodes("GeometryNodeInputPosition"), anchor)
    now_point = _sampled(nodes, rest, nodes.vector(NOW), anchor)
    columns = [_sampled(nodes, rest, nodes.vector(f"gpbd_column_{axis.lower()}"), anchor) for axis in AXES]
    between = nodes.scaled_sum(columns, nodes.math("SUBTRACT", place, rest_point))
    moved = nodes("GeometryNodeSetPosition", garment, None, nodes.math("ADD", now_point, between))
    out = tree.nodes.new("NodeGroupOutput")
    tree.links.new(moved, out.inputs[0])
    return tree


def _axes(nodes: _Nodes) -> list[Any]:
    """Three axes of the sheet at each of its points: along an edge there, across it, and its normal."""
    normal, here = nodes("GeometryNodeInputNormal", out="Normal"), nodes("GeometryNodeInputPosition")
    ends = nodes("GeometryNodeInputMeshEdgeVertices", out="Position 1")
    both = nodes.math("ADD", ends, nodes.output(ends.node, "Position 2"))
    edge = nodes("GeometryNodeEdgesOfVertex", out="Edge Index")
    other = nodes("GeometryNodeFieldAtIndex", both, edge, domain="EDGE", data_type="FLOAT_VECTOR")
    along = nodes.math("SUBTRACT", nodes.math("SUBTRACT", other, here), here)
    across = nodes.math("NORMALIZE", nodes.math("CROSS_PRODUCT", normal, along))
    return [nodes.math("CROSS_PRODUCT", across, normal), across, normal]


def _columns(nodes: _Nodes, now: list[Any], rest: list[Any]) -> list[Any]:
    """Return the images of the axes of space under the rotation of the sheet from its rest axes to the current ones."""
    parts = [nodes("ShaderNodeSeparateXYZ", axis).node.outputs for axis in rest]
    columns = []
    for k in range(3):
        component = nodes("ShaderNodeCombineXYZ", *(part[k] for part in parts))
        columns.append(nodes.scaled_sum(now, component))
    return columns


def _anchor(nodes: _Nodes, place: Any) -> Any:
    """The anchor of each vertex of the garment, or where it has none its place."""
    known = nodes.vector(ANCHOR_ATTRIBUTE)
    there = nodes(
        "FunctionNodeCompare", nodes.math("LENGTH", known, out="Value"), 0.0, data_type="FLOAT", operation="GREATER_THAN"
    )
    return nodes("GeometryNodeSwitch", there, place, known, input_type="VECTOR")


def _sampled(nodes: _Nodes, surface: Any, value: Any, anchor: Any) -> Any:
    """A value of the sheet at the anchors."""
    node = nodes.tree.nodes.new("GeometryNodeSampleNearestSurface")
    node.data_type = "FLOAT_VECTOR"
    shown = [socket for socket in node.inputs if socket.enabled]
    nodes.tree.links.new(surface, shown[0])
    nodes.tree.links.new(value, next(socket for socket in shown if socket.name == "Value"))
    nodes.tree.links.new(anchor, next(socket for socket in shown if socket.name == "Sample Position"))
    return nodes.output(node, "Value")
