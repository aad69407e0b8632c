"""Conjugate gradients on a mesh's matrix of 3x3 blocks, preconditioned by incomplete factors and deflated by a coarse space.

The coarse space, if there is one, is solved exactly first, then the deflated motions of `Eliminated`. Then each direction
is the residual preconditioned by incomplete factors, less its part in both. The error of rounding, and of a slightly
stiffer coarse matrix, is corrected in every iteration: otherwise the error stops falling after ten. The factors propagate
a load along the rows of the mesh, the coarse space across it. The restriction of A z follows from the products of A with
the basis, and from the product with terms beside those of the coarse space: so an iteration multiplies with A once.
Groups of the system share no unknowns: each has its own steps and end, in the same kernel calls.
Source: Nicolaides 1987, "Deflation of conjugate gradients with applications to boundary value problems"; of the variants in
Tang, Nabben, Vuik, Erlangga 2009, "Comparison of two-level preconditioners", this is A-DEF2.

Threads share the work, stage by stage: in each they claim chunks of rows, strips or aggregates, and wait until all are done.
Sums are doubles, of each chunk first: the same bits in every run, with any number of threads.
"""

from __future__ import annotations

import numpy as np

from ..device.atomics import add_atomically, claim, finish, wait_for_change
from ..device.counters import counters
from ..device.cpu import kernel, summing_kernel
from ..device.threads import PATIENCE, share, stages, threads_for
from ..device.uncounted import inline, subroutine, uncounted_kernel
from .block_matrix import multiply
from .coarse_space import prolong, restrict, restrict_beyond
from .contact_couplings import add_contact_couplings
from .eliminated import add_deflated, subtract_eliminated
from .incomplete_cholesky import substitute_strip
from .nested import FRONTS, backward, forward
from .second_ring import add_second_ring
from .vector_ranges import add_up, advance_range, clear_range, range_dot, update_range

Array = np.ndarray

#: Aggregates of a chunk.
AGGREGATES = 16
#: Numbers of a coarse matrix's factors below which one thread solves the coarse system: it takes as long as to wait for
#: others three times.
FEW_NUMBERS = 1 << 15
#: Stages of an iteration at most.
STAGES = 22
#: Sums of each search: of the direction with its product and with the residual; and of the residual with the preconditioned
#: residual.
CURVATURE, ALONG, LEFT = 0, 1, 2
#: Of a type that is not these values' alone.
YES, NO = np.bool_(True), np.bool_(False)
#: Of the first stage, beside its pieces: iterations, and products with the matrix, of the search as a whole.
ITERATED, MULTIPLIED = 2, 3


@summing_kernel
def dot(p, q):
    """Sum of p q over (n, 3), in double precision."""
    a = p.reshape(-1)  # one long row, which LLVM turns into vectors
    b = q.reshape(-1)
    total = 0.0
    for i in range(len(a)):
        total += float(a[i]) * float(b[i])
    return total


@kernel
def advance(step, p, product, x, residual):
    """x += step p, residual -= step A p."""
    a = p.reshape(-1)
    b = product.reshape(-1)
    c = x.reshape(-1)
    d = residual.reshape(-1)
    for i in range(len(a)):
        c[i] += step * a[i]
        d[i] -= step * b[i]


@kernel
def update_direction(share, z, p):
    """p = z + share p."""
    a = z.reshape(-1)
    b = p.reshape(-1)
    for i in range(len(a)):
        b[i] = a[i] + share * b[i]


def deflated_conjugate_gradients(
    matrix: tuple, factors: tuple, coarse_space: tuple, ahead: bool, groups: tuple, most: Array, least: Array,
    slight: Array, work: Array, residual, x,
) -> None:  # fmt: skip
    """Improve x, (n, 3), a solution of A x = b with the residual `residual` (zero on fixed rows). ahead: work[0] is the
    first search direction. groups: (first row of each segment and the end, group of each segment, first segment of each
    piece and the end), see `segments`. most: iterations of each group; least: it ends when the square of the residual, in
    the norm of the preconditioner, is below this share of that before the first iteration, or slight: below this [J]; all
    (groups,).

    matrix: (rows, columns, diagonal, values, `SecondRingCouplings.arrays`, free, `Eliminated.arrays`, couplings of
    contacts). factors: (numbers, inverse, strips). coarse_space: `CoarseSpace.arrays`. work: (3, n, 3), overwritten.
    """
    n, (_, group, pieces), iterations = len(residual), groups, int(most.max(initial=0))
    threads = threads_for(n, len(pieces) - 1)
    progress = stages(STAGES * (iterations + 3))
    sums = np.zeros((iterations + 4, 3, len(group)))
    p, product, z = work
    vectors = p, product, z, residual, x
    flat = tuple(vector.reshape(-1) for vector in vectors)
    ends = most, least, slight, iterations
    arguments = (matrix, factors, coarse_space, ahead, groups, *ends, vectors, flat)
    each = [(progress, *_room(len(most), p.dtype)) for _ in range(threads)]
    share(search, each, sums, *arguments)
    counters.linear_systems += 1
    counters.cg_iterations += int(progress[0, ITERATED])
    counters.matrix_products += int(progress[0, MULTIPLIED])


def _room(groups: int, dtype: np.dtype) -> tuple[Array, ...]:
    """Allocate a thread's variables of each group: whether it iterates, whether it has moved, by what share; and sums."""
    return *np.ones((2, groups), bool), np.zeros(groups, dtype), *np.zeros((5, groups))


@uncounted_kernel
def search(
    thread, threads, known, begun, of_thread, sums,
    matrix, factors, coarse_space, ahead, groups, most, least, slight, iterations, vectors, flat,
):  # fmt: skip
    """Run `deflated_conjugate_gradients` on one thread, as a task of `threads.share`. sums: of each search, (searches, 3,
    segments). Written: progress, ITERATED and MULTIPLIED of the first stage among it. of_thread: progress, and `_room`."""
    if threads > 1 and thread == 0:
        add_atomically(begun, 0, 1)
    p, _, _, residual, _ = vectors
    eliminated = matrix[6]
    starts, group, pieces = groups
    chunks = len(pieces) - 1
    stage = np.int64(0)  # not 0, for whose type subroutines would be compiled too
    count = np.int64(0)  # of searches
    progress, goes_on, moved, steps, curvature, along, begin, new, old = of_thread
    team = (thread, progress)
    going = (goes_on, moved, steps, curvature, along)
    if ahead:
        stage = _line_search(stage, count, team, sums, matrix, groups, going, vectors, flat)
        count += 1
    stage = _clear(stage, team, groups, flat[0])
    if _has_motions(coarse_space):
        stage = _correct(stage, team, groups, coarse_space, YES, NO, vectors, p)
        stage = _line_search(stage, count, team, sums, matrix, groups, going, vectors, flat)
        count += 1
    else:
        stage = _take_residual(stage, team, groups, flat)
    if len(eliminated[1]):
        stage = _clear(stage, team, groups, flat[0])
        counts = progress[stage]
        stage += 1
        done = 0
        if claim(counts, thread, 1) >= 0:
            add_deflated(_own(matrix), eliminated, residual, vectors[1], p)
            done = 1
        finish(counts, done, 1)
        stage = _line_search(stage, count, team, sums, matrix, groups, going, vectors, flat)
        count += 1
    beforehand = count
    for iteration in range(iterations):
        stage = _precondition(stage, team, groups, matrix, factors, coarse_space, vectors, flat)
        counts = progress[stage]
        stage += 1
        done = 0
        piece = claim(counts, thread, chunks)
        while piece >= 0:
            for k in range(pieces[piece], pieces[piece + 1]):
                sums[count, LEFT, k] = range_dot(3 * starts[k], 3 * starts[k + 1], flat[2], flat[3])
            done += 1
            piece = claim(counts, thread, chunks)
        finish(counts, done, chunks)
        add_up(sums[count, LEFT], group, new)
        is_over = True
        for i in range(len(most)):
            begin[i] = max(begin[i], new[i])
            if iteration >= most[i] or new[i] < max(least[i] * begin[i], slight[i]):
                goes_on[i] = False
            steps[i] = 0
            if iteration > 0 and goes_on[i]:
                steps[i] = new[i] / old[i]
            old[i] = new[i]
            is_over = is_over and not goes_on[i]
        if is_over:
            break
        counts = progress[stage]
        stage += 1
        done = 0
        piece = claim(counts, thread, chunks)
        while piece >= 0:
            for k in range(pieces[piece], pieces[piece + 1]):
                update_range(3 * starts[k], 3 * starts[k + 1], steps[group[k]], flat[2], flat[0])
            done += 1
            piece = claim(counts, thread, chunks)
        finish(counts, done, chunks)
        stage = _line_search(stage, count, team, sums, matrix, groups, going, vectors, flat)
        count += 1
        is_over = True
        for i in range(len(most)):
            goes_on[i] = goes_on[i] and moved[i]
            is_over = is_over and not goes_on[i]
        if is_over:
            break
    if thread == 0:
        progress[0, ITERATED] = count - beforehand
        progress[0, MULTIPLIED] = count
    return wait_for_change(begun, 0, known, PATIENCE) if thread > 0 else known


@inline
def _has_motions(coarse_space):
    """Return whether a coarse space has any motion of a vertex."""
    return len(coarse_space[0][1]) > 0


@subroutine
def _take_residual(stage, team, groups, flat):
    """Set z to the residual. Returns the next stage."""
    thread, progress = team
    starts, _, pieces = groups
    chunks = len(pieces) - 1
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, chunks)
    while piece >= 0:
        advance_range(3 * starts[pieces[piece]], 3 * starts[pieces[piece + 1]], NO, flat[0].dtype.type(0), flat)
        done += 1
        piece = claim(counts, thread, chunks)
    finish(counts, done, chunks)
    return stage + 1


@subroutine
def _clear(stage, team, groups, vector):
    """The vector is zero. Returns the next stage."""
    thread, progress = team
    starts, _, pieces = groups
    chunks = len(pieces) - 1
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, chunks)
    while piece >= 0:
        clear_range(3 * starts[pieces[piece]], 3 * starts[pieces[piece + 1]], vector)
        done += 1
        piece = claim(counts, thread, chunks)
    finish(counts, done, chunks)
    return stage + 1


@subroutine
def _correct(stage, team, groups, coarse_space, is_first, is_more, vectors, out):
    """out += N (N^T A N)^-1 N^T (residual - A out), with the matrix A that was factorised; is_first: out is zero. is_more:
    the residual is less the product too. Returns the next stage."""
    thread, progress = team
    _, product, _, residual, _ = vectors
    starts, _, pieces = groups
    chunks = len(pieces) - 1
    some = -(-(len(coarse_space[1][0]) - 1) // AGGREGATES)
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, some)
    while piece >= 0:
        first = AGGREGATES * piece
        if is_first:
            restrict(first, first + AGGREGATES, coarse_space, residual)
        else:
            restrict_beyond(first, first + AGGREGATES, coarse_space, residual, product, is_more, out)
        done += 1
        piece = claim(counts, thread, some)
    finish(counts, done, some)
    stage = _solve_coarse(stage + 1, team, coarse_space[2])
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, chunks)
    while piece >= 0:
        prolong(starts[pieces[piece]], starts[pieces[piece + 1]], coarse_space, out)
        done += 1
        piece = claim(counts, thread, chunks)
    finish(counts, done, chunks)
    return stage + 1


@subroutine
def _solve_coarse(stage, team, coarse_matrix):
    """Solve the coarse system in place. coarse_matrix: its factors and the unknowns. Returns the next stage."""
    thread, progress = team
    factors, coarse = coarse_matrix
    subtrees = len(factors[0]) - 2
    if len(factors[FRONTS]) < FEW_NUMBERS:
        done = 0
        if claim(progress[stage], thread, 1) >= 0:
            forward(0, subtrees + 1, factors, coarse)
            backward(0, subtrees + 1, factors, coarse)
            done = 1
        finish(progress[stage], done, 1)
        return stage + 1
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, subtrees)
    while piece >= 0:
        forward(piece, piece + 1, factors, coarse)
        done += 1
        piece = claim(counts, thread, subtrees)
    finish(counts, done, subtrees)
    counts = progress[stage + 1]
    done = 0
    if claim(counts, thread, 1) >= 0:
        forward(subtrees, subtrees + 1, factors, coarse)
        backward(subtrees, subtrees + 1, factors, coarse)
        done = 1
    finish(counts, done, 1)
    counts = progress[stage + 2]
    done = 0
    piece = claim(counts, thread, subtrees)
    while piece >= 0:
        backward(piece, piece + 1, factors, coarse)
        done += 1
        piece = claim(counts, thread, subtrees)
    finish(counts, done, subtrees)
    return stage + 3


@subroutine
def _multiply(stage, team, groups, matrix, p, product):
    """product = A p. Returns the next stage."""
    thread, progress = team
    starts, _, pieces = groups
    chunks = len(pieces) - 1
    rows, columns, _, values, second_ring, free, _, _ = matrix
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, chunks)
    while piece >= 0:
        first = starts[pieces[piece]]
        last = starts[pieces[piece + 1]]
        multiply(first, last, rows, columns, values, p, product)
        add_second_ring(first, last, second_ring, free, p, product)
        done += 1
        piece = claim(counts, thread, chunks)
    finish(counts, done, chunks)
    return _add_beyond_coarse(stage + 1, team, matrix, p, product)


@subroutine
def _add_beyond_coarse(stage, team, matrix, p, product):
    """product += the terms of A that the coarse matrix does not know of, times p. Returns the next stage."""
    thread, progress = team
    if not _goes_beyond_coarse(matrix):
        return stage
    counts = progress[stage]
    done = 0
    if claim(counts, thread, 1) >= 0:
        subtract_eliminated(matrix[6], p, product)
        add_contact_couplings(matrix[7], p, product)
        done = 1
    finish(counts, done, 1)
    return stage + 1


@subroutine
def _line_search(stage, count, team, sums, matrix, groups, going, vectors, flat):
    """Move x along p to the least error in the norm of A, that of each iterating group; product becomes A p, and z the
    residual. going: iterating groups, groups that have moved, and the share of p; work space. Written: all but the first.
    Returns the next stage.
    """
    thread, progress = team
    p, product, _, _, _ = vectors
    starts, group, pieces = groups
    goes_on, moved, steps, curvature, along = going
    chunks = len(pieces) - 1
    stage = _multiply(stage, team, groups, matrix, p, product)
    counts = progress[stage]
    done = 0
    piece = claim(counts, thread, chunks)
    while piece >= 0:
        for k in range(pieces[piece], pieces[piece + 1]):
            first = 3 * starts[k]
            last = 3 * starts[k + 1]
            sums[count, CURVATURE, k] = range_dot(first, last, flat[0], flat[1])
            sums[count, ALONG, k] = range_dot(first, last, flat[0], flat[3])
        done += 1
        piece = claim(counts, thread, chunks)
    finish(counts, done, chunks)
    add_up(sums[count, CURVATURE], group, curvature)
    add_up(sums[count, ALONG], group, along)
    for i in range(len(steps)):
        moved[i] = goes_on[i] and curvature[i] > 0  # else nothing is left, or the numbers are no longer finite
        steps[i] = 0
        if moved[i]:
            steps[i] = along[i] / curvature[i]
    counts = progress[stage + 1]
    done = 0
    piece = claim(counts, thread, chunks)
    while piece >= 0:
        for k in range(pieces[piece], pieces[piece + 1]):
            advance_range(3 * starts[k], 3 * starts[k + 1], moved[group[k]], steps[group[k]], flat)
        done += 1
        piece = claim(counts, thread, chunks)
    finish(counts, done, chunks)
    return stage + 2


@inline
def _goes_beyond_coarse(matrix):
    """Return whether the matrix has terms that the coarse one lacks."""
    return len(matrix[6][1]) + len(matrix[7][0]) > 0


@inline
def _own(matrix):
    """Return the matrix without additional terms."""
    rows, columns, _, values, second_ring, free, _, _ = matrix
    return rows, columns, values, second_ring, free


@subroutine
def _precondition(stage, team, groups, matrix, factors, coarse_space, vectors, flat):
    """Precondition: replace the residual z by the preconditioned one. Returns the next stage."""
    thread, progress = team
    rows, columns, diagonal, _, _, _, eliminated, _ = matrix
    numbers, inverse, strips = factors
    _, product, z, residual, _ = vectors
    arguments = (rows, columns, diagonal, numbers, inverse)
    for part in range(3):
        if len(strips) == 1 and part != 1:  # it has no head
            continue
        counts = progress[stage]
        stage += 1
        done = 0
        piece = claim(counts, thread, len(strips))
        while piece >= 0:
            substitute_strip(part, strips[piece], arguments, z)
            done += 1
            piece = claim(counts, thread, len(strips))
        finish(counts, done, len(strips))
    if _has_motions(coarse_space):
        is_more = _goes_beyond_coarse(matrix)
        if is_more:
            stage = _clear(stage, team, groups, flat[1])
            stage = _add_beyond_coarse(stage, team, matrix, z, product)
        stage = _correct(stage, team, groups, coarse_space, NO, is_more, vectors, z)
    if len(eliminated[1]):
        counts = progress[stage]
        stage += 1
        done = 0
        if claim(counts, thread, 1) >= 0:
            add_deflated(_own(matrix), eliminated, residual, product, z)
            done = 1
        finish(counts, done, 1)
    return stage
