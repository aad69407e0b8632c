"""Warnings of ropes whose centre lines cross at the start.

Ropes that start nearer than their radii are pushed apart along their distance; lines that cross have none.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from ...counted import counted
from ...model.model import Model
from ...scene import Rope
from ...topology.box_grid import BoxGrid
from .rules import rules_of

Array = np.ndarray

#: Distance of lines that cross, over the sum of their radii.
CROSSED = 1e-4


def crossed_ropes(model: Model) -> list[str]:
    """Return a sentence for each pair of ropes that touch each other, or one that touches itself, whose edges cross.

    Edges with a common vertex do not count, nor do those of which one vertex each is pinned, as at a common hook, vertices
    without contact and ropes that are tied to each other.
    """
    rules, tied = rules_of(model.scene), {frozenset((tie.body, tie.other)) for tie in model.scene.ties}
    ropes = [number for number, body in enumerate(model.scene.bodies) if isinstance(body, Rope)]
    sentences = []
    for a, b in combinations_with_replacement(ropes, 2):
        one, other = model.scene.bodies[a], model.scene.bodies[b]
        touch = one.self_contact if a == b else rules[a, b] and frozenset((one.name, other.name)) not in tied
        crossed, point = _crossings(model, a, b) if touch else (np.zeros(0, int), None)
        if len(crossed):
            x, y, z = np.round(point, 6) + 0.0  # no -0
            pair = "itself" if a == b else other.name
            edges = f"{counted(len(crossed), 'edge crosses', 'edges cross')} {pair}"
            sentences.append(
                f"{one.name}: {edges} at the start (first: edge {crossed[0]}, near ({x:.3g}, {y:.3g}, {z:.3g}) m), and may "
                "stay crossed. Move one of both aside by a little there."
            )
    return sentences


def _crossings(model: Model, a: int, b: int) -> tuple[Array, Array | None]:
    """Return the edges of body a that cross some of body b, (k,), and the first point [m], (3,); None without any."""
    (p, q, ends, half, held), (r, s, others, thick, pinned) = (_edges(model, number) for number in (a, b))
    if not len(p) or not len(r):
        return np.zeros(0, int), None
    grid = BoxGrid(np.minimum(r, s), np.maximum(r, s))
    one, other = grid.near(np.minimum(p, q), np.maximum(p, q))
    new = ~(held[one] & pinned[other])
    if a == b:
        new &= (one < other) & ~(ends[one][:, :, None] == others[other][:, None, :]).any((1, 2))
    one, other = one[new], other[new]
    points, distance = _nearest(p[one], q[one], r[other], s[other])
    crosses = distance <= CROSSED * (half[one] + thick[other])
    if not crosses.any():
        return np.zeros(0, int), None
    return np.unique(one[crosses]), points[crosses][0] + model.origin


def _edges(model: Model, number: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return both ends of the edges of a rope [m], (e, 3), their vertices, (e, 2), radii [m], (e,), and whether one end is
    pinned, (e,), those without contact away from all others."""
    part = model.parts[number]
    body: Rope = part.body
    x, ends = model.x_start[part.start : part.stop], body.whole_edges
    free = np.ones(len(x), bool)
    free[np.asarray(body.without_contact, int)] = False
    ends = ends[free[ends].all(1)]
    held = model.fixed[part.start : part.stop][ends].any(1)
    return x[ends[:, 0]], x[ends[:, 1]], ends, body.radius[ends].mean(1), held


def _nearest(p: Array, q: Array, r: Array, s: Array) -> tuple[Array, Array]:
    """Return the points of segments p q that are nearest to segments r s [m], (k, 3), and the distances, (k,).

    Source: Ericson 2005, "Real-Time Collision Detection", section 5.1.9.
    """
    u, v, w = q - p, s - r, p - r
    uu, uv, vv, uw, vw = ((c * d).sum(1) for c, d in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    det = uu * vv - uv * uv
    along = np.clip(np.where(det > 0, uv * vw - vv * uw, 0) / np.where(det > 0, det, 1), 0, 1)
    far = np.clip((along * uv + vw) / vv, 0, 1)
    along = np.clip((far * uv - uw) / uu, 0, 1)
    point = p + along[:, None] * u
    return point, np.linalg.norm(point - r - far[:, None] * v, axis=1)
