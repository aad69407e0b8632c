"""A curtain whose stretch is limited hangs from hooks, is pulled aside, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes.materials import FABRIC
from tests.scenes.meshes import rectangle
from tests.scenes.stress.stress import Seeded, Stress, limited, smooth

Array = np.ndarray
#: Share of the width after the pull; frames before the pull, of the pull, of the pause, and at the end.
GATHERED, HANGS, WAY, WAITS, END = 0.35, 12, 30, 12, 24
LIMIT = 0.02


def curtain(s: Any, seed: int = 0, n: int = 20) -> Stress:
    """1.2 m by 0.8 m on nine hooks, with a limit of 2 %. n: quads along its height, a multiple of four."""
    seeded = Seeded(seed)
    across = n * 8 // 5
    x, t = rectangle((across, n), (1.2, 0.8))
    hung = np.stack([x[:, 0], 0 * x[:, 0], -x[:, 1]], 1)
    top = np.flatnonzero(x[:, 1] < 1e-9)
    hooks = top[:: across // 8]

    def targets(time: float) -> Array:
        frame = time * 24 - HANGS
        share = 1 - (1 - GATHERED) * (smooth(frame / WAY) - smooth((frame - WAY - WAITS) / WAY))
        return hung[hooks] * [share, 1, 1]

    fabric = limited(s.Material.fabric(**seeded.values(FABRIC)), LIMIT)
    start = seeded.start(hung, 0.8 / n, hooks)
    pins = s.Pins(hooks, targets=targets)
    cloth = s.Cloth("curtain", start, t, fabric, pins=pins, rest_vertices=hung, self_contact=True)
    return Stress(s.Scene([cloth]), HANGS + 2 * WAY + WAITS + END, {"curtain": LIMIT})
