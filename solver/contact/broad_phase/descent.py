"""The descent of a tree by 16 elements of another one at a time: pairs whose boxes meet."""

from __future__ import annotations

from ...device.cpu import LANES
from ...device.uncounted import inline, uncounted_kernel
from .query import MET, OTHERS, WITHIN
from .smooth_windows import share_window
from .tree import stay_apart


@inline
def _group_box(bounds, fresh, first, last, big):
    """The boxes around the fresh elements first..last, as a row of `bounds`."""
    a, b, c, d, e, f = big, big, big, -big, -big, -big
    u, v, w, x, y, z = big, big, big, -big, -big, -big
    for i in range(first, last):
        if fresh[i]:
            a, b, c = min(a, bounds[i, 0]), min(b, bounds[i, 1]), min(c, bounds[i, 2])
            d, e, f = max(d, bounds[i, 3]), max(e, bounds[i, 4]), max(f, bounds[i, 5])
            u, v, w = min(u, bounds[i, 6]), min(v, bounds[i, 7]), min(w, bounds[i, 8])
            x, y, z = max(x, bounds[i, 9]), max(y, bounds[i, 10]), max(z, bounds[i, 11])
    return a, b, c, d, e, f, u, v, w, x, y, z


@inline
def _box_of(bounds, p):
    """The boxes of element p, as a tuple."""
    return (
        bounds[p, 0], bounds[p, 1], bounds[p, 2], bounds[p, 3], bounds[p, 4], bounds[p, 5],
        bounds[p, 6], bounds[p, 7], bounds[p, 8], bounds[p, 9], bounds[p, 10], bounds[p, 11],
    )  # fmt: skip


@inline
def _row(spans, node):
    """The cells of a node, as a tuple."""
    return spans[node, 0], spans[node, 1], spans[node, 2], spans[node, 3]


@uncounted_kernel
def descend(first, stop, depth, met, query, one, other, surfaces, windows, scratch):
    """Continue down the tree `other` with the elements first..stop of `one`, 16 at a time, until there is no more room for
    pairs.

    depth: nodes on the stack, 0 to begin at the root. met: pairs met so far. windows: `WindowTable`. Written: stack, corners
    and ids of the scratch. Returns first, depth and met.
    """
    rule, vertex, turned, all_fresh = query
    items, order, bounds, fresh = one.items, one.order, one.bounds, one.fresh
    t_items, t_order, t_fresh, t_last = other.items, other.order, other.fresh, other.last
    tops, blocks, nodes, spans = other.tops, other.blocks, other.nodes, other.spans
    owner, rules = surfaces.owner, surfaces.rules
    stack, hits, ends, names = scratch.stack, scratch.hits, scratch.corners, scratch.ids
    big = bounds.dtype.type(1e30)
    while first < stop:
        last, own_node = min(first + LANES, stop), one.tops - 1 + first // LANES
        if depth == 0:
            if not one.fresh_nodes[own_node]:
                first += LANES
                continue
            depth = 1
            stack[0] = 0
        group, cell = _group_box(bounds, fresh, first, last, big), _row(one.spans, own_node)
        while depth > 0 and met <= MET - LANES * LANES:
            depth -= 1
            node = stack[depth]
            if stay_apart(nodes, node, group) or (all_fresh and t_last[node] <= first):
                continue
            if share_window(cell, _row(spans, node), windows):
                continue
            if node < tops - 1:
                stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
                depth += 2
                continue
            block = node - (tops - 1)
            boxes = blocks[block]
            for p in range(first, last):
                box = _box_of(bounds, p)
                if not fresh[p] or stay_apart(nodes, node, box):
                    continue
                for lane in range(LANES):
                    hits[lane] = (
                        ((boxes[lane] <= box[3]) | (boxes[6 * LANES + lane] <= box[9]))
                        & ((boxes[LANES + lane] <= box[4]) | (boxes[7 * LANES + lane] <= box[10]))
                        & ((boxes[2 * LANES + lane] <= box[5]) | (boxes[8 * LANES + lane] <= box[11]))
                        & ((boxes[3 * LANES + lane] >= box[0]) | (boxes[9 * LANES + lane] >= box[6]))
                        & ((boxes[4 * LANES + lane] >= box[1]) | (boxes[10 * LANES + lane] >= box[7]))
                        & ((boxes[5 * LANES + lane] >= box[2]) | (boxes[11 * LANES + lane] >= box[8]))
                    )
                # Without a branch, which would be guessed wrong half of the time: writes all, keeps those that hit.
                count = 0
                for lane in range(LANES):
                    hits[LANES + count] = block * LANES + lane
                    count += hits[lane]
                for hit in range(count):
                    q = hits[LANES + hit]
                    if vertex:
                        if turned:
                            i, j, k, m = t_items[q, 0], items[p, 0], items[p, 1], items[p, 2]
                            e, f = t_items[q, 0], order[p]
                        else:
                            i, j, k, m = items[p, 0], t_items[q, 0], t_items[q, 1], t_items[q, 2]
                            e, f = items[p, 0], t_order[q]
                        shared = (i == j) | (i == k) | (i == m)
                        a, b = owner[i], owner[j]
                    else:
                        i, j, k, m = items[p, 0], items[p, 1], t_items[q, 0], t_items[q, 1]
                        e, f = order[p], t_order[q]
                        shared = (i == k) | (i == m) | (j == k) | (j == m)
                        a, b = owner[i], owner[k]
                    twice = t_fresh[q] & ((rule == OTHERS) | ((rule == WITHIN) & (q <= p)))
                    wanted = rules[a, b]
                    ends[met, 0], ends[met, 1], ends[met, 2], ends[met, 3] = i, j, k, m
                    names[met, 0], names[met, 1] = e, f
                    met += wanted & (not shared) & (not twice)
        if depth > 0:
            break
        first += LANES
    return first, depth, met
