"""One picture of all variants at one frame, each with its settings: rendered by Workbench, joined with NumPy."""

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
from ...bake import playback
from .grid import Variant

#: Of one picture, in pixels, and of the space between two.
SIZE, GAP = (480, 270), 4
#: What the stamp of a picture leaves out: all but the note.
STAMPS = "camera date filename frame frame_range hostname labels lens marker memory render_time scene sequencer_strip time"


def draw(scene: bpy.types.Scene, variants: list[tuple[Variant, dict[str, str]]], frame: int | None, path: Path) -> None:
    """Writes a PNG; the scene is then as it was. frame: default the last one that a cache holds.

    variants: those that have caches, with the file of each body. Raises: CacheError.
    """
    part = path.with_suffix(".part.png")
    with _look(scene):
        try:
            tiles = [_tile(scene, variant, caches, frame, part) for variant, caches in variants]
            _write(path, joined(tiles))
        except (RuntimeError, OSError) as error:
            raise CacheError(f"Contact sheet {path}: cannot be made ({str(error).strip()}). The table is whole.") from error
        finally:
            part.unlink(missing_ok=True)


def _tile(scene: bpy.types.Scene, variant: Variant, caches: dict[str, str], frame: int | None, part: Path) -> np.ndarray:
    ends = []
    for name, cache in caches.items():
        header = read_header(cache)
        playback.play(bpy.data.objects[name], cache, int(header.start))
        ends.append(int(header.start) + header.n_frames - 1)
    scene.frame_set(min(ends) if frame is None else frame)
    if scene.camera is None:
        _add_camera(scene, [bpy.data.objects[name] for name in caches])
    scene.render.stamp_note_text = f"{variant.name}: {variant}"
    scene.render.filepath = str(part)
    bpy.ops.render.render(write_still=True, scene=scene.name)
    return _read(part)


def joined(tiles: list[np.ndarray]) -> np.ndarray:
    """Pictures of one size, (height, width, 4) each, row by row on white; about as many columns as rows."""
    columns = max(1, round(len(tiles) ** 0.5))
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // columns)
    whole = np.ones((rows * (height + GAP) - GAP, columns * (width + GAP) - GAP, 4), np.float32)
    for k, tile in enumerate(tiles):
        top, left = (k // columns) * (height + GAP), (k % columns) * (width + GAP)
        whole[top : top + height, left : left + width] = tile
    return whole


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
    bodies = [ob for ob in scene.objects if ob.gpbd.body_type != "NONE"]
    played = [(ob, md, md.filepath, md.frame_start) for ob in bodies for md in ob.modifiers if md.type == "MESH_CACHE"]
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
        for _, md, filepath, start in played:
            md.filepath, md.frame_start = filepath, start
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


def _read(path: Path) -> np.ndarray:
    """Pixels of an image file, (height, width, 4) float32, from the top row down."""
    image: Any = bpy.data.images.load(str(path))
    try:
        width, height = image.size
        pixels = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(pixels)
    finally:
        bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1]


def _write(path: Path, pixels: np.ndarray) -> None:
    height, width = pixels.shape[:2]
    image: Any = bpy.data.images.new(path.stem, width, height)
    try:
        image.pixels.foreach_set(np.ascontiguousarray(pixels[::-1], np.float32).ravel())
        image.filepath_raw, image.file_format = str(path), "PNG"
        image.save()
    finally:
        bpy.data.images.remove(image)
