"""Gap between a body and its possible contacts, as attributes of its mesh that follow the frame.

At each vertex the gap to the nearest other surface, or to another part of its own [m], limited to a reach that follows from
the mesh; negative if a face there intersects something. A float attribute for nodes and exports, and a colour attribute that
the viewport shows. A hook updates them after each frame, when Blender has evaluated the scene.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...solver.errors import GpbdError
from ...solver.topology.gaps import signed_gaps
from ..bake import mesh_attribute
from ..identifiers import CONTACT_ATTRIBUTE, CONTACT_COLOUR
from ..read import start_shape
from . import colour_display, frame_hook, heat_map, intersections
from .colour_scale import colours

Array = np.ndarray

#: Place of the smallest gap on the scale of colours; intersections are at 1.
TOUCHING = 0.75
#: Colour (linear RGBA) where nothing is known.
UNKNOWN = (0.2, 0.2, 0.2, 1.0)


def switch_on(ob: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Colour the mesh for the current frame and follow the frame from now on. Raises: SceneError."""
    start_shape.check_mesh(ob, len(ob.data.vertices))
    meshes = intersections.gather(scene)
    if ob.gpbd.heat_map:
        heat_map.switch_off(ob)
    if not ob.gpbd.contact_map:
        colour_display.remember(ob)
    ob.gpbd.contact_map = True
    _update([ob], meshes)
    colour_display.show(ob, CONTACT_COLOUR)
    follow()


def switch_off(ob: bpy.types.Object) -> None:
    """Remove the attributes and restore the colours."""
    ob.gpbd.contact_map = False
    mesh_attribute.remove(ob.data, CONTACT_ATTRIBUTE, CONTACT_COLOUR)
    colour_display.hide(ob)
    follow()


def values(meshes: intersections.FrameMeshes, number: int) -> tuple[Array, float]:
    """The gap at each vertex of a body [m], (n,), negative where it passes through something, and the reach [m]."""
    vertices = slice(int(meshes.starts[number]), int(meshes.starts[number + 1]))
    return signed_gaps(vertices, meshes.x, meshes.triangles, meshes.edges, meshes.hits)


def show_frame(scene: bpy.types.Scene) -> None:
    """Update every contact map of a scene to its current frame; all are grey where a mesh cannot be looked at."""
    shown = [ob for ob in scene.objects if ob.gpbd.contact_map and ob.is_editable and ob.mode == "OBJECT"]
    if not shown:
        return
    try:
        meshes = intersections.gather(scene)
    except GpbdError:
        for ob in shown:
            rgba = np.tile(np.array(UNKNOWN, np.float32), (len(ob.data.vertices), 1))
            mesh_attribute.ensure(ob.data, CONTACT_COLOUR, "FLOAT_COLOR", "POINT").data.foreach_set("color", rgba.ravel())
            ob.data.update()
        return
    _update(shown, meshes)


def _update(bodies: list[Any], meshes: intersections.FrameMeshes) -> None:
    for ob in bodies:
        gap, reach = values(meshes, meshes.names.index(ob.name_full))
        mesh = ob.data
        mesh_attribute.ensure(mesh, CONTACT_ATTRIBUTE, "FLOAT", "POINT").data.foreach_set("value", gap.astype(np.float32))
        place = np.where(gap < 0, 1.0, TOUCHING * (1.0 - gap / reach))
        rgba = colours(place, 1.0)
        mesh_attribute.ensure(mesh, CONTACT_COLOUR, "FLOAT_COLOR", "POINT").data.foreach_set("color", rgba.ravel())
        mesh.update()


@persistent
def _on_frame(scene: bpy.types.Scene, *_: object) -> None:
    if frame_hook.may_write(scene):
        show_frame(scene)


def follow() -> None:
    """Hook on to the frame where a body of the file has its contact map on, and off where none has."""
    # after Blender has evaluated the frame: colliders move by themselves
    frame_hook.put(bpy.app.handlers.frame_change_post, _on_frame, any(ob.gpbd.contact_map for ob in bpy.data.objects))


def unfollow() -> None:
    """Hook off."""
    frame_hook.put(bpy.app.handlers.frame_change_post, _on_frame, False)
