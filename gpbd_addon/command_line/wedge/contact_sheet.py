"""One picture of all variants at one frame, each with its settings: rendered by Workbench."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np

from ....solver.cache.pc2 import read_header
from ....solver.errors import CacheError
from ... import picture_file
from ...bake import playback
from ...read import time_stretching
from .grid import Variant

#: Of one picture [pixels].
SIZE = (480, 270)
#: What the stamp of a picture leaves out: all but the note.
STAMPS = "camera date filename frame frame_range hostname labels lens marker memory render_time scene sequencer_strip time"


def draw(scene: bpy.types.Scene, variants: list[tuple[Variant, dict[str, str]]], frame: int | None, path: Path) -> None:
    """Write a PNG; the scene is then as it was. frame: default the last one that a cache holds.

    variants: those that have caches, with the file of each body. Raises: CacheError.
    """
    part = path.with_suffix(".part.png")
    with _look(scene):
        try:
            tiles = [_tile(scene, variant, caches, frame, part) for variant, caches in variants]
            columns = max(1, round(len(tiles) ** 0.5))  # about as many as rows
            picture_file.write(path, picture_file.joined(tiles, columns))
        except (RuntimeError, OSError) as error:
            raise CacheError(f"Contact sheet {path}: cannot be made ({str(error).strip()}). The table is whole.") from error
        finally:
            part.unlink(missing_ok=True)


def _tile(scene: bpy.types.Scene, variant: Variant, caches: dict[str, str], frame: int | None, part: Path) -> np.ndarray:
    ends = []
    for name, cache in caches.items():
        header = read_header(cache)
        stretching = time_stretching.factor(scene)
        playback.play(bpy.data.objects[name], cache, int(header.start), header.samples, stretching)
        ends.append(int(header.start) + header.n_frames - 1)
    scene.frame_set(min(ends) if frame is None else frame)
    if scene.camera is None:
        _add_camera(scene, [bpy.data.objects[name] for name in caches])
    scene.render.stamp_note_text = f"{variant.name}: {variant}"
    scene.render.filepath = str(part)
    bpy.ops.render.render(write_still=True, scene=scene.name)
    return picture_file.read(part)


@contextmanager
def _look(scene: bpy.types.Scene) -> Iterator[None]:
    """Inside, the scene renders small pictures with a note by Workbench; afterwards it is as it was."""
    render = scene.render
    wanted: dict[str, Any] = {"engine": "BLENDER_WORKBENCH", "resolution_percentage": 100, "use_border": False}
    wanted |= {"use_stamp": True, "use_stamp_note": True, "stamp_font_size": 12, "stamp_note_text": "", "filepath": ""}
    wanted |= {"resolution_x": SIZE[0], "resolution_y": SIZE[1]} | {f"use_stamp_{name}": False for name in STAMPS.split()}
    settings = render.image_settings
    media = ["media_type"] if hasattr(settings, "media_type") else []  # from Blender 5.0 on it limits what file_format takes
    before = {name: getattr(render, name) for name in wanted}
    pictures = {name: getattr(settings, name) for name in [*media, "file_format", "color_mode"]}
    stacks = [md for ob in scene.objects if ob.gpbd.body_type != "NONE" for md in ob.modifiers]
    played = [(md, md.filepath, md.frame_start, md.frame_scale) for md in stacks if md.type == "MESH_CACHE"]
    camera, frame = scene.camera, scene.frame_current
    try:
        for name, value in wanted.items():
            setattr(render, name, value)
        for name, value in zip(pictures, [*["IMAGE" for _ in media], "PNG", "RGBA"]):
            setattr(settings, name, value)
        yield
    finally:
        for name, value in pictures.items():
            setattr(settings, name, value)
        for name, value in before.items():
            setattr(render, name, value)
        for md, *values in played:
            md.filepath, md.frame_start, md.frame_scale = values
        if scene.camera is not camera:
            added: Any = scene.camera
            scene.camera = camera
            bpy.data.cameras.remove(added.data)
        scene.frame_set(frame)


def _add_camera(scene: bpy.types.Scene, bodies: list[bpy.types.Object]) -> None:
    """One that sees all of the bodies as they are now."""
    graph = bpy.context.view_layer.depsgraph
    seen: list[Any] = [body.evaluated_get(graph) for body in bodies]
    x = np.array([ob.matrix_world @ mathutils.Vector(corner) for ob in seen for corner in ob.bound_box])
    middle, radius = (x.min(0) + x.max(0)) / 2, max(float(np.linalg.norm(np.ptp(x, axis=0))) / 2, 1e-3)
    data = bpy.data.cameras.new("Contact Sheet")
    ob = bpy.data.objects.new("Contact Sheet", data)
    scene.collection.objects.link(ob)
    direction = mathutils.Vector((0.5, -1.0, 0.35)).normalized()
    distance = radius / np.sin(data.angle_y / 2)
    data.clip_start, data.clip_end = distance / 1000, distance * 100
    ob.location = mathutils.Vector(middle.tolist()) + direction * float(distance)
    ob.rotation_euler = (-direction).to_track_quat("-Z", "Y").to_euler()
    scene.camera = ob
