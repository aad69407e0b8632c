"""Strands of a rope: paths of edges between ends and branches, and rings."""

from __future__ import annotations

import numpy as np

from ..errors import TopologyError
from .edges import pair_keys, vertex_edges

Array = np.ndarray


def check_edges(name: str, points: Array, edges: Array) -> None:
    """points: [m], (n, 3). edges: (e, 2). Raises: TopologyError if an edge is listed twice, or has no length."""
    _, first, count = np.unique(pair_keys(edges[:, 0], edges[:, 1]), return_index=True, return_counts=True)
    twice = first[count > 1]
    if len(twice):
        a, b = edges[twice[0]]
        raise TopologyError(f"{name}: the edge of vertices {a} and {b} is listed twice; wanted each once. Take one out.")
    short = np.flatnonzero(np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1) <= 0)
    if len(short):
        a, b = edges[short[0]]
        raise TopologyError(f"{name}: vertices {a} and {b} of an edge are at one place; wanted a length. Merge them.")


def find_strands(edges: Array, n_vertices: int) -> list[Array]:
    """Return the vertices of each strand in order, (k,); a ring begins and ends with the same one.

    A strand runs through vertices of two edges, from an end or a branch to the next one. edges: (e, 2), each once.
    """
    start, at = vertex_edges(edges, n_vertices)
    degree = np.diff(start)
    used = np.zeros(len(edges), bool)
    pairs, used_list = edges.tolist(), used
    strands = []

    def walk(vertex: int, edge: int) -> list[int]:
        path = [vertex]
        while True:
            used_list[edge] = True
            a, b = pairs[edge]
            vertex = b if vertex == a else a
            path.append(vertex)
            if degree[vertex] != 2 or vertex == path[0]:
                return path
            one, other = at[start[vertex] : start[vertex + 1]]
            edge = int(other if one == edge else one)

    for vertex in np.flatnonzero((degree > 0) & (degree != 2)).tolist():
        strands += [walk(vertex, int(edge)) for edge in at[start[vertex] : start[vertex + 1]] if not used[edge]]
    for edge in range(len(edges)):
        if not used[edge]:
            strands.append(walk(pairs[edge][0], edge))
    return [np.array(strand, np.int64) for strand in strands]


def joints_of(strand: Array) -> Array:
    """Return the joints of a strand: the vertices before, at and after each, (k, 3); of a ring one at its first vertex
    too, the last."""
    joints = np.column_stack([strand[:-2], strand[1:-1], strand[2:]])
    if strand[0] == strand[-1] and len(strand) > 3:
        joints = np.concatenate([joints, [[strand[-2], strand[0], strand[1]]]])
    return joints


def frames_along(points: Array, strand: Array, roll: float | None = None) -> Array:
    """Unit vectors across each edge of a strand, each the last one turned by the shortest rotation, (k, 3).

    points: [m], (n, 3). roll: angle of the first one from the horizontal [rad]; None for any direction.
    Source: Bergou et al. 2008, "Discrete elastic rods", section 4.2.2.
    """
    edges = np.diff(points[strand], axis=0)
    tangents = edges / np.maximum(np.linalg.norm(edges, axis=1), 1e-30)[:, None]
    across = np.zeros_like(tangents)
    across[0] = np.cross(tangents[0], np.eye(3)[np.argmin(np.abs(tangents[0]))])
    if roll is not None:
        across[0] = _rolled(tangents[0], roll, across[0])
    across[0] /= np.linalg.norm(across[0])
    for k in range(1, len(tangents)):
        a, t = tangents[k - 1], tangents[k]
        next_one = across[k - 1] - (across[k - 1] @ t) / max(1 + a @ t, 1e-6) * (a + t)
        next_one -= (next_one @ t) * t
        across[k] = next_one / max(np.linalg.norm(next_one), 1e-30)
    return across


def _rolled(tangent: Array, roll: float, of_upright: Array) -> Array:
    """Horizontal vector across a unit vector, turned about it. of_upright: in place of the horizontal one, of a tangent that
    is upright, (3,)."""
    level = np.cross(tangent, (0.0, 0.0, 1.0))
    level = level if np.linalg.norm(level) > 1e-3 else of_upright
    level = level / np.linalg.norm(level)
    return np.cos(roll) * level + np.sin(roll) * np.cross(tangent, level)
