"""Interface of a kind of body."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np

from ...scene import Body
from ..element_group import ElementGroup
from ..rigid_motion import RigidShape
from ..tearing_edges import TearingEdges

Array = np.ndarray
B = TypeVar("B", bound=Body)

#: Largest automatic distance [m].
LARGEST_AUTOMATIC = 0.005


@dataclass(frozen=True)
class EmbeddedSurface:
    """Points of a visible mesh embedded in tetrahedra. corners: vertices of the body, (m, 4). weights: (m, 4). triangles: of
    the points, (t, 3), if they are the contact surface; None if that is the body's own surface."""

    corners: Array
    weights: Array
    triangles: Array | None = None


@dataclass(frozen=True)
class Contribution:
    """A body's part of the model. Vertices are numbered from 0, except in `rigid`.

    mass: [kg], (n,). own_area: mass of its own material at a density of 1 [m^2 or m^3], (n,); None for a fixed density.
    velocities: at frame 1 [m/s], (n, 3). edges: for the reported stretch, (e, 2). surface: for contact, (t, 3).
    blown: surface for wind, each part of it twice, (2 t, 3); None for the contact surface. blown_lines: segments of ropes
    for wind, (s, 2); line_diameters: of these [m], (s,). groups: its elements, without pins. friction: Coulomb coefficient,
    of all or of each vertex, (n,). kept_between_bodies: distance kept from other bodies and from itself [m];
    kept_from_colliders: from colliders [m], of all or of each vertex, (n,). fixed: whether its vertices have no free motion.
    points: vertices without triangles, but with contact, (p,). tetrahedra: for the reported volume, (k, 4).
    volume: of those at rest [m^3]. rigid: its shape, of a rigid body. embedded: its embedded visible mesh. warnings:
    sentences on odd input. tearing: the edges along which it may tear; its elements then have copies of vertices
    (`torn.py`).
    """

    mass: Array
    velocities: Array
    edges: Array
    surface: Array
    friction: Array | float
    kept_between_bodies: float
    kept_from_colliders: Array | float
    blown: Array | None = None
    blown_lines: Array = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    line_diameters: Array = field(default_factory=lambda: np.zeros(0))
    groups: list[ElementGroup] = field(default_factory=list)
    fixed: bool = False
    points: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    tetrahedra: Array = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    volume: float = 0.0
    rigid: RigidShape | None = None
    embedded: EmbeddedSurface | None = None
    warnings: list[str] = field(default_factory=list)
    own_area: Array | None = None
    tearing: TearingEdges | None = None


class BodyKind(ABC, Generic[B]):
    """A kind of body. label: in messages. is_sheet: the global step solves for it as a whole. is_line: its elements join
    vertices along lines, whose order its system uses. is_rigid: its vertices move as a rigid body. can_rest: a quasi-static
    solve determines its pose by energies.
    """

    label: str
    is_sheet = False
    is_line = False
    is_rigid = False
    can_rest = True

    @abstractmethod
    def contribution(self, body: B, first_vertex: int, origin: Array) -> Contribution:
        """Return the body's part of the model. first_vertex: its first row in the solver's arrays. origin: of those [m],
        (3,).

        Raises: TopologyError, SceneError, MaterialError, each naming the body.
        """

    @abstractmethod
    def kept(self, body: B, lengths: Array) -> tuple[float, Array | float]:
        """Distances kept from bodies and from colliders, of all or of each vertex [m]. lengths: of its edges
        at rest [m], (e,)."""

    def kept_at(self, body: B, kept: float) -> Array | float:
        """Distance kept from bodies, of all or of each vertex [m]. kept: that of the whole body."""
        return kept

    def line_diameters(self, body: B) -> Array:
        """Return the diameter of each segment in the wind [m], (s,)."""
        return np.zeros(0)

    @abstractmethod
    def friction(self, body: B) -> Array | float:
        """Coulomb coefficient, of all or of each of its vertices, (n,)."""

    def held(self, body: B, time: float, fps: float, steps: int) -> B:
        """Return the body at rest, the start of a drape. time: of the targets of its pins [s]; they move there in `steps`
        frames."""
        return body

    def moved(self, body: B, positions: Array, surface: Array) -> B:
        """Return the body with another start. positions: of its vertices [m], (n, 3). surface: of its visible mesh [m]."""
        return replace(body, vertices=positions)  # type: ignore[type-var]  # every kind of body is a dataclass


def rest_lengths(rest: Array, edges: Array) -> Array:
    """[m], (e,). rest: [m], (n, 3). edges: (e, 2)."""
    return np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)


def vertices_without(elements: Array, count: int) -> Array:
    """Return the vertices, of `count`, that are in none of the elements, (k,). elements: (e, corners)."""
    loose = np.ones(count, bool)
    loose[elements.ravel()] = False
    return np.flatnonzero(loose)


def kept_distances(chosen: float | None, least: float, lengths: Array) -> tuple[float, float]:
    """Return the distance kept between bodies, and of a body from itself; and that kept from colliders, both [m].

    chosen: by the user, for both. Automatic: a quarter and a tenth of the median edge, so that facets of the surface below
    stay covered; from `least`, the material's thickness, up to `LARGEST_AUTOMATIC`. lengths: of edges [m], (e,).
    """
    if chosen is not None:
        return chosen, chosen
    edge = float(np.median(lengths))
    return max(least, min(0.25 * edge, LARGEST_AUTOMATIC)), max(least, min(0.1 * edge, LARGEST_AUTOMATIC))
