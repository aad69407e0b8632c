"""What a fabric made of yarns is like: picture, anisotropy, range of its data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...solver.errors import PresetError
from ...solver.scene.fabric_table import FabricTable
from ..maps import response_picture
from ..read import body_material

#: Strain at which both directions are compared [1], and sizes of the picture in the panel.
COMPARED, PICTURE = 0.1, 6.0


def draw(layout: Any, settings: Any) -> None:
    """Below the choice of the model; says what to do where there is no table."""
    try:
        table = body_material.table_of(settings)
    except PresetError as error:
        layout.label(text=str(error), icon="ERROR")
        return
    if table is None:
        layout.label(text="Choose a fabric made of yarns", icon="INFO")
        return
    layout.template_icon(icon_value=response_picture.icon(table), scale=PICTURE)
    column = layout.column(align=True)
    for text in facts(table):
        column.label(text=text)


def facts(table: FabricTable) -> list[str]:
    """Lines about a table: colours of the picture, anisotropy, range."""
    warp, weft = (_tension(table, axis) for axis in (0, 2))
    ranges = table.ranges()
    lines = ["Orange: along U (warp), blue: along V (weft), yellow: shear", "Above: tension; below: bending moment"]
    if min(warp, weft) > 0:
        lines.append(f"At {COMPARED:.0%} along V {weft / warp:.2g} times the tension along U")
    lines.append(f"Data of stretch: {ranges[0, 0]:+.0%} to {ranges[0, 1]:+.0%} along U")
    lines.append(f"Data of stretch: {ranges[2, 0]:+.0%} to {ranges[2, 1]:+.0%} along V")
    lines.append(f"Data of bending: radius from {1000 / min(abs(ranges[3:]).min(1)):.2g} mm")
    return lines


def _tension(table: FabricTable, axis: int) -> float:
    """[N/m] at `COMPARED`, or at the end of the data."""
    curve = table.curves[axis]
    return float(response_picture.slopes(curve, np.array([min(COMPARED, curve.knots[-1])]))[0])
