"""Blender's Soft Body settings of an object, in SI units: the inputs of the table.

Its springs are on edges, on the diagonals of quads and from each vertex to the neighbours of its neighbours. A closed mesh
becomes a solid with their energy under a homogeneous strain: S = sum_s k_s L_s^2 averaged over all directions of space is a
material of Young's modulus S / (6 V) and Poisson's ratio 1/4 (Born and Huang 1954, central forces), V the volume. An open
one becomes a cloth, as Blender's Cloth does. Units: `spring_network`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..body_kinds import SHEET, SOLID
from .spring_network import FORCE, TIME, Faces, springs

Array = np.ndarray

#: Blender's factor of friction and of fields; power of goals; goal from which on a vertex is not simulated; power of spring
#: weights.
FRICTION, FIELD = 0.01, 0.01
GOAL_POWER, SNAP = 4, 0.999
#: Share of a closed surface exposed to the air that it moves through: half faces it, at half its area on average.
SEEN = 0.5
#: Directions of space: <n_x^4> = 1/5 makes of S a Young's modulus of S / (6 V), and a Poisson's ratio of central forces.
YOUNG, POISSON = 1 / 6, 0.25


def spring_stiffness(setting: Any) -> Any:
    """Blender's stiffness of a spring or goal from a setting between 0 and 1: it grows without limit."""
    return 1 / (1 - setting) - 1


@dataclass(frozen=True)
class SoftBodySource:
    """settings: of the modifier. faces: of the mesh below it, in world space [m]. weights_of: vertex group -> weights (n,),
    None for a group that is missing. scale: metres of a Blender unit. gravity [m/s^2]."""

    settings: Any
    faces: Faces
    weights_of: dict[str, Array | None]
    scale: float
    gravity: float

    @property
    def vertices(self) -> int:
        return len(self.faces.x)

    @property
    def weights(self) -> Any:
        return self.settings.effector_weights

    @property
    def second(self) -> float:
        """Blender's unit of time [s]."""
        return TIME * math.sqrt(self.scale)

    @cached_property
    def volume(self) -> float:
        """Return the volume of the mesh [m^3]; 0 if it is open."""
        count = np.bincount(self.faces.corners[:, 1], minlength=len(self.faces.edges))
        if not len(count) or (count[np.unique(self.faces.corners[:, 1])] != 2).any():
            return 0.0
        first = self.faces.x[self.faces.corners[self.faces.begins[:-1], 0]][self.faces.of_corner]
        here = self.faces.x[self.faces.corners[:, 0]]
        after = np.roll(np.arange(len(here)), -1)
        after[self.faces.begins[1:] - 1] = self.faces.begins[:-1]
        return abs(float(np.einsum("ij,ij->", first, np.cross(here, here[after])))) / 6

    @property
    def solid(self) -> bool:
        return self.volume > 0

    @property
    def kind(self) -> str:
        """Return the kind of body that it converts to."""
        return SOLID if self.solid else SHEET

    @property
    def mass(self) -> float:
        """Return the mass of all vertices [kg]."""
        name = self.settings.vertex_group_mass
        painted = self.weights_of.get(name) if name else None
        return float(self.settings.mass * (self.vertices if painted is None else painted.sum()))

    @property
    def density(self) -> float:
        """[kg/m^3] of a solid, [kg/m^2] of a sheet."""
        return self.mass / (self.volume if self.solid else self.faces.area)

    @property
    def exposed(self) -> float:
        """Return the area that it shows to the air [m^2]."""
        return self.faces.area * (SEEN if self.solid else 1.0)

    @property
    def _stiffness(self) -> float:
        """N of a spring that is pulled or pushed to twice or none of its length, the mean of both."""
        at = self.settings
        return FORCE * 0.5 * (spring_stiffness(at.pull) + spring_stiffness(at.push)) if at.use_edges else 0.0

    @property
    def _quads(self) -> float:
        """Return the stiffness of diagonals of quads over that of edges."""
        return self.settings.shear**2 if self.settings.use_stiff_quads else 0.0

    @property
    def young(self) -> float:
        """Return Young's modulus of a solid [Pa]."""
        faces = self.faces
        edge = _lengths(faces.x, faces.edges).sum()
        quads = np.flatnonzero(faces.sizes == 4)
        quad = faces.corners[:, 0][faces.begins[quads][:, None] + np.arange(4)] if len(quads) else np.zeros((0, 4), int)
        diagonal = _lengths(faces.x, quad[:, [0, 2]]).sum() + _lengths(faces.x, quad[:, [1, 3]]).sum()
        second = _lengths(faces.x, _second_neighbours(faces.edges, len(faces.x))).sum() if self.settings.bend > 0 else 0.0
        energy = edge + self._quads * diagonal + self.settings.bend * second  # k L^2 with k = stiffness / L
        return float(YOUNG * self._stiffness * energy / self.volume)

    @cached_property
    def moduli(self) -> Array:
        """C00, C11, C01, C22 of a sheet [N/m]."""
        unit = springs(self.faces)
        over = self._stiffness / self.faces.mean_edge
        return over * (unit.edges + self._quads * unit.diagonals / math.sqrt(2))

    @property
    def model(self) -> str:
        """Return the energy of its stretch."""
        if self.settings.plastic:
            return "plastic_neo_hookean" if self.solid else "plastic_membrane"
        return "stable_neo_hookean" if self.solid else "stvk_membrane"

    @property
    def bending(self) -> float:
        """Return the bending stiffness of a sheet [N m]: springs over two edges, at a fold of a radius of one, as in
        `ClothSource.bending`."""
        edge = self.faces.mean_edge
        return self._stiffness * self.settings.bend / (2 * edge) * edge**2 / 9

    @property
    def terminal_speed(self) -> float:
        """Return the terminal speed [m/s]; infinite without friction."""
        drag = FRICTION * self.settings.friction / self.second  # kg/s of a vertex
        return self.mass / self.vertices * self.gravity / drag if drag else math.inf

    @property
    def field_acceleration(self) -> float:
        """m/s^2 for a strength of 1, in Blender's units of length as gravity is."""
        return FORCE * FIELD / (self.mass / self.vertices)

    @cached_property
    def _goals(self) -> tuple[Array, Array]:
        """Stiffness of the goal of each vertex, N a Blender unit, and whether it is not simulated, (n,)."""
        at = self.settings
        group = self.weights_of.get(at.vertex_group_goal) if at.vertex_group_goal else None
        painted = np.ones(self.vertices) if group is None else group
        goal = (at.goal_min + at.goal_default * painted * abs(at.goal_max - at.goal_min)) ** GOAL_POWER
        stiffness = FORCE * spring_stiffness(np.minimum(goal, SNAP) * at.goal_spring)
        return stiffness, goal >= SNAP

    @property
    def pinned(self) -> Array | None:
        """Return weights of pins (n,), 1 at vertices whose goal holds them; None without any."""
        if not self.settings.use_goal or not self._goals[1].any():
            return None
        return self._goals[1].astype(float)

    @property
    def goal_weights(self) -> Array | None:
        """Return the stiffness of each vertex' goal over the largest (n,), 0 where it is held; None without any."""
        if not self.settings.use_goal:
            return None
        stiffness = np.where(self._goals[1], 0.0, self._goals[0])
        return stiffness / stiffness.max() if stiffness.max() > 0 else None

    @property
    def _angular_frequency(self) -> float:
        """Return that of the stiffest goal [rad/s]."""
        stiffness = np.where(self._goals[1], 0.0, self._goals[0]).max()
        return math.sqrt(stiffness / max(self.settings.mass, 1e-9))

    @property
    def goal_frequency(self) -> float:
        """[Hz], of the stiffest goal."""
        return self._angular_frequency / (2 * math.pi)

    @property
    def goal_damping_ratio(self) -> float:
        """Return that of the stiffest goal; Blender's friction is one number for all."""
        viscous = FRICTION * self.settings.goal_friction / self.second  # kg/s
        return viscous / (2 * max(self.settings.mass, 1e-9) * self._angular_frequency)


def _lengths(x: Array, ends: Array) -> Array:
    return np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1)


def _second_neighbours(edges: Array, n: int) -> Array:
    """The ends of every path over two edges, once, (p, 2)."""
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    begins = np.searchsorted(both[:, 0], np.arange(n + 1))
    pairs = [np.zeros((0, 2), int)]
    for degree in np.unique(np.diff(begins)):
        first = begins[:-1][np.diff(begins) == degree]
        i, j = np.triu_indices(degree, 1)
        around = both[:, 1][first[:, None] + np.arange(degree)]
        pairs.append(np.stack([around[:, i], around[:, j]], -1).reshape(-1, 2))
    return np.concatenate(pairs)
