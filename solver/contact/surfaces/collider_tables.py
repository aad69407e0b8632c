"""Colliders of bodies: triangle meshes and planes, and the tables that the contact kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import SceneError


@dataclass
class ColliderShape:
    """One collider mesh.

    triangles: (k, 3), rows of the collider vertex arrays counted from `vertex_start`. friction: [1]. thickness: [m].
    vertex_start: first row of this collider's vertices in the arrays given to `ColliderContact.begin_substep`, in which
    the vertices of all colliders lie one after the other. depth: 0, or of a one-sided mesh how far behind its open parts
    vertices that have passed through are led back to the front [m]. side: of its closed parts, see `solver.Collider`.
    """

    name: str
    triangles: np.ndarray
    friction: float
    thickness: float
    vertex_start: int = 0
    depth: float = 0.0
    side: str = "automatic"


@dataclass
class PlaneShape:
    """An infinite plane. point: [m], (3,), in the frame of the body positions. normal: (3,). friction [1], thickness [m]."""

    name: str
    point: np.ndarray
    normal: np.ndarray
    friction: float
    thickness: float


class ColliderTables:
    """The triangles of all collider meshes as one list.

    triangles: (k, 3) int32, rows of the collider vertex arrays. shape: (k,) int32, index of the mesh of each.
    reserve: thickness [m], (k,). friction: (k,). part: (k,) int32, number of the closed, consistently wound part that each
    is of, the number of these parts for an open one; closed: (k,) bool, whether it is of one.
    side: of each mesh, see `ColliderShape`. solid: (parts,) bool, whether `outward` points out of the enclosed volume; a
    cavity's wall points into it.
    rows: first and one past the last collider vertex of each mesh, [(start, stop), ...].
    owner: (k, 3) bool, true where the triangle is the first that uses its corner; each vertex has one owner.
    vertex_reserve, vertex_friction: (m,). around_offsets, around: triangles at each vertex.
    outward, front: (k,) of `dtype`, see `orient`. sided: meshes that have an inside: closed parts, or one side, (s,);
    has_inside: (shapes,) bool; depths: of those in `sided` (s,) [m]. inside_out: names of those wound inside out.
    """

    def __init__(self, shapes: Sequence[ColliderShape], dtype: np.dtype) -> None:
        self.names, self.side = [shape.name for shape in shapes], [shape.side for shape in shapes]
        parts = [np.asarray(s.triangles, np.int64).reshape(-1, 3) + s.vertex_start for s in shapes]
        _check_apart(shapes, parts)
        self.triangles = np.concatenate([*parts, np.empty((0, 3), np.int64)]).astype(np.int32)
        lengths = [len(p) for p in parts]
        self.shape = np.repeat(np.arange(len(parts), dtype=np.int32), lengths)
        self.reserve = np.repeat(np.array([s.thickness for s in shapes], dtype), lengths)
        self.friction = np.repeat(np.array([s.friction for s in shapes], dtype), lengths)
        self.vertices = int(self.triangles.max()) + 1 if len(self.triangles) else 0
        self.rows = [(int(p.min()), int(p.max()) + 1) if len(p) else (0, 0) for p in parts]
        corners = self.triangles.ravel()
        _, first = np.unique(corners, return_index=True)
        owner = np.zeros(len(corners), bool)
        owner[first] = True
        self.owner = owner.reshape(-1, 3)
        self.vertex_reserve, self.vertex_friction = np.zeros(self.vertices, dtype), np.zeros(self.vertices, dtype)
        self.vertex_reserve[corners] = np.repeat(self.reserve, 3)
        self.vertex_friction[corners] = np.repeat(self.friction, 3)
        self.around = (np.argsort(corners, kind="stable") // 3).astype(np.int32)
        self.around_offsets = np.zeros(self.vertices + 1, np.int64)
        np.cumsum(np.bincount(corners, minlength=self.vertices), out=self.around_offsets[1:])
        self.part = closed_parts(self.triangles)
        self.closed = self.part >= 0
        self.solid = np.ones(self.part.max(initial=-1) + 1, bool)
        self.part[~self.closed] = len(self.solid)
        depths = np.array([s.depth for s in shapes], dtype)
        of_one_side = ~self.closed & (depths[self.shape] > 0)
        self.has_inside = np.zeros(len(shapes), bool)
        self.has_inside[self.shape[self.closed | of_one_side]] = True
        self.sided = np.flatnonzero(self.has_inside).astype(np.int32)
        self.depths = np.where([of_one_side[self.shape == s].any() for s in self.sided], depths[self.sided], 0).astype(dtype)
        self.sided_vertices = [
            np.unique(self.triangles[(self.shape == s) & (self.closed | of_one_side)]) for s in self.sided
        ]
        self.outward, self.front = np.zeros((2, len(self.triangles)), dtype)
        self.inside_out: list[str] = []

    def orient(self, pose: np.ndarray) -> None:
        """Set `outward`: +1 where a triangle's normal points out of a closed surface, -1 where into it, 0 if open.

        A mesh whose closed parts together have a negative volume is wound inside out. The parts are summed, so that the
        inner wall of a hollow body keeps pointing into its cavity. Sets `front`: the same, and +1 for open triangles, whose
        front is where their normals point; and `solid`. pose: (m, 3) [m].
        """
        a, b, c = (pose[self.triangles[:, k]].astype(np.float64) for k in range(3))
        origin = a.mean(0) if len(a) else 0.0
        volume = np.einsum("ij,ij->i", a - origin, np.cross(b - origin, c - origin))
        for s in range(len(self.names)):
            mine = (self.shape == s) & self.closed
            inside_out = volume[mine].sum() < 0
            self.outward[mine] = -1 if inside_out else 1
            if inside_out:
                self.inside_out.append(self.names[s])
        self.front[:] = np.where(self.closed, self.outward, 1)
        volume_of_part = np.bincount(self.part, self.outward * volume, len(self.solid) + 1)
        self.solid[:] = volume_of_part[:-1] >= 0

    def sided_boxes(self, pose: np.ndarray) -> np.ndarray:
        """Return the bounds of the parts with an inside of each shape in `sided` [m], (s, 6): low xyz, high xyz."""
        points = [pose[rows] for rows in self.sided_vertices]
        boxes = np.array([[*p.min(0), *p.max(0)] for p in points], pose.dtype).reshape(-1, 6)
        return boxes + np.array([-1, -1, -1, 1, 1, 1], pose.dtype) * self.depths[:, None]


class PlaneTable(NamedTuple):
    """Infinite planes. points [m], normals: (k, 3). thickness [m], friction [1]: (k,). rules: which bodies touch which
    planes, (bodies, k) bool."""

    points: np.ndarray
    normals: np.ndarray
    thickness: np.ndarray
    friction: np.ndarray
    rules: np.ndarray


def plane_arrays(planes: Sequence[PlaneShape], dtype: np.dtype) -> tuple[np.ndarray, ...]:
    """Points [m] and unit normals (k, 3), thicknesses [m] and frictions (k,) of planes."""
    normals = np.array([p.normal for p in planes], float).reshape(-1, 3)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return (
        np.array([p.point for p in planes], dtype).reshape(-1, 3),
        normals.astype(dtype),
        np.array([p.thickness for p in planes], dtype),
        np.array([p.friction for p in planes], dtype),
    )


def _check_apart(shapes: Sequence[ColliderShape], parts: list[np.ndarray]) -> None:
    """Raises: SceneError if two colliders use the same rows, which would tie their vertices together."""
    used = sorted((int(p.min()), int(p.max()), s.name) for s, p in zip(shapes, parts, strict=True) if len(p))
    for (_, last, one), (start, _, other) in pairwise(used):
        if start <= last:
            raise SceneError(
                f"{other}: its triangles start at collider vertex {start}, {one} goes up to {last}; wanted rows of its "
                "own. Set vertex_start to the number of vertices of the colliders before it."
            )


def closed_parts(triangles: np.ndarray) -> np.ndarray:
    """The connected parts in which every edge has two triangles, wound consistently.

    triangles: (k, 3). Returns the number of each triangle's part, -1 where it is not closed, (k,) int32.
    """
    if len(triangles) == 0:
        return np.zeros(0, np.int32)
    n = int(triangles.max()) + 1
    start = triangles[:, [0, 1, 2]].ravel().astype(np.int64)
    end = triangles[:, [1, 2, 0]].ravel().astype(np.int64)
    codes, inverse, counts = np.unique(start * n + end, return_inverse=True, return_counts=True)
    reverse = np.minimum(np.searchsorted(codes, end * n + start), len(codes) - 1)
    paired = (codes[reverse] == end * n + start) & (counts[reverse] == 1) & (counts[inverse.ravel()] == 1)
    label = np.arange(n)
    while True:  # smallest vertex of each connected part, by pointer jumping
        least = label[triangles].min(1)
        new = label.copy()
        for k in range(3):
            np.minimum.at(new, label[triangles[:, k]], least)
            np.minimum.at(new, triangles[:, k], least)
        new = new[new]
        if (new == label).all():
            break
        label = new
    part = label[triangles[:, 0]]
    leaking = np.zeros(n, bool)
    leaking[part[~paired.reshape(-1, 3).all(1)]] = True
    closed, number = ~leaking[part], np.full(len(triangles), -1, np.int32)
    number[closed] = np.unique(part[closed], return_inverse=True)[1]
    return number
