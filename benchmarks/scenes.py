"""The scenes of all benchmarks as plain arrays, in SI units, z up: `python -m benchmarks.scenes` lists them.

S1: a 1 m sheet hung by two corners. S1h: the same hung by a side. S3: a 1 m block clamped at x = 0 that droops, in steps
of 1 ms; S3F: in steps of 1/192 s. S4: the block stretched to 1.5 times its length and twisted by half a turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import machine

Array = np.ndarray
FPS = 24.0


@dataclass(frozen=True)
class SceneArrays:
    """start, rest: vertices [m], (n, 3). elements: triangles (t, 3) or tetrahedra (t, 4). pins: (k,), held at the start or
    led by targets, a function of time [s]. step: seconds of one frame, frames of them make the scene."""

    name: str
    start: Array
    rest: Array
    elements: Array
    pins: Array
    step: float
    frames: int
    targets: Callable[[float], Array] | None = None


#: The sheets' fabric: an isotropic membrane of about the stiffness of a net of 2000 N/m springs along the edges.
FABRIC = {"density": 0.2, "young": 2000.0, "shear": 750.0, "poisson": 1 / 3, "bending": 1e-5}
#: The same sheet as springs along its edges [N/m].
SPRING = 2000.0
NET = {"stiffness": SPRING, "damping": 0.0}
#: The blocks' rubber: kg/m^3, Pa.
SOLID = {"density": 1000.0, "young": 1e5, "poisson": 0.45}


def grid(n: int, size: float = 1.0) -> tuple[Array, Array]:
    """A square of n x n quads in z = 0, each split along one diagonal, in a chequer: vertices, triangles."""
    t = np.linspace(0.0, size, n + 1)
    x, y = np.meshgrid(t, t, indexing="ij")
    vertices = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)
    number = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    p, q, r, s = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    rising = (np.indices((n, n)).sum(0) % 2 == 0)[..., None, None]
    pair = np.where(rising, _stack([(p, q, r), (p, r, s)]), _stack([(p, q, s), (q, r, s)]))
    return vertices, pair.reshape(-1, 3).astype(np.int32)


def _stack(rows: list[tuple[Array, ...]]) -> Array:
    """(..., elements, corners)."""
    return np.stack([np.stack(row, -1) for row in rows], -2)


def lattice(n: int) -> tuple[Array, Array]:
    """Vertices of a 1 m cube of n^3 cells, and the eight corners of each cell, (n^3, 8), corner 4 dx + 2 dy + dz."""
    t = np.linspace(0.0, 1.0, n + 1)
    vertices = np.stack(np.meshgrid(t, t, t, indexing="ij"), -1).reshape(-1, 3)
    number = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    ends = (slice(None, -1), slice(1, None))
    corners = [number[ends[i], ends[j], ends[k]].ravel() for i, j, k in itertools.product((0, 1), repeat=3)]
    return vertices, np.stack(corners, 1)


def cube_of_six(n: int) -> tuple[Array, Array]:
    """A 1 m cube of n^3 cells with six tetrahedra each, one for each way from one corner to the opposite one."""
    vertices, cells = lattice(n)
    ways = [np.cumsum([0, *(4 >> axis for axis in order)]) for order in itertools.permutations(range(3))]
    return vertices, _positive(vertices, np.concatenate([cells[:, way] for way in ways]))


def cube_of_five(n: int) -> tuple[Array, Array]:
    """A 1 m cube of n^3 cells with five tetrahedra each: one inside, one at every other corner; neighbours are mirrored."""
    vertices, cells = lattice(n)
    inner = (0, 3, 5, 6)  # corners that lie across the faces' diagonals from each other
    odd = np.indices((n, n, n)).sum(0).ravel() % 2
    mirrored = np.where(odd[:, None] == 1, cells[:, np.arange(8) ^ 1], cells)
    at_corners = [(far, *(far ^ bit for bit in (1, 2, 4))) for far in (1, 2, 4, 7)]
    return vertices, _positive(vertices, np.concatenate([mirrored[:, list(four)] for four in (inner, *at_corners)]))


def _positive(vertices: Array, tetrahedra: Array) -> Array:
    """The same tetrahedra, all of positive volume."""
    edges = vertices[tetrahedra[:, 1:]] - vertices[tetrahedra[:, :1]]
    turned = np.linalg.det(edges) < 0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
    return tetrahedra.astype(np.int32)


def _hung(name: str, n: int, pins: Array, frames: int) -> SceneArrays:
    rest, triangles = grid(n)
    start = rest.copy()
    start[:, 2] += 1e-3 / n * np.random.default_rng(7).standard_normal(len(rest))  # so that no perfect flatness is kept
    start[pins] = rest[pins]
    return SceneArrays(name, start, rest, triangles, pins, 1 / FPS, frames)


def s1(n: int = 128) -> SceneArrays:
    """Hung by the two corners at y = 1 m; 60 frames."""
    return _hung("S1", n, np.array([n, (n + 1) ** 2 - 1]), 60)


def s1h(n: int = 80) -> SceneArrays:
    """Hung by the side y = 1 m; until it rests."""
    return _hung("S1h", n, np.arange(n + 1) * (n + 1) + n, 240)


def _block(name: str, n: int, step: float, frames: int) -> SceneArrays:
    vertices, tetrahedra = cube_of_five(n)
    return SceneArrays(name, vertices, vertices, tetrahedra, np.flatnonzero(vertices[:, 0] < 1e-9), step, frames)


def s3(n: int = 25) -> SceneArrays:
    return _block("S3", n, 1e-3, 100)


def s3f(n: int = 25) -> SceneArrays:
    return _block("S3F", n, 1 / 192, 96)


def s4(n: int = 31) -> SceneArrays:
    """Both ends are led for 1 s, then held for half a second."""
    vertices, tetrahedra = cube_of_five(n)
    pins = np.flatnonzero((vertices[:, 0] < 1e-9) | (vertices[:, 0] > 1 - 1e-9))
    held = vertices[pins]
    side = np.where(held[:, 0] > 0.5, 1.0, -1.0)

    def targets(time: float) -> Array:
        share = np.clip(time, 0.0, 1.0)
        angle = 0.5 * np.pi * share * side
        y, z = held[:, 1] - 0.5, held[:, 2] - 0.5
        turned = [0.5 + np.cos(angle) * y - np.sin(angle) * z, 0.5 + np.sin(angle) * y + np.cos(angle) * z]
        return np.stack([held[:, 0] + 0.25 * share * side, *turned], 1)

    return SceneArrays("S4", vertices, vertices, tetrahedra, pins, 1 / 60, 90, targets)


SCENES: dict[str, Callable[..., SceneArrays]] = {"S1": s1, "S1h": s1h, "S3": s3, "S3F": s3f, "S4": s4}


def solver_scene(arrays: SceneArrays, package: Any, material: Any = None) -> Any:
    """The scene for the solver. package: `solver` or a copy of it. material: default the one above."""
    pins = package.Pins(arrays.pins, targets=arrays.targets)
    sheet = arrays.elements.shape[1] == 3
    material = material or (package.Material.fabric(**FABRIC) if sheet else package.Material.solid(**SOLID))
    kind, name = (package.Cloth, "sheet") if sheet else (package.SoftBody, "block")
    return package.Scene([kind(name, arrays.start, arrays.elements, material, pins=pins, rest_vertices=arrays.rest)])


def spring_material(package: Any) -> Any:
    """A fabric of springs with the sheets' density and bending."""
    bending = {"bending_warp": FABRIC["bending"], "bending_weft": FABRIC["bending"], "damping": 0.0}
    energies = {"spring": NET, "discrete_shell": bending}
    return package.Material("springs", "fabric", FABRIC["density"], energies)


def edges_of(elements: Array) -> Array:
    """Each edge once, (e, 2)."""
    corners = elements.shape[1]
    pairs = np.concatenate([elements[:, pair] for pair in itertools.combinations(range(corners), 2)])
    return np.unique(np.sort(pairs, 1), axis=0)


def mass_of(arrays: SceneArrays, density: float) -> Array:
    """Each triangle's mass in equal parts at its corners [kg], (n,)."""
    corners = arrays.rest[arrays.elements]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return np.bincount(arrays.elements.ravel(), np.repeat(density * area / 3, 3), len(arrays.rest))


def stretch(x: Array, arrays: SceneArrays) -> tuple[float, float]:
    """Mean and largest extension of the edges over their rest length; compression counts as 0."""
    edges = edges_of(arrays.elements)
    lengths = [np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (x, arrays.rest)]
    extension = np.maximum(lengths[0] / lengths[1] - 1.0, 0.0)
    return float(extension.mean()), float(extension.max())


def main() -> None:
    rows = []
    for name, make in SCENES.items():
        made = make()
        noun = "triangles" if made.elements.shape[1] == 3 else "tetrahedra"
        rows.append([name, str(len(made.start)), f"{len(made.elements)} {noun}", str(len(made.pins)), str(made.frames)])
    print(machine.table(["scene", "vertices", "elements", "pins", "frames"], rows))


if __name__ == "__main__":
    main()
