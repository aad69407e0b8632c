"""Stretch of a cloth or a soft body's surface, as attributes of its mesh that follow the frame.

At each vertex the mean stretch of its edges over the mesh's rest shape, signed: a float attribute for nodes and exports, and
a colour attribute that the viewport shows. A hook updates them at each frame, only while a body has its heat map on.
"""

from __future__ import annotations

from contextlib import suppress

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...solver.cache.pc2 import Header, read_frames, read_header
from ...solver.errors import CacheError, SceneError
from ...solver.topology.edge_stretch import edge_stretch
from ..bake import cache_path, mesh_attribute, playback, rest_lengths
from ..identifiers import REST_LENGTH_ATTRIBUTE, STRETCH_ATTRIBUTE, STRETCH_COLOUR
from ..read import evaluated_mesh, modifier, scene_input, start_shape
from . import colour_display, frame_hook
from .colour_scale import colours

Array = np.ndarray


def switch_on(ob: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Measure the rest lengths, colour the mesh for the current frame, and follow the frame from now on.

    Raises: CacheError without a cache; SceneError if the mesh cannot keep values of the simulated vertices.
    """
    path = cache_path.of(ob)
    if path is None:
        raise CacheError(f"{ob.name}: has no cache; wanted a baked GPBD body. Bake it first.")
    start_shape.check_mesh(ob, read_frames(path).shape[1])
    rest_lengths.write(ob, _rest_shape(ob, scene))
    if not ob.gpbd.heat_map:
        colour_display.remember(ob)
    ob.gpbd.heat_map = True
    _update(ob, scene)
    colour_display.show(ob, STRETCH_COLOUR)
    follow()


def switch_off(ob: bpy.types.Object) -> None:
    """Remove the attributes and restore the colours."""
    ob.gpbd.heat_map = False
    mesh_attribute.remove(ob.data, STRETCH_ATTRIBUTE, STRETCH_COLOUR, REST_LENGTH_ATTRIBUTE)
    colour_display.hide(ob)
    follow()


def show_frame(scene: bpy.types.Scene) -> None:
    """Update every heat map of a scene to its current frame; one that cannot be keeps its colours, see `problem`."""
    for ob in scene.objects:
        if ob.gpbd.heat_map and ob.is_editable:
            with suppress(CacheError, SceneError):
                _update(ob, scene)


def problem(ob: bpy.types.Object, header: Header | str | None) -> str:
    """Return the reason why a heat map does not follow the frame, as a sentence; "" if it does.

    header: of the cache that plays, or why it cannot be read; None without one. Reads no file, because panels draw it.
    """
    if isinstance(header, str):
        return header
    try:
        if header is None:
            raise _uncached(ob)
        _lengths(ob, header.n_vertices)
    except (CacheError, SceneError) as error:
        return str(error)
    return ""


def _inputs(ob: bpy.types.Object) -> tuple[Array, Array]:
    """The cached frames (f, n, 3), object space, and the rest lengths (e,) [m]. Raises: CacheError, SceneError."""
    path = cache_path.of(ob)
    if path is None:
        raise _uncached(ob)
    frames = read_frames(path)
    return frames, _lengths(ob, frames.shape[1])


def _uncached(ob: bpy.types.Object) -> CacheError:
    return CacheError(f"{ob.name}: has no cache. Bake it, or switch its heat map off.")


def _lengths(ob: bpy.types.Object, n_simulated: int) -> Array:
    """Return the rest lengths [m], (e,). Raises: SceneError if the mesh does not have those of the simulated vertices."""
    mesh = ob.data
    start_shape.check_mesh(ob, n_simulated)
    lengths = None if mesh.is_editmode else rest_lengths.read(mesh)
    if lengths is None:
        raise SceneError(f"{ob.name}: the mesh is being edited or has changed. Switch its heat map off and on again.")
    return lengths


def _update(ob: bpy.types.Object, scene: bpy.types.Scene) -> None:
    frames, lengths = _inputs(ob)
    mesh_cache, path, mesh = modifier.find(ob), cache_path.of(ob), ob.data
    index = 0
    if mesh_cache is not None and path is not None:
        index = playback.frame_shown(mesh_cache, scene, read_header(path).samples, len(frames))
    linear = evaluated_mesh.world_matrix(ob, scene.unit_settings.scale_length)[:3, :3]
    values = edge_stretch(frames[index] @ linear.T, evaluated_mesh.edges(mesh), lengths)
    mesh_attribute.ensure(mesh, STRETCH_ATTRIBUTE, "FLOAT", "POINT").data.foreach_set("value", values.astype(np.float32))
    rgba = colours(values, scene.gpbd.heat_map_range)
    mesh_attribute.ensure(mesh, STRETCH_COLOUR, "FLOAT_COLOR", "POINT").data.foreach_set("color", rgba.ravel())
    mesh.update()


def _rest_shape(ob: bpy.types.Object, scene: bpy.types.Scene) -> Array:
    """The mesh below our modifier at the first frame of its cache [m], (n, 3), world space."""
    mesh_cache, path = modifier.find(ob), cache_path.of(ob)
    assert mesh_cache is not None and path is not None  # it has a cache, which that plays
    frame, layer = scene.frame_current, scene_input.view_layer_of(scene)
    with modifier.switched_off([ob]):
        scene.frame_set(round(playback.first_frame(mesh_cache, scene, read_header(path).samples)))
        there = evaluated_mesh.evaluated(ob, scene_input.depsgraph_of(scene, layer))
        x = evaluated_mesh.world_positions(there, scene.unit_settings.scale_length)
    scene.frame_set(frame)
    return x


@persistent
def _on_frame(scene: bpy.types.Scene, *_: object) -> None:
    if frame_hook.may_write(scene):
        show_frame(scene)


def follow() -> None:
    """Hook on to the frame where a body of the file has its heat map on, and off where none has."""
    # before Blender evaluates the frame, so that it is drawn with its colours
    frame_hook.put(bpy.app.handlers.frame_change_pre, _on_frame, any(ob.gpbd.heat_map for ob in bpy.data.objects))


def unfollow() -> None:
    """Hook off."""
    frame_hook.put(bpy.app.handlers.frame_change_pre, _on_frame, False)
