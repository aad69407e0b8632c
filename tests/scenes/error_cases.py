"""Substeps that end early, and their distance from the solution of their equations: the reference of error estimates.

A case is a body, a method and settings, drawn at random with a fixed seed: sheets and blocks of every energy of stretch,
bending and volume, coarse and fine, soft and stiff, that hang by corners, an edge or a face, or fly. The true error is the
distance to the limit of Newton's method in double precision, started at the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.scenes.meshes import cube_of_five, grid
from tests.scenes.plain_settings import plain_settings
from tests.scenes.stress.stress import limited

Array = np.ndarray

#: Energies of stretch and of bending, methods with iterations of the global step, quads a side, N/m.
STRETCH = ("stvk_membrane", "stiffening_membrane", "spring", "distance")
BENDING = ("discrete_shell", "isometric_bending")
SHEET_METHODS = (
    ("gpbd", 4),
    ("gpbd", 4),
    ("gpbd", 0),
    ("gpbd_jacobi", 0),
    ("xpbd", 0),
    ("pbd", 0),
    ("pbng", 0),
    ("newton", 0),
)
QUADS = (6, 12, 24, 32)
STIFFNESSES = (20.0, 300.0, 4e3, 1e5)
#: Energies of solids, methods, cells a side, Pa, Poisson's ratios.
SOLIDS = ("neo_hookean", "stable_neo_hookean", "fixed_corotated", "stvk_solid", "paper_neo_hookean")
SOLID_METHODS = ("gpbd", "gpbd_jacobi", "xpbd", "pbng", "newton")
CELLS = (2, 4, 7, 10)
YOUNGS = (1e4, 1e5, 1e6, 1e7, 1e8)
POISSONS = (0.2, 0.3, 0.45, 0.49)
#: Substeps and iterations: *Draft*, *Production*, and those of position-based solvers.
STEPS = ((10, 3), (24, 4), (8, 10))
FRAMES = 4
#: Share of the force of the prediction that the true solution may leave.
SOLVED = 1e-8
#: Distances below this are none [m].
NOTHING = 1e-9


@dataclass(frozen=True)
class ErrorCase:
    """energy: of stretch or volume, and bending, "" for a solid. n: quads or cells a side. stiffness: N/m or Pa. poisson: of
    a solid. pins: how it is held. settings: of the simulation."""

    energy: str
    bending: str
    n: int
    stiffness: float
    poisson: float
    pins: str
    settings: dict[str, Any]

    @property
    def called(self) -> str:
        s = self.settings
        method = s["method"] + (" + global step" if s["global_iterations"] else "")
        return (
            f"{method}, {self.energy}, n {self.n}, {self.stiffness:g}, {s['substeps']} x {s['iterations']}, "
            f"{s['integrator']}, {s['dtype']}, {self.pins}"
        )


def cases(count: int, seed: int = 1) -> list[ErrorCase]:
    """Half of them sheets."""
    draw = np.random.default_rng(seed)

    def one(choices: Any) -> Any:
        return choices[draw.integers(len(choices))]

    drawn = []
    while len(drawn) < count:
        sheet = len(drawn) % 2 == 0
        method, rounds = one(SHEET_METHODS) if sheet else (one(SOLID_METHODS), 0)
        substeps, iterations = one(STEPS)
        settings = {
            "method": method, "global_iterations": rounds, "substeps": substeps,
            "iterations": 1 if method == "newton" else iterations,
            "integrator": one(("bdf1", "bdf2")), "dtype": one(("float32", "float32", "float64")),
        }  # fmt: skip
        if sheet:
            case = ErrorCase(
                one(STRETCH), one(BENDING), one(QUADS), one(STIFFNESSES), 0.0, one(("corners", "side")), settings
            )
        else:
            case = ErrorCase(one(SOLIDS), "", one(CELLS), one(YOUNGS), one(POISSONS), one(("side", "none")), settings)
        if can_be_solved(case):
            drawn.append(case)
    return drawn


def can_be_solved(case: ErrorCase) -> bool:
    """Return whether the method supports the energies, and they the parameters."""
    import importlib

    from solver.methods import method_class

    needs = method_class(case.settings["method"]).needs
    names = [name for name in (case.energy, case.bending) if name]
    modules = [importlib.import_module(f"solver.energies.{name}") for name in names]
    return all(hasattr(module, need) for module in modules for need in needs)


def scene_of(case: ErrorCase) -> Any:
    import solver

    make = _sheet if case.bending else _block
    return solver.Scene([make(case, solver)])


def _sheet(case: ErrorCase, solver: Any) -> Any:
    rest, triangles = grid(case.n)
    start = rest.copy()
    start[:, 2] += 1e-3 / case.n * np.random.default_rng(3).standard_normal(len(rest))
    n = case.n
    pins = np.array([n, (n + 1) ** 2 - 1]) if case.pins == "corners" else np.arange(n + 1) * (n + 1) + n
    start[pins] = rest[pins]
    stretch = {
        "stvk_membrane": {"young_warp": 1.0, "young_weft": 1.0, "shear": 0.4},
        "stiffening_membrane": {"young_warp": 1.0, "young_weft": 1.0, "shear": 0.4},
        "spring": {"stiffness": 1.0},
        "distance": {},
    }[case.energy]
    values = _defaults(case.energy) | {name: case.stiffness * share for name, share in stretch.items()}
    if case.energy == "distance":
        values["compliance"] = 1.0 / case.stiffness
    bending = {name: 1e-5 if name.startswith("bending") else v for name, v in _defaults(case.bending).items()}
    material = solver.Material("m", "fabric", 0.2, {case.energy: values, case.bending: bending})
    return solver.Cloth("body", start, triangles, material, pins=solver.Pins(pins), rest_vertices=rest, self_contact=False)


def _block(case: ErrorCase, solver: Any) -> Any:
    rest, tetrahedra = cube_of_five(case.n)
    values = _defaults(case.energy) | {"young": case.stiffness, "poisson": case.poisson}
    material = solver.Material("m", "solid", 1000.0, {case.energy: values})
    held = case.pins == "side"
    pins = solver.Pins(np.flatnonzero(rest[:, 0] < 1e-9)) if held else None
    start = rest if held else rest * [1.1, 1.0, 0.95]  # a free body oscillates
    return solver.SoftBody("body", start, tetrahedra, material, pins=pins, rest_vertices=rest)


def _defaults(energy: str) -> dict[str, float]:
    from solver.scene import catalog

    return {name: parameter.default for name, parameter in catalog.energies()[energy].parameters.items()}


def ratio(told: float, true: float) -> float:
    return (told + NOTHING) / (true + NOTHING)


def compared(case: ErrorCase, limit: float | None = None) -> tuple[float, float]:
    """The error of the report after some frames, and the true one [m]. limit: of a sheet's principal stretches."""
    import solver

    scene = scene_of(case)
    if limit is not None:
        (body,) = scene.bodies
        scene = replace(scene, bodies=[replace(body, material=limited(body.material, limit))])
    sim = solver.Simulation(scene, plain_settings(threads=1, **case.settings))
    for _ in range(FRAMES):
        report = sim.advance_frame().report
    state, n = sim.state, sim.model.n_vertices
    # Where the substep ended before its positions were rounded.
    end = state.x_pred[:n, :3].astype(float) + state.correction[:n, :3]
    apart = end - solved(sim)
    return report.error, float(np.linalg.norm(apart, axis=1).max())


def solved(sim: Any) -> Array:
    """Return the solution of the equations of the simulation's last substep [m], (n, 3) double, without contact."""
    import solver
    from solver.methods import potential
    from solver.methods.batch import set_strains
    from solver.stepping.pins import place_pins
    from solver.stepping.poses import Drivers

    exact = {"dtype": "float64", "method": "newton", "global_iterations": 0, "error_tolerance": None, "sleep": False}
    reference = solver.Simulation(sim.scene, replace(sim.settings, iterations=1, warm_start=0.0, **exact))
    model, state, newton = reference.model, reference.state, reference.substeps.now.method
    for name in ("x0", "x_pred", "load", "x"):
        getattr(state, name)[:] = getattr(sim.state, name)
    state.take_up()
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        if batch.damped:
            set_strains(batch, strains, state.x0)
    targets = Drivers(model).at(sim.state.time).pins
    place_pins(model, state, targets, targets)
    force = np.empty_like(state.x)
    potential.gradient(model, state, state.x_pred, np.zeros_like(force), force)
    begun = np.linalg.norm(force)
    newton.begin(state)
    newton.first, newton.goal = begun, 1e-3 * SOLVED
    for sweep in range(500):
        if newton.sweep(state, sweep):
            break
    potential.gradient(model, state, state.x, state.correction, force)
    remaining = np.linalg.norm(force) / begun
    assert remaining < SOLVED, f"Newton's method leaves {remaining:.1e} of the force"
    return state.x[: model.n_vertices, :3].copy()


def table(count: int) -> Iterator[tuple[ErrorCase, float, float]]:
    for case in cases(count):
        yield case, *compared(case)
