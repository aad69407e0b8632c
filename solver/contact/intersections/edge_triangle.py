"""Edge-triangle intersections: edges that pass through triangles, which contact never lets happen anew."""

from __future__ import annotations

import numpy as np

from ...device import arrays
from ...device.cpu import kernel
from ...device.threads import CHUNK, run
from ...device.uncounted import inline
from ..broad_phase.neighbour_lists import NeighbourLists
from ..broad_phase.query import ALL, OTHERS
from ..broad_phase.tied_pairs import without_tied
from ..broad_phase.tree import LEAF, STACK, Tree, apart
from ..surfaces.surfaces import Surfaces

Array = np.ndarray
f64 = np.float64

#: Sine of the angle between an edge and a triangle below which it lies in the triangle's plane.
PARALLEL = 1e-9


@inline
def pierces(x, a, b, i, j, k):
    """Does the edge a b pass through the triangle i j k? x: positions [m], (count, 3 or more).

    In float64: neighbours in a flat sheet lie in one plane, and float32 cannot tell their volume from rounding.
    Source: Moller and Trumbore 1997, "Fast, minimum storage ray/triangle intersection".
    """
    dx, dy, dz = f64(x[b, 0]) - x[a, 0], f64(x[b, 1]) - x[a, 1], f64(x[b, 2]) - x[a, 2]
    ux, uy, uz = f64(x[j, 0]) - x[i, 0], f64(x[j, 1]) - x[i, 1], f64(x[j, 2]) - x[i, 2]
    vx, vy, vz = f64(x[k, 0]) - x[i, 0], f64(x[k, 1]) - x[i, 1], f64(x[k, 2]) - x[i, 2]
    hx, hy, hz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    det = ux * hx + uy * hy + uz * hz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = (nx * nx + ny * ny + nz * nz) * (dx * dx + dy * dy + dz * dz)
    if det * det <= PARALLEL * PARALLEL * size:
        return False
    sx, sy, sz = f64(x[a, 0]) - x[i, 0], f64(x[a, 1]) - x[i, 1], f64(x[a, 2]) - x[i, 2]
    r = (sx * hx + sy * hy + sz * hz) / det
    if r < 0 or r > 1:
        return False
    gx, gy, gz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    t = (dx * gx + dy * gy + dz * gz) / det
    along = (vx * gx + vy * gy + vz * gz) / det
    return t >= 0 and r + t <= 1 and along >= 0 and along <= 1


@kernel
def _search(begin, finish, skip_fresh, one, other, x, owner, rules, totals, found):
    """Edges begin..finish of one tree that pass through triangles of another, or the other way round; one side is fresh.

    Written: totals (chunks,), found (chunks, room, 2) numbers of edge and triangle.
    """
    items, order, bounds, fresh = one.items, one.order, one.bounds, one.fresh
    t_items, t_order, t_bounds, t_fresh = other.items, other.order, other.bounds, other.fresh
    leaves, nodes = other.leaves, other.nodes
    edges = items.shape[1] == 2
    stack = np.empty(STACK, np.int32)
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        total = 0
        for p in range(chunk * CHUNK, min(finish, chunk * CHUNK + CHUNK)):
            if not fresh[p]:
                continue
            low, high = (bounds[p, 0], bounds[p, 1], bounds[p, 2]), (bounds[p, 3], bounds[p, 4], bounds[p, 5])
            depth = 1
            stack[0] = 0
            while depth > 0:
                depth -= 1
                node = stack[depth]
                if apart(nodes, node, low, high):
                    continue
                if node < leaves - 1:
                    stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
                    depth += 2
                    continue
                leaf = (node - (leaves - 1)) * LEAF
                for q in range(leaf, min(len(t_items), leaf + LEAF)):
                    if (skip_fresh and t_fresh[q]) or apart(t_bounds, q, low, high):
                        continue
                    if edges:
                        a, b = items[p, 0], items[p, 1]
                        i, j, k = t_items[q, 0], t_items[q, 1], t_items[q, 2]
                    else:
                        a, b = t_items[q, 0], t_items[q, 1]
                        i, j, k = items[p, 0], items[p, 1], items[p, 2]
                    shared = a in (i, j, k) or b in (i, j, k)
                    if shared or not rules[owner[a], owner[i]] or not pierces(x, a, b, i, j, k):
                        continue
                    if total < found.shape[1]:
                        found[chunk, total, 0] = order[p] if edges else t_order[q]
                        found[chunk, total, 1] = t_order[q] if edges else order[p]
                    total += 1
        totals[chunk] = total


def found_between(rule: int, one: Tree, other: Tree, x: Array, owner: Array, rules: Array) -> Array:
    """Edges of one tree that pass through triangles of the other, one of them fresh: numbers of both, (k, 2) int32.

    rule: `ALL`, or `OTHERS` to leave out what is fresh in the other tree. x: (count, 3) [m].
    """
    if not len(other) or not one.any_fresh:
        return arrays.empty((0, 2), "int32", x)
    room, totals = 64, arrays.zeros(-(-len(one) // CHUNK), "int64", x)
    while True:
        found = arrays.empty((len(totals), room, 2), "int32", x)
        run(_search, len(one), rule == OTHERS, one.table, other.table, x, owner, rules, totals, found)
        most = int(arrays.largest(totals, 0))
        if most <= room:
            return arrays.concatenate([found[c, :k] for c, k in enumerate(arrays.download(totals).tolist())])
        room = most


def edge_triangle_intersections(lists: NeighbourLists, surfaces: Surfaces, x: Array, which: Array) -> Array:
    """Edges that pass through triangles: numbers of edge and triangle, (k, 2) int32, in ascending order.

    What contact leaves alone at ties does not count (`tied_pairs`).
    x: (count, 4) [m]. which: (count,) bool; pairs are looked at of which one element has such a corner.
    """
    s, positions = surfaces, arrays.copy(x[:, :3])
    (edges, triangles), (far_edges, far_triangles) = lists.trees_at(positions, which)
    parts = []
    for some, others, shift in (
        (edges, triangles, (0, 0)),
        (edges, far_triangles, (0, s.body_triangles)),
        (far_edges, triangles, (s.body_edges, 0)),
    ):
        for rule, one, other in ((ALL, some, others), (OTHERS, others, some)):
            parts.append(found_between(rule, one, other, positions, s.owner, s.rules) + arrays.upload(shift, "int32", x))
    found = without_tied(arrays.concatenate(parts), s, lists.ties)
    return found[arrays.stable_order_of_many((found[:, 1], found[:, 0]))]
