"""Blender's Soft Body of a mesh without faces: a rope with the springs of its edges.

A spring on an edge pulls with its stiffness S times its strain, whatever its length, so that E A = S. Springs of stiffness
k = b S / (2 l) over two edges l are shortened by (2 l)^3 kappa^2 / 24, which at a radius of one edge is the energy of a rod
of E I = k l^3 / 9, as of the plate in `ClothSource.bending`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..body_kinds import ROPE
from .soft_body_source import POISSON, Array, SoftBodySource, spring_stiffness
from .spring_network import FORCE

#: Blender's size mode of collision balls -> radius of a ball of size 1, from the lengths of edges.
BALLS: dict[str, Callable[[Array], float]] = {
    "AVERAGE": np.mean,
    "MINIMAL": np.min,
    "MAXIMAL": np.max,
    "MINMAX": lambda edges: 0.5 * (edges.min() + edges.max()),
}
#: Largest radius over the mean edge: neighbouring balls touch.
LARGEST = 0.5


class SoftBodyRopeSource(SoftBodySource):
    """Edges alone; `faces` has none."""

    @property
    def kind(self) -> str:
        """See `SoftBodySource`."""
        return ROPE

    @property
    def _edges(self) -> Array:
        """Lengths of the edges [m], (e,)."""
        ends = self.faces.x[self.faces.edges]
        return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)

    @property
    def radius(self) -> float:
        """Return the radius of Blender's collision balls [m], at most half an edge."""
        at, edges = self.settings, self._edges
        ball = self.scale if at.collision_type == "MANUAL" else float(BALLS[at.collision_type](edges))
        return float(min(at.ball_size * ball, LARGEST * edges.mean()))

    @property
    def _section(self) -> float:
        """Return the area of the cross section [m^2]."""
        return math.pi * self.radius**2

    @property
    def density(self) -> float:
        """[kg/m^3]"""
        return self.mass / (self._section * float(self._edges.sum()))

    @property
    def exposed(self) -> float:
        """Return its area across the air flow [m^2]."""
        return 2 * self.radius * float(self._edges.sum())

    @property
    def _stiffness(self) -> float:
        """Force of a spring at twice its length [N]."""
        return FORCE * spring_stiffness(self.settings.pull) if self.settings.use_edges else 0.0

    @property
    def young(self) -> float:
        """Return Young's modulus [Pa]."""
        return self._stiffness / self._section

    @property
    def bending(self) -> float:
        """Return the modulus of bending [Pa]."""
        return self._stiffness * self.settings.bend * float(self._edges.mean()) ** 2 / 18 / (0.25 * math.pi * self.radius**4)

    @property
    def twist(self) -> float:
        """Return the twist modulus [Pa] of a solid rod with this bending modulus."""
        return self.bending / (2 * (1 + POISSON))
