"""Scenes without contact as plain arrays, in SI units, z up: `python -m benchmarks.scenes` lists them.

S1: a 1 m sheet hung by two corners. S1h: the same hung by a side. S3: a 1 m block clamped at x = 0 that droops, in steps
of 1 ms; S3F: in steps of 1/192 s. S4: the block stretched to 1.5 times its length and twisted by half a turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC, SOLID
from tests.scenes.meshes import cube_of_five, grid

Array = np.ndarray
FPS = 24.0


@dataclass(frozen=True)
class SceneArrays:
    """Arrays of a scene. start, rest: vertices [m], (n, 3). elements: triangles (t, 3) or tetrahedra (t, 4). pins: (k,),
    held at the start or driven by targets, a function of time [s]. step: seconds of one frame, frames of them make the
    scene.
    """

    name: str
    start: Array
    rest: Array
    elements: Array
    pins: Array
    step: float
    frames: int
    targets: Callable[[float], Array] | None = None


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
    """Both ends are driven for 1 s, then held for half a second."""
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
    more = {"pins": pins, "rest_vertices": arrays.rest, "self_contact": False}
    return package.Scene([kind(name, arrays.start, arrays.elements, material, **more)])


def edges_of(elements: Array) -> Array:
    """Return each edge once, (e, 2)."""
    corners = elements.shape[1]
    pairs = np.concatenate([elements[:, pair] for pair in itertools.combinations(range(corners), 2)])
    return np.unique(np.sort(pairs, 1), axis=0)


def mass_of(arrays: SceneArrays, density: float) -> Array:
    """Return lumped masses of a grid of rectangles, each in equal parts at its corners [kg], (n,)."""

    def width(along: Array) -> Array:
        lines, line = np.unique(np.round(along, 9), return_inverse=True)
        half = np.diff(lines) / 2
        return (np.append(half, 0) + np.append(0, half))[line]

    return density * width(arrays.rest[:, 0]) * width(arrays.rest[:, 1])


def stretch(x: Array, arrays: SceneArrays) -> tuple[float, float]:
    """Mean and largest extension of the edges over their rest length; compression counts as 0."""
    edges = edges_of(arrays.elements)
    lengths = [np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (x, arrays.rest)]
    extension = np.maximum(lengths[0] / lengths[1] - 1.0, 0.0)
    return float(extension.mean()), float(extension.max())
