"""The descent of patches through a hierarchy of patches: pairs of elements whose boxes meet, one of them fresh."""

from __future__ import annotations

from ...device.cpu import LANES
from ...device.simd.boxes import lowest_bit, meeting_between
from ...device.uncounted import inline, subroutine, uncounted_kernel
from .patch_tree import node_box, place_box
from .query import MET
from .smooth_windows import share_window
from .tree import stay_apart


@inline
def _row(spans, node):
    """The cells of a node, as a tuple."""
    return spans[node, 0], spans[node, 1], spans[node, 2], spans[node, 3]


@subroutine
def _points_and_triangles(points, a, triangles, b, box, met, pairs):
    """Pairs of the points of patch a and the triangles of patch b, whose box is given. Returns met. Written: pairs."""
    own, some, all_boxes = meeting_between(points.boxes[a], box), points.fresh[a], points.boxes[a]
    t_boxes, t_fresh, corners, numbers = triangles.boxes[b], triangles.fresh[b], triangles.corners, triangles.numbers
    own = own if t_fresh != 0 else own & some
    while own:
        lane = lowest_bit(own)
        own &= own - 1
        hits = meeting_between(t_boxes, place_box(all_boxes, lane))
        hits = hits if some >> lane & 1 else hits & t_fresh
        i = points.numbers[a * LANES + lane]
        while hits:
            q = b * LANES + lowest_bit(hits)
            hits &= hits - 1
            j, k, m = corners[q, 0], corners[q, 1], corners[q, 2]
            pairs.corners[met, 0], pairs.corners[met, 1], pairs.corners[met, 2], pairs.corners[met, 3] = i, j, k, m
            pairs.ids[met, 0], pairs.ids[met, 1] = i, numbers[q]
            met += not ((i == j) | (i == k) | (i == m))
    return met


@subroutine
def _edges_and_edges(edges, a, others, b, box, same, met, pairs):
    """Pairs of the edges of patch a and those of patch b, whose box is given. same: they are one patch. Returns met. Written:
    pairs."""
    own, some, all_boxes = meeting_between(edges.boxes[a], box), edges.fresh[a], edges.boxes[a]
    t_boxes, t_fresh, corners, numbers = others.boxes[b], others.fresh[b], others.corners, others.numbers
    own = own if t_fresh != 0 else own & some
    while own:
        lane = lowest_bit(own)
        own &= own - 1
        hits = meeting_between(t_boxes, place_box(all_boxes, lane))
        hits = hits if some >> lane & 1 else hits & t_fresh
        hits = (hits >> (lane + 1)) << (lane + 1) if same else hits
        p = a * LANES + lane
        i, j, e = edges.corners[p, 0], edges.corners[p, 1], edges.numbers[p]
        while hits:
            q = b * LANES + lowest_bit(hits)
            hits &= hits - 1
            k, m = corners[q, 0], corners[q, 1]
            pairs.corners[met, 0], pairs.corners[met, 1], pairs.corners[met, 2], pairs.corners[met, 3] = i, j, k, m
            pairs.ids[met, 0], pairs.ids[met, 1] = e, numbers[q]
            met += not ((i == k) | (i == m) | (j == k) | (j == m))
    return met


@uncounted_kernel
def descend(patch, stop, depth, within, all_fresh, one, other, rules, windows, stack, vertex, edge):
    """Descend the tree `other` with the patches patch..stop of `one`, until there is no more room for pairs.

    depth: nodes on the stack, 0 to begin at the root. within: both are one tree; all_fresh: and all of it is fresh. rules:
    whether two objects touch. windows: `WindowTable`. Written: stack, and vertex and edge, see `MetPairs`. Returns patch and
    depth to go on from, and the pairs met of points and triangles, and of edges.
    """
    first, t_first, nodes, spans, t_fresh = one.leaves - 1, other.leaves - 1, other.nodes, other.spans, other.fresh_nodes
    points, edges = depth * 0, depth * 0
    while patch < stop:
        leaf = first + patch
        box, cell, fresh = node_box(one.nodes, leaf), _row(one.spans, leaf), one.fresh_nodes[leaf]
        if depth == 0:
            if not (fresh or (t_fresh[0] and not within)):
                patch += 1
                continue
            depth = 1
            stack[0] = 0
        while depth > 0 and points <= MET - 2 * LANES * LANES and edges <= MET - LANES * LANES:
            depth -= 1
            node = stack[depth]
            if not (fresh | t_fresh[node]) or (all_fresh and other.last[node] <= patch) or stay_apart(nodes, node, box):
                continue
            if share_window(cell, _row(spans, node), windows):
                continue
            if node < t_first:
                stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
                depth += 2
                continue
            partner = node - t_first
            # Two fresh patches meet once, from the first one; and the first is the first of all their pairs.
            before = within and partner < patch
            if (before and t_fresh[node]) or not rules[one.owner[patch], other.owner[partner]]:
                continue
            there, same = node_box(nodes, node), within and partner == patch
            if before:
                edges = _edges_and_edges(other.edges, partner, one.edges, patch, box, same, edges, edge)
            else:
                edges = _edges_and_edges(one.edges, patch, other.edges, partner, there, same, edges, edge)
            points = _points_and_triangles(one.points, patch, other.triangles, partner, there, points, vertex)
            if not same:
                points = _points_and_triangles(other.points, partner, one.triangles, patch, box, points, vertex)
        if depth > 0:
            break
        patch += 1
    return patch, depth, points, edges
