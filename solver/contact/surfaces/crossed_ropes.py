"""Warnings of ropes whose centre lines cross at the start.

Ropes that start nearer than their radii are pushed apart along their distance vector; crossing lines have none.
"""

from __future__ import annotations

import numpy as np

from ...counted import counted
from ...model.model import Model
from ...scene import Rope
from ...topology.box_grid import BoxGrid
from .rules import rules_of

Array = np.ndarray


def crossed_ropes(model: Model) -> list[str]:
    """Return a sentence for each pair of ropes with crossing edges, or rope that crosses itself.

    Edges with a common vertex do not count; nor do pairs of edges with a pinned vertex each, as at a common hook, vertices
    without contact, and tied ropes.
    """
    bodies = model.scene.bodies
    of_ropes = [_edges(model, number) for number, body in enumerate(bodies) if isinstance(body, Rope)]
    if not any(len(number) for *_, number in of_ropes):
        return []
    ends, owner, number = (np.concatenate(arrays) for arrays in zip(*of_ropes, strict=True))
    p, q = model.x_start[ends[:, 0]], model.x_start[ends[:, 1]]
    low, high = np.minimum(p, q), np.maximum(p, q)
    one, other = BoxGrid(low, high).near(low, high)
    held = model.fixed[ends].any(1)
    new = (one < other) & _touching(model)[owner[one], owner[other]] & ~(held[one] & held[other])
    new &= ~(ends[one][:, :, None] == ends[other][:, None, :]).any((1, 2))
    one, other = one[new], other[new]
    points, distance = _nearest(p[one], q[one], p[other], q[other])
    furthest = np.abs(np.concatenate([p[one], q[one]], 1)).max(1, initial=0.0)
    crosses = distance <= 4 * np.spacing(furthest.astype(np.float32))  # within the rounding of positions
    one, other, points = one[crosses], other[crosses], points[crosses] + model.origin
    sentences = []
    for a, b in np.unique(np.stack([owner[one], owner[other]], 1), axis=0).tolist():
        here = (owner[one] == a) & (owner[other] == b)
        crossed, (x, y, z) = np.unique(number[one[here]]), np.round(points[here][0], 6) + 0.0  # no -0
        pair = "itself" if a == b else bodies[b].name
        sentences.append(
            f"{bodies[a].name}: {counted(len(crossed), 'edge crosses', 'edges cross')} {pair} at the start (first: edge "
            f"{crossed[0]}, near ({x:.3g}, {y:.3g}, {z:.3g}) m), and may stay crossed. Move one of both aside by a little "
            "there."
        )
    return sentences


def _touching(model: Model) -> Array:
    """Return whether bodies may touch each other, and themselves, (bodies, bodies) bool, without tied ones."""
    bodies = model.scene.bodies
    touching = rules_of(model.scene)[:, : len(bodies)].copy()
    np.fill_diagonal(touching, [isinstance(body, Rope) and body.self_contact for body in bodies])
    rows = {body.name: number for number, body in enumerate(bodies)}
    for tie in model.scene.ties:
        touching[rows[tie.body], rows[tie.other]] = touching[rows[tie.other], rows[tie.body]] = False
    return touching


def _edges(model: Model, rope: int) -> tuple[Array, Array, Array]:
    """Return the edges of a rope that have contact as rows of the model, (e, 2), its number and theirs, (e,)."""
    part = model.parts[rope]
    body = part.body
    assert isinstance(body, Rope)
    touching = np.ones(len(body.vertices), bool)
    touching[np.asarray(body.without_contact, int)] = False
    number = np.flatnonzero(touching[body.whole_edges].all(1))
    return part.start + body.whole_edges[number], np.full(len(number), rope), number


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
