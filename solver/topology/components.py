"""Connected parts of a graph or of a surface, and one winding for each."""

from __future__ import annotations

import numpy as np

from .edges import half_edges, pair_keys, vertex_edges

Array = np.ndarray


def label_components(links: Array, n: int) -> Array:
    """The smallest node index of each node's connected part: (n,) int64, for links (m, 2) between n nodes."""
    label = np.arange(n)
    a, b = links[:, 0].astype(np.int64), links[:, 1].astype(np.int64)
    while True:
        low, high = np.minimum(label[a], label[b]), np.maximum(label[a], label[b])
        apart = low != high
        if not apart.any():
            return label
        np.minimum.at(label, high[apart], low[apart])  # hook each root on the smaller one
        while True:  # then point every node at its root
            root = label[label]
            if np.array_equal(root, label):
                break
            label = root


def triangle_links(triangles: Array) -> tuple[Array, Array]:
    """Return pairs of triangles that share an edge, (m, 2), and whether both traverse it in the same direction, (m,) bool.

    Edges with more than two triangles link each to the next.
    """
    tail, head, _ = half_edges(triangles)
    keys = pair_keys(tail, head)
    order = np.argsort(keys, kind="stable")
    pair = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    first, second = order[pair], order[pair + 1]
    return np.stack([first // 3, second // 3], axis=1), tail[first] == tail[second]


def consistent_winding(triangles: Array) -> Array:
    """The same triangles (t, 3), some turned over, so that neighbours agree wherever that is possible.

    Each connected part keeps the winding of most of its triangles. On a one-sided surface some neighbours stay at odds.
    """
    turn = fewest_flips(*triangle_links(triangles), len(triangles))
    result = triangles.copy()
    result[turn] = triangles[turn][:, [0, 2, 1]]
    return result


def fewest_flips(links: Array, odd: Array, n: int) -> Array:
    """Return the nodes to flip, (n,) bool, at most half of each connected part. Of two linked ones, (m, 2), either both or
    none are, and one if they are at odds, (m,) bool, if that is possible."""
    start, edge = vertex_edges(links, n)
    flip = np.full(n, -1, dtype=np.int8)
    label = label_components(links, n)
    front = np.unique(label)
    flip[front] = 0
    while len(front):  # breadth first, one ring of nodes at a time
        count = start[front + 1] - start[front]
        owner = np.repeat(front, count)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(start[front], count)
        link = edge[place]
        other = links[link].sum(1) - owner
        fresh = flip[other] < 0
        other, value = other[fresh], (flip[owner] ^ odd[link])[fresh]
        flip[other] = value
        front = np.unique(other)
    flipped = np.bincount(label, weights=flip, minlength=n)
    size = np.bincount(label, minlength=n)
    return (flip == 1) ^ (flipped > size / 2)[label]
