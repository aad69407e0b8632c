"""Edge-triangle intersections: edges that pass through triangles, which contact never lets happen anew."""

from __future__ import annotations

import numpy as np

from ...device.cpu import LANES
from ...device.row_kernels import uncounted_row_kernel
from ...device.simd.boxes import equal, lowest_bit, meeting
from ...device.threads import CHUNK, run
from ...device.uncounted import inline
from ..broad_phase.neighbour_lists import NeighbourLists
from ..broad_phase.tied_pairs import without_tied
from ..broad_phase.tree import STACK, Tree, apart
from ..surfaces.surfaces import Surfaces

Array = np.ndarray
f64 = np.float64

#: Sine of the angle between an edge and a triangle below which it lies in the triangle's plane.
PARALLEL = 1e-9


@inline
def pierces(x, a, b, i, j, k):
    """Return whether the edge a b passes through the triangle i j k. x: positions [m], (count, 3 or more).

    In float64: neighbours in a flat sheet lie in one plane, and float32 cannot separate their volume from rounding.
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


@inline
def _box_of_fresh(table, first, last, big):
    """The box around the fresh elements first..last: low and high."""
    bounds, fresh = table.bounds, table.fresh
    a, b, c, d, e, f = big, big, big, -big, -big, -big
    for p in range(first, last):
        if fresh[p]:
            a, b, c = min(a, bounds[p, 0]), min(b, bounds[p, 1]), min(c, bounds[p, 2])
            d, e, f = max(d, bounds[p, 3]), max(e, bounds[p, 4]), max(f, bounds[p, 5])
    return (a, b, c), (d, e, f)


@inline
def _meeting_row(boxes, box):
    """Return bits of those of 16 boxes that meet one. boxes: of `blocks`; box: of `bounds` or `nodes`."""
    return meeting(boxes, box[0], box[1], box[2], box[3], box[4], box[5])


@inline
def _sharing(corners, element):
    """Return bits of those of 16 elements that have a corner of another one. corners: of the 16, one after the other of
    all."""
    shared = 0
    for index in range(len(element)):
        for place in range(0, len(corners), LANES):
            shared |= equal(corners, place, element[index])
    return shared


@uncounted_row_kernel
def _search(begin, finish, skip_fresh, one, other, t_corners, x, owner, rules, stacks, totals, intersections):
    """Edges begin..finish of one tree that pass through triangles of another, or the other way round; one side is fresh.

    The other tree is descended by 16 elements at once. t_corners: its `Tree.lanes`. Written: stacks (chunks, STACK), totals
    (chunks,), intersections (chunks, room, 2) numbers of edge and triangle.
    """
    items, order, bounds, fresh = one.items, one.order, one.bounds, one.fresh
    t_items, t_order, t_fresh = other.items, other.order, other.fresh
    tops, nodes, blocks = other.tops, other.nodes, other.blocks
    edges, big = items.shape[1] == 2, bounds.dtype.type(1e30)
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        total, stack, of_chunk = 0, stacks[chunk], intersections[chunk]
        end = min(finish, chunk * CHUNK + CHUNK)
        for first in range(chunk * CHUNK, end, LANES):
            last = min(first + LANES, end)
            group = one.blocks[first // LANES]
            low, high = _box_of_fresh(one, first, last, big)
            depth = 1
            stack[0] = 0
            while depth > 0:
                depth -= 1
                node = stack[depth]
                if apart(nodes, node, low, high):
                    continue
                if node < tops - 1:
                    stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
                    depth += 2
                    continue
                block = node - (tops - 1)
                meeting_row = _meeting_row(group, nodes[node])
                while meeting_row:
                    p = first + lowest_bit(meeting_row)
                    meeting_row &= meeting_row - 1
                    met = _meeting_row(blocks[block], bounds[p]) if fresh[p] else 0
                    if met:
                        met &= ~_sharing(t_corners[block], items[p])
                    while met:
                        q = block * LANES + lowest_bit(met)
                        met &= met - 1
                        if edges:
                            a, b = items[p, 0], items[p, 1]
                            i, j, k = t_items[q, 0], t_items[q, 1], t_items[q, 2]
                        else:
                            a, b = t_items[q, 0], t_items[q, 1]
                            i, j, k = items[p, 0], items[p, 1], items[p, 2]
                        if (skip_fresh and t_fresh[q]) or not rules[owner[a], owner[i]] or not pierces(x, a, b, i, j, k):
                            continue
                        if total < of_chunk.shape[0]:
                            of_chunk[total, 0] = order[p] if edges else t_order[q]
                            of_chunk[total, 1] = t_order[q] if edges else order[p]
                        total += 1
        totals[chunk] = total


def found_between(skip_fresh: bool, one: Tree, other: Tree, x: Array, owner: Array, rules: Array) -> Array:
    """Edges of one tree that pass through triangles of the other, one of them fresh: numbers of both, (k, 2) int32.

    skip_fresh: whether to leave out fresh elements of the other tree. x: (count, 3) [m].
    """
    if not len(other) or not one.any_fresh:
        return np.empty((0, 2), "int32")
    chunks = -(-len(one) // CHUNK)
    room, totals = 64, np.zeros(chunks, "int64")
    stacks = np.empty((chunks, STACK), "int32")
    while True:
        intersections = np.empty((chunks, room, 2), "int32")
        run(
            _search,
            len(one),
            skip_fresh,
            one.table,
            other.table,
            other.lanes,
            x,
            owner,
            rules,
            stacks,
            totals,
            intersections,
        )
        most = int(totals.max(initial=0))
        if most <= room:
            return np.concatenate([intersections[c, :k] for c, k in enumerate(totals.tolist())])
        room = most


def edge_triangle_intersections(lists: NeighbourLists, surfaces: Surfaces, x: Array, which: Array) -> Array:
    """Edges that pass through triangles: numbers of edge and triangle, (k, 2) int32, in ascending order.

    What contact leaves alone at ties does not count (`tied_pairs`).
    x: (count, 4) [m]. which: (count,) bool; pairs are looked at of which one element has such a corner.
    """
    s, positions = surfaces, x[:, :3].copy()
    (edges, triangles), (far_edges, far_triangles) = lists.trees_at(positions, which)
    parts = []
    for some, others, shift in (
        (edges, triangles, (0, 0)),
        (edges, far_triangles, (0, s.body_triangles)),
        (far_edges, triangles, (s.body_edges, 0)),
    ):
        for skip_fresh, one, other in ((False, some, others), (True, others, some)):
            hits = found_between(skip_fresh, one, other, positions, s.owner, s.rules)
            parts.append(hits + np.asarray(shift, "int32"))
    intersections = without_tied(np.concatenate(parts), s, lists.ties)
    return intersections[np.lexsort((intersections[:, 1], intersections[:, 0]))]
