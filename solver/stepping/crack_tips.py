"""Energy release rate at the ends of tears, from the forces at their vertex.

    G = pi f^2 / (2 s^2 E sqrt(a b)) + sum over both lips of F (1 - cos t)  [J/m]

The first part is that of a flat sheet. f is the force between both sides at the end of a tear, E Young's modulus, a and b
the lengths of the edges ahead and behind: in Irwin's field K sqrt(2 / (pi r)) the edge ahead transmits
K sqrt(2 a / pi), of which the vertex has the share s, and K^2 = E G. The second is that of legs, as in a trouser test: F
pulls a lip along its own direction, at an angle t to the sheet ahead, and moves by 1 - cos t for each metre of tear. Lips
that buckle open without a pull do not contribute. Of the edges ahead of an end the one with the largest G cos^4(turn / 2)
breaks, the rate of a short branch in that direction.
Sources: Irwin 1957, "Analysis of stresses and strains near the end of a crack"; Rivlin and Thomas 1953, "Rupture of rubber",
section 4 (legs). Branches: Erdogan and Sih 1963, "On the crack extension in plates", opening mode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.tearing_edges import TearingEdges

Array = np.ndarray

#: [rad] Least angle between the borders of a sheet at the end of a tear: a notch of 60 degrees, whose stress grows towards
#: its end like that of a tear. Source: Williams 1952, "Stress singularities", figure 1.
TIP = 5 / 3 * np.pi * (1 - 1e-6)
#: [1] s: 0.78, 0.79 and 0.80 for 2, 4 and 8 squares in the notch of a flat sheet, 0.03 less where its sides buckle.
VERTEX_SHARE = 0.79
#: [1] Largest pressure across an edge that may break, over the force that opens it: legs flutter. Contact would push
#: overlapping sides apart.
PRESSURE = 0.05


@dataclass(frozen=True)
class CrackTips:
    """Edges ahead of ends of tears. edges: their numbers, (k,). tip, first, second: rows of the end and of its lips, (k,).
    copies: of the end, owner: which edge each is for, is_first: whether it is on the first lip's side, (m,). ahead: rows of
    the vertices around each end, and whose, (p, 2). span: sqrt(a b) [m], turn: cos^4 of half the angle by which the edge
    turns from the tear, (k,)."""

    edges: Array
    tip: Array
    first: Array
    second: Array
    copies: Array
    owner: Array
    is_first: Array
    ahead: Array
    span: Array
    turn: Array

    def __len__(self) -> int:
        return len(self.edges)

    def rates(self, force: Array, x: Array, modulus: Array, across: Array) -> Array:
        """Return the energy release rate of each edge [J/m], (k,): 0 beside an edge with a larger one, and under pressure.

        force: of the faces on each of the copies [N], (m, 3). x: positions [m], (n, 3). modulus: Young's, across each edge
        [N/m], (k,), infinite across those under pressure. across: force at right angles to each, (k,) [N].
        """
        end = x[self.tip]
        around, whose = self.ahead.T
        ahead = _units(self._sums(_units(x[around] - end[whose]), whose))
        apart = self._sums(np.where(self.is_first[:, None], 0.5, -0.5) * force, self.owner)
        rate = np.pi * (apart**2).sum(1) / (2 * VERTEX_SHARE**2 * modulus * self.span)
        for lip, mine in ((self.first, self.is_first), (self.second, ~self.is_first)):
            along = _units(x[lip] - end)
            pull = np.where(mine, np.maximum((force * along[self.owner]).sum(1), 0.0), 0.0)
            rate += np.bincount(self.owner, pull, len(self)) * (1 + (along * ahead).sum(1))
        best = np.lexsort((np.arange(len(self)), -self.turn * rate, self.tip))
        breaks = np.zeros(len(self), bool)
        breaks[best[np.unique(self.tip[best], return_index=True)[1]]] = True
        return np.where(breaks & (across > -PRESSURE * _lengths(apart)), rate, 0.0)

    def _sums(self, vectors: Array, owner: Array) -> Array:
        return np.stack([np.bincount(owner, vectors[:, k], len(self)) for k in range(3)], 1)


def crack_tips(edges: TearingEdges, weld: Array, broken: Array, may: Array, rest: Array, fixed: Array) -> CrackTips:
    """Return the ends of tears, and the edges that may continue them. weld: row of each copy's vertex. may: edges that the
    energy decides on, (e,) bool. rest: positions at rest [m], (n, 3). fixed: vertices where no tear ends, since a pin takes
    the load, (n,) bool."""
    lips = edges.lips(broken)
    angle = np.where(fixed, 0.0, np.bincount(weld, edges.angle, len(weld)))
    lips = lips[angle[weld[lips[:, 0]]] > TIP]
    lips = lips[np.argsort(weld[lips[:, 0]], kind="stable")]
    ends, start, count = np.unique(weld[lips[:, 0]], return_index=True, return_counts=True)
    number = np.full(len(weld), -1)
    number[ends] = np.arange(len(ends))
    around = _around(edges, weld, ~broken, number, len(ends))
    rows: list[tuple[int, int, int, int]] = []
    sides: list[tuple[int, int, bool]] = []
    ahead: list[tuple[int, int]] = []
    for k, end in enumerate(ends):
        if count[k] != 2:
            continue
        (one, first), (other, second) = lips[start[k] : start[k] + 2]
        far = [int(weld[beyond]) for *_, edge, beyond in around[k] if edge >= 0]
        copies = sorted({copy for a, b, *_ in around[k] for copy in (a, b)})
        for *_, edge, _ in around[k]:
            mine = _side(int(one), edge, around[k])
            if edge < 0 or not may[edge] or other in mine:
                continue
            ahead += [(vertex, len(rows)) for vertex in far]
            sides += [(copy, len(rows), copy in mine) for copy in copies]
            rows.append((edge, int(end), int(weld[first]), int(weld[second])))
    table = np.array(rows, np.int64).reshape(-1, 4)
    side = np.array(sides, np.int64).reshape(-1, 3)
    edges_ahead, tips, first_lips, second_lips = table.T
    span, turn = _shapes(edges, weld, rest, table)
    return CrackTips(
        edges_ahead, tips, first_lips, second_lips, side[:, 0], side[:, 1], side[:, 2] > 0,
        np.array(ahead, np.int64).reshape(-1, 2), span, turn,
    )  # fmt: skip


def _shapes(edges: TearingEdges, weld: Array, rest: Array, table: Array) -> tuple[Array, Array]:
    """Return `CrackTips.span` and `turn`. table: edge, end, and both lips of each, (k, 4)."""
    number, tip, first, second = table.T
    behind = rest[first] - rest[tip], rest[second] - rest[tip]
    length = 0.5 * (_lengths(behind[0]) + _lengths(behind[1]))
    along = rest[weld[edges.joints[number, 0]].sum(1) - tip] - rest[tip]
    cosine = -(_units(along) * _units(_units(behind[0]) + _units(behind[1]))).sum(1)
    return np.sqrt(edges.length[number] * length), (0.5 + 0.5 * cosine) ** 2


def _around(
    edges: TearingEdges, weld: Array, whole: Array, number: Array, count: int
) -> list[list[tuple[int, int, int, int]]]:
    """Return the joints of the copies of each end: both copies, the edge, -1 if they cannot part, and a copy at the edge's
    other end."""
    joints: list[list[tuple[int, int, int, int]]] = [[] for _ in range(count)]
    for end in range(2):
        at = np.flatnonzero(whole & (number[weld[edges.joints[:, 0, end]]] >= 0))
        for edge in at.tolist():
            (a, b), beyond = edges.joints[edge, :, end].tolist(), int(edges.joints[edge, 0, 1 - end])
            joints[number[weld[a]]].append((a, b, edge, beyond))
    apart = edges.never[edges.never[:, 0] != edges.never[:, 1]]
    for a, b in apart[number[weld[apart[:, 0]]] >= 0].tolist():
        joints[number[weld[a]]].append((a, b, -1, -1))
    return joints


def _side(start: int, cut: int, joints: list[tuple[int, int, int, int]]) -> set[int]:
    """Return the copies that are joined to one without an edge."""
    side, before = {start}, 0
    while len(side) > before:
        before = len(side)
        for a, b, edge, _ in joints:
            if edge != cut and (a in side or b in side):
                side |= {a, b}
    return side


def _lengths(vectors: Array) -> Array:
    return np.linalg.norm(vectors, axis=1)


def _units(vectors: Array) -> Array:
    return vectors / np.maximum(_lengths(vectors), 1e-30)[:, None]
