"""The descent of meshlets through a hierarchy of meshlets: pairs of elements whose boxes meet, one of them fresh."""

from __future__ import annotations

from ...device.cpu import LANES
from ...device.simd.boxes import lowest_bit, meeting_between
from ...device.uncounted import inline, subroutine, uncounted_kernel
from .meshlet_tree import node_box, place_box, stay_apart
from .query import MET
from .smooth_windows import share_window


@inline
def _row(spans, node):
    """The cells of a node, as a tuple."""
    return spans[node, 0], spans[node, 1], spans[node, 2], spans[node, 3]


@subroutine
def _points_and_triangles(points, a, triangles, b, box, rule, met, pairs):
    """Pairs of the points of meshlet a and the triangles of meshlet b. box: around these. rule: see `_rule`. Returns met.
    Written: pairs."""
    some, partners, others = rule
    boxes, t_boxes, corners, numbers = points.boxes[a], triangles.boxes[b], triangles.corners, triangles.numbers
    lanes = meeting_between(boxes, box)
    lanes = lanes if others != 0 else lanes & some
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        hits = meeting_between(t_boxes, place_box(boxes, lane)) & (partners if some >> lane & 1 else others)
        i = points.corners[a * LANES + lane, 0]
        while hits:
            q = b * LANES + lowest_bit(hits)
            hits &= hits - 1
            j, k, m = corners[q, 0], corners[q, 1], corners[q, 2]
            pairs.corners[met, 0], pairs.corners[met, 1], pairs.corners[met, 2], pairs.corners[met, 3] = i, j, k, m
            pairs.ids[met, 0], pairs.ids[met, 1] = i, numbers[q]
            met += not ((i == j) | (i == k) | (i == m))
    return met


@subroutine
def _edges_and_edges(edges, a, t_edges, b, box, rule, same, met, pairs):
    """Pairs of the edges of meshlet a and those of meshlet b. same: they are one meshlet. Other arguments: see
    `_points_and_triangles`. Returns met. Written: pairs."""
    some, partners, others = rule
    boxes, t_boxes, corners, numbers = edges.boxes[a], t_edges.boxes[b], t_edges.corners, t_edges.numbers
    lanes = meeting_between(boxes, box)
    lanes = lanes if others != 0 else lanes & some
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        hits = meeting_between(t_boxes, place_box(boxes, lane)) & (partners if some >> lane & 1 else others)
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


@inline
def _rule(places, a, partners, b, either, before):
    """Bits of some elements of meshlet a, of the partners of these in meshlet b, and of the partners of all others.

    places, partners: the places of the elements. either: of each pair one element is fresh; else that of a is, and where
    meshlet b comes before, that of b is not.
    """
    fresh, t_fresh = places.fresh[a], partners.fresh[b]
    return fresh, ~t_fresh if before else ~(t_fresh & 0), t_fresh if either else t_fresh & 0


@inline
def _turned(rule, places, a):
    """The same for the pairs of the elements of meshlet b with those of meshlet a, one by one."""
    _, partners, others = rule
    return partners, places.fresh[a], others


@uncounted_kernel
def descend(meshlet, stop, depth, within, all_fresh, one, other, rules, windows, stack, vertex, edge):
    """Descend the tree `other` with the meshlets meshlet..stop of `one`, until there is no more room for pairs.

    depth: nodes on the stack, 0 to begin at the root. within: both are one tree; all_fresh: and all of it is fresh. rules:
    whether two objects touch. windows: `WindowTable`. Written: stack, and vertex and edge, see `MetPairs`. Returns meshlet
    and depth to continue from, and the pairs met of points and triangles, and of edges.
    """
    first, t_first, nodes, spans = one.leaves - 1, other.leaves - 1, other.nodes, other.spans
    points, edges, either = depth * 0, depth * 0, not within and other.fresh_nodes[0]
    while meshlet < stop:
        leaf = first + meshlet
        if not (either or one.fresh_nodes[leaf]):
            meshlet += 1
            continue
        box, cell = node_box(one.nodes, leaf) if either else node_box(one.fresh_boxes, meshlet), _row(one.spans, leaf)
        if depth == 0:
            depth = 1
            stack[0] = 0
        while depth > 0 and points <= MET - 2 * LANES * LANES and edges <= MET - LANES * LANES:
            depth -= 1
            node = stack[depth]
            if stay_apart(nodes, node, box) or (all_fresh and other.last[node] <= meshlet):
                continue
            if share_window(cell, _row(spans, node), windows):
                continue
            if node < t_first:
                stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
                depth += 2
                continue
            b = node - t_first
            if not rules[one.owner[meshlet], other.owner[b]]:
                continue
            there, same, before = node_box(nodes, node), within and b == meshlet, within and b < meshlet
            rule = _rule(one.edges, meshlet, other.edges, b, either or same, before)
            if before:  # as in all searches, the first of a pair is that of the first meshlet
                rule = _turned(rule, one.edges, meshlet)
                edges = _edges_and_edges(other.edges, b, one.edges, meshlet, box, rule, same, edges, edge)
            else:
                edges = _edges_and_edges(one.edges, meshlet, other.edges, b, there, rule, same, edges, edge)
            rule = _rule(one.points, meshlet, other.triangles, b, either or same, before)
            points = _points_and_triangles(one.points, meshlet, other.triangles, b, there, rule, points, vertex)
            if not same:
                if either:
                    rule = _rule(other.points, b, one.triangles, meshlet, either, before)
                else:
                    rule = _turned(_rule(one.triangles, meshlet, other.points, b, either, before), one.triangles, meshlet)
                points = _points_and_triangles(other.points, b, one.triangles, meshlet, box, rule, points, vertex)
        if depth > 0:
            break
        meshlet += 1
    return meshlet, depth, points, edges
