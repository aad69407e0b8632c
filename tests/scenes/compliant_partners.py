"""Small scenes of *Keep Length* with contact on compliant partners outside the step: rigid and soft bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import solver
from tests.scenes.bodies import in_sheet, on_jelly, under_sheet
from tests.scenes.jelly import jelly
from tests.scenes.materials import SOFT, spring_material
from tests.scenes.meshes import cube_of_five, sheet

Vector = tuple[float, float, float]


def cube(name: str, centre: Vector, young: float = SOFT["young"]) -> solver.SoftBody:
    """A cube of 10 cm. Sweeps leave it unconverged: the global step solves for it."""
    x, t = cube_of_five(2)
    return solver.SoftBody(name, 0.1 * (x - 0.5) + centre, t, solver.Material.solid(**{**SOFT, "young": young}))


def cube_in_sheet(young: float = SOFT["young"]) -> solver.Scene:
    """A soft cube falls into a sheet that hangs by its corners."""
    x, t = sheet(12, 0.6, (0.003, 0.004, 0))
    cloth = solver.Cloth("sheet", x, t, spring_material(solver), pins=solver.Pins([0, 12, 156, 168]))
    return solver.Scene([cloth, cube("cube", (0, 0, 0.12), young)])


def sheet_on_cube(young: float = SOFT["young"]) -> solver.Scene:
    """A sheet falls aslant on a soft cube on the ground."""
    x, t = sheet(10, 0.4, (0.013, 0.007, 0.16), 0.1, (1, 2, 0))
    cloth = solver.Cloth("sheet", x, t, spring_material(solver))
    return solver.Scene([cloth, cube("cube", (0, 0, 0.052), young)], [solver.Plane("ground")])


def sheet_on_mesh() -> solver.Scene:
    """A sheet falls on a soft ball on the ground, which touches with the mesh that it carries."""
    x, t = sheet(10, 0.5, (0.013, 0.007, 0.3), 0.1, (1, 2, 0))
    return solver.Scene(
        [solver.Cloth("sheet", x, t, spring_material(solver)), jelly("mesh", 0.11)], [solver.Plane("ground")]
    )


def stiff_cubes() -> solver.Scene:
    """Three stiff cubes fall on one another, and on the ground."""
    bodies = [cube(f"cube {k}", (0.01 * k, 0, 0.06 + 0.11 * k), 1e6) for k in range(3)]
    return solver.Scene(bodies, [solver.Plane("ground")])


def rippled(n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A free sheet of a metre, with ripples of 2 mm: vertices and triangles."""
    x, t = sheet(n, 1.0, (0, 0, 0))
    x[:, 2] += 2e-3 * np.sin(9 * x[:, 0]) * np.cos(7 * x[:, 1])
    return x, t


SCENES: dict[str, Callable[[], solver.Scene]] = {
    "in_sheet": in_sheet, "under_sheet": under_sheet, "on_jelly": on_jelly, "cube_in_sheet": cube_in_sheet,
    "sheet_on_cube": sheet_on_cube, "sheet_on_mesh": sheet_on_mesh, "stiff_cubes": stiff_cubes,
    "stiff_cube_in_sheet": lambda: cube_in_sheet(1e6), "sheet_on_stiff_cube": lambda: sheet_on_cube(1e6),
}  # fmt: skip
