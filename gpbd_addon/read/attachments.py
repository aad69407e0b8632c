"""Attachments of cloths: pins that follow points on other objects' surfaces, and ties to other bodies."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import Tie
from ..body_kinds import BODY_KINDS
from . import evaluated_mesh

Array = np.ndarray


@dataclass(frozen=True)
class Surface:
    """Points that stay where they are on a surface that moves. target: the object; count: its vertices. corners: vertices of
    the triangle of each point, (k, 3). places: along two of its sides [1], and off it [m], (k, 3)."""

    target: str
    count: int
    corners: Array
    places: Array

    def at(self, x: Array) -> Array:
        """[m], (k, 3). x: vertices of the surface [m], (count, 3)."""
        return x[self.corners[:, 0]] + np.einsum("kij,ki->kj", _frames(x, self.corners), self.places)


@dataclass
class Attachments:
    """Attachments of one cloth. vertices: those that follow surfaces, (k,), in the order of the surfaces' points."""

    vertices: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    surfaces: list[Surface] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)

    def identity(self) -> dict[str, JsonValue]:
        """Return the attachments as JSON values; empty without attachments."""
        if not self.surfaces and not self.ties:
            return {}
        digest = hashlib.sha1(self.vertices.tobytes(), usedforsecurity=False)
        for surface in self.surfaces:
            digest.update(surface.corners.tobytes() + surface.places.tobytes())
        ties = [[tie.other, tie.distance, np.asarray(tie.vertices).tolist()] for tie in self.ties]
        return {"attached": [[surface.target for surface in self.surfaces], digest.hexdigest(), ties]}


def read(ob: bpy.types.Object, bodies: Sequence[str], x: Array, depsgraph: bpy.types.Depsgraph, scale: float) -> Attachments:
    """Read the attachments of a cloth at the first frame. bodies: names of simulated bodies. x: its vertices [m], (n, 3).

    Raises: SceneError, naming both objects, for an attachment that holds no vertex.
    """
    settings = ob.gpbd
    attachments, free = Attachments(), np.ones(len(x), bool)
    there = evaluated_mesh.evaluated(ob, depsgraph)
    for item in settings.attachments if BODY_KINDS[settings.body_type].attached else ():
        target = item.target
        if target is None:
            raise SceneError(f"{ob.name}: an attachment has no object to hold on to. Choose one in the panel Attachments.")
        chosen = free.copy()
        if item.vertex_group:
            chosen &= evaluated_mesh.weights(there, item.vertex_group, "group of the attachment") >= 0.5
        distance = item.distance * scale
        if target.name in bodies:
            vertices = np.flatnonzero(chosen) if item.vertex_group else None
            attachments.ties.append(Tie(ob.name, target.name, distance, vertices=vertices))
            continue
        rows, surface = _surface(target, depsgraph, scale, x, np.flatnonzero(chosen), distance)
        if not len(rows):
            raise SceneError(
                f"{ob.name}: none of its vertices is within {distance:g} m of '{target.name}', to which it is to be "
                "attached. Raise the distance, or move it there."
            )
        free[rows] = False
        attachments.surfaces.append(surface)
        attachments.vertices = np.concatenate([attachments.vertices, rows])
    return attachments


def at(
    attachments: Attachments, objects: Mapping[str, bpy.types.Object], depsgraph: bpy.types.Depsgraph, scale: float,
    frame: int,
) -> Array:  # fmt: skip
    """Return the targets of attached vertices at this frame [m], (k, 3). Raises: SceneError if a surface is gone or has
    changed."""
    targets = [np.zeros((0, 3))]
    for surface in attachments.surfaces:
        ob = objects.get(surface.target)
        if ob is None:
            raise SceneError(
                f"{surface.target}: is no longer in the scene at frame {frame}, and cloth is attached to it. The frames "
                "before are kept; bake again."
            )
        x = evaluated_mesh.world_positions(evaluated_mesh.evaluated(ob, depsgraph), scale)
        if len(x) != surface.count:
            raise SceneError(
                f"{surface.target}: has {len(x)} vertices at frame {frame}, {surface.count} at the first, and cloth is "
                "attached to it. Keep the number, or attach to an object that keeps it."
            )
        targets.append(surface.at(x))
    return np.concatenate(targets)


def _surface(
    target: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float, x: Array, rows: Array, distance: float
) -> tuple[Array, Surface]:
    """Return the vertices within the distance, (k,), and their points on the object."""
    there = evaluated_mesh.evaluated(target, depsgraph)
    y, triangles = evaluated_mesh.world_positions(there, scale), evaluated_mesh.triangles(there.data)
    tree = BVHTree.FromPolygons(y.tolist(), triangles.tolist())
    nearest = [tree.find_nearest(point, distance)[2] for point in x[rows].tolist()]
    near = np.array([index is not None for index in nearest], bool)
    rows, corners = rows[near], triangles[np.array([index for index in nearest if index is not None], np.int64)]
    off = x[rows] - y[corners[:, 0]]
    places = np.linalg.solve(np.swapaxes(_frames(y, corners), 1, 2), off[:, :, None])[:, :, 0] if len(rows) else off
    return rows, Surface(target.name_full, len(y), corners, places)


def _frames(x: Array, corners: Array) -> Array:
    """Two sides of each triangle [m] and its normal [1], (k, 3, 3)."""
    a, b, c = (x[corners[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    return np.stack([b - a, c - a, normal], 1)
