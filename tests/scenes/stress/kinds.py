"""Stress scenes, by name, and their sizes."""

from __future__ import annotations

from collections.abc import Callable

from tests.scenes.stress.card_house import card_house, standing_cards
from tests.scenes.stress.crushed_box import crushed_box
from tests.scenes.stress.curtain import curtain
from tests.scenes.stress.drawstring import drawstring
from tests.scenes.stress.knot import tightened_knot
from tests.scenes.stress.needles import sheet_over_needles
from tests.scenes.stress.stacks import stacked_cubes, stacked_sheets
from tests.scenes.stress.stress import Stress
from tests.scenes.stress.trampoline import limited_trampoline, trampoline
from tests.scenes.stress.twists import twisted_cylinders, twisted_sheet, twisted_tube
from tests.scenes.stress.winding import wound_sheet

#: Called with the solver, a seed and `n`.
KINDS: dict[str, Callable[..., Stress]] = {
    kind.__name__: kind
    for kind in (
        twisted_sheet, twisted_tube, twisted_cylinders, wound_sheet, trampoline, limited_trampoline,
        standing_cards, card_house, curtain, sheet_over_needles, stacked_sheets, stacked_cubes,
        crushed_box, drawstring, tightened_knot,
    )
}  # fmt: skip

#: `n` of each kind, coarse and fine.
SIZES = {
    "twisted_sheet": (10, 20),
    "twisted_tube": (16, 32),
    "twisted_cylinders": (6, 10),
    "wound_sheet": (8, 20),
    "trampoline": (20, 48),
    "limited_trampoline": (20, 48),
    "standing_cards": (4, 8),
    "card_house": (4, 8),
    "curtain": (20, 40),
    "sheet_over_needles": (24, 48),
    "stacked_sheets": (10, 20),
    "stacked_cubes": (2, 4),
    "crushed_box": (2, 4),
    "drawstring": (24, 48),
    "tightened_knot": (2, 3),
}
