"""A periodic patch of yarns as arrays, and its rest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..device.plain import Plain
from .cylinder import SIDE, cylinder, images, place
from .frames import edge_frames, rod_strain, transported
from .knit_paths import knit_paths
from .minimise import Factor, minimise, neighbours_of, no_factor
from .pattern import Pattern
from .rods import Rods
from .tangent import vertex_order
from .weave_paths import Path, weave_paths
from .yarn import Yarn

#: Distance of vertices along a yarn, in radii: at half a radius psi is within 3 % of that at a quarter.
SPACING = 0.5
#: Largest entry of the gradient at rest, in bending stiffnesses over squared radii.
TOLERANCE = 1e-6
#: Pairs of vertices near each other, for each vertex.
CAPACITY = 200


class Problem(NamedTuple):
    """Input of the solve: the rods; size of the patch [m]; scale of the strains of a free cell as unknowns [m], and their
    stiffness [N/m]; distance of listed pairs below contact [m]; the longest step [m]; the patch's longer side [m]."""

    rods: Rods
    width: float
    height: float
    scale: float
    cell_stiffness: float
    skin: float
    longest: float
    widest: float


class Solution(NamedTuple):
    """q: material coordinates, (n, 4). energy [J]. force: largest entry of the gradient [N]. steps. converged."""

    q: np.ndarray
    energy: float
    force: float
    steps: int
    converged: bool


@dataclass(frozen=True)
class Patch:
    """problem: input of the solve. q: material coordinates at rest, and the turn of the edge times the radius [m], (n, 4).
    order: places of the vertices in the band of this width. tolerance [N]. energy: at rest [J]."""

    problem: Problem
    q: np.ndarray
    order: np.ndarray
    width: int
    tolerance: float
    energy: float = 0.0

    @property
    def area(self) -> float:
        return self.problem.width * self.problem.height

    def factor(self) -> Factor:
        """Return a preconditioner for consecutive solves."""
        return no_factor(len(self.q), self.width)

    def solve(self, q: np.ndarray, shape: np.ndarray, most: int = 3000, factor: Factor | None = None) -> Solution:
        """The yarns' rest under a shape of `cylinder`, from q. factor: of the solve before, of a shape that is near."""
        return self._solve(q.ravel().copy(), shape.copy(), most, factor)[0]

    def solve_free(self, q: np.ndarray, most: int = 6000) -> tuple[Solution, float, float]:
        """Return the rest state in a cell of free size, flat and without shear, and its stretch along x and y."""
        z = np.concatenate([q.ravel(), np.zeros(2)])
        solution, z = self._solve(z, cylinder(0.0, 0.0, 0.0), most)
        return solution, float(z[-2] / self.problem.scale), float(z[-1] / self.problem.scale)

    def _solve(
        self, z: np.ndarray, shape: np.ndarray, most: int, factor: Factor | None = None
    ) -> tuple[Solution, np.ndarray]:
        n = len(self.q)
        factor, pairs = factor or self.factor(), np.empty((3, CAPACITY * n), np.int64)
        energy, force, steps, *_ = minimise(z, self.problem, shape, self.order, factor, pairs, self.tolerance, most)
        return Solution(z[: 4 * n].reshape(n, 4), energy, force, steps, math.isfinite(energy) and force <= self.tolerance), z

    def pairs_at(self, q: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, int]:
        """Pairs that contact may act between, (3, capacity), and how many."""
        motions, x, pairs = np.empty((SIDE * SIDE, 5)), np.empty((len(q), 3)), np.empty((3, CAPACITY * len(q)), np.int64)
        images(shape, self.problem.width, self.problem.height, motions)
        place(q, shape, x)
        return pairs, neighbours_of(self.problem, shape, motions, x, pairs)


def make_patch(pattern: Pattern, yarns: tuple[Yarn, Yarn], spacing: float = SPACING) -> Patch:
    """The patch of a pattern as it is drawn, its yarns straight by nature. yarns: warp, weft."""
    paths, width, height = weave_paths(pattern, yarns) if pattern.kind == "weave" else knit_paths(pattern, yarns[0])
    return patch_of(paths, width, height, spacing)


def patch_of(paths: list[Path], width: float, height: float, spacing: float = SPACING) -> Patch:
    """A patch of closed paths, with vertices `spacing` radii apart."""
    reach = SIDE // 2
    home = reach * SIDE + reach
    columns: dict[str, list[np.ndarray]] = {name: [] for name in Rods._fields}
    points, first = [], [0]
    for number, path in enumerate(paths):
        over = np.array([path.period[0] * width, path.period[1] * height, 0.0])
        whole = np.vstack([path.points, path.points[0] + over])
        arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(whole, axis=0), axis=1))])
        n = round(arc[-1] / (spacing * path.yarn.radius))
        at = np.arange(n) * arc[-1] / n
        x = np.stack([np.interp(at, arc, whole[:, k]) for k in range(3)], 1)
        ahead = np.diff(np.vstack([x, x[0] + over]), axis=0)
        edges = np.linalg.norm(ahead, axis=1)
        index, to = np.arange(n), path.period[0] * SIDE + path.period[1]
        each = np.full(n, edges.sum() / n)
        points.append(x)
        columns["after"].append(first[-1] + (index + 1) % n)
        columns["before"].append(first[-1] + (index - 1) % n)
        columns["image_after"].append(np.where(index == n - 1, home + to, home))
        columns["image_before"].append(np.where(index == 0, home - to, home))
        columns["length"].append(each)
        columns["share"].append(each)
        for name in ("stretch", "radius"):
            columns[name].append(np.full(n, getattr(path.yarn, name)))
        columns["bend"].append(np.full(n, path.yarn.bending))
        columns["twist"].append(np.full(n, path.yarn.twist))
        columns["press"].append(np.full(n, path.yarn.contact))
        columns["natural"].append(np.zeros((n, 3)))
        columns["tangent"].append(ahead / edges[:, None])
        columns["director"].append(transported(ahead))
        columns["yarn"].append(np.full(n, number))
        columns["along"].append(index * each)
        first.append(first[-1] + n)
    q = np.concatenate([np.concatenate(points), np.zeros((first[-1], 1))], axis=1)
    single = {
        "first": np.array(first),
        "period": np.array([path.period for path in paths]),
        "whole": np.array([len(x) * length[0] for x, length in zip(points, columns["length"], strict=True)]),
    }
    arrays = {name: np.concatenate(parts) for name, parts in columns.items() if parts}
    arrays["weight"] = arrays["share"] / arrays["share"].sum()
    q[:, 2] -= arrays["weight"] @ q[:, 2]
    rods = Rods(**arrays, **single)
    radius = min(path.yarn.radius for path in paths)
    scale = math.sqrt(width * height)
    stiffness = 0.1 * float((rods.stretch * rods.length).sum()) / scale**2
    input_of_patch = Problem(rods, width, height, scale, stiffness, 0.5 * radius, 0.25 * radius, max(width, height))
    tolerance = TOLERANCE * min(path.yarn.bending / path.yarn.radius**2 for path in paths)
    return _ordered(Patch(input_of_patch, q, np.arange(len(q)), len(q) - 1, tolerance))


def _ordered(patch: Patch) -> Patch:
    """Return the patch with its vertices in an order of narrow bands, for the current near pairs."""
    rods = patch.problem.rods
    pairs, count = patch.pairs_at(patch.q, cylinder(0.0, 0.0, 0.0))
    two = np.stack([rods.before, rods.after], 1)  # a vertex's neighbours share its bending
    links = np.concatenate([np.stack([np.arange(len(patch.q)), rods.after], 1), two, pairs[:2, :count].T])
    order, width = vertex_order(len(patch.q), links)
    return replace(patch, order=order, width=width)


def with_cell(patch: Patch, q: np.ndarray, stretch_x: float, stretch_y: float) -> Patch:
    """Return the same yarns, at q of a stretched cell, with that cell as the unstretched one."""
    stretched, grown = patch.problem, np.array([1.0 + stretch_x, 1.0 + stretch_y, 1.0, 1.0])
    width, height = stretched.width * grown[0], stretched.height * grown[1]
    stretched = stretched._replace(width=width, height=height, widest=max(width, height))
    return _ordered(replace(patch, problem=stretched, q=q * grown))


def with_frames(patch: Patch) -> Patch:
    """Return the same yarns in the same place, with their edges' current frames as the reference."""
    frames, _ = _frames(patch)
    rods = patch.problem.rods._replace(director=frames[:, 0].copy(), tangent=frames[:, 2].copy())
    return replace(patch, q=patch.q * np.array([1.0, 1.0, 1.0, 0.0]), problem=patch.problem._replace(rods=rods))


def with_set(patch: Patch, share: np.ndarray) -> Patch:
    """Return the same yarns, with `share` (n,) of their curvature, and all of their twist, as their natural one."""
    rods = patch.problem.rods
    frames, motions = _frames(patch)
    strain = [rod_strain(frames, v, rods.before[v], motions[rods.image_before[v]]) for v in range(len(patch.q))]
    set_strain = np.array(strain) * np.stack([share, share, np.ones(len(share))], 1)
    return replace(patch, problem=patch.problem._replace(rods=rods._replace(natural=set_strain)))


def _frames(patch: Patch) -> tuple[np.ndarray, np.ndarray]:
    """Return the frame of each edge in the flat patch, and the motions of its images."""
    n = len(patch.q)
    motions, x, frames = np.empty((SIDE * SIDE, 5)), np.empty((n, 3)), np.empty((n, 4, 3))
    flat = cylinder(0.0, 0.0, 0.0)
    images(flat, patch.problem.width, patch.problem.height, motions)
    place(patch.q, flat, x)
    edge_frames(patch.problem.rods, patch.q, x, motions, flat, frames, np.empty(n))
    return frames, motions


def as_arrays(patch: Patch) -> dict[str, Plain]:
    """Return a patch as plain arrays for another process (`from_arrays`)."""
    fields = patch.problem._asdict() | {"rods": patch.problem.rods._asdict()}
    return {"problem": fields, **{name: getattr(patch, name) for name in ("q", "order", "width", "tolerance", "energy")}}


def from_arrays(values: dict[str, Any]) -> Patch:
    input_of_patch = Problem(**values["problem"] | {"rods": Rods(**values["problem"]["rods"])})
    return Patch(**values | {"problem": input_of_patch})
