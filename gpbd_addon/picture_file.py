"""Image files as arrays, read and written by Blender itself, and several in one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

#: Space between two pictures in one [pixels], and quality of a JPEG, of 100.
GAP, JPEG = 4, 85


def read(path: Path) -> np.ndarray:
    """Pixels of an image file, (height, width, 4) float32, from the top row down."""
    image: Any = bpy.data.images.load(str(path))
    try:
        width, height = image.size
        pixels = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(pixels)
    finally:
        bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1]


def write(path: Path, pixels: np.ndarray) -> None:
    """Write (height, width, 4) pixels, from the top row down, as a PNG file, or as a JPEG where the path ends in .jpg."""
    height, width = pixels.shape[:2]
    image: Any = bpy.data.images.new(path.stem, width, height)
    try:
        image.pixels.foreach_set(np.ascontiguousarray(pixels[::-1], np.float32).ravel())
        image.filepath_raw = str(path)
        image.file_format = "JPEG" if path.suffix == ".jpg" else "PNG"
        image.save(quality=JPEG)
    finally:
        bpy.data.images.remove(image)


def joined(tiles: Sequence[np.ndarray], columns: int) -> np.ndarray:
    """Pictures of one size, (height, width, 4) each, row by row on white."""
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // columns)
    whole = np.ones((rows * (height + GAP) - GAP, columns * (width + GAP) - GAP, 4), np.float32)
    for k, tile in enumerate(tiles):
        top, left = (k // columns) * (height + GAP), (k % columns) * (width + GAP)
        whole[top : top + height, left : left + width] = tile
    return whole
