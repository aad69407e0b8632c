"""Pairs of triangles of a sheet that form a quadrilateral: a membrane of these bends isotropically.

In a sheet bent to a cylinder with curvature k, a triangle with edges of length h is tilted, and measures the axis, whose
length is constant, as longer by up to (k h)^2 / 8: two triangles resist a fold across their common edge with their full
stiffness (locking), and a fold along it not at all. At the centre of a quadrilateral, between its diagonals, the strains at
the two ends of a diagonal have opposite signs and cancel, for any direction of the fold; exactly in a parallelogram. Pairs
must be flat, with corners near right angles, and nearly all triangles of a part must be in pairs, as in a mesh of quads.
Single pairs among irregular triangles remove more hinges than locking (docs/notes/folds.md).
"""

from __future__ import annotations

import numpy as np

from .components import fewest_flips, label_components
from .edges import half_edges, pair_keys

Array = np.ndarray

#: Largest cosine of a corner, of any quadrilateral and of a rectangle; least cosine between both normals.
ASKEW, RECTANGLE, FLAT = 0.5, 0.2, 0.9
#: Least share of the triangles of a connected part that are in pairs.
MOST = 0.8
#: Cosines that differ by less are equal, so that rounding does not choose.
EQUAL = 1e-4


def find_quadrilaterals(x: Array, triangles: Array, kinds: Array) -> Array:
    """Return the two triangles of each quadrilateral, (q, 2), none of them twice: those with the best corners first.

    x: rest positions [m], (n, 3). triangles: (t, 3). kinds: of the triangles, (t,): both are of one.
    """
    first, second = _neighbours(triangles)
    part = label_components(np.stack([first, second], 1), len(triangles))
    side = _sides(x, quadrilateral_corners(triangles, np.stack([first, second], 1)))
    askew = _askew(side)
    normal = np.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    turns = np.cross(side, np.roll(side, -1, 1))
    good = (kinds[first] == kinds[second]) & (askew < ASKEW) & ((normal[first] * normal[second]).sum(1) > FLAT)
    good &= ((turns * (normal[first] + normal[second])[:, None]).sum(2) > 0).all(1)
    first, second, askew = first[good], second[good], askew[good]
    order = np.lexsort((second, first, np.floor(askew / EQUAL)))
    pairs = _matched(np.stack([first, second], 1)[order], len(triangles))
    paired = np.zeros(len(triangles))
    paired[pairs] = 1
    share = np.bincount(part, paired, len(triangles)) / np.maximum(np.bincount(part, minlength=len(triangles)), 1)
    return pairs[share[part[pairs[:, 0]]] >= MOST]


def quadrilateral_corners(triangles: Array, pairs: Array) -> Array:
    """The corners of each pair of triangles, in turn round it, (q, 4). pairs: triangles that share an edge, (q, 2)."""
    a, b = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
    first_corner = np.argmin(
        (a[:, :, None] == b[:, None, :]).any(2), axis=1
    )  # the corner of the first that is not the second's
    other = np.argmin((b[:, :, None] == a[:, None, :]).any(2), axis=1)
    rows = np.arange(len(pairs))
    return np.stack(
        [a[rows, first_corner], a[rows, (first_corner + 1) % 3], b[rows, other], a[rows, (first_corner + 2) % 3]], 1
    )


def cut_one_way(x: Array, triangles: Array, pairs: Array) -> Array:
    """Return the same triangles, (t, 3), with the common edges of as few rectangles as possible flipped to the other
    diagonal, so that those of neighbours do not meet if that is possible.

    Only so a discrete shell is exact: a sheet with alternating cuts is stiffer by half about a diagonal. x: rest positions
    [m], (n, 3). pairs: (q, 2).
    """
    corners = quadrilateral_corners(triangles, pairs)
    rectangles = _askew(_sides(x, corners)) < RECTANGLE
    pairs, corners = pairs[rectangles], corners[rectangles]
    ends = np.stack([corners, np.roll(corners, -1, 1)], 2).reshape(-1, 2)  # of side k of quadrilateral q at 4 q + k
    on_cut = corners[:, [1, 1, 3, 3]].ravel()  # the end of each side that the cut has
    keys = pair_keys(ends[:, 0], ends[:, 1])
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    a, b = order[same], order[same + 1]
    turn = fewest_flips(np.stack([a // 4, b // 4], 1), on_cut[a] == on_cut[b], len(pairs))
    return _cut_otherwise(triangles, pairs[turn])


def cut_from(triangles: Array, pairs: Array, vertices: Array) -> Array:
    """The same triangles, (t, 3), but for quadrilaterals of which some vertices are corners: their cut ends at as many of
    these as it can. pairs: (q, 2)."""
    held = np.isin(quadrilateral_corners(triangles, pairs), vertices)
    return _cut_otherwise(triangles, pairs[held[:, [0, 2]].sum(1) > held[:, [1, 3]].sum(1)])


def _cut_otherwise(triangles: Array, pairs: Array) -> Array:
    """The triangles of these pairs as the other diagonal cuts them, (t, 3)."""
    result, corners = triangles.copy(), quadrilateral_corners(triangles, pairs)
    result[pairs[:, 0]] = corners[:, [0, 1, 2]]
    result[pairs[:, 1]] = corners[:, [2, 3, 0]]
    return result


def axes_of_pairs(x: Array, corners: Array, axes: Array, pairs: Array) -> Array:
    """Unit vectors of warp and weft in the plane of each quadrilateral's diagonals, (q, 2, 3): the mean of its triangles'.

    x: rest positions [m], (n, 3). corners: (q, 4). axes: of triangles, (t, 2, 3). pairs: (q, 2).
    """
    normal = np.cross(x[corners[:, 2]] - x[corners[:, 0]], x[corners[:, 3]] - x[corners[:, 1]])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    warp = axes[pairs, 0].sum(1)
    warp -= (warp * normal).sum(1, keepdims=True) * normal
    warp /= np.linalg.norm(warp, axis=1, keepdims=True)
    return np.stack([warp, np.cross(normal, warp)], 1)


def _sides(x: Array, corners: Array) -> Array:
    """Unit vectors along the sides of quadrilaterals, (q, 4, 3). corners: (q, 4)."""
    side = x[np.roll(corners, -1, 1)] - x[corners]
    return side / np.maximum(np.linalg.norm(side, axis=2, keepdims=True), 1e-30)


def _askew(side: Array) -> Array:
    """The largest cosine of a corner, (q,). side: (q, 4, 3)."""
    return np.abs((side * np.roll(side, -1, 1)).sum(2)).max(1)


def _neighbours(triangles: Array) -> tuple[Array, Array]:
    """Triangles that share an edge and run along it in opposite directions, each pair once, lower number first."""
    tail, head, _ = half_edges(triangles)
    keys = pair_keys(tail, head)
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    a, b = order[same], order[same + 1]
    opposite = tail[a] == head[b]
    return a[opposite] // 3, b[opposite] // 3


def _matched(pairs: Array, count: int) -> Array:
    """Return of pairs in order of preference those without a member of an earlier one, (q, 2). count: of members."""
    matched, candidates = [], pairs
    while len(candidates):
        rank = np.arange(len(candidates))
        best = np.full(count, len(candidates))
        np.minimum.at(best, candidates.ravel(), np.repeat(rank, 2))
        chosen = (best[candidates] == rank[:, None]).all(1)  # both of its members want no other
        matched.append(candidates[chosen])
        is_matched = np.zeros(count, bool)
        is_matched[candidates[chosen]] = True
        candidates = candidates[~is_matched[candidates].any(1)]
    return np.concatenate(matched) if matched else np.zeros((0, 2), np.int64)
