"""A house of cards that stands for a second and a half, and is then hit by a ball."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.meshes import ball, rectangle, turn
from tests.scenes.stress.stress import Seeded, Stress

Array = np.ndarray
#: Cards of stiff paper, on their edges: kg/m^2, N/m, N m, s.
PAPER = {"density": 0.3, "young": 2e4, "shear": 7500.0, "poisson": 0.3, "bending": 5e-3, "friction": 0.6}
#: Height, width and thickness of a card, how far two of one pair lie from the next ones [m], and how they lean [rad].
HEIGHT, WIDTH, THICK, PITCH, LEAN = 0.088, 0.063, 0.001, 0.066, 0.32
#: Flight of the ball [s]; frames with it, and without.
FLIGHT, FRAMES, STANDS = 1.5, 96, 60


def standing_cards(s: Any, seed: int = 0, n: int = 4) -> Stress:
    """Three storeys of three, two and one pairs of leaning cards with decks between, left alone. n: quads across a card."""
    bodies, _ = _house(s, Seeded(seed), n)
    return Stress(s.Scene(bodies, [s.Plane("ground", friction=0.6)]), STANDS, still_after=0, rest_from=STANDS, is_slack=True)


def card_house(s: Any, seed: int = 0, n: int = 4, left: float = FLIGHT) -> Stress:
    """The same, on which a ball of 30 g falls. left: of its flight at the start [s]."""
    seeded = Seeded(seed)
    bodies, height = _house(s, seeded, n)
    flown, up = FLIGHT - left, 0.5 * 9.81 * FLIGHT
    v, u = ball(2, 0.03, (-2.0 * left, 0.004, 0.5 * height + (up - 0.5 * 9.81 * flown) * flown))
    speed = (seeded.value(2.0), 0, up - 9.81 * flown)
    bodies.append(s.Rigid("ball", v, u, mass=seeded.value(0.03), velocity=speed))
    return Stress(s.Scene(bodies, [s.Plane("ground", friction=0.6)]), FRAMES, still_after=0, is_slack=True)


def _house(s: Any, seeded: Seeded, n: int) -> tuple[list[Any], float]:
    """Return all cards, and their total height [m]."""
    paper = s.Material.fabric(**seeded.values(PAPER), thickness=THICK)
    edge, bodies, floor = WIDTH / n, [], 0.0
    for storey, pairs in enumerate((3, 2, 1)):
        middle = (np.arange(pairs) - 0.5 * (pairs - 1)) * PITCH
        for k, at in enumerate(middle):
            for side in (-1, 1):
                x, t = rectangle((n * 7 // 5, n), (HEIGHT, WIDTH))
                # Along x upwards, leaning to the middle; 1.05 thicknesses lie between its upper edge and the other one's.
                up = np.stack([0 * x[:, 0], x[:, 1] - WIDTH / 2, x[:, 0] - HEIGHT], 1) @ turn(side * -LEAN, (0, 1, 0)).T
                place = [at + side * 0.525 * THICK, 0, floor + 1.05 * THICK + HEIGHT * np.cos(LEAN)]
                bodies.append(_card(s, seeded, f"card {storey} {k} {side}", up + place, t, paper, edge))
        floor += 2.1 * THICK + HEIGHT * np.cos(LEAN)
        if pairs > 1:
            length = (pairs - 1) * PITCH + 0.03
            x, t = rectangle((round(length / edge), n), (length, WIDTH))
            deck = x - [length / 2, WIDTH / 2, 0] + [0, 0, floor]
            bodies.append(_card(s, seeded, f"deck {storey}", deck, t, paper, edge))
    return bodies, floor


def _card(s: Any, seeded: Seeded, name: str, x: Array, t: Array, paper: Any, edge: float) -> Any:
    return s.Cloth(name, seeded.start(x, 0.1 * edge), t, paper, rest_vertices=x, thickness=THICK, self_contact=True)
