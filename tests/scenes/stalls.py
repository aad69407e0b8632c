"""Scenes that stall: taut sheets that are twisted, tubes that are twisted shut, pins that squeeze, plates that press."""

from __future__ import annotations

import numpy as np

import solver
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import brick, folded, grid, sheet, tube

Array = np.ndarray


def twisted_sheet(n: int, turns: float = 4.0, seconds: float = 4.0) -> solver.Scene:
    """A sheet of 1 m by 0.5 m, drawn by 5 %, whose short sides are turned against each other."""
    x, t = grid(n)
    x = (x - [0.5, 0.5, 0]) * [1, 0.5, 1]
    pins = np.flatnonzero(np.abs(x[:, 0]) > 0.5 - 1e-9)
    held = x[pins]
    side = np.sign(held[:, 0])

    def targets(time: float) -> Array:
        share = min(time / seconds, 1.0)
        a = np.pi * turns * share * side
        along = held[:, 0] * (1 + 0.05 * min(1, 4 * share))
        return np.stack([along, held[:, 1] * np.cos(a), held[:, 1] * np.sin(a)], 1)

    material = solver.Material.fabric(**FABRIC)
    return solver.Scene([solver.Cloth("sheet", x, t, material, pins=solver.Pins(pins, targets=targets), self_contact=True)])


def twisted_tube(n: int, turns: float = 2.0) -> solver.Scene:
    """A tube of 1 m whose rings are turned against each other, half a turn a second each; they stay a metre apart."""
    x, t = tube(n, n, 0.25, 1.0)
    pins = np.flatnonzero((x[:, 2] < 1e-9) | (x[:, 2] > 1 - 1e-9))
    held = x[pins]
    side = np.where(held[:, 2] > 0.5, 1.0, -1.0)

    def targets(time: float) -> Array:
        a = np.pi * min(time, turns) * side
        c, s = np.cos(a), np.sin(a)
        return np.stack([c * held[:, 0] - s * held[:, 1], s * held[:, 0] + c * held[:, 1], held[:, 2]], 1)

    material = solver.Material.fabric(**FABRIC)
    cloth = solver.Cloth("tube", x, t, material, pins=solver.Pins(pins, targets=targets), self_contact=True)
    return solver.Scene([cloth], gravity=(0, 0, 0))


def squeezing_pins(n: int = 8) -> solver.Scene:
    """A sheet between two smaller ones, pinned all over, whose targets pass through each other and come back: 0.1 m in half
    a second each."""
    material = solver.Material.fabric(**FABRIC)
    x, t = sheet(n, 0.3, (0, 0, 0))
    bodies = [solver.Cloth("sheet", x, t, material, self_contact=True)]
    for name, side in (("lower", -1.0), ("upper", 1.0)):
        y, u = sheet(3, 0.1, (0.013 * side, 0.007, 0.05 * side), 0.2 * side)

        def targets(time: float, y: Array = y, side: float = side) -> Array:
            return y - [0, 0, 0.2 * side * max(min(time, 1 - time), 0.0)]

        pins = solver.Pins(np.arange(len(y)), targets=targets)
        bodies.append(solver.Cloth(name, y, u, material, pins=pins, self_contact=True))
    return solver.Scene(bodies, gravity=(0, 0, 0))


def pressed_fold(n: int) -> solver.Scene:
    """A folded sheet on a slab, which a plate presses 1 cm into the slab and leaves again, at 0.3 m/s."""
    x, t, rest = folded(n, 4, 1.0, max(0.6 / n, 0.008))
    x = x - [x[:, 0].mean(), x[:, 1].mean(), x[:, 2].min() - 0.02]
    top = x[:, 2].max() + 0.03
    slab, faces = brick((1.6, 1.6, 0.2))
    depth, speed = 0.01, 0.3

    def plate(time: float) -> Array:
        displacement = speed * max(min(time, 2 * (top + depth) / speed - time), 0.0)
        return slab + [0.013, 0.007, 0.1 + top - displacement]

    cloth = solver.Cloth("fold", x, t, solver.Material.fabric(**FABRIC), rest_vertices=rest, self_contact=True)
    colliders = [solver.Collider("plate", plate, faces), solver.Collider("slab", slab - [0, 0, 0.1], faces)]
    return solver.Scene([cloth], colliders)
