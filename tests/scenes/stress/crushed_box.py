"""A box full of soft and rigid bodies is crushed, and opened again."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import SOFT
from tests.scenes.meshes import ball, brick, cube_of_five, turn
from tests.scenes.stress.stress import Seeded, Stress, smooth

Array = np.ndarray
#: Half the inner width of the box, open and closed [m]; frames to close, closed, to open, at the end.
OPEN, CLOSED, CLOSING, HELD, OPENING, END = 0.16, 0.1, 36, 12, 24, 12
#: Thickness of a wall, and how far it reaches beyond the box [m].
WALL, BEYOND = 0.06, 0.2


def crushed_box(s: Any, seed: int = 0, n: int = 2) -> Stress:
    """Seven soft cubes of 0.085 m and a rigid ball; all six walls close until the bodies and the gaps that they keep fill
    about four fifths of the box. n: cells a side of a cube."""
    seeded = Seeded(seed)
    random = np.random.default_rng(11)
    x, t = cube_of_five(n)
    rubber, bodies = s.Material.solid(**seeded.values(SOFT)), []
    for k in range(8):
        at = 0.16 * (np.array([k & 1, k >> 1 & 1, k >> 2]) - 0.5)
        if k == 5:
            bodies.append(s.Rigid("ball", *ball(2, 0.045, at), mass=seeded.value(0.4)))
            continue
        y = 0.085 * (x - 0.5) @ turn(random.uniform(0, 3), random.normal(size=3)).T + at
        start = seeded.start(y, 0.085 / n)
        bodies.append(s.SoftBody(f"cube {k}", start, t, rubber, rest_vertices=y, self_contact=True))

    def half(time: float) -> float:
        frame = time * 24
        return OPEN - (OPEN - CLOSED) * (smooth(frame / CLOSING) - smooth((frame - CLOSING - HELD) / OPENING))

    walls = []
    for axis in range(3):
        for side in (-1, 1):
            outwards = side * np.eye(3)[axis]
            size = np.where(np.eye(3)[axis] == 1, WALL, 2 * BEYOND + 0.001 * axis)
            v, u = brick(size, outwards * WALL / 2)
            walls.append(s.Collider(f"wall {axis} {side}", lambda time, v=v, out=outwards: v + out * half(time), u))
    return Stress(s.Scene(bodies, walls), CLOSING + HELD + OPENING + END, still_after=CLOSING + HELD + OPENING)
