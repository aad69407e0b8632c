"""Tethers: each free vertex of a sheet with the nearest pinned vertices, and how far they are along the sheet."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from .components import label_components
from .edges import unique_edges, vertex_edges
from .hinges import find_hinges

Array = np.ndarray

#: Groups of pinned vertices that a vertex is tied to at most: the nearest ones, by one tether each.
NEAREST = 4


def find_tethers(name: str, x: Array, triangles: Array, pinned: Array) -> tuple[Array, Array]:
    """Pairs (free vertex, pinned vertex) (n, 2) int32, and the distance of each pair along the sheet [m], (n,).

    x: rest positions [m], (n_vertices, 3). triangles: (t, 3). pinned: vertices (k,). name: the body, for messages.
    Pinned vertices that edges join are one group; a vertex is tied to the nearest vertex of each of the NEAREST groups that
    are nearest. Vertices that the sheet does not join with a pin get no tether. Distances are of paths along edges and
    straight across single edges, so at least as long as the true geodesics: 8 % more at most on a grid of right triangles.
    Raises: TopologyError if an edge has more than two triangles.
    Source: Kim, Chentanez, Muller 2012, "Long range attachments"; one attachment for each cluster of pinned vertices.
    """
    if not len(pinned):
        return np.zeros((0, 2), np.int32), np.zeros(0)
    edges = unique_edges(triangles)
    is_pinned = np.zeros(len(x), bool)
    is_pinned[pinned] = True
    group = label_components(edges[is_pinned[edges].all(1)], len(x))
    links, lengths = _links(name, x, triangles, edges)
    start, link = vertex_edges(links, len(x))
    distance = np.full((len(x), NEAREST), np.inf)
    source = np.full((len(x), NEAREST), -1, np.int64)
    distance[pinned, 0] = 0.0
    source[pinned, 0] = pinned
    _spread(np.unique(pinned), start, link, links, lengths, np.ascontiguousarray(group, np.int64), distance, source)
    vertex, place = np.nonzero((source >= 0) & ~is_pinned[:, None])
    return np.stack([vertex, source[vertex, place]], 1).astype(np.int32), distance[vertex, place]


def _links(name: str, x: Array, triangles: Array, edges: Array) -> tuple[Array, Array]:
    """Edges, and for each hinge the two far corners where the straight line between them, unfolded, crosses the edge."""
    hinges = find_hinges(name, triangles)
    a, b, c, d = (x[hinges[:, k]] for k in range(4))
    along = b - a
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / length
    s = [((p - a) * along).sum(1) for p in (c, d)]
    height = [np.linalg.norm(p - a - t[:, None] * along, axis=1) for p, t in zip((c, d), s, strict=True)]
    crossing = (s[0] * height[1] + s[1] * height[0]) / (height[0] + height[1])
    inside = (crossing > 0) & (crossing < length[:, 0])
    across = np.hypot(s[1] - s[0], height[0] + height[1])[inside]
    straight = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    return np.concatenate([edges, hinges[inside, 2:]]), np.concatenate([straight, across])


@kernel
def _spread(pinned, start, link, links, lengths, group, distance, source):
    """Pass distances on from the pins, vertex by vertex, until none gets shorter: Bellman and Ford with a queue."""
    n = len(start) - 1
    queue = np.empty(n, np.int64)
    waiting = np.zeros(n, np.bool_)
    for i in range(len(pinned)):
        queue[i] = pinned[i]
    waiting[pinned] = True
    first = 0
    count = len(pinned)
    while count > 0:
        u = queue[first]
        waiting[u] = False
        first = (first + 1) % n
        count -= 1
        for at in range(start[u], start[u + 1]):
            e = link[at]
            v = links[e, 0] + links[e, 1] - u
            shorter = False
            for k in range(distance.shape[1]):
                if source[u, k] >= 0 and _offer(distance[u, k] + lengths[e], source[u, k], v, group, distance, source):
                    shorter = True
            if shorter and not waiting[v]:
                queue[(first + count) % n] = v
                waiting[v] = True
                count += 1


@kernel
def _offer(length, pin, v, group, distance, source):
    """Take a path to a pinned vertex into the sorted list of a vertex, if it is one of the shortest; whether it was."""
    count = distance.shape[1]
    place = count - 1
    for k in range(count):
        if source[v, k] >= 0 and group[source[v, k]] == group[pin]:
            place = k
            break
        if source[v, k] < 0:
            place = k
            break
    if not length < distance[v, place]:
        return False
    while place > 0 and length < distance[v, place - 1]:
        distance[v, place] = distance[v, place - 1]
        source[v, place] = source[v, place - 1]
        place -= 1
    distance[v, place] = length
    source[v, place] = pin
    return True
