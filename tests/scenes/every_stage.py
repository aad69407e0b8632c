"""Small scenes that together need every stage of a frame: all energies, loads on bodies, contact, a tie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solver import Scene
from tests.scenes import compliant_partners, every_energy, loads, touching
from tests.scenes.bodies import in_sheet
from tests.scenes.jelly import pile
from tests.scenes.thrown import NORMALS, thrown

#: Scenes without contact and without loads beside gravity: methods differ in these alone.
ENERGIES: dict[str, Callable[[], Scene]] = every_energy.SCENES
SCENES: dict[str, Callable[[], Scene]] = {
    **ENERGIES,
    **{f"pulled {name}": lambda name=name: every_energy.block(name, weight=0.5) for name in every_energy.SOLIDS},
    **{f"acting: {name}": scene for name, scene in loads.SCENES.items()},
    **{f"touching: {name}": scene for name, scene in touching.SCENES.items()},
    **{f"giving way: {name}": scene for name, scene in compliant_partners.SCENES.items()},
    "planes": lambda: thrown(NORMALS["corner"]),
    "embedded": pile,
    "rigid": in_sheet,
}
#: The global step, and sweeps alone.
STEPS: dict[str, dict[str, Any]] = {"whole": {"global_iterations": 4}, "swept": {"global_iterations": 0}}
