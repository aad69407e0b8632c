"""Simulated bodies of a scene, and the role of the others.

A body that is muted, linked from a library or disabled in the viewport is not simulated, nor is one outside the bodies of a
bake. If it plays a cache, others collide with it as baked; otherwise it is left out and reported.
"""

from __future__ import annotations

from collections.abc import Container

import bpy

from . import modifier

#: Why a body is not simulated that others are baked without.
NOT_BAKED = "is not among the bodies that are baked"


def all_bodies(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return all bodies in the order of their names."""
    return sorted((ob for ob in scene.objects if ob.gpbd.body_type != "NONE"), key=lambda ob: ob.name_full)


def simulated(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the simulated bodies, in the order of their names."""
    enabled = _enabled(scene)
    return [ob for ob in all_bodies(scene) if not why_not(ob, enabled)]


def passive(scene: bpy.types.Scene, baked: Container[str] | None = None) -> list[bpy.types.Object]:
    """Return the bodies that are not simulated and play a cache, in the order of their names.

    baked: identities of the bodies of a bake, default all that can be simulated.
    """
    enabled = _enabled(scene)
    return [ob for ob in all_bodies(scene) if ob.name_full in enabled and why_not(ob, enabled, baked) and plays(ob)]


def left_out(scene: bpy.types.Scene, baked: Container[str] | None = None) -> list[str]:
    """A sentence for each body that is neither."""
    enabled = _enabled(scene)
    why = {ob: why_not(ob, enabled, baked) for ob in all_bodies(scene)}
    there = [ob for ob, reason in why.items() if reason and not (ob.name_full in enabled and plays(ob))]
    return [
        f"{ob.name_full}: {why[ob]} {'and has no cache that plays' if ob.name_full in enabled else ''}".rstrip()
        + f", so it is left out. {_remedy(ob, enabled)}"
        for ob in there
        if not (ob.gpbd.muted and ob.name_full in enabled)  # an explicit choice of bodies
    ]


def why_not(ob: bpy.types.Object, enabled: set[str], baked: Container[str] | None = None) -> str:
    """Return the reason why a body is not simulated, "" if it is. enabled: `_enabled`. baked: of `passive`."""
    if ob.name_full not in enabled:
        return "is disabled in the viewport or in an excluded collection"
    if not ob.is_editable:
        return "is linked from a library"
    if ob.gpbd.muted:
        return "is muted"
    return "" if baked is None or ob.gpbd.uuid in baked else NOT_BAKED


def plays(ob: bpy.types.Object) -> bool:
    """Return whether our modifier shows a cache in the viewport."""
    mesh_cache = modifier.find(ob)
    return mesh_cache is not None and mesh_cache.show_viewport and mesh_cache.factor > 0 and bool(modifier.filepath(ob))


def _remedy(ob: bpy.types.Object, enabled: set[str]) -> str:
    if ob.name_full not in enabled:
        return "Enable it (hiding it with the eye icon is fine), or mute it in the GPBD panel."
    if ob.is_editable:
        return "Bake it first, or together with the others."
    return "Bake it in its own file, or make it local with Object > Relations > Make Local."


def _enabled(scene: bpy.types.Scene) -> set[str]:
    """Full names of the objects that Blender evaluates for the viewport; the eye icon does not count."""
    layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
    names: set[str] = set()
    ahead = [layer.layer_collection]
    while ahead:
        one = ahead.pop()
        if not one.exclude and not one.collection.hide_viewport:
            names.update(ob.name_full for ob in one.collection.objects if not ob.hide_viewport)
            ahead += one.children
    return names


def nobody(scene: bpy.types.Scene) -> str:
    """Return the reason why no body is simulated, as a message."""
    if all_bodies(scene):
        why = next(iter(left_out(scene)), "All are muted. Switch Mute off for one that is to be baked.")
        return f"Scene '{scene.name}' has no GPBD body that is simulated. {why}"
    return f"Scene '{scene.name}' has no GPBD bodies. Select a mesh and add GPBD Cloth or GPBD Soft Body in its Physics tab."
