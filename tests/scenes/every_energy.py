"""Small scenes without contact that have, between them, every energy and a tie; by them devices are compared with a CPU."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import solver
from solver.scene import catalog
from tests.scenes.linear_table import linear_table
from tests.scenes.meshes import cube_of_five, grid

#: Energies of the cloths, one after the other, and of the solids.
FABRICS = {
    "woven": ("stvk_membrane", "discrete_shell", "strain_limit", "long_range_attachment"),
    "knit": ("stiffening_membrane", "isometric_bending"),
    "net": ("spring", "discrete_shell", "distance"),
    "yarns": ("hylc",),
}
SOLIDS = ("stable_neo_hookean", "neo_hookean", "paper_neo_hookean", "fixed_corotated", "stvk_solid", "volume")
#: Numbers other than the catalogue's: so stiff as sweeps converge, and damped.
NUMBERS = {
    "stvk_membrane": {"damping": 1e-3}, "discrete_shell": {"damping": 1e-3}, "spring": {"stiffness": 50.0, "damping": 1e-3},
    "strain_limit": {"limit": 0.02, "compliance": 1e-3}, "distance": {"compliance": 1e-3},
}  # fmt: skip


def material(kind: str, density: float, energies: tuple[str, ...], more: dict | None = None) -> solver.Material:
    """Return a material of these energies, with the catalogue's numbers except for NUMBERS and `more`."""
    numbers = {
        name: {parameter: values.default for parameter, values in catalog.energies()[name].parameters.items()}
        | NUMBERS.get(name, {})
        | (more or {})
        for name in energies
    }
    table = linear_table() if "hylc" in energies else None
    return solver.Material("made", kind, density, numbers, table=table)


def sheet(name: str, n: int = 8) -> solver.Scene:
    """A cloth of FABRICS, a corner held and one drawn by a spring, in a wind."""
    rest, triangles = grid(n)
    start = rest + 1e-3 * np.random.default_rng(3).standard_normal(rest.shape)
    pins = solver.Pins([0, 1, n], weight=[1.0, 1.0, 0.5], targets=lambda time: start[[0, 1, n]] + [0.0, 0.2 * time, 0.0])
    fabric = material("fabric", 0.2, FABRICS[name])
    cloth = solver.Cloth("sheet", start, triangles, fabric, pins=pins, rest_vertices=rest, self_contact=False)
    return solver.Scene([cloth], wind=(1.0, 2.0, 0.0), air_density=1.2)


def block(energy: str, n: int = 3, weight: float = 1.0) -> solver.Scene:
    """A solid of an energy, held at a side by pins of a weight; with `volume` beside another one."""
    vertices, tetrahedra = cube_of_five(n)
    energies = ("stable_neo_hookean", "volume") if energy == "volume" else (energy,)
    pins = solver.Pins(np.flatnonzero(vertices[:, 0] < 1e-9), weight)
    solid = material("solid", 1000.0, energies)
    return solver.Scene([solver.SoftBody("block", vertices, tetrahedra, solid, pins=pins, self_contact=False)])


def tied() -> solver.Scene:
    """A block that is held at its top, and one below it, of other cells, that ties hold; nothing touches."""
    bodies = []
    for name, n, below in (("upper", 3, 0.0), ("lower", 2, 1.001)):
        vertices, tetrahedra = cube_of_five(n)
        pins = solver.Pins(np.flatnonzero(vertices[:, 2] > 1 - 1e-9)) if below == 0.0 else None
        solid, x = solver.Material.solid(200.0, 1e4, 0.3), vertices - [0, 0, below]
        bodies.append(solver.SoftBody(name, x, tetrahedra, solid, pins=pins, self_contact=False, touches=[]))
    return solver.Scene(bodies, ties=[solver.Tie("lower", "upper", 0.01, stiffness=3e4)])


SCENES: dict[str, Callable[[], solver.Scene]] = {
    **{name: lambda name=name: sheet(name) for name in FABRICS},
    **{energy: lambda energy=energy: block(energy) for energy in SOLIDS},
    "tied": tied,
}
