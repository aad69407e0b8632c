"""Starts in which surfaces already pass through each other: functions without arguments that make a solver Scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.scenes import intersecting_garments as garments
from tests.scenes import intersecting_sheets as sheets

STARTS: dict[str, Callable[[], Any]] = {
    function.__name__: function
    for function in (
        sheets.corner, sheets.border, sheets.cross, sheets.waves, sheets.head, sheets.flap, sheets.sleeves, sheets.coat,
        sheets.blocks, garments.cape, garments.armpit, garments.elbow, garments.layers, garments.skirts, garments.knot,
        garments.links, garments.star, garments.scroll, garments.wall, garments.leg, garments.heap, garments.spike,
        garments.cuff, garments.cushion,
    )
}  # fmt: skip
