"""Bodies that ties bind, in contact with others, and which intersections ties excuse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import solver
from tests.scenes.intersections import Intersections
from tests.scenes.materials import FABRIC, SOFT, spring_material
from tests.scenes.meshes import brick, cube_of_five, rectangle, sheet, turn

REACH = 0.002  # of the ties [m]


def tied_cubes(others: bool = True) -> solver.Scene:
    """Two soft cubes, one tied to the other, that fly into a corner of a box; with others onto a rigid brick."""
    v, u = brick((0.4, 0.4, 0.4))
    c, k = cube_of_five(2)
    one = (0.1 * c - [0.1, 0.05, 0.05]) @ turn(0.5, (1, 2, 3)).T
    other = (0.1 * c - [-0.0005, 0.0507, 0.0496]) @ turn(0.5, (1, 2, 3)).T
    soft, velocity = solver.Material.solid(**SOFT), np.tile(turn(0.5, (1, 2, 3)) @ [0, 2.0, -2.0], (len(c), 1))
    bodies: list[Any] = [
        solver.SoftBody("one", one, k, soft, self_contact=True, velocities=velocity),
        solver.SoftBody("other", other, k, soft, self_contact=True, velocities=velocity),
    ]
    if others:
        bodies.append(solver.Rigid("brick", *brick((0.08, 0.06, 0.05), (0.1, 0.1, -0.15))))
    return solver.Scene(bodies, [solver.Collider("box", v, u)], ties=[solver.Tie("one", "other", REACH)])


def tagged_block(others: bool = True) -> solver.Scene:
    """A sheet tied to the side of a soft block, longer than it, which lands on the ground with the sheet's end first, then
    on its tied face; with others it is hit by a brick there."""
    x, t = rectangle((8, 4), (0.2, 0.09))
    c, k = cube_of_five(2)
    tag = np.stack([0 * x[:, 0], x[:, 1] - 0.046, x[:, 0] - 0.1], 1) + [-0.0512, 0, 0]
    rotation = turn(-0.85, (0, 1, 0)).T
    soft, fabric = solver.Material.solid(**SOFT), solver.Material.fabric(**FABRIC)
    bodies: list[Any] = [
        solver.Cloth("tag", tag @ rotation + [0, 0, 0.4], t, fabric, self_contact=True),
        solver.SoftBody("block", (0.1 * c - 0.05) @ rotation + [0, 0, 0.4], k, soft, self_contact=True),
    ]
    if others:
        bodies.append(solver.Rigid("brick", *brick((0.05, 0.05, 0.05), (-0.1, 0.01, 0.7))))
    return solver.Scene(bodies, [solver.Plane("ground")], ties=[solver.Tie("tag", "block", REACH)])


def tied_sheets(n: int = 8) -> solver.Scene:
    """A sheet that hangs by one side and a second one tied to the other side swing down to the ground."""
    x, t = sheet(n, 0.4, (0, 0, 0))
    y, u = sheet(n, 0.4, (0.401, 0.002, 0))
    fabric, pins = spring_material(solver), solver.Pins(np.flatnonzero(x[:, 0] < -0.199))
    bodies = [solver.Cloth("hung", x, t, fabric, pins=pins), solver.Cloth("tied", y, u, fabric)]
    return solver.Scene(bodies, [solver.Plane("ground", [0, 0, -0.35])], ties=[solver.Tie("hung", "tied", 0.01)])


def at_ties(scene: Any, simulation: solver.Simulation, counter: Intersections, pairs: Iterable[tuple[int, int]]) -> int:
    """Count, of edges and faces that pass through each other, those with parts near enough at the start to be excused: one
    of two tied bodies, with a tied vertex of the first, nearer than the tie's distance plus both contact distances."""
    (tie,), start = scene.ties, np.concatenate([np.asarray(body.vertices, float) for body in scene.bodies])
    ipctk, rows = counter.ipctk, {body.name: k for k, body in enumerate(scene.bodies)}
    owner = np.repeat(range(len(scene.bodies)), [len(body.vertices) for body in scene.bodies])
    surfaces = simulation.contact.surfaces  # type: ignore[union-attr]
    distances, count = 2 * surfaces.half, 0
    for e, f in ((counter.edges[e], counter.faces[f]) for e, f in pairs):
        if max(*e, *f) >= len(start) or {owner[e[0]], owner[f[0]]} != {rows[tie.body], rows[tie.other]}:
            continue
        primitive_pairs = [([a], f, ipctk.point_triangle_distance(start[a], *start[f])) for a in e]
        sides = [f[[0, 1]], f[[1, 2]], f[[2, 0]]]
        primitive_pairs += [(e, g, ipctk.edge_edge_distance(*start[e], *start[g])) for g in sides]
        for a, b, square in primitive_pairs:
            reach = REACH + 0.5 * (distances[a].min() + distances[b].min())
            if surfaces.bound[[*a, *b]].any() and square**0.5 <= reach:
                count += 1
                break
    return count
