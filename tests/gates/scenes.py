"""Gate scenes: small ones of the kinds that artists make, whose work is bounded (`test_gates.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import solver
from solver.topology.lattice import fill_with_lattice
from tests.scenes import contact, many_bodies, resting, rope_scenes, without_contact
from tests.scenes.garment_meshes import cone, egg, top_of
from tests.scenes.materials import FABRIC, SOLID
from tests.scenes.meshes import ball, brick, rectangle
from tests.scenes.stress import trampoline, twists
from tests.scenes.stress.stress import limited


@dataclass(frozen=True)
class Gate:
    """make: gives the scene. frames: whose work counts, after `before` others; few enough that rounding does not grow into
    another motion. quality: of the settings."""

    make: Callable[[], Any]
    frames: int
    before: int = 0
    quality: str = "draft"


def hang(limit: float | None = None) -> Any:
    """A sheet of 32 x 32 hangs by two corners; where it is limited no principal stretch is beyond that."""
    fabric = solver.Material.fabric(**FABRIC)
    return without_contact.solver_scene(without_contact.s1(32), solver, fabric if limit is None else limited(fabric, limit))


def block() -> Any:
    """A block of rubber of 8^3 cells, ten times as stiff as the one of the benchmarks, droops from a side that is held."""
    rubber = solver.Material.solid(**{**SOLID, "young": 10 * SOLID["young"]})
    return without_contact.solver_scene(without_contact.s3f(8), solver, rubber)


def jelly() -> Any:
    """A ball of jelly of 0.1 m falls on the edge of a step, and off it."""
    v, u = ball(2, 0.1, (0, 0, 0.22))
    x, t, share = fill_with_lattice("jelly", v, u, 0.08)
    body = solver.SoftBody(
        "jelly", x, t, solver.load_material("jelly"), surface=v, surface_triangles=u, volume_fraction=share,
        self_contact=True, velocities=np.tile([0.5, 0.0, 0.0], (len(x), 1)),
    )  # fmt: skip
    step, faces = brick((0.4, 0.6, 0.1), (-0.2, 0, 0.05))
    return solver.Scene([body], [solver.Collider("step", step, faces), solver.Plane("ground")])


def yarn_fabric() -> Any:
    """A plain weave of yarns, 16 x 16, hangs by two corners."""
    x, t = rectangle((16, 16), (0.3, 0.3))
    pins = solver.Pins([16, 17 * 17 - 1])
    return solver.Scene([solver.Cloth("sheet", x, t, solver.load_material("plain_weave"), pins=pins, uv=x[:, :2])])


def skirt() -> Any:
    """A skirt over a petticoat, on hips that turn to and fro by 30 degrees in a second."""
    hips, u = egg(3, (0.16, 0.13, 0.14), (0, 0, -0.04))

    def turned(points: Any, time: float) -> Any:
        a = np.radians(15) * (1 - np.cos(2 * np.pi * time))
        c, s = np.cos(a), np.sin(a)
        return np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1], points[:, 2]], 1)

    bodies = []
    for k, name in enumerate(("petticoat", "skirt")):
        x, t = cone(28 + 2 * k, 12 + k, 0.17 + 0.012 * k, 0.3 + 0.03 * k, 0.45)
        top = top_of(x)
        pins = solver.Pins(top, targets=lambda time, held=x[top]: turned(held, time))
        bodies.append(solver.Cloth(name, x, t, solver.Material.fabric(**FABRIC), pins=pins))
    return solver.Scene(bodies, [solver.Collider("hips", lambda time: turned(hips, time), u)])


GATES = {
    "drape": Gate(lambda: contact.drape(solver, 32)[0], 8),
    "drape_production": Gate(lambda: contact.drape(solver, 32)[0], 8, quality="production"),
    "at_rest": Gate(lambda: contact.fold(solver, 16)[0], 6, 24),
    "fold": Gate(lambda: contact.fold(solver, 32)[0], 12),
    "layers": Gate(lambda: contact.layers(solver, 16, 3)[0], 12),
    "hang": Gate(hang, 16),
    "limit": Gate(lambda: hang(0.02), 16),
    "twist": Gate(lambda: twists.twisted_tube(solver).scene, 16),
    "trampoline": Gate(lambda: trampoline.trampoline(solver).scene, 10),
    "cards": Gate(lambda: resting.cards(solver)[0], 12),
    "dominoes": Gate(lambda: many_bodies.soft_dominoes(solver)[0], 8),
    "bag": Gate(lambda: many_bodies.bag(solver)[0], 4),
    "jelly": Gate(jelly, 12),
    "block": Gate(block, 16),
    "yarn_fabric": Gate(yarn_fabric, 8),
    "skirt": Gate(skirt, 12),
    "rope": Gate(lambda: rope_scenes.hung(solver, 1000), 16),
    "coil": Gate(lambda: rope_scenes.poured(solver, 10, 0.06), 12),
}
