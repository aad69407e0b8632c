"""Scenes of many bodies that touch, in SI units, z up: a row of soft dominoes, a deck of cards, a bag of balls. As in
`contact.py`, each gives a solver Scene and how many frames it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC
from tests.scenes.meshes import ball, rectangle, turn
from tests.scenes.resting import dominoes
from tests.scenes.stress.card_house import HEIGHT, PAPER, THICK, WIDTH
from tests.scenes.stress.drawstring import pouch_mesh

#: Radius of a ball in the bag, from the middle of one to the next of its layer, and from layer to layer [m].
RADIUS, APART, ABOVE = 0.028, 0.064, 0.06


def soft_dominoes(s: Any, count: int = 64) -> tuple[Any, int]:
    """A row of dominoes of eight vertices each; the first falls against the second."""
    return dominoes(s, count, soft=True, cells=1)


def deck(s: Any, count: int = 100, n: int = 7) -> tuple[Any, int]:
    """Cards of stiff paper, all askew, fall on each other and on a table in piles of ten. n: quads across a card."""
    random, bodies = np.random.default_rng(4), []
    paper = s.Material.fabric(**PAPER, thickness=THICK)
    x, t = rectangle((n * 10 // 7, n), (HEIGHT, WIDTH))
    x -= [HEIGHT / 2, WIDTH / 2, 0]
    for k in range(count):
        place = [0.12 * (k // 10 % 4), 0.09 * (k // 40), 0.01 + 0.016 * (k % 10)]
        rotation = turn(random.uniform(0, 0.15), (*random.normal(size=2), 0)) @ turn(random.uniform(-0.3, 0.3), (0, 0, 1))
        bodies.append(s.Cloth(f"card {k}", x @ rotation.T + place, t, paper, thickness=THICK, self_contact=False))
    y, u = rectangle((6, 6), (0.7, 0.5))
    return s.Scene(bodies, [s.Collider("table", y - [0.15, 0.1, 0], u, friction=0.6, thickness=THICK)]), 24


def bag(s: Any, count: int = 30, n: int = 24) -> tuple[Any, int]:
    """A bag that hangs by its rim, and rigid balls of 0.1 kg that fall to its ground. n: quads around."""
    x, t = pouch_mesh(n)
    bodies = [s.Cloth("bag", x, t, s.Material.fabric(**FABRIC), pins=s.Pins(np.arange(n)), self_contact=True)]
    for k in range(count):
        layer, place = divmod(k, 7)
        a = np.pi / 3 * place + 0.5 * layer
        out = APART if place else 0.0
        v, u = ball(2, RADIUS, (out * np.cos(a), out * np.sin(a), -0.26 + ABOVE * layer))
        bodies.append(s.Rigid(f"ball {k}", v, u, mass=0.1))
    return s.Scene(bodies), 24


SCENES = {"soft_dominoes": soft_dominoes, "deck": deck, "bag": bag}
