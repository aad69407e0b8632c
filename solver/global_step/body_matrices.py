"""Matrices of clusters of bodies with springs: motion of the bodies, and the Schur complement in the matrix of the sheets.

With the factor C = L L^T of a cluster, the subtrahend is B C^-1 B^T = W W^T with W = B L^-T, six columns for each body. The
bodies that sheets touch come last in their cluster, so the others have no column.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.uncounted import subroutine, uncounted_kernel
from .body_balance import (
    SPRING,
    TWIST,
    displacement,
    factorise,
    gap_and_slip,
    inert,
    push_bodies,
    solve,
    stiffen,
    times_side,
)
from .contact_kinds import CORNERS


@subroutine
def tensor_of(r, normal_stiffness, friction_stiffness, tensor):
    """The stiffness of a spring as chosen. Written: tensor (3, 3)."""
    for i in range(3):
        for j in range(3):
            tensor[i, j] = (normal_stiffness - friction_stiffness) * r[SPRING.normal + i] * r[SPRING.normal + j]
        tensor[i, i] += friction_stiffness


@kernel
def factorise_clusters(clusters, first, rows, ends, reach, stiffness, normal_stiffness, friction_stiffness, begins, factors):
    """The factors of the clusters' matrices. begins: where that of each begins, (g + 1,). The others as `settle`. Written:
    factors (begins[-1],)."""
    room, none = (np.empty((3, 3)), np.empty((7, TWIST))), np.zeros(TWIST * len(stiffness))
    for g in range(len(first) - 1):
        start, n = clusters[g], TWIST * (clusters[g + 1] - clusters[g])
        matrix = factors[begins[g] : begins[g + 1]].reshape(n, n)
        push = np.empty(n)
        inert(start, stiffness, none, none[:n], matrix, push)
        for c in range(first[g], first[g + 1]):
            if normal_stiffness[c] > 0 or friction_stiffness[c] > 0:
                tensor_of(rows[c], normal_stiffness[c], friction_stiffness[c], room[0])
                stiffen(rows[c], c, ends, start, room[0], matrix, room[1])
        factorise(matrix, start, reach)


@uncounted_kernel
def pulls(rows, ends, point, twist, normal_stiffness, friction_stiffness, stiffness, load, room, push, pull):
    """Evaluate the forces of springs as chosen on their vertices, and the residual of those on the bodies. room: work space,
    (2, 3). Written: pull (c, 3), push (6 m,) [N, N m]."""
    for k in range(len(push)):
        body, i, push[k] = k // TWIST, k % TWIST, load[k]
        for j in range(TWIST):
            push[k] -= stiffness[body, i, j] * twist[TWIST * body + j]
    d, s = room
    for c in range(len(rows)):
        r = rows[c]
        displacement(r, c, ends, point, twist, 0, d)
        gap = gap_and_slip(r, d, s)
        for i in range(3):
            pull[c, i] = -normal_stiffness[c] * gap * r[SPRING.normal + i] - friction_stiffness[c] * s[i]
        push_bodies(r, c, ends, 0, pull[c], push)


@kernel
def follow(clusters, begins, factors, reach, push, twist):
    """Move bodies under generalized forces, (6 m,). Written: twist (6 m,)."""
    for g in range(len(clusters) - 1):
        start, n = clusters[g], TWIST * (clusters[g + 1] - clusters[g])
        matrix, motion = factors[begins[g] : begins[g + 1]].reshape(n, n), np.empty(n)
        solve(matrix, start, reach, push[TWIST * start : TWIST * start + n], motion)
        for i in range(n):
            twist[TWIST * start + i] += motion[i]


@uncounted_kernel
def add_pulls(corners, weights, pull, force):
    """Add the forces of springs, (c, 3), to those of vertices, (n, 3)."""
    for c in range(len(corners)):
        for a in range(CORNERS):
            for i in range(3):
                force[corners[c, a], i] += weights[c, a] * pull[c, i]


@kernel
def own_blocks(rows, ends, normal_stiffness, friction_stiffness, stiffness):
    """The stiffness of bodies, (m, 6, 6), with that of springs as chosen, each with the others at rest."""
    tensor, room, blocks = np.empty((3, 3)), np.empty((7, TWIST)), stiffness.copy()
    for c in range(len(rows)):
        if normal_stiffness[c] == 0 and friction_stiffness[c] == 0:
            continue
        tensor_of(rows[c], normal_stiffness[c], friction_stiffness[c], tensor)
        for e in range(2):
            if ends[c, e] >= 0:
                for i in range(3):
                    times_side(rows[c], SPRING.side + 4 * e, (tensor[i, 0], tensor[i, 1], tensor[i, 2]), room[i])
                for b in range(TWIST):
                    times_side(rows[c], SPRING.side + 4 * e, (room[0, b], room[1, b], room[2, b]), room[6])
                    for a in range(TWIST):
                        blocks[ends[c, e], a, b] += room[6, a]
    return blocks


@kernel
def couplings_of(
    n, clusters, first, touched, rows, ends, corners, weights, begins, factors, normal_stiffness, friction_stiffness
):
    """W: first entry of each column that has any, (k + 1,), and of each entry its vertex, (e,), and its numbers, (e, 3, 6).

    n: vertices. touched: of each cluster the first body that a sheet touches, (g,). The springs of a cluster come in the
    order of their first bodies. The others as `factorise_clusters`.
    """
    mark, vertices = np.full(n, -1), np.empty(len(rows) * CORNERS, np.int64)
    lists = np.zeros(len(first), np.int64)  # of each cluster: where its vertices begin, in the order that bodies touch them
    last, columns, entries, most = 0, 0, 0, 0
    bodies = clusters[len(clusters) - 1]
    of_column = np.zeros(bodies, np.int64)  # its vertices are the first so many of its cluster
    for g in range(len(first) - 1):
        lists[g], c, most = last, first[g], max(most, TWIST * (clusters[g + 1] - touched[g]))
        for body in range(touched[g], clusters[g + 1]):
            while c < first[g + 1] and ends[c, 0] <= body:
                if normal_stiffness[c] > 0:
                    for a in range(CORNERS):
                        if weights[c, a] != 0 and mark[corners[c, a]] < 0:
                            mark[corners[c, a]] = last - lists[g]
                            vertices[last] = corners[c, a]
                            last += 1
                c += 1
            of_column[body] = last - lists[g]
            columns += of_column[body] > 0
            entries += of_column[body]
        for k in range(lists[g], last):
            mark[vertices[k]] = -1
    starts, at = np.zeros(columns + 1, np.int64), np.empty(entries, np.int64)
    numbers = np.zeros((entries, 3, TWIST))
    begin_of, whole = np.zeros(bodies, np.int64), np.empty(most * most)
    tensor, across = np.empty((3, 3)), np.empty((3, TWIST))
    columns, entries = 0, 0
    for g in range(len(first) - 1):
        start, t, m = clusters[g], touched[g], TWIST * (clusters[g + 1] - touched[g])
        if m == 0 or of_column[clusters[g + 1] - 1] == 0:
            continue
        size = TWIST * (clusters[g + 1] - start)
        matrix, inverse = factors[begins[g] : begins[g + 1]].reshape(size, size), whole[: m * m].reshape(m, m)
        invert(matrix, TWIST * (t - start), inverse)
        for k in range(lists[g], lists[g] + of_column[clusters[g + 1] - 1]):
            mark[vertices[k]] = k - lists[g]
        for body in range(t, clusters[g + 1]):
            begin_of[body] = entries
            if of_column[body] > 0:
                at[entries : entries + of_column[body]] = vertices[lists[g] : lists[g] + of_column[body]]
                columns, entries = columns + 1, entries + of_column[body]
                starts[columns] = entries
        for c in range(first[g], first[g + 1]):
            if not normal_stiffness[c] > 0 or not has_weight(weights, c):
                continue
            tensor_of(rows[c], normal_stiffness[c], friction_stiffness[c], tensor)
            for i in range(3):
                times_side(rows[c], SPRING.side, (tensor[i, 0], tensor[i, 1], tensor[i, 2]), across[i])
            twist = TWIST * (ends[c, 0] - t)
            for body in range(ends[c, 0], clusters[g + 1]):
                column = TWIST * (body - t)
                for i in range(3):
                    for b in range(TWIST):
                        total = 0.0
                        for a in range(TWIST):
                            total += across[i, a] * inverse[column + b, twist + a]
                        for a in range(CORNERS):
                            if weights[c, a] != 0:
                                numbers[begin_of[body] + mark[corners[c, a]], i, b] += weights[c, a] * total
        for k in range(lists[g], lists[g] + of_column[clusters[g + 1] - 1]):
            mark[vertices[k]] = -1
    return starts, at, numbers


@subroutine
def has_weight(weights, c):
    """Return whether a spring joins a vertex."""
    total = 0.0
    for a in range(CORNERS):
        total += abs(weights[c, a])
    return total > 0


@subroutine
def invert(factor, begin, inverse):
    """The inverse of the last rows of a factor from `begin` on, in their own columns, (m, m)."""
    m = len(inverse)
    inverse[:] = 0.0
    for j in range(m):
        inverse[j, j] = 1 / factor[begin + j, begin + j]
        for i in range(j + 1, m):
            total = 0.0
            for k in range(j, i):
                total += factor[begin + i, begin + k] * inverse[k, j]
            inverse[i, j] = -total / factor[begin + i, begin + i]
