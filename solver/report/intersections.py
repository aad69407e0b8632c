"""Intersections of surfaces at a time, with contact or without.

Contact keeps surfaces apart, and knows where it may have failed. If it acts on everything, only those places are searched;
with self-collision off, vertices without contact, objects that do not collide or are tied, the whole world is searched.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..contact.broad_phase.tree import Tree
from ..contact.contact import Contact
from ..contact.intersections.edge_triangle import found_between
from ..contact.setup import objects_of
from ..contact.surfaces.collider_tables import ColliderTables
from ..contact.surfaces.rules import rules_of
from ..contact.surfaces.surfaces import Surfaces
from ..model.model import Model
from ..scene import Collider, Rigid
from .location import Location, locations

Array = np.ndarray


class IntersectionSearch:
    """Search for edges of bodies that pass through triangles of bodies and colliders, and the other way round.

    Edges and triangles with a common vertex do not count, nor do self-intersections of a rigid body, which never change, nor
    a rope in the hem that it is tied to.
    """

    def __init__(self, model: Model, contact: Contact | None) -> None:
        """contact: None without one."""
        self._model = model
        self._contact = contact if _acts_on_everything(model) else None
        self._world: _World | None = None

    @property
    def world(self) -> tuple[Surfaces, Array] | None:
        """Return the surfaces to search at a frame's end, and the start of their particles [m], (count, 3); None if contact
        acts on everything, and finds intersections itself."""
        if self._contact is not None:
            return None
        self._world = self._world or _World(self._model)
        return self._world.surfaces, self._world.start

    def at_start(self, x: Array, collider_vertices: Array) -> tuple[Location, ...]:
        """Search before the first substep. x: of the bodies [m], (n, 3 or more); collider_vertices: (m, 3) [m]."""
        world = self._world or _World(self._model)
        self._world = None if self._contact is not None else world
        return world.search(x, collider_vertices)

    def at_end(self, x: Array, collider_vertices: Array) -> tuple[Location, ...]:
        """Search at the end of a frame. x, collider_vertices: as for `at_start`."""
        if self._contact is None:
            return self.at_start(x, collider_vertices)
        crossing = self._contact.results.intersections()
        return locations(crossing.one, crossing.other, crossing.points + self._model.origin, self._contact.names)


class _World:
    """All surfaces, with trees of their edges and triangles, those of bodies and of colliders apart. start: positions of
    particles for the trees [m], (count, 3)."""

    def __init__(self, model: Model) -> None:
        objects, self._origin = objects_of(model), model.origin
        rigid = [isinstance(part.body, Rigid) for part in model.parts]
        bodies = [
            replace(body, itself=not stiff, excluded=(), tied=()) for body, stiff in zip(objects.bodies, rigid, strict=True)
        ]
        meshes = [c for c in model.scene.colliders if isinstance(c, Collider)]
        shapes = [replace(shape, triangles=c.triangles) for shape, c in zip(objects.colliders, meshes, strict=True)]
        dtype = np.dtype(model.settings.dtype)
        collider = ColliderTables(shapes, dtype)
        s = self.surfaces = Surfaces(bodies, len(model.x_start), objects.rest, collider, dtype)
        self.start = np.concatenate([objects.rest, objects.pose[: collider.vertices]])
        elements = (
            (s.edges[: s.body_edges], s.edges[s.body_edges :]),
            (s.triangles[: s.body_triangles], s.triangles[s.body_triangles :]),
        )
        self._trees = [[Tree(part, s.owner, self.start, dtype) for part in both] for both in elements]
        self._everything = np.ones(s.count, bool)
        self._bound = np.isin(np.arange(s.count), np.concatenate([body.tied for body in objects.bodies]))
        self._sewn = _sewn_to_ropes(model, len(objects.bodies) + len(shapes))

    def search(self, x: Array, collider_vertices: Array) -> tuple[Location, ...]:
        s = self.surfaces
        poses = collider_vertices[: s.count - s.n]
        positions = np.concatenate([x[: s.n, :3], np.asarray(poses, x.dtype)])
        if not np.isfinite(positions).all():
            return ()  # the simulation ends with this frame
        for tree in (tree for both in self._trees for tree in both):
            tree.fit(positions, positions, self._everything)
        (edges, far_edges), (triangles, far_triangles) = self._trees
        hits = [
            hits + np.asarray(shift, "int32")
            for one, other, shift in (
                (edges, triangles, (0, 0)),
                (edges, far_triangles, (0, s.body_triangles)),
                (triangles, far_edges, (s.body_edges, 0)),
            )
            if len(hits := found_between(False, one, other, positions, s.owner, s.rules))
        ]
        if not hits:
            return ()
        edge, triangle = self._beside_hems(np.concatenate(hits)).T
        points = positions[s.triangles[triangle]].mean(1) + self._origin
        return locations(s.owner[s.edges[edge, 0]], s.owner[s.triangles[triangle, 0]], points, s.names)

    def _beside_hems(self, hits: Array) -> Array:
        """Return the pairs of edges and triangles that are no part of a rope and of the hem around it, (k, 2)."""
        edges, triangles = self.surfaces.edges[hits[:, 0]], self.surfaces.triangles[hits[:, 1]]
        sewn = self._sewn[self.surfaces.owner[edges[:, 0]], self.surfaces.owner[triangles[:, 0]]]
        return hits[~(sewn & (self._bound[edges].any(1) | self._bound[triangles].any(1)))]


def _sewn_to_ropes(model: Model, count: int) -> Array:
    """Return whether two objects are a rope and a body that is tied to it, (count, count)."""
    sewn, numbers = np.zeros((count, count), bool), {part.body.name: k for k, part in enumerate(model.parts)}
    for tie in model.scene.ties:
        one, other = numbers[tie.body], numbers[tie.other]
        sewn[one, other] = sewn[other, one] = model.parts[one].kind.is_line or model.parts[other].kind.is_line
    return sewn


def _acts_on_everything(model: Model) -> bool:
    scene = model.scene
    themselves = all(body.self_contact or isinstance(body, Rigid) for body in scene.bodies)
    meshes = [c for c in scene.colliders if isinstance(c, Collider)]
    excluded = any(len(b.without_contact) for b in scene.bodies) or any(len(c.without_contact) for c in meshes)
    return bool(rules_of(scene).all()) and themselves and not excluded and not scene.ties
