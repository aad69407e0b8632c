"""Centre lines of the yarns of a knitted repeat, one a course, before relaxation.

A loop is drawn in units in which a wale is 2 pi wide: x = t + SLANT sin 2t, y from the sinker to the head as the cosine of
t, z in front of and behind the sheet as the cosine of 2t. A loop is crossed by four others: at its sinker and the lower half
of its legs by the loop that it is drawn through, to the side of its own stitch; at the upper half of its legs and its head
by the one that is drawn through it, to the side of that stitch. So any arrangement of knit and purl stitches is one formula
with a side for the lower and one for the upper half; a slipped stitch is a straight piece behind, and the loop below it is
taller.
"""

from __future__ import annotations

import numpy as np

from .pattern import Pattern
from .weave_paths import Path
from .yarn import Yarn

SLANT, HEAD, DEPTH, COURSE = 1.5, 4.0, 1.0, 4.5
#: Points a loop, before it is divided evenly.
FINE = 400
#: Over how much of the loop it changes from the one side to the other [rad].
CHANGE = 0.1
SINKER_CHANGE = 0.25


def knit_paths(pattern: Pattern, yarn: Yarn) -> tuple[list[Path], float, float]:
    """A path for each course; width and height of the repeat [m]."""
    rows = pattern.rows
    wales, courses = len(rows[0]), len(rows)
    drawn = [_course(rows, course) for course in range(courses)]
    period = np.array([2.0 * np.pi * wales, 0.0, 0.0])
    lengths = [np.linalg.norm(np.diff(np.vstack([p, p[0] + period]), axis=0), axis=1).sum() for p in drawn]
    stitches = sum(letter != "S" for row in rows for letter in row)
    unit = pattern.stitch * stitches / sum(lengths)
    paths = [Path(points * unit, (1, 0), yarn) for points in drawn]
    return paths, 2.0 * np.pi * wales * unit, COURSE * courses * unit


def _course(rows: tuple[str, ...], course: int) -> np.ndarray:
    wales, row = len(rows[0]), rows[course]
    pieces = []
    for wale in range(wales):
        t = np.linspace(-np.pi, np.pi, FINE, endpoint=False)
        left, centre, right = (_side(row[(wale + k) % wales]) for k in (-1, 0, 1))
        y, x = np.full(FINE, -HEAD), t.copy()
        lower = np.where(t < 0, _blend(t + np.pi, left, centre), _blend(t - np.pi, centre, right))
        if row[wale] == "S":
            z = -DEPTH * np.ones(FINE)
        else:
            slipped = next(k for k in range(len(rows)) if rows[(course + 1 + k) % len(rows)][wale] != "S")
            upper = _side(rows[(course + 1 + slipped) % len(rows)][wale])
            share = 0.5 + 0.5 * np.tanh((0.5 * np.pi - np.abs(t)) / CHANGE)
            x += SLANT * np.sin(2.0 * t)
            y += (HEAD + 0.5 * COURSE * slipped) * (1.0 + np.cos(t))
            z = -DEPTH * np.cos(2.0 * t) * (lower * (1.0 - share) + upper * share)
        pieces.append(np.stack([x + 2.0 * np.pi * (wale + 0.5), y + COURSE * course, z], 1))
    return np.concatenate(pieces)


def _side(letter: str) -> float:
    """Return the side of a stitch's legs: 1 in front, -1 behind."""
    return -1.0 if letter == "P" else 1.0


def _blend(t: np.ndarray, before: float, after: float) -> np.ndarray:
    return 0.5 * (before + after) + 0.5 * (after - before) * np.tanh(t / SINKER_CHANGE)
