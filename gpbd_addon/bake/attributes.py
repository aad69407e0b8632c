"""Attributes of the played frames of a body, made by Blender alone: they stand in renders and nodes where we are not
installed too.

A modifier of geometry nodes follows ours. It reads a mesh of values, an object that is in no scene, on which Mesh Cache
modifiers play the same cache a pose earlier and a pose later, and the values that the bake has kept.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import bpy

from ...solver.cache import pc2
from ...solver.cache.values_writer import PLASTIC_SUFFIX, values_path
from ...solver.cache.values_writer import SUFFIX as VALUES_SUFFIX
from ...solver.errors import CacheError
from ..body_kinds import BODY_KINDS
from ..identifiers import (
    ATTRIBUTES_MODIFIER,
    CONTACT_ATTRIBUTE,
    SAMPLED_VELOCITY_ATTRIBUTE,
    TENSION_ATTRIBUTE,
    VELOCITY_ATTRIBUTE,
)
from ..read import modifier, time_stretching
from . import attribute_nodes, cache_path, playback

#: Custom property of a mesh of values: the identity of the body that it is of.
OWNER = "gpbd_values_of"
#: Modifiers of a mesh of values, in their order.
BEFORE, KEEP_BEFORE, AFTER, KEEP_AFTER, VALUES = "Before", "Keep Before", "After", "Keep After", "Values"
PLASTIC, KEEP_PLASTIC = "Plastic", "Keep Plastic"
STACK = (BEFORE, KEEP_BEFORE, AFTER, KEEP_AFTER, PLASTIC, KEEP_PLASTIC, VALUES)
#: Of those that keep positions, the attribute.
KEPT = {
    KEEP_BEFORE: attribute_nodes.BEFORE,
    KEEP_AFTER: attribute_nodes.AFTER,
    KEEP_PLASTIC: attribute_nodes.PLASTIC,
}
#: How much later than the body's own each of them plays [poses].
DELAY = {BEFORE: 1, AFTER: -1}


def follow(ob: bpy.types.Object, frames: int = 0) -> None:
    """Create the attributes that a body requests of its cache, or remove them.

    frames: that the cache will have, where it is still being written.
    """
    cache_modifier, path = modifier.find(ob), cache_path.of(ob)
    settings = ob.gpbd
    header = None
    with suppress(CacheError):  # panels show its fault
        header = pc2.read_header(path) if path is not None else None
    keeps = settings.use_value_attributes and path is not None and values_path(path).exists()
    if cache_modifier is None or path is None or header is None or not (settings.use_velocity_attribute or keeps):
        remove(ob)
        return
    beside = _mesh_of_values(ob, header.n_vertices)
    flows = keeps and values_path(path, PLASTIC_SUFFIX).exists()
    _play(beside, cache_modifier, header.samples, settings.use_velocity_attribute, keeps, flows)
    md = _modifier(ob, cache_modifier)
    scene = bpy.context.scene
    sampled = header.samples > 1  # then Cycles is not to blur by velocity, which goes straight
    values = {
        "Values": beside,
        "Velocity": settings.use_velocity_attribute,
        "Stretch, Contact, Error": keeps,
        "Plastic": flows,
        "Velocity Name": SAMPLED_VELOCITY_ATTRIBUTE if sampled else VELOCITY_ATTRIBUTE,
        "Contact Name": TENSION_ATTRIBUTE if BODY_KINDS[settings.body_type].line else CONTACT_ATTRIBUTE,
        "Poses a Frame": cache_modifier.frame_scale,
        "Start": cache_modifier.frame_start,
        "First Pose": header.samples - 1.0,
        "Last Pose": max(frames, header.n_frames) * header.samples - 1.0,
        "Stretching": time_stretching.factor(scene),
        "Frames a Second": scene.render.fps / scene.render.fps_base,
    }
    attribute_nodes.set_inputs(md, values)
    ob.update_tag()


def point(ob: bpy.types.Object) -> None:
    """The body plays the same cache from another place."""
    cache_modifier, beside = modifier.find(ob), _values_of(ob)
    if cache_modifier is not None and beside is not None:
        _point(beside, cache_modifier.filepath)


def remove(ob: bpy.types.Object) -> None:
    """Remove the modifier.

    The mesh of values has no user then, and is not saved. Deleted while somebody goes through all objects, it would end
    Blender.
    """
    md = ob.modifiers.get(ATTRIBUTES_MODIFIER)
    if md is not None:
        attribute_nodes.set_inputs(md, {"Values": None})  # Blender 5.2 continues counting a removed modifier as its user
        ob.modifiers.remove(md)


def refresh(ob: bpy.types.Object) -> None:
    """A switch of the body was changed."""
    if ob.type == "MESH" and ob.is_editable:
        follow(ob)


def follow_scene() -> None:
    """The frame rate or the stretching of time may be another, which nodes cannot read."""
    for ob in bpy.data.objects:
        if ob.is_editable and ATTRIBUTES_MODIFIER in ob.modifiers and ob.gpbd.body_type != "NONE":
            md, scene = ob.modifiers[ATTRIBUTES_MODIFIER], bpy.context.scene
            rate = scene.render.fps / scene.render.fps_base
            attribute_nodes.set_inputs(md, {"Stretching": time_stretching.factor(scene), "Frames a Second": rate})
            ob.update_tag()


def _values_of(ob: bpy.types.Object) -> bpy.types.Object | None:
    """The mesh of values of a body, not of the one that it was copied from."""
    return next((one for one in bpy.data.objects if one.get(OWNER) == ob.gpbd.uuid and one.is_editable), None)


def _mesh_of_values(ob: bpy.types.Object, n_vertices: int) -> Any:
    mesh_object = _values_of(ob)
    if mesh_object is None:
        name = f"{ob.name} values"
        mesh_object = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        mesh_object[OWNER] = ob.gpbd.uuid
    if [md.name for md in mesh_object.modifiers] != list(STACK):
        mesh_object.modifiers.clear()
        for modifier_name in STACK:
            if modifier_name in KEPT:
                keep = mesh_object.modifiers.new(modifier_name, "NODES")
                keep.node_group = attribute_nodes.keep_position()
                attribute_nodes.set_inputs(keep, {"Name": KEPT[modifier_name]})
            else:
                playback.make_play(mesh_object.modifiers.new(modifier_name, "MESH_CACHE"))
    if len(mesh_object.data.vertices) != n_vertices:
        mesh_object.data.clear_geometry()
        mesh_object.data.vertices.add(n_vertices)
    return mesh_object


def _play(
    beside: Any, cache_modifier: bpy.types.Modifier, samples: int, velocity: bool, values: bool, plastic: bool
) -> None:
    for name, delay in DELAY.items():
        md = beside.modifiers[name]
        md.frame_scale, md.frame_start = cache_modifier.frame_scale, cache_modifier.frame_start + delay
        md.factor = float(velocity)  # without influence Blender looks for no file
    for name, wanted in ((PLASTIC, plastic), (VALUES, values)):
        md = beside.modifiers[name]
        md.frame_scale = cache_modifier.frame_scale / samples
        md.frame_start = (cache_modifier.frame_start - 1.0) / samples + 1.0
        md.factor = float(wanted)
    _point(beside, cache_modifier.filepath)


def _point(beside: Any, path: str) -> None:
    stem = path.removesuffix(modifier.CACHE_SUFFIX)
    paths = {BEFORE: path, AFTER: path, PLASTIC: stem + PLASTIC_SUFFIX, VALUES: stem + VALUES_SUFFIX}
    for name, file in paths.items():
        if beside.modifiers[name].filepath != file:
            beside.modifiers[name].filepath = file


def _modifier(ob: bpy.types.Object, ours: Any) -> Any:
    """Directly after ours."""
    attributes_modifier = ob.modifiers.get(ATTRIBUTES_MODIFIER)
    if attributes_modifier is None:
        attributes_modifier = ob.modifiers.new(ATTRIBUTES_MODIFIER, "NODES")
        attributes_modifier.show_expanded = False
    nodes = attribute_nodes.attributes()
    if attributes_modifier.node_group != nodes:
        attributes_modifier.node_group = nodes
    stack = list(ob.modifiers)
    place, wanted = stack.index(attributes_modifier), stack.index(ours) + 1
    if place != wanted:
        ob.modifiers.move(place, wanted if place > wanted else wanted - 1)
    return attributes_modifier
