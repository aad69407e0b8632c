"""The stress tests of the paper's Table 5 and Figure 7 as plain arrays, in SI units: `python -m benchmarks.paper.cubes`.

A 1 m cube of n^3 cells with six tetrahedra each, E = 1e5 Pa. The paper gives neither density, size, speed nor damping:
ours are 1000 kg/m^3, 1 m, leads that move for `RAMP` seconds and then hold, no damping, no gravity (but for the impact).
Source: Chaudhary, Pokhariya, Narain, "Towards Generalized Position-Based Dynamics", Table 5, after Macklin and Muller 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks import machine
from tests.scenes import meshes

Array = np.ndarray
DENSITY, YOUNG = 1000.0, 1e5
#: Seconds in which the leads reach their end; the rest of a scene they hold.
RAMP = 1.0
LENGTH = 2.0  # seconds of every scene


@dataclass(frozen=True)
class Cube:
    """A cube. rest, start: vertices [m], (n, 3). held: (k,), driven by targets(time [s]) -> (k, 3), or empty. ground: a
    plane z = 0 and gravity."""

    name: str
    rest: Array
    start: Array
    tetrahedra: Array
    held: Array
    targets: Callable[[float], Array] | None = None
    ground: bool = False


def _led(name: str, n: int, pose: Callable[[Array, float], Array]) -> Cube:
    """Return a cube whose ends, x = 0 and x = 1, are driven by pose(points, share)."""
    x, tetrahedra = meshes.cube_of_six(n)
    held = np.flatnonzero((x[:, 0] < 1e-9) | (x[:, 0] > 1 - 1e-9))
    return Cube(name, x, x, tetrahedra, held, lambda time: pose(x[held], min(time / RAMP, 1.0)))


def stretch(n: int = 15) -> Cube:
    """Stretch to twice the length."""
    return _led("Stretch", n, lambda p, share: p * [1 + share, 1, 1] - [0.5 * share, 0, 0])


def compress(n: int = 20) -> Cube:
    """Compress to half the length."""
    return _led("Compress", n, lambda p, share: p * [1 - 0.5 * share, 1, 1] + [0.25 * share, 0, 0])


def twist(n: int = 15) -> Cube:
    """Twist by half a turn."""

    def pose(p: Array, share: float) -> Array:
        angle = np.pi * share * (p[:, 0] - 0.5)
        cosine, sine, y, z = np.cos(angle), np.sin(angle), p[:, 1] - 0.5, p[:, 2] - 0.5
        return np.stack([p[:, 0], 0.5 + cosine * y - sine * z, 0.5 + sine * y + cosine * z], 1)

    return _led("Twist", n, pose)


def flatten(n: int = 20) -> Cube:
    """A free cube pressed to a thousandth of its height at the start."""
    x, tetrahedra = meshes.cube_of_six(n)
    return Cube("Flatten", x, x * [1, 1e-3, 1], tetrahedra, np.zeros(0, int))


def randomize(n: int = 20) -> Cube:
    """A free cube, every vertex somewhere in the cube at the start."""
    x, tetrahedra = meshes.cube_of_six(n)
    return Cube("Randomize", x, np.random.default_rng(0).uniform(0, 1, x.shape), tetrahedra, np.zeros(0, int))


def impact(n: int = 25) -> Cube:
    """A cube that falls half a metre onto the ground."""
    x, tetrahedra = meshes.cube_of_six(n)
    return Cube("Cube Impact", x, x + [0, 0, 0.5], tetrahedra, np.zeros(0, int), ground=True)


CUBES: dict[str, Callable[..., Cube]] = {
    "Flatten": flatten,
    "Randomize": randomize,
    "Stretch": stretch,
    "Compress": compress,
    "Twist": twist,
    "Cube Impact": impact,
}


def solver_scene(cube: Cube, energy: str, poisson: float):
    """The scene for the solver."""
    import solver

    material = solver.Material.solid(DENSITY, YOUNG, poisson, energy=energy, damping=0.0, friction=0.4)
    pins = solver.Pins(cube.held, targets=cube.targets) if len(cube.held) else None
    body = solver.SoftBody(cube.name, cube.start, cube.tetrahedra, material, pins=pins, rest_vertices=cube.rest)
    if cube.ground:
        return solver.Scene([body], [solver.Plane("ground")])
    return solver.Scene([body], gravity=(0, 0, 0))


def volume_ratios(x: Array, cube: Cube) -> Array:
    """J of every tetrahedron: its volume over that at rest, negative where inverted."""

    def volumes(points: Array) -> Array:
        edges = points[cube.tetrahedra[:, 1:]] - points[cube.tetrahedra[:, :1]]
        return np.linalg.det(edges.astype(float))

    return volumes(x) / volumes(cube.rest)


def main() -> None:
    rows = []
    for name, make in CUBES.items():
        cube = make()
        rows.append([name, str(len(cube.rest)), str(len(cube.tetrahedra)), str(len(cube.held)), make.__doc__ or ""])
    print(machine.table(["scene", "vertices", "tetrahedra", "led", "what happens"], rows))


if __name__ == "__main__":
    main()
