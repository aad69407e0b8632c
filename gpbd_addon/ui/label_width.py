"""Room for labels: Blender cuts a text that is wider than its column."""

from __future__ import annotations

from typing import Any

import blf
import bpy

from ..translations import tr

#: Share of a row for the label, as Blender's own property split; and at most, the field has the rest.
LABEL_SHARE, MOST_LABEL_SHARE = 0.4, 0.56
#: At scale 1 of the interface [pixels]: by how much a region is wider than its rows, and a column than its text.
MARGIN, PADDING = 36, 15
#: Of a row where there is no region, and the narrowest [pixels].
ROW, NARROWEST = 300.0, 150.0


def label_share(group: Any, *names: str) -> float:
    """Return the share of a row that the longest label of these values needs."""
    return share_of(*(tr(group.bl_rna.properties[name].name) for name in names))


def share_of(*labels: str) -> float:
    """Return the share of a row that the longest of these texts needs as a label."""
    return min(max(LABEL_SHARE, *(column_width(label) / row_width() for label in labels)), MOST_LABEL_SHARE)


def column_width(text: str) -> float:
    """Return the width of a column with this text, which is translated [pixels at scale 1]."""
    blf.size(0, bpy.context.preferences.ui_styles[0].widget.points)
    return float(blf.dimensions(0, text)[0]) + PADDING


def row_width() -> float:
    """Return the width of a row of the region that is drawn [pixels at scale 1]."""
    region = bpy.context.region
    scale = bpy.context.preferences.system.ui_scale
    return max(region.width / scale - MARGIN, NARROWEST) if region is not None and scale else ROW
