"""Geometry nodes that make attributes of a cache: of Blender's own parts alone, so that they act where we are not installed.

Inputs of a node group are found by name; Blender 5.2 keeps their values in another place than 4.5.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..identifiers import ERROR_ATTRIBUTE, PLASTIC_ATTRIBUTE, PLASTIC_CURVATURE_ATTRIBUTE, STRETCH_ATTRIBUTE

KEEP, ATTRIBUTES = "GPBD Keep Position", "GPBD Attributes"
#: Inputs of the group of attributes: kind of socket, and whether the modifier shows it.
INPUTS = {
    "Values": ("Object", False),
    "Velocity": ("Bool", True),
    "Stretch, Contact, Error": ("Bool", True),
    "Plastic": ("Bool", True),
    "Velocity Name": ("String", False),
    "Contact Name": ("String", False),
    "Poses a Frame": ("Float", False),
    "Start": ("Float", False),
    "First Pose": ("Float", False),
    "Last Pose": ("Float", False),
    "Stretching": ("Float", False),
    "Frames a Second": ("Float", False),
}
#: What a body's mesh of values keeps of the positions one pose before and one after, and of its plastic strains.
BEFORE, AFTER, PLASTIC = "before", "after", "plastic"


def set_inputs(md: bpy.types.Modifier, values: dict[str, Any]) -> None:
    """Set inputs of a modifier, by name."""
    for item in md.node_group.interface.items_tree if md.node_group is not None else ():
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name in values:
            if hasattr(md, "properties"):
                getattr(md.properties.inputs, item.identifier).value = values[item.name]
            else:
                md[item.identifier] = values[item.name]


def value_of(md: bpy.types.Modifier, name: str) -> Any:
    """Return an input of a modifier, by name; None where its nodes have no such input."""
    for item in md.node_group.interface.items_tree if md.node_group is not None else ():
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == name:
            return getattr(md.properties.inputs, item.identifier).value if hasattr(md, "properties") else md[item.identifier]
    return None


def keep_position() -> bpy.types.NodeTree:
    """Store the positions as an attribute of that name."""
    group = bpy.data.node_groups.get(KEEP)
    if group is not None:
        return group
    made = Group(KEEP, {"Name": ("String", True)})
    stored = made.store("FLOAT_VECTOR", made.input("Geometry"), made.input("Name"), made.add("InputPosition").outputs[0])
    return made.finished(stored)


def attributes() -> bpy.types.NodeTree:
    """Velocity as the difference of the poses around the one that is shown, of two at an end; and the values."""
    group = bpy.data.node_groups.get(ATTRIBUTES)
    if group is not None and all(name in group.interface.items_tree for name in INPUTS):
        return group
    if group is not None:  # of a file of an earlier version, whose bodies keep it until they are played again
        group.name = f"{ATTRIBUTES} before"
    made = Group(ATTRIBUTES, INPUTS)
    info = made.add("ObjectInfo")
    made.link(made.input("Values"), info.inputs["Object"])
    there = info.outputs["Geometry"]
    difference = made.vector("SUBTRACT", *(made.sampled(there, made.named(name)) for name in (AFTER, BEFORE)))
    time = made.add("InputSceneTime")
    frame = time.outputs["Frame"]
    pose = made.number("SUBTRACT", made.number("MULTIPLY", frame, made.input("Poses a Frame")), made.input("Start"))
    ends = [made.held(made.number("ADD", pose, step), made.input("First Pose"), made.input("Last Pose")) for step in (1, -1)]
    rate = made.first_unless_zero(made.number("DIVIDE", frame, time.outputs["Seconds"]), made.input("Frames a Second"))
    poses = made.number("DIVIDE", made.number("MULTIPLY", rate, made.input("Poses a Frame")), made.input("Stretching"))
    scale = made.number("DIVIDE", poses, made.number("SUBTRACT", *ends))  # which is 0 over 0
    velocity = made.scaled(difference, scale)
    stored = made.store(
        "FLOAT_VECTOR", made.input("Geometry"), made.input("Velocity Name"), velocity, made.input("Velocity")
    )
    apart = made.add("SeparateXYZ", "ShaderNode")
    made.link(made.sampled(there, made.add("InputPosition").outputs[0]), apart.inputs[0])
    for value, name in zip(apart.outputs, (STRETCH_ATTRIBUTE, made.input("Contact Name"), ERROR_ATTRIBUTE), strict=True):
        stored = made.store("FLOAT", stored, name, value, made.input("Stretch, Contact, Error"))
    flow = made.add("SeparateXYZ", "ShaderNode")
    made.link(made.sampled(there, made.named(PLASTIC)), flow.inputs[0])
    for value, name in zip(flow.outputs[:2], (PLASTIC_CURVATURE_ATTRIBUTE, PLASTIC_ATTRIBUTE), strict=True):
        stored = made.store("FLOAT", stored, name, value, made.input("Plastic"))
    return made.finished(stored)


class Group:
    """A node group as it is made; what takes sockets takes plain values too."""

    def __init__(self, name: str, inputs: dict[str, tuple[str, bool]]) -> None:
        tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
        tree.is_modifier = True
        self._tree: Any = tree
        tell: Any = self._tree.interface.new_socket
        tell("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        tell("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        for socket, (kind, shown) in inputs.items():
            tell(socket, in_out="INPUT", socket_type=f"NodeSocket{kind}").hide_in_modifier = not shown
        self._given = self.add("NodeGroupInput", "")

    def finished(self, geometry: bpy.types.NodeSocket) -> bpy.types.NodeTree:
        self.link(geometry, self.add("NodeGroupOutput", "").inputs[0])
        for place, node in enumerate(self._tree.nodes):
            node.location = 200 * (place % 8), -250 * (place // 8)
        tree: bpy.types.NodeTree = self._tree
        return tree

    def add(self, kind: str, family: str = "GeometryNode", **settings: Any) -> bpy.types.Node:
        node = self._tree.nodes.new(family + kind)
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, value: Any, socket: Any) -> None:
        if isinstance(value, bpy.types.NodeSocket):
            self._tree.links.new(value, socket)
        else:
            socket.default_value = value

    def start_with(self, name: str, value: Any) -> None:
        """Give an input another first value."""
        next(item for item in self._tree.interface.items_tree if item.name == name).default_value = value

    def show_as_length(self, name: str) -> None:
        """Show an input with the scene's unit of length."""
        next(item for item in self._tree.interface.items_tree if item.name == name).subtype = "DISTANCE"

    def input(self, name: str) -> bpy.types.NodeSocket:
        return self._given.outputs[name]

    def number(self, operation: str, one: Any, other: Any) -> bpy.types.NodeSocket:
        node = self.add("Math", "ShaderNode", operation=operation)
        self.link(one, node.inputs[0])
        self.link(other, node.inputs[1])
        return node.outputs[0]

    def held(self, value: Any, low: Any, high: Any) -> bpy.types.NodeSocket:
        return self.number("MAXIMUM", self.number("MINIMUM", value, high), low)

    def first_unless_zero(self, one: Any, other: Any) -> bpy.types.NodeSocket:
        is_zero = self.number("COMPARE", one, 0.0)
        return self.number("ADD", one, self.number("MULTIPLY", other, is_zero))

    def vector(self, operation: str, one: Any, other: Any) -> bpy.types.NodeSocket:
        node = self.add("VectorMath", "ShaderNode", operation=operation)
        self.link(one, node.inputs[0])
        self.link(other, node.inputs[1])
        return node.outputs["Vector"]

    def scaled(self, one: Any, scale: Any) -> bpy.types.NodeSocket:
        node = self.add("VectorMath", "ShaderNode", operation="SCALE")
        self.link(one, node.inputs[0])
        self.link(scale, node.inputs["Scale"])
        return node.outputs["Vector"]

    def named(self, name: str) -> bpy.types.NodeSocket:
        node = self.add("InputNamedAttribute", data_type="FLOAT_VECTOR")
        node.inputs["Name"].default_value = name
        return used(node.outputs)

    def named_number(self, name: str) -> bpy.types.NodeSocket:
        node = self.add("InputNamedAttribute", data_type="FLOAT")
        node.inputs["Name"].default_value = name
        return used(node.outputs)

    def sampled(self, geometry: bpy.types.NodeSocket, field: Any) -> bpy.types.NodeSocket:
        """Sample a field of a geometry at the vertex of the same index."""
        node = self.add("SampleIndex", data_type="FLOAT_VECTOR", domain="POINT")
        self.link(geometry, node.inputs["Geometry"])
        self.link(field, used(node.inputs, "Value"))
        self.link(self.add("InputIndex").outputs[0], node.inputs["Index"])
        return used(node.outputs)

    def store(
        self, kind: str, geometry: bpy.types.NodeSocket, name: Any, value: Any, wanted: Any = True
    ) -> bpy.types.NodeSocket:
        """Store a named attribute where wanted; return the geometry with it."""
        node = self.add("StoreNamedAttribute", data_type=kind, domain="POINT")
        for socket, source in (("Geometry", geometry), ("Name", name)):
            self.link(source, node.inputs[socket])
        self.link(value, used(node.inputs, "Value"))
        choice = self.add("Switch", input_type="GEOMETRY")
        self.link(wanted, choice.inputs["Switch"])
        self.link(geometry, used(choice.inputs, "False"))
        self.link(node.outputs[0], used(choice.inputs, "True"))
        return used(choice.outputs)


def used(sockets: Any, name: str = "") -> Any:
    """The one of this name, or the first, that the type of the node's data uses."""
    return next(socket for socket in sockets if socket.enabled and (not name or socket.name == name))
