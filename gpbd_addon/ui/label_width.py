"""Room for labels: Blender cuts a text that is wider than its column."""

from __future__ import annotations

import blf
import bpy

from ..translations import tr

#: Least share of a row for the label, as Blender's own property split.
LABEL_SHARE = 0.4
#: At scale 1 of the interface [pixels]: by how much a region is wider than its rows, a label than its text, a label than the
#: longest text that Blender does not cut, and a unit; the dot that keys a value; the least width of a field; a check box.
MARGIN, LABEL_PADDING, UNCUT, UNIT_PADDING, DOT, FIELD, CHECK_BOX = 34, 15, 6, 11, 20, 50, 20
#: By how much a menu is wider than a label of its text, and a box than its rows [pixels at scale 1].
MENU, BOX = 15, 10
#: Least width of the field of a number with five digits [pixels at scale 1].
NUMBER = 60
#: Of a row where there is no region, and the narrowest [pixels].
ROW, NARROWEST = 300.0, 150.0


def label_share(group: bpy.types.bpy_struct, *names: str, unit: str = "") -> float:
    """Return the share of a row that the longest label of these values needs, so that the field has room too.

    unit: the longest unit beside a field, as it is shown.
    """
    return share_of(*(tr(group.bl_rna.properties[name].name) for name in names), unit=unit)


def share_of(*labels: str, unit: str = "") -> float:
    """Return the share of a row that the longest of these translated texts needs as a label."""
    needed = max((text_width(label) + LABEL_PADDING) / row_width() for label in labels)
    return max(LABEL_SHARE, min(needed, 1 - (FIELD + unit_width(unit) + DOT) / row_width()))


def number_share(unit: str) -> float:
    """Return Blender's share for the label of a large number, or less where the field needs the room.

    unit: beside the field, as it is shown.
    """
    return min(LABEL_SHARE, 1 - (NUMBER + unit_width(unit) + DOT) / row_width())


def has_room(text: str, share: float) -> bool:
    """Return whether a translated text fits into a share of a row."""
    return text_width(text) + UNCUT <= share * row_width()


def unit_width(unit: str) -> float:
    """Return the width of the column of a unit [pixels at scale 1]."""
    return text_width(unit) + UNIT_PADDING if unit else 0.0


def text_width(text: str) -> float:
    """Return the width of a text in the font of buttons [pixels at scale 1]."""
    blf.size(0, bpy.context.preferences.ui_styles[0].widget.points)
    return float(blf.dimensions(0, text)[0])


def row_width() -> float:
    """Return the width of a row of the region that is drawn [pixels at scale 1]."""
    region = bpy.context.region
    scale = bpy.context.preferences.system.ui_scale
    return max(region.width / scale - MARGIN, NARROWEST) if region is not None and scale else ROW
