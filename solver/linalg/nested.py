"""Cholesky factors of sparse symmetric matrices of 3x3 blocks by nested dissection, in place: the exact solution of a coarse
system, with work of the power 3/2 of its size, and memory traffic nearly linear in it.

The unknowns are halved, and those that join the halves, the separator, are numbered after both, recursively. Each undivided
part, and each separator, is a node of a tree: its front is a dense matrix of its own unknowns and of the later ones coupled
to these. A front adds the Schur complements of its children, and eliminates its own unknowns. Subtrees share nothing but the
fronts above them: threads take them at once, and one of them the rest, with the same bits.
Source: George 1973, "Nested dissection of a regular finite element mesh"; Duff and Reid 1983, "The multifrontal solution of
indefinite sparse symmetric linear equations".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.cpu import summing_kernel
from ..device.row_kernels import uncounted_row_kernel
from ..device.uncounted import inline, uncounted_kernel

Array = np.ndarray

#: Columns of a node: number of its own unknowns, size of its front; begin of its numbers in `rows` and `place`, of a third
#: of its work space, and of its front; both children, -1 for none.
OWN, SIZE, ROWS, FRONT, LEFT, RIGHT = range(6)
#: Of `Nested.arrays`.
FRONTS = 5
#: Blocks that are not halved.
LEAF = 8
#: How often the whole is halved to make the subtrees that threads take at once.
HALVINGS = 4
#: A pivot is at least this share of its number in the matrix, which only preconditions.
SMALLEST_PIVOT = 1e-10


@dataclass(frozen=True)
class Nested:
    """Factors. arrays: (pieces, chosen, nodes, rows, place, fronts, work).

    nodes: (k, 6), see above, children first. rows: the unknowns of each front, blocks of three numbers, its own first.
    place: of the later ones in the parent's front. fronts: row by row from the diagonal on, doubles. work: 3 numbers for
    each of `rows`. chosen: all nodes, subtree by subtree, then those above; pieces: begin of each of these, and the end.
    """

    arrays: tuple[Array, ...]
    at: Array  #: where each block of the matrix begins in `fronts`, (blocks,)
    along: Array  #: how far apart its rows are there, and its columns, (blocks, 2)


def nested(count: int, row: Array, column: Array) -> Nested:
    """Return the structure of factors of a matrix of count x count blocks, nonzero in these rows and columns, one for each
    pair. Unknowns with near numbers should be near each other."""
    both = np.concatenate([row, column]), np.concatenate([column, row])
    order = np.argsort(both[0], kind="stable")
    begin, near = np.searchsorted(both[0][order], np.arange(count + 1)), both[1][order]
    tree = _Tree([near[begin[a] : begin[a + 1]] for a in range(count)])
    tree.add(np.arange(count), 0, count, 0)
    own_sizes, size = (np.array(numbers, np.int64) for numbers in (tree.pivots, [len(rows) for rows in tree.rows]))
    nodes = np.zeros((len(own_sizes), 6), np.int64)
    nodes[:, OWN], nodes[:, SIZE], nodes[:, LEFT:] = own_sizes, size, tree.children
    nodes[:, ROWS], nodes[:, FRONT] = np.cumsum(size) - size, np.cumsum(9 * size**2) - 9 * size**2
    rows, place = np.concatenate(tree.rows), np.zeros(size.sum(), np.int64)
    rank, node_of, local = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    eliminated = np.concatenate([some[:k] for some, k in zip(tree.rows, own_sizes, strict=True)])
    rank[eliminated] = np.arange(count)
    node_of[eliminated] = np.repeat(np.arange(len(own_sizes)), own_sizes)
    local[eliminated] = np.arange(count) - np.repeat(np.cumsum(own_sizes) - own_sizes, own_sizes)
    for parent, some in enumerate(tree.children):
        for child in (node for node in some if node >= 0):
            beyond = slice(nodes[child, ROWS] + own_sizes[child], nodes[child, ROWS] + size[child])
            place[beyond] = _find(tree.rows[parent], rank, rows[beyond])
    earlier, later = np.where(rank[column] <= rank[row], (column, row), (row, column))
    at = np.empty((2, len(row)), np.int64)
    at[0] = local[earlier]
    by_node = np.argsort(node_of[earlier], kind="stable")
    ends = np.searchsorted(node_of[earlier][by_node], np.arange(len(own_sizes) + 1))
    for node in range(len(own_sizes)):
        blocks = by_node[ends[node] : ends[node + 1]]
        at[1, blocks] = _find(tree.rows[node], rank, later[blocks])
    stride = 3 * size[node_of[earlier]]
    along = np.where(earlier == column, (np.ones_like(stride), stride), (stride, np.ones_like(stride))).T
    first = nodes[node_of[earlier], FRONT] + 3 * at[0] * stride + 3 * at[1]
    pieces = np.cumsum([0, *(len(some) for some in tree.subtrees), len(tree.above)]).astype(np.int32)
    chosen = np.concatenate([*tree.subtrees, tree.above]).astype(np.int32)
    fronts, work = np.zeros(int((9 * size**2).sum())), np.zeros(3 * int(size.sum()))
    arrays = pieces, chosen, nodes, rows.astype(np.int32), place.astype(np.int32), fronts, work
    return Nested(arrays, first, np.ascontiguousarray(along))


class _Tree:
    """Nodes, children first. near: neighbours of each unknown."""

    def __init__(self, near: list[Array]):
        self._near, self._half = near, np.full(len(near), -1)
        self._is_done = np.zeros(len(near), bool)
        self.pivots: list[int] = []
        self.rows: list[Array] = []
        self.children: list[tuple[int, int]] = []
        self.subtrees: list[list[int]] = []
        self.above: list[int] = []

    def add(self, numbers: Array, low: int, high: int, depth: int) -> int:
        """Add a node for the numbers, of those from low to high, and all below it; returns its number."""
        first, children, separator = len(self.pivots), (-1, -1), numbers
        if len(numbers) > LEAF:
            middle = (low + high) // 2
            lower, right = numbers[numbers < middle], numbers[numbers >= middle]
            self._half[lower] = first
            joins = np.array([(self._half[self._near[a]] == first).any() for a in right], bool)
            self._half[lower] = -1
            separator = right[joins]
            children = (self.add(lower, low, middle, depth + 1), self.add(right[~joins], middle, high, depth + 1))
        number = len(self.pivots)
        self._is_done[separator] = True
        coupled = [self._near[a] for a in separator] + [
            self.rows[child][self.pivots[child] :] for child in children if child >= 0
        ]
        later = np.unique(np.concatenate(coupled)) if coupled else separator
        later = later[~self._is_done[later]]
        self.pivots.append(len(separator))
        self.rows.append(np.concatenate([separator, later]).astype(np.int64))
        self.children.append(children)
        if depth < HALVINGS and children[0] >= 0:
            self.above.append(number)
        elif depth == HALVINGS or (depth < HALVINGS and children[0] < 0):
            self.subtrees.append(list(range(first, number + 1)))
        return number


def _find(rows: Array, rank: Array, wanted: Array) -> Array:
    """Return the places of the wanted unknowns in a front."""
    order = np.argsort(rank[rows], kind="stable")
    return order[np.searchsorted(rank[rows][order], rank[wanted])]


def side_by_side(parts: list[tuple[Array, ...]], counts: list[int]) -> tuple[Array, ...]:
    """`Nested.arrays` of matrices that share no unknowns, as of one; the factors are to be copied. counts: of unknowns."""
    chosen, pieces, above, nodes, rows, first = [], [0], [], [], [], np.zeros(4, np.int64)
    for (own_pieces, own_chosen, own_nodes, own_rows, _, fronts, _), count in zip(parts, counts, strict=True):
        shifted = own_nodes.copy()
        shifted[:, ROWS : FRONT + 1] += first[1:3]
        shifted[:, LEFT:] += np.where(shifted[:, LEFT:] >= 0, first[0], 0)
        nodes.append(shifted)
        rows.append(own_rows + np.int32(first[3]))
        chosen.append(own_chosen[: own_pieces[-2]] + np.int32(first[0]))
        above.append(own_chosen[own_pieces[-2] :] + np.int32(first[0]))
        pieces += (own_pieces[1:-1] + pieces[-1]).tolist()
        first += len(own_nodes), len(own_rows), len(fronts), count
    pieces.append(pieces[-1] + sum(len(some) for some in above))
    place, work = np.concatenate([part[4] for part in parts]), np.zeros(3 * int(first[1]))
    of_nodes = np.array(pieces, np.int32), np.concatenate([*chosen, *above]), np.concatenate(nodes)
    return *of_nodes, np.concatenate(rows), place, np.zeros(int(first[2])), work


@uncounted_row_kernel
def factor(first, last, nested):
    """Factorise the fronts of the pieces first to last in place. Written: fronts, work."""
    pieces, chosen, nodes, _, place, fronts, work = nested
    for k in range(pieces[first], pieces[last]):
        node = nodes[chosen[k]]
        eliminated = 3 * node[OWN]
        size = 3 * node[SIZE]
        front = fronts[node[FRONT] : node[FRONT] + size * size].reshape(size, size)
        least = work[3 * node[ROWS] : 3 * node[ROWS] + eliminated]
        for i in range(eliminated):
            least[i] = SMALLEST_PIVOT * front[i, i]
        for side in range(LEFT, RIGHT + 1):
            if node[side] >= 0:
                _take(nodes[node[side]], place, fronts, front)
        for p in range(0, eliminated, 3):
            _eliminate(p, size, least, front)


@inline
def _take(child, place, fronts, front):
    """Add a child's Schur complement to its parent's front."""
    size = 3 * child[SIZE]
    below = fronts[child[FRONT] : child[FRONT] + size * size].reshape(size, size)
    begin = child[ROWS]
    for a in range(child[OWN], child[SIZE]):
        for b in range(a, child[SIZE]):
            row = 3 * place[begin + a]
            column = 3 * place[begin + b]
            if row <= column:
                for i in range(3):
                    for j in range(3):
                        front[row + i, column + j] += below[3 * a + i, 3 * b + j]
            else:
                for i in range(3):
                    for j in range(3):
                        front[column + j, row + i] += below[3 * a + i, 3 * b + j]


@inline
def _eliminate(p, size, least, front):
    """Three unknowns at once: each row below is read a third as often."""
    for k in range(3):
        row = front[p + k]
        root = math.sqrt(max(row[p + k], least[p + k]))
        for c in range(p + k, size):
            row[c] /= root
        row[p + k] = root
        for i in range(p + k + 1, p + 3):
            share = row[i]
            below = front[i]
            for c in range(i, size):
                below[c] -= share * row[c]
    for i in range(p + 3, size):
        q = front[p, i]
        r = front[p + 1, i]
        s = front[p + 2, i]
        one = front[p, i:]
        two = front[p + 1, i:]
        three = front[p + 2, i:]
        below = front[i, i:]
        for c in range(len(below)):
            below[c] -= q * one[c] + r * two[c] + s * three[c]


@uncounted_kernel
def forward(first, last, nested, y):
    """Compute y = U^-T y for the pieces first to last. y: (3 count,). Written: work, and y of their own unknowns."""
    pieces, chosen, nodes, rows, place, fronts, work = nested
    for k in range(pieces[first], pieces[last]):
        node = nodes[chosen[k]]
        eliminated = 3 * node[OWN]
        size = 3 * node[SIZE]
        front = fronts[node[FRONT] : node[FRONT] + size * size].reshape(size, size)
        w = work[3 * node[ROWS] : 3 * node[ROWS] + size]
        for a in range(node[OWN]):
            for i in range(3):
                w[3 * a + i] = y[3 * rows[node[ROWS] + a] + i]
        for i in range(eliminated, size):
            w[i] = 0.0
        for side in range(LEFT, RIGHT + 1):
            if node[side] >= 0:
                child = nodes[node[side]]
                for a in range(child[ROWS] + child[OWN], child[ROWS] + child[SIZE]):
                    for i in range(3):
                        w[3 * place[a] + i] += work[3 * a + i]
        for i in range(eliminated):
            value = w[i] / front[i, i]
            w[i] = value
            row = front[i, i + 1 :]
            below = w[i + 1 :]
            for c in range(len(row)):
                below[c] -= value * row[c]
        for a in range(node[OWN]):
            for i in range(3):
                y[3 * rows[node[ROWS] + a] + i] = w[3 * a + i]


@summing_kernel
def backward(first, last, nested, y):
    """Compute y = U^-1 y for the pieces first to last, with known later unknowns. Written: work, and y of their own
    unknowns."""
    pieces, chosen, nodes, rows, _, fronts, work = nested
    for k in range(pieces[last] - 1, pieces[first] - 1, -1):
        node = nodes[chosen[k]]
        size = 3 * node[SIZE]
        front = fronts[node[FRONT] : node[FRONT] + size * size].reshape(size, size)
        w = work[3 * node[ROWS] : 3 * node[ROWS] + size]
        for a in range(node[SIZE]):
            for i in range(3):
                w[3 * a + i] = y[3 * rows[node[ROWS] + a] + i]
        for i in range(3 * node[OWN] - 1, -1, -1):
            row = front[i, i + 1 :]
            below = w[i + 1 :]
            less = 0.0
            for c in range(len(row)):
                less += row[c] * below[c]
            w[i] = (w[i] - less) / front[i, i]
        for a in range(node[OWN]):
            for i in range(3):
                y[3 * rows[node[ROWS] + a] + i] = w[3 * a + i]
