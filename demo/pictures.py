"""Renders a baked scene: single frames, a contact sheet, and a film where Blender has FFmpeg."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from gpbd_addon import picture_file

from . import stage

COLUMNS = 4
SHRINK = 2  # a picture of the sheet is this much smaller than a frame
STILL_SIZE = (1920, 1080)  # pixels


def frame(scene: bpy.types.Scene, number: int, path: Path) -> None:
    """Render one frame into a PNG file, or into a JPEG where the path ends in .jpg."""
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):  # from Blender 5.0 on it limits the choices of file_format
        settings.media_type = "IMAGE"
    settings.file_format, settings.color_mode = "JPEG" if path.suffix == ".jpg" else "PNG", "RGB"
    settings.quality = picture_file.JPEG
    scene.frame_set(number)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def still(scene: bpy.types.Scene, number: int, path: Path) -> None:
    """Render one frame as large as the extension's listing wants it, with all the samples of Workbench's look."""
    scene.render.resolution_x, scene.render.resolution_y = STILL_SIZE
    scene.display.render_aa = "8"
    for prop in scene.render.bl_rna.properties:
        if prop.identifier.startswith("use_stamp"):  # else the file names the path and the time that it was made with
            setattr(scene.render, prop.identifier, False)
    frame(scene, number, path)


def sheet(scene: bpy.types.Scene, numbers: Sequence[int], path: Path) -> None:
    """Render some frames and write them as one PNG, row by row."""
    part = path.with_suffix(".part.png")
    tiles = []
    for number in numbers:
        frame(scene, number, part)
        tiles.append(shrunk(picture_file.read(part)))
    part.unlink()
    picture_file.write(path, picture_file.joined(tiles, COLUMNS))


def film(scene: bpy.types.Scene, path: Path, step: int) -> str:
    """Render every `step`-th frame into an MP4 file; return a line for the report.

    The film lasts as long as the action. It is skipped if this Blender was built without FFmpeg.
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


def shrunk(pixels: np.ndarray) -> np.ndarray:
    """(height, width, 4) pixels, SHRINK times as small."""
    height, width = (length // SHRINK for length in pixels.shape[:2])
    cells = pixels[: height * SHRINK, : width * SHRINK].reshape(height, SHRINK, width, SHRINK, 4)
    return cells.mean(axis=(1, 3))
