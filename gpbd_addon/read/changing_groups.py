"""Vertex groups and attributes that can change from frame to frame. Reading a group takes long: most are read once."""

from __future__ import annotations

import bpy

#: Modifiers that write the weights of a vertex group -> property with its name; None if any group is possible.
WRITING = {
    "VERTEX_WEIGHT_EDIT": "vertex_group",
    "VERTEX_WEIGHT_MIX": "vertex_group_a",
    "VERTEX_WEIGHT_PROXIMITY": "vertex_group",
    "DATA_TRANSFER": None,
    "DYNAMIC_PAINT": None,
}


def may_change(ob: bpy.types.Object, there: bpy.types.Object, name: str) -> bool:
    """Return whether a group of the mesh below our modifier has to be read at every frame.

    there: the evaluated object, our modifier switched off. An attribute is always read: that takes no time.
    """
    return name not in there.vertex_groups or any(_writes(md, name) for md in ob.modifiers if md.show_viewport)


def _writes(md: bpy.types.Modifier, name: str) -> bool:
    if md.type == "NODES":
        return md.node_group is not None and (_gives(md.node_group) or _stores(md.node_group, set()))
    if md.type not in WRITING:
        return False
    named = WRITING[md.type]
    return named is None or getattr(md, named) == name


def _gives(tree: bpy.types.NodeTree) -> bool:
    """Return whether it has outputs that a modifier can write to attributes."""
    sockets = [item for item in tree.interface.items_tree if item.item_type == "SOCKET"]
    return any(socket.in_out == "OUTPUT" and socket.socket_type != "NodeSocketGeometry" for socket in sockets)


def _stores(tree: bpy.types.NodeTree, seen: set[str]) -> bool:
    """Return whether it, or a group in it, stores attributes by name."""
    if tree.name_full in seen:
        return False
    seen.add(tree.name_full)
    inner = [node.node_tree for node in tree.nodes if node.type == "GROUP" and node.node_tree is not None]
    stores = any(node.bl_idname == "GeometryNodeStoreNamedAttribute" for node in tree.nodes)
    return stores or any(_stores(group, seen) for group in inner)
