"""Scenes of ropes whose cost is measured: one that touches nothing, and a coil that is poured on the floor."""

from __future__ import annotations

from typing import Any

from tests.scenes.ropes import coil, line

#: Density [kg/m^3], Young's modulus, those of bending and twist [Pa].
MATERIAL = (1000.0, 1e7, 1e6, 4e5)
#: Length of a segment, and the radius of the rope [m].
STEP, RADIUS = 0.0095, 0.005


def hung(solver: Any, count: int) -> Any:
    """A rope of so many segments, level at first, swings down from one end."""
    x, edges = line(count, STEP * count)
    material = solver.Material.rope(*MATERIAL, damping=0.01)
    return solver.Scene([solver.Rope("rope", x, edges, 0.8 * RADIUS, material, pins=solver.Pins([0]))])


def poured(solver: Any, turns: int, radius: float) -> Any:
    """A coil of so many turns, two radii of the rope apart, falls on the floor. radius: of the coil [m]."""
    x, edges = coil(radius, turns, 0.02, STEP, 0.02)
    rope = solver.Rope("rope", x, edges, RADIUS, solver.Material.rope(*MATERIAL, damping=0.01))
    return solver.Scene([rope], [solver.Plane("floor", [0, 0, 0], [0, 0, 1])])
