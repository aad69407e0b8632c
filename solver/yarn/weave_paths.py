"""Centre lines of the yarns of a woven repeat, before relaxation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .pattern import Pattern
from .yarn import Yarn

#: Points along a repeat of a yarn, before it is divided evenly.
FINE = 600


class Path(NamedTuple):
    """A yarn's path. points: along one period of a yarn, (m, 3) [m]. period: images along x and y in which it continues,
    (2,). yarn: its material."""

    points: np.ndarray
    period: tuple[int, int]
    yarn: Yarn


def weave_paths(pattern: Pattern, yarns: tuple[Yarn, Yarn]) -> tuple[list[Path], float, float]:
    """A path for each weft yarn (along x), then for each warp yarn (along y); width and height of the repeat [m].

    yarns: warp, weft.
    """
    over = np.array([[1.0 if letter == "X" else -1.0 for letter in row] for row in pattern.rows])
    picks, ends = over.shape
    width, height = ends / pattern.ends, picks / pattern.picks
    lift = 0.5 * (yarns[0].radius + yarns[1].radius)
    paths = []
    for j in range(picks):
        t, z = _profile(-lift * over[j], width)
        paths.append(Path(np.stack([t, np.full(FINE, (j + 0.5) / pattern.picks), z], 1), (1, 0), yarns[1]))
    for i in range(ends):
        t, z = _profile(lift * over[:, i], height)
        paths.append(Path(np.stack([np.full(FINE, (i + 0.5) / pattern.ends), t, z], 1), (0, 1), yarns[0]))
    return paths, width, height


def _profile(heights: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Places along a repeat and the height there: half waves of a cosine from crossing to crossing."""
    n = len(heights)
    t = np.linspace(0.0, length, FINE, endpoint=False)
    place = t / length * n - 0.5
    knot = np.floor(place).astype(int)
    share = 0.5 - 0.5 * np.cos(np.pi * (place - knot))
    return t, heights[knot % n] * (1.0 - share) + heights[(knot + 1) % n] * share
