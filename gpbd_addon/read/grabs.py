"""Grabs of bodies as input of the solver: those of the mouse, and recorded ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy
import numpy as np

from ...solver.json_value import JsonValue
from ...solver.scene import Grab
from . import evaluated_mesh
from .body_input import BodyInput

Array = np.ndarray
#: Simulated vertices (k,), their stiffness [N/m], and how far they are drawn [m], (k, 3).
Springs = tuple[Array, Array, Array]

#: Of the springs [s]: grabbed vertices follow without a long swing.
DAMPING = 0.05


def springs(body: BodyInput, vertices: Array, shares: Array, stiffness: float, displacement: Array) -> Springs:
    """vertices: of the mesh, (k,). shares: of the stiffness, (k,) of any sum. stiffness: of all together [N/m], infinite to
    hold. displacement: of the hand [m], (3,)."""
    rows, parts = body.grabbed(vertices, shares)
    held = np.isinf(stiffness)
    each = np.full(len(rows), np.inf) if held else stiffness * parts / parts.sum()
    return rows, each, np.tile(np.zeros(3) if held else displacement, (len(rows), 1))


def together(parts: list[Springs]) -> Grab:
    """Combine the springs of one body. Of several springs at one vertex the last counts."""
    vertices, stiffness, moved = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    _, last = np.unique(vertices[::-1], return_index=True)
    rows = np.sort(len(vertices) - 1 - last)
    return Grab(vertices[rows], stiffness[rows], moved[rows], DAMPING)


def displacement(before: Array, now: Array, scale: float) -> Array:
    """Return the motion of a hand between two places in world space [Blender units], (3,) float32 [m].

    scale: metres of a Blender unit.
    """
    moved: Array = scale * (now.astype(float) - before.astype(float))
    return moved


def hands(bodies: Iterable[Any]) -> list[bpy.types.Object]:
    """Objects whose motion recorded grabs take."""
    return list(dict.fromkeys(item.hand for ob in bodies for item in ob.gpbd.grabs if item.hand is not None))


def places(bodies: Iterable[Any], depsgraph: bpy.types.Depsgraph) -> dict[str, Array]:
    """Return the places of hands by their full names, (3,) [Blender units]."""
    there = {hand.name_full: hand.evaluated_get(depsgraph).matrix_world for hand in hands(bodies)}
    return {name: np.array(matrix, np.float32)[:3, 3] for name, matrix in there.items()}


def recorded(
    bodies: Iterable[tuple[BodyInput, Any]], depsgraph: bpy.types.Depsgraph, scale: float, before: Mapping[str, Array],
    now: Mapping[str, Array],
) -> dict[str, Grab]:  # fmt: skip
    """Return the recorded grab of each body, given with its object, on the way to the depsgraph's frame.

    before, now: `places`.

    Raises: SceneError.
    """
    by_body = {}
    for body, ob in bodies:
        parts = [_springs(body, ob, item, depsgraph, scale, before, now) for item in ob.gpbd.grabs if item.on]
        parts = [one for one in parts if len(one[0])]
        if parts:
            by_body[body.name] = together(parts)
    return by_body


def _springs(
    body: BodyInput, ob: bpy.types.Object, item: Any, depsgraph: bpy.types.Depsgraph, scale: float,
    before: Mapping[str, Array], now: Mapping[str, Array],
) -> Springs:  # fmt: skip
    if item.vertex_group not in body.known_groups:
        there = evaluated_mesh.evaluated(ob, depsgraph)
        body.known_groups[item.vertex_group] = evaluated_mesh.weights(there, item.vertex_group, "group of the grab")
    weights = body.known_groups[item.vertex_group]
    rows, name = np.flatnonzero(weights > 0), item.hand.name_full if item.hand is not None else ""
    moved = displacement(before[name], now[name], scale) if name in before else np.zeros(3)
    return springs(body, rows, weights[rows], np.inf if item.is_held else item.stiffness, moved)


def identity(ob: bpy.types.Object) -> list[JsonValue]:
    """Return the recorded grabs as JSON values."""
    return [
        [item.vertex_group, None if item.hand is None else item.hand.name_full, item.stiffness, item.is_held]
        for item in ob.gpbd.grabs
    ]
