"""Scenes that come to rest in contact: a house of cards, dominoes, ribbons.

As in `contact.py`, each returns a solver Scene and its number of frames.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.garment_meshes import strip
from tests.scenes.meshes import ball, brick, cube_of_five, turn

Array = np.ndarray

#: Cardboard of a millimetre: kg/m^2, N/m, N m.
BOARD = {"density": 0.6, "young": 1e5, "shear": 4e4, "poisson": 0.2, "bending": 0.05, "friction": 0.6}
#: Satin ribbon: bends in one's hand, hardly stretches.
SATIN = {"density": 0.15, "young": 5e3, "shear": 1e3, "poisson": 0.2, "bending": 2e-5, "friction": 0.4}
#: Width and height of a card [m], how far it leans from upright [rad], and the gap between cards [m].
CARD, LEAN, GAP = (0.12, 0.18), 0.3, 0.0011
#: Solids of dominoes: kg/m^3, Pa.
DOMINO = {"density": 800.0, "young": 2e6, "poisson": 0.3, "friction": 0.5}


def _leaning(n: int, foot: Array, side: float) -> tuple[Array, Array]:
    """A card that leans towards +x (side 1) or -x, its lower edge centred at `foot`."""
    x, t = strip(n * 3 // 2, n)
    along, across = x[:, 0] * CARD[1], (x[:, 1] - 0.5) * CARD[0]
    return np.c_[side * np.sin(LEAN) * along, across, np.cos(LEAN) * along] + foot, t


def cards(s: Any, n: int = 4, storeys: int = 2, hit: bool = False) -> tuple[Any, int]:
    """A house of stiff cards, cloths that hardly bend, on the ground. hit: a rigid ball rolls through it after 2.5 s."""
    m, bodies = s.Material.fabric(**BOARD), []
    half, height = np.sin(LEAN) * CARD[1], np.cos(LEAN) * CARD[1]
    bottom = 0.0015
    for storey in range(storeys):
        count = storeys - storey
        for k in range(count):
            middle = (2 * k - count + 1) * (half + 4 * GAP)
            for side in (1.0, -1.0):
                # The one's upper edge lies on the other's face.
                foot = np.array([middle - side * (half + GAP / 2 / np.cos(LEAN)), 0.0, bottom])
                x, t = _leaning(n, foot + [0.0, 0.0, 0.0], side)
                bodies.append(s.Cloth(f"card {storey} {k} {side:+.0f}", x, t, m, thickness=0.001, self_contact=False))
        top = bottom + height + GAP
        for k in range(count - 1):
            middle = (2 * k - count + 2) * (half + 4 * GAP)
            x, t = strip(n * 3 // 2, n)
            x = np.c_[(x[:, 0] - 0.5) * CARD[1], (x[:, 1] - 0.5) * CARD[0], 0 * x[:, 2]] + [middle, 0, top]
            bodies.append(s.Cloth(f"floor {storey} {k}", x, t, m, thickness=0.001, self_contact=False))
        bottom = top + GAP
    if hit:
        y, u = ball(2, 0.04, (-2.9, 0.0, 0.0425))
        bodies.append(s.Rigid("ball", y, u, mass=0.3, velocity=(1.0, 0, 0), friction=0.0))
    return s.Scene(bodies, [s.Plane("ground", friction=0.6)]), 72


def dominoes(s: Any, count: int = 6, soft: bool = False, cells: int = 2) -> tuple[Any, int]:
    """A row of dominoes; the first falls against the second. cells: a side of a soft one."""
    size, bodies = np.array([0.01, 0.024, 0.048]), []
    for k in range(count):
        lean = turn(0.35 if k == 0 else 0.0, (0, 1, 0))
        x, t = brick(size, size / 2)
        if soft:
            x, t = cube_of_five(cells)
            x = x * size
        at = np.array([0.028 * k, 0.0, 0.0])
        corner = np.array([size[0], 0, 0]) if k == 0 else np.zeros(3)
        x = (x - corner) @ lean.T + corner + at + [0, 0, 0.0011]
        if soft:
            bodies.append(s.SoftBody(f"domino {k}", x, t, s.Material.solid(**DOMINO), thickness=0.001))
        else:
            bodies.append(s.Rigid(f"domino {k}", x, t, density=DOMINO["density"], friction=DOMINO["friction"]))
    return s.Scene(bodies, [s.Plane("ground", friction=0.5)]), 72


def ribbons(s: Any, count: int = 4, n: int = 40) -> tuple[Any, int]:
    """Narrow cloths fall across each other on a ball on the ground."""
    y, u = ball(3, 0.05, (0, 0, 0.05))
    m, bodies = s.Material.fabric(**SATIN), []
    for k in range(count):
        x, t = strip(n, 3)
        x = np.c_[(x[:, 0] - 0.5) * 0.8, (x[:, 1] - 0.5) * 0.04, 0 * x[:, 2]] @ turn(np.pi * k / count, (0, 0, 1)).T
        bodies.append(s.Cloth(f"ribbon {k}", x + [0.01 * k, 0, 0.12 + 0.02 * k], t, m, self_contact=True))
    return s.Scene(bodies, [s.Collider("ball", y, u), s.Plane("ground")]), 96


SCENES = {"cards": cards, "dominoes": dominoes, "ribbons": ribbons}
