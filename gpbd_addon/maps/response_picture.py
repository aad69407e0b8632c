"""The picture of a fabric made of yarns: its tension along warp and weft, its shear and its bending, as curves."""

from __future__ import annotations

from typing import Any

import bpy.utils.previews
import numpy as np

from ...solver.scene.fabric_table import Curve, FabricTable

Array = np.ndarray

#: Pixels of a side, and of a panel's frame.
SIZE, FRAME = 128, 4
#: Colours of the axes: along U (warp), shear, along V (weft), curvature along U and V.
COLOURS = ((0.95, 0.45, 0.25), (0.75, 0.75, 0.3), (0.3, 0.65, 0.95), (0.95, 0.45, 0.25), (0.3, 0.65, 0.95))
#: Which curves are drawn in the upper and in the lower half.
STRETCH, BENDING = (0, 1, 2), (3, 4)

#: By table: it, so that its place is not given to another, and its picture.
_kept: dict[int, tuple[FabricTable, Any]] = {}
_collection: Any = None


def icon(table: FabricTable) -> int:
    """Number of the picture for `layout.template_icon`; made once for each table."""
    global _collection
    if _collection is None:
        _collection = bpy.utils.previews.new()
    if id(table) not in _kept:
        preview = _collection.new(f"gpbd fabric {len(_kept)}")
        preview.image_size = preview.icon_size = (SIZE, SIZE)
        preview.image_pixels_float = preview.icon_pixels_float = pixels(table).ravel().tolist()
        _kept[id(table)] = table, preview
    return _kept[id(table)][1].icon_id


def remove() -> None:
    """Free all pictures."""
    global _collection
    if _collection is not None:
        bpy.utils.previews.remove(_collection)
        _collection = None
    _kept.clear()


def pixels(table: FabricTable) -> Array:
    """The picture, rows from below, (128, 128, 4): stress over strain above, moment over curvature below."""
    image = np.zeros((SIZE, SIZE, 4), np.float32)
    image[:] = (0.1, 0.1, 0.1, 1.0)
    half = SIZE // 2
    for axes, bottom in ((STRETCH, half), (BENDING, 0)):
        _draw(image[bottom : bottom + half], [(table.curves[k], COLOURS[k]) for k in axes])
    return image


def slopes(curve: Curve, x: Array) -> Array:
    """The derivative of a curve, within its data, (n,)."""
    j = np.clip(np.searchsorted(curve.knots, x, side="right") - 1, 0, len(curve.knots) - 2)
    width = curve.knots[j + 1] - curve.knots[j]
    u = (x - curve.knots[j]) / width
    mean = (curve.values[j + 1] - curve.values[j]) / width
    return 6 * u * (1 - u) * mean + (1 - u) * (1 - 3 * u) * curve.slopes[j] + u * (3 * u - 2) * curve.slopes[j + 1]


def _draw(image: Array, curves: list[tuple[Curve, tuple[float, float, float]]]) -> None:
    """Curves in one frame of strain and stress; the axes of zero are grey. Written: image."""
    low, high = min(c.knots[0] for c, _ in curves), max(c.knots[-1] for c, _ in curves)
    height, width = image.shape[0] - 2 * FRAME, image.shape[1] - 2 * FRAME
    x = np.linspace(low, high, 4 * width)
    drawn = [(np.where((x >= c.knots[0]) & (x <= c.knots[-1]), slopes(c, x), np.nan), colour) for c, colour in curves]
    pulled = x > 0  # strong compression would hide the rest
    most = max(np.nanmax(np.abs(y[pulled])) for y, _ in drawn) or 1.0
    column = FRAME + ((x - low) / (high - low) * (width - 1)).round().astype(int)
    image[FRAME + height // 2, FRAME : FRAME + width, :3] = 0.3
    image[FRAME : FRAME + height, FRAME + int(-low / (high - low) * (width - 1)), :3] = 0.3
    for y, colour in drawn:
        share = np.clip(np.where(np.isnan(y), 0, y / most), -1, 1) * 0.5 + 0.5
        rows = FRAME + (share * (height - 1)).round().astype(int)
        for k in np.flatnonzero(~np.isnan(y[1:]) & ~np.isnan(y[:-1])):  # pixels between are drawn too
            first, last = sorted((rows[k], rows[k + 1]))
            image[first : last + 1, column[k], :3] = colour
