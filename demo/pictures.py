"""Renders a baked scene: single frames, a contact sheet assembled with NumPy, and a film where Blender has FFmpeg."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from . import stage

COLUMNS = 4
SHRINK = 2  # a picture of the sheet is this much smaller than a frame
GAP = 4  # pixels between pictures
JPEG = 85  # quality, of 100
STILL_SIZE = (1920, 1080)  # pixels


def frame(scene: bpy.types.Scene, number: int, path: Path) -> None:
    """Renders one frame into a PNG file, or into a JPEG where the path ends in .jpg."""
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):  # from Blender 5.0 on it limits what file_format takes
        settings.media_type = "IMAGE"
    settings.file_format, settings.color_mode = "JPEG" if path.suffix == ".jpg" else "PNG", "RGB"
    settings.quality = JPEG
    scene.frame_set(number)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def still(scene: bpy.types.Scene, number: int, path: Path) -> None:
    """Renders one frame as large as the extension's listing wants it, with all the samples of Workbench's look."""
    scene.render.resolution_x, scene.render.resolution_y = STILL_SIZE
    scene.display.render_aa = "8"
    for prop in scene.render.bl_rna.properties:
        if prop.identifier.startswith("use_stamp"):  # else the file names the path and the time that it was made with
            setattr(scene.render, prop.identifier, False)
    frame(scene, number, path)


def sheet(scene: bpy.types.Scene, numbers: Sequence[int], path: Path) -> None:
    """Renders some frames and writes them as one PNG, row by row."""
    part = path.with_suffix(".part.png")
    tiles = []
    for number in numbers:
        frame(scene, number, part)
        tiles.append(shrunk(read(part)))
    part.unlink()
    write(path, joined(tiles))


def joined(tiles: Sequence[np.ndarray]) -> np.ndarray:
    """Pictures of one size, (height, width, 4) each, row by row on white."""
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // COLUMNS)
    whole = np.ones((rows * (height + GAP) - GAP, COLUMNS * (width + GAP) - GAP, 4), np.float32)
    for k, tile in enumerate(tiles):
        top, left = (k // COLUMNS) * (height + GAP), (k % COLUMNS) * (width + GAP)
        whole[top : top + height, left : left + width] = tile
    return whole


def film(scene: bpy.types.Scene, path: Path, step: int) -> str:
    """Renders every `step`-th frame into an MP4 file; returns what was done, for the report.

    The film lasts as long as the action. It is skipped where this Blender was built without FFmpeg.
    """
    if not bpy.app.build_options.codec_ffmpeg:
        return "no film: this build of Blender has no FFmpeg"
    settings, render = scene.render.image_settings, scene.render
    if hasattr(settings, "media_type"):
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
    render.ffmpeg.constant_rate_factor = "HIGH"
    render.use_file_extension = False
    render.filepath = str(path)
    scene.frame_step = step
    render.fps, render.fps_base = stage.FPS, float(step)
    bpy.ops.render.render(animation=True)
    return path.name


def read(path: Path) -> np.ndarray:
    """Pixels of an image file, (height, width, 4) float32, from the top row down."""
    image = bpy.data.images.load(str(path))
    try:
        width, height = image.size
        pixels = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(pixels)
    finally:
        bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1]


def write(path: Path, pixels: np.ndarray) -> None:
    """Writes (height, width, 4) pixels, from the top row down, as a PNG file, or as a JPEG where the path ends in .jpg."""
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(path.stem, width, height)
    try:
        image.pixels.foreach_set(np.ascontiguousarray(pixels[::-1], np.float32).ravel())
        image.filepath_raw = str(path)
        image.file_format = "JPEG" if path.suffix == ".jpg" else "PNG"
        image.save(quality=JPEG)
    finally:
        bpy.data.images.remove(image)


def shrunk(pixels: np.ndarray) -> np.ndarray:
    """(height, width, 4) pixels, SHRINK times as small."""
    height, width = (length // SHRINK for length in pixels.shape[:2])
    cells = pixels[: height * SHRINK, : width * SHRINK].reshape(height, SHRINK, width, SHRINK, 4)
    return cells.mean(axis=(1, 3))
