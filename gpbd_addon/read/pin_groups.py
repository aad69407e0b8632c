"""Pins and goal of a body's mesh: weights of its vertices, and what carries the vertices of tetrahedra."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import mathutils
import numpy as np

from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import Goal, checks
from ...solver.topology.triangle_frames import TriangleFrames, carrying
from . import evaluated_mesh

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object

Array = np.ndarray


def weights(ob: bpy.types.Object, group: str, purpose: str = "pin group") -> Array:
    """Return the weights of the vertices of an evaluated mesh in a group, (n,). Raises: SceneError if there are none."""
    of_group = evaluated_mesh.weights(ob, group, purpose)
    of_group = checks.array(ob.name, f"{purpose} '{group}'", of_group, (len(of_group),), rows=("vertex",))
    if not (of_group > 0).any():
        raise SceneError(f"{ob.name}: no vertex has a weight in the {purpose} '{group}'. Assign some, or clear the field.")
    return np.clip(of_group, 0.0, 1.0)


def goal(settings: GPBD_PG_object, there: bpy.types.Object) -> Goal:
    """Return the goal of a body with a weight for each vertex of its mesh. Raises: SceneError if its group has none."""
    group = settings.goal_group
    share = weights(there, group, "goal group") if group else np.ones(len(there.data.vertices))
    return Goal(share, settings.goal_frequency, settings.goal_damping_ratio)


def goal_identity(body_goal: Goal | None, strength: float) -> dict[str, JsonValue]:
    """Return JSON values that must be equal for a cache to be continued; nothing without a goal."""
    return {} if body_goal is None else {"goal": [evaluated_mesh.digest(body_goal.weight), strength, *body_goal.numbers]}


def frames(points: Array, x: Array, triangles: Array) -> TriangleFrames:
    """Points, (n, 3) [m], in the frames of their nearest triangles, (t, 3), of the mesh at x, (m, 3) [m]."""
    sound = carrying(x, triangles)
    tree = mathutils.bvhtree.BVHTree.FromPolygons(x.tolist(), sound.tolist())
    nearest = np.array([tree.find_nearest(point)[2] for point in points], np.int64)
    return TriangleFrames(points, x, sound[nearest])


def nearest(points: Array, x: Array) -> tuple[Array, Array]:
    """Nearest of the vertices x, (m, 3), of each point, (n, 3), and its distance [m]: (n,) each."""
    tree = mathutils.kdtree.KDTree(len(x))
    for k, vertex in enumerate(x):
        tree.insert(vertex, k)
    tree.balance()
    pairs = [tree.find(point)[1:] for point in points]
    return np.array([index for index, _ in pairs]), np.array([distance for _, distance in pairs])
