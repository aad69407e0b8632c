"""Fabric made of yarns: picture, anisotropy, range of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...solver.errors import PresetError
from ...solver.scene.fabric_table import FabricTable
from ..maps import response_picture
from ..read import body_material
from .paragraph import draw_paragraph

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object

#: Strain at which both directions are compared [1], if both have data so far, and size of the picture in the panel.
COMPARED, PICTURE = 0.1, 6.0


def draw(layout: bpy.types.UILayout, context: bpy.types.Context, settings: GPBD_PG_object) -> None:
    """Below the choice of the model; says what to do where there is no table."""
    try:
        table = body_material.table_of(settings)
    except PresetError as error:
        draw_paragraph(layout, context, str(error), "ERROR")
        return
    if table is None:
        draw_paragraph(layout, context, "Choose a fabric made of yarns", "INFO")
        return
    layout.template_icon(icon_value=response_picture.icon(table), scale=PICTURE)
    for text in facts(table):
        draw_paragraph(layout, context, text)


def facts(table: FabricTable) -> list[str]:
    """Lines about a table: colours of the picture, anisotropy, range."""
    ranges = table.ranges()
    compared = min(COMPARED, ranges[0, 1], ranges[2, 1])
    warp, weft = (float(response_picture.slopes(table.curves[k], np.array([compared]))[0]) for k in (0, 2))
    lines = ["Orange: along U (warp), blue: along V (weft), yellow: shear", "Above: tension; below: bending moment"]
    if min(warp, weft) > 0:
        lines.append(f"At {_percent(compared)} along V {_two_digits(weft / warp)} times the tension along U")
    for k, name in ((0, "U"), (2, "V")):
        lines.append(f"Data of stretch: -{_percent(-ranges[k, 0])} to +{_percent(ranges[k, 1])} along {name}")
    lines.append(f"Data of bending: radius from {_two_digits(1000 / min(abs(ranges[3:]).min(1)))} mm")
    return lines


def _percent(share: float) -> str:
    """Wovens have data to some per cent, knits to 60."""
    return f"{_two_digits(100 * share)}%"


def _two_digits(value: float) -> str:
    """Without an exponent: 260, not 2.6e+02."""
    return f"{float(f'{value:.2g}'):g}"
