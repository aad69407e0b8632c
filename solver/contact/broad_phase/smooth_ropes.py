"""Test whether ropes are so straight, and so far from each other, that no two segments can touch: then no search for pairs.

Strands are divided into cells of successive segments. Within each window of two cells all segments advance along the
window's chord m, by a share c of their length or more, and within 45 degrees of it. So two segments with others between them
are no nearer than c times the length of these, and two with a single one between them no nearer than that one is long, as
neither turns back. Cells that share no window have to be apart as spheres. All of these bounds hold all along a straight
motion of which they hold at the ends.
Source: as `smooth_sheets`, for curves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.uncounted import uncounted_kernel
from ...steering import EDGE_END, ROPE_CELL_SIZE, SAFE_SHARE
from ...topology.strands import find_strands
from ..surfaces.motion import SubstepMotion
from ..surfaces.sheet_cells import KEPT
from ..surfaces.surfaces import Surfaces
from .smooth_sheets import are_apart, make_spheres

Array = np.ndarray
ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)
TINY = f32(1e-30)
#: Share of a segment's length at rest by which its two neighbours stay apart: between that in contact, and 1 at rest.
BESIDE = math.sqrt(float(SAFE_SHARE))


class RopeCells(NamedTuple):
    """Cells of strands, one strand after the other.

    members: particles of each cell in the order of its strand, (m,) int32; those of cell c are from member_first[c] to
    member_first[c + 1], and its last one is the next cell's first. least: length at rest of the segment from each to the
    next, times c of its strand; apart: distance that its neighbours keep from each other [m], both (m,). is_tested: of each
    cell, whether its segments may touch each other, joins: whether the next cell is of the same strand, (cells,) bool.
    middle, body, column, row, spheres, limit: as of `sheet_cells.Cells`.
    """

    members: Array
    member_first: Array
    least: Array
    apart: Array
    is_tested: Array
    joins: Array
    middle: Array
    body: Array
    column: Array
    row: Array
    spheres: Array
    limit: Array


class SmoothRopes:
    """Test, once or twice a substep, of a world of nothing but open strands. cells: None in any other, and where segments
    are so thick that no rope of them is smooth."""

    def __init__(self, surfaces: Surfaces) -> None:
        self._cells, self._rules = rope_cells(surfaces), surfaces.rules
        self.begin_frame()

    @property
    def is_known(self) -> bool:
        """Return whether the world is of such strands."""
        return self._cells is not None

    def begin_frame(self) -> None:
        """Test again where it was given up."""
        self._given_up = self._cells is None

    def stay_apart(self, motion: SubstepMotion, predicted: bool) -> bool:
        """As `SmoothSheets.stay_apart`."""
        if not self._given_up:
            self._given_up = not ropes_stay_apart(motion, self._rules, self._cells)
        return not self._given_up


def rope_cells(s: Surfaces) -> RopeCells | None:
    """See `SmoothRopes`."""
    if s.count > s.n or not len(s.triangles) or not s.is_segment.all() or s.body_points > len(np.unique(s.triangles)):
        return None
    if np.diff(s.at_vertex_first).max() > 2:
        return None
    parts: list[tuple[Array, ...]] = []
    column, rest = 0, s.rest.astype(float)
    size = max(ROPE_CELL_SIZE, len(s.edges) // 1024)  # each cell is compared with all others
    for strand in find_strands(s.edges, s.count):
        if strand[0] == strand[-1]:
            return None
        lengths = np.linalg.norm(np.diff(rest[strand], axis=0), axis=1)
        body, thickness = int(s.owner[strand[0]]), KEPT * 2 * float(s.half[strand].max())
        between = (lengths[:-1] + lengths[1:]).min(initial=np.inf)
        share = max(math.sqrt(0.5), thickness / between)
        if s.rules[body, body] and share >= 1.0 - EDGE_END:
            return None
        least = np.append(share * lengths, 0.0)
        apart = np.append(np.minimum(thickness, BESIDE * lengths), 0.0)
        for first in range(0, len(lengths), size):
            rows, is_last = slice(first, first + size + 1), first + size >= len(lengths)
            members, is_tested = strand[rows], bool(s.rules[body, body])
            of_cell = len(members), is_tested, not is_last, members[len(members) // 2], body, column
            parts.append((members, least[rows], apart[rows], *(np.array([number]) for number in of_cell)))
            column += 1
        column += 1  # no window lies across two strands
    members, least, apart, sizes, tested, joins, middle, owner, columns = (
        np.concatenate(of_cells) for of_cells in zip(*parts, strict=True)
    )
    dtype, number = s.rest.dtype, np.int32
    limit = np.array([KEPT * 2 * float(s.half[members].max())], dtype)
    return RopeCells(
        members.astype(number), np.concatenate([[0], np.cumsum(sizes)]).astype(number), least.astype(dtype),
        apart.astype(dtype), tested, joins, middle.astype(number), owner.astype(number), columns.astype(number),
        np.zeros(len(middle), number), np.zeros((len(middle), 4), dtype), limit,
    )  # fmt: skip


@uncounted_kernel
def ropes_stay_apart(motion, rules, cells):
    """See `SmoothRopes.stay_apart`. rules: of bodies. Written: spheres."""
    for cell in range(len(cells.middle)):
        if not cells.is_tested[cell]:
            continue
        last = cell + 1 if cells.joins[cell] else cell
        if last == cell and cell > 0 and cells.joins[cell - 1]:
            continue  # it is of the window before
        if not _is_straight(motion.x0, motion.x1, cells.member_first[cell], cells.member_first[last + 1] - 1, cells):
            return False
    make_spheres(motion, cells)
    return are_apart(rules, cells)


@uncounted_kernel
def _is_straight(x0, x1, first, last, cells):
    """Return whether the segments from member `first` to member `last` advance along their chord all along a motion."""
    members, least, apart = cells.members, cells.least, cells.apart
    i, j = np.uint32(members[first]), np.uint32(members[last])
    a, b, c = x0[j, 0] - x0[i, 0], x0[j, 1] - x0[i, 1], x0[j, 2] - x0[i, 2]
    scale = ONE / math.sqrt(max(a * a + b * b + c * c, TINY))
    a, b, c = scale * a, scale * b, scale * c
    straight = True
    for k in range(first, last):
        i, j = np.uint32(members[k]), np.uint32(members[k + 1])
        u, v, w = x0[j, 0] - x0[i, 0], x0[j, 1] - x0[i, 1], x0[j, 2] - x0[i, 2]
        p, q, r = x1[j, 0] - x1[i, 0], x1[j, 1] - x1[i, 1], x1[j, 2] - x1[i, 2]
        start, end = u * a + v * b + w * c, p * a + q * b + r * c
        before, after = u * u + v * v + w * w, p * p + q * q + r * r
        straight &= (i == j) | ((start >= least[k]) & (end >= least[k]))
        straight &= (start * start >= HALF * before) & (end * end >= HALF * after)
        p, q, r = p - u, q - v, r - w
        turned = p * p + q * q + r * r
        at = min(max(-(u * p + v * q + w * r) / max(turned, TINY), ZERO), ONE)  # where it is shortest on the way
        u, v, w = u + at * p, v + at * q, w + at * r
        straight &= (i == j) | (u * u + v * v + w * w >= apart[k] * apart[k])
    return straight
