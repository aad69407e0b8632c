"""A sheet that hangs from a core is wound on it and off again."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC
from tests.scenes.meshes import capped_tube, rectangle
from tests.scenes.stress.stress import Seeded, Stress, smooth

Array = np.ndarray
#: Radius of the core [m]; its turns; frames on, at rest, off, at rest.
RADIUS, TURNS, ON, WOUND, OFF, END = 0.05, 2.5, 36, 6, 36, 12


def wound_sheet(s: Any, seed: int = 0, n: int = 8) -> Stress:
    """A sheet of 0.3 m by 1.05 m whose upper edge is held on a core of 0.05 m that turns. n: quads across."""
    seeded = Seeded(seed)
    x, t = rectangle((n, n * 7 // 2), (0.3, 1.05))
    hung = np.stack([np.full(len(x), RADIUS + 0.006), x[:, 0] - 0.15, -x[:, 1]], 1)
    held = np.flatnonzero(x[:, 1] < 1e-9)
    core, faces = capped_tube(32, 8, RADIUS, 0.4)
    core = np.stack([core[:, 0], core[:, 2] - 0.2, -core[:, 1]], 1)

    def angle(time: float) -> float:
        frame = time * 24
        return 2 * np.pi * TURNS * (smooth(frame / ON) - smooth((frame - ON - WOUND) / OFF))

    def turned(points: Array, time: float) -> Array:
        a = angle(time)
        away, up = points[:, 0], points[:, 2]
        return np.stack([np.cos(a) * away + np.sin(a) * up, points[:, 1], np.cos(a) * up - np.sin(a) * away], 1)

    pins = s.Pins(held, targets=lambda time: turned(hung[held], time))
    cloth = s.Cloth(
        "sheet", seeded.start(hung, 0.3 / n, held), t, s.Material.fabric(**seeded.values(FABRIC)), pins=pins,
        rest_vertices=hung, self_contact=True,
    )  # fmt: skip
    collider = s.Collider("core", lambda time: turned(core, time), faces)
    return Stress(s.Scene([cloth], [collider]), ON + WOUND + OFF + END, still_after=ON + WOUND + OFF, is_slack=True)
