"""Blender's Cloth settings of an object, in SI units: the inputs of the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..body_kinds import SHEET
from .spring_network import ANGULAR, FORCE, TIME, Faces, Springs, hinges, mean_arm, springs

#: Blender's factor from air damping to a force per speed, from a field's strength to a force per area, and from goal
#: friction to a force per speed.
AIR, FIELD, GOAL = 0.01, 0.02, 0.01
#: Blender's weights of goals are raised to this power.
GOAL_POWER = 4
#: Strain at which the stiffening membrane would be twice as stiff: never.
LINEAR = 1e3
#: Largest share of a median edge that a collision distance may be: the automatic one between bodies.
EDGE_SHARE = 0.25


@dataclass(frozen=True)
class ClothSource:
    """settings: of the modifier. collision: its collision settings. faces: of the mesh below it, in world space [m].
    vertices: how many. scale: metres of a Blender unit. gravity [m/s^2]. default: settings of a fresh modifier."""

    kind: ClassVar[str] = SHEET
    settings: Any
    collision: Any
    faces: Faces
    vertices: int
    scale: float
    gravity: float

    @property
    def weights(self) -> Any:
        return self.settings.effector_weights

    @property
    def second(self) -> float:
        """Blender's unit of time [s]; a smaller scene swings faster."""
        return TIME * math.sqrt(self.scale)

    @property
    def angular(self) -> bool:
        return bool(self.settings.bending_model == "ANGULAR")

    @cached_property
    def _springs(self) -> Springs:
        return springs(self.faces)

    @property
    def mass_per_area(self) -> float:
        """[kg/m^2]"""
        return float(self.settings.mass * self.vertices / self.faces.area)

    @property
    def _stiffness(self) -> float:
        """N/m of a spring whose setting is 1."""
        return FORCE / self.faces.mean_edge

    @cached_property
    def moduli(self) -> np.ndarray:
        """C00, C11, C01, C22 of the sheet in tension [N/m]: shear springs do not resist compression, but in a sheet that
        carries its weight both diagonals are taut."""
        at = self.settings
        return self._stiffness * (at.tension_stiffness * self._springs.edges + at.shear_stiffness * self._springs.diagonals)

    @property
    def poisson(self) -> float:
        return float(self.moduli[2] / max(math.sqrt(self.moduli[0] * self.moduli[1]), 1e-30))

    @property
    def young(self) -> tuple[float, float]:
        """Along warp and weft [N/m]."""
        free = 1 - self.poisson**2
        return float(self.moduli[0] * free), float(self.moduli[1] * free)

    @property
    def shear(self) -> float:
        return float(self.moduli[3])

    @property
    def compression(self) -> float:
        """Share of the stiffness that is left in compression."""
        at = self.settings
        return at.compression_stiffness / max(at.tension_stiffness, 1e-9) if self.angular else 0.0

    @property
    def membrane(self) -> str:
        """The energy: one with a share of compression where Blender's sheet resists that less than tension."""
        return "stvk_membrane" if self.compression >= 1 else "stiffening_membrane"

    @property
    def stretch_damping(self) -> float:
        """Viscous over elastic stiffness, all springs together [s]."""
        at, unit = self.settings, self._springs
        viscous = at.tension_damping * unit.edges + at.shear_damping * unit.diagonals
        return float(viscous[:2].sum() / max(self.moduli[:2].sum() / FORCE, 1e-9) * self.second)

    @property
    def bending(self) -> tuple[float, float]:
        """Along warp and weft [N m]."""
        at = self.settings
        if self.angular:
            rigid = FORCE * ANGULAR * at.bending_stiffness / self.scale * hinges(self.faces)
            return float(rigid[0]), float(rigid[1])
        # A straight spring over two edges l, of stiffness k = b d / (20 l), is shortened by (2 l)^3 kappa^2 / 24; one for
        # each direction and l^2 stores the energy of a plate of D = k l^4 kappa^2 / 9, here at a radius of one edge.
        edge = self.faces.mean_edge
        flat = FORCE * at.bending_stiffness * at.bending_damping / (20 * edge) * edge**2 / 9
        return flat, flat

    @property
    def bending_damping(self) -> float:
        """[s]"""
        at = self.settings
        return float(at.bending_damping * mean_arm(self.faces) / max(ANGULAR * at.bending_stiffness, 1e-9) * self.second)

    @property
    def terminal_speed(self) -> float:
        """Return the terminal speed [m/s]; infinite without air."""
        drag = AIR * self.settings.air_damping / self.second  # kg/s of a vertex
        return self.settings.mass * self.gravity / drag if drag else math.inf

    @property
    def field_acceleration(self) -> float:
        """m/s^2 for a strength of 1: Blender's fields press on the area of a cloth."""
        return FORCE * FIELD / (self.mass_per_area * self.scale**2)

    @property
    def _pin_stiffness(self) -> float:
        """N/m at a weight of 1/2, of each vertex."""
        return self._stiffness * self.settings.pin_stiffness * 0.5**GOAL_POWER

    @property
    def pin_frequency(self) -> float:
        """[Hz]"""
        return math.sqrt(self._pin_stiffness / max(self.settings.mass, 1e-9)) / (2 * math.pi)

    @property
    def pin_damping(self) -> float:
        """[s]"""
        viscous = GOAL * self.settings.goal_friction / self.second
        return float(viscous / max(self._pin_stiffness, 1e-9))

    def distance(self, blender: float, usual: float) -> float:
        """A collision distance [m]; 0, automatic, for Blender's default."""
        lengths = np.linalg.norm(self.faces.x[self.faces.edges[:, 1]] - self.faces.x[self.faces.edges[:, 0]], axis=1)
        return 0.0 if abs(blender - usual) < 1e-6 else float(min(blender * self.scale, EDGE_SHARE * np.median(lengths)))
