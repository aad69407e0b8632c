"""Lower bounds of the distances of pairs over the next substeps, 16 at a time: which pairs become candidates."""

from __future__ import annotations

from ...device.atomics import add_atomically
from ...device.cpu import LANES, f32
from ...device.lanes import corner, gather, weight
from ...device.uncounted import inline, uncounted_kernel
from ...steering import ACTIVATION
from ..narrow_phase.distance_lanes import FOUND, measure_lanes, motion_bound_lanes
from .candidates import CANDIDATE
from .query import BLOCK, BOUNDS
from .thickness import pair_thickness
from .tied_pairs import is_tied

ZERO = f32(0)
#: Where the columns of BOUNDS begin, 16 lanes each; rates come first, where `motion_bound_lanes` writes them.
RATE, LOST, BOUND = LANES * BOUNDS.rate, LANES * BOUNDS.lost, LANES * BOUNDS.bound
LAST, LEAST, KEPT = LANES * BOUNDS.last, LANES * BOUNDS.least, LANES * BOUNDS.kept


@inline
def _row(chunk, total, table):
    """The row of a chunk's pair number `total`; no row of the table where there is no more room. Written: table."""
    if total % BLOCK == 0:
        block = add_atomically(table.taken, 0, 1)
        if total == 0:
            table.first[chunk] = block
        elif block < table.following.shape[0]:
            table.following[table.last[chunk]] = block
        table.last[chunk] = block
    return table.last[chunk] * BLOCK + total % BLOCK


@uncounted_kernel
def keep_near(pairs, met, total, chunk, vertex, forecast, surfaces, scratch, table):
    """Keep those of the pairs met that may come near; return the chunk's new total.

    pairs: `MetPairs`; met: how many. total: pairs of the chunk so far. vertex: points and triangles, else edges. forecast:
    `Forecast`. Written: table, see `FoundTable`.
    """
    x, step, marks, ties, drop, pull, age = forecast
    ends, names = pairs
    pack, lanes, measured, results = scratch.pack, scratch.lanes, scratch.measured, scratch.bounds
    corners, ids, values = table.corners, table.ids, table.values
    one = x.dtype.type(1)
    for first in range(0, met, LANES):
        filled = min(LANES, met - first)
        for lane in range(LANES):
            for c in range(4):
                pack[0, c * LANES + lane] = ends[first + min(lane, filled - 1), c]
        motion_bound_lanes(vertex, step, pack, lanes, results)
        for lane in range(LANES):
            a, b, c, d = weight(lanes, 0, lane), weight(lanes, 1, lane), weight(lanes, 2, lane), weight(lanes, 3, lane)
            results[LAST + lane] = min(min(a, b), min(c, d))
        measure_lanes(vertex, x, pack, lanes, measured)
        for lane in range(LANES):
            a, b, c, d = weight(lanes, 0, lane), weight(lanes, 1, lane), weight(lanes, 2, lane), weight(lanes, 3, lane)
            # Gravity acts on predictions, but not on immovable objects; two of these have no contact.
            lost = pull if min(min(a, b), min(c, d)) == ZERO else ZERO * pull
            results[LOST + lane] = lost if max(max(a, b), max(c, d)) > ZERO else -one
        gather(marks, pack, 0, 4, lanes)  # columns of MARK: three as a corner, the last as its weight
        for lane in range(LANES):
            a, b, c, d = corner(lanes, 0, lane), corner(lanes, 1, lane), corner(lanes, 2, lane), corner(lanes, 3, lane)
            falling = weight(lanes, 0, lane) + weight(lanes, 1, lane) + weight(lanes, 2, lane) + weight(lanes, 3, lane)
            last_age = results[LAST + lane]
            mixed = (falling > f32(0.5)) & (falling < f32(3.5))
            rate = results[RATE + lane] + (max(last_age - one, ZERO) * drop if mixed else ZERO * drop)
            # The paths of falling particles hold gravity, those of held ones do not.
            lost = max(results[LOST + lane], pull) if mixed & (results[LOST + lane] >= ZERO) else results[LOST + lane]
            cd, cs, cn = max(c[0], d[0]), max(c[1], d[1]), max(c[2], d[2])
            bcd, bcs, bcn = max(b[0], cd), max(b[1], cs), max(b[2], cn)
            drift = a[0] + bcd if vertex else max(a[0], b[0]) + cd
            skin = a[1] + bcs if vertex else max(a[1], b[1]) + cs
            thick = a[2] + bcn if vertex else max(a[2], b[2]) + cn
            bound = measured[FOUND.length * LANES + lane] + age * rate - drift - lost
            least = bound - last_age * rate - skin
            results[RATE + lane], results[BOUND + lane], results[LEAST + lane] = rate, bound, least
            results[KEPT + lane] = one if (lost >= ZERO) & (least < thick * ACTIVATION) else -one
        for lane in range(filled):
            if results[KEPT + lane] < ZERO:
                continue
            p = first + lane
            i, j, k, m = ends[p, 0], ends[p, 1], ends[p, 2], ends[p, 3]
            thick = pair_thickness(i, j, k, m, vertex, surfaces, ties.start, one)
            far = results[LEAST + lane] >= thick * ACTIVATION
            if far or is_tied(i, j, k, m, vertex, surfaces, ties, thick, one):
                continue
            row = _row(chunk, total, table)
            if row < len(ids):
                corners[row, 0], corners[row, 1], corners[row, 2], corners[row, 3] = i, j, k, m
                ids[row, 0], ids[row, 1] = names[p, 0], names[p, 1]
                values[row, CANDIDATE.bound], values[row, CANDIDATE.rate] = results[BOUND + lane], results[RATE + lane]
                values[row, CANDIDATE.thickness], values[row, CANDIDATE.recheck] = thick, ZERO
            total += 1
    return total
