"""Balance of clusters of rigid bodies between their inertia, their loads and springs with friction.

A cluster's matrix is kept as the rows of its lower triangle, each from the first body on that the body of the row touches:
its factor has nothing before (an envelope, Jennings 1966, "A compact storage scheme for the solution of symmetric linear
simultaneous equations").
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.layout import layout
from ..device.uncounted import subroutine, uncounted_kernel
from ..steering import HALVINGS, MOST_PASSES, ROUNDING
from .contact_kinds import CORNERS

#: Numbers of a twist.
TWIST = 6

#: A spring: normal, gap at the start over the target [m], motion of the bodies' points before their twists [m], how the
#: twists of its two bodies move these (`COUPLED_SIDE`), stiffness [N/m], bound of the friction [N].
SPRING = layout(normal=3, gap=1, drift=3, side=4, other=4, stiffness=1, bound=1)


@uncounted_kernel
def points_of(corners, weights, move, point):
    """Map a motion (n, 3) [m] to the vertices' side of springs. corners, weights: (c, CORNERS). Written: point (c, 3)."""
    for c in range(len(corners)):
        for i in range(3):
            total = 0.0
            for a in range(CORNERS):
                total += weights[c, a] * move[corners[c, a], i]
            point[c, i] = total


@subroutine
def displacement(r, c, ends, point, twist, first, d):
    """Move a spring's vertices against its bodies, whose twists begin at TWIST (end - first). Written: d (3,) [m]."""
    for i in range(3):
        d[i] = point[c, i]
    for e in range(2):
        if ends[c, e] < 0:
            continue
        s, t = SPRING.side + 4 * e, TWIST * (ends[c, e] - first)
        w, x, y, z = r[s], r[s + 1], r[s + 2], r[s + 3]
        d[0] += w * twist[t] + z * twist[t + 4] - y * twist[t + 5]
        d[1] += w * twist[t + 1] + x * twist[t + 5] - z * twist[t + 3]
        d[2] += w * twist[t + 2] + y * twist[t + 3] - x * twist[t + 4]


@subroutine
def gap_and_slip(r, d, s):
    """A spring's gap over its target at a displacement d [m]. Written: s (3,), its slip [m]."""
    gap, along = r[SPRING.gap], 0.0
    for i in range(3):
        gap += r[SPRING.normal + i] * d[i]
        s[i] = d[i] - r[SPRING.drift + i]
        along += r[SPRING.normal + i] * s[i]
    for i in range(3):
        s[i] -= along * r[SPRING.normal + i]
    return gap


@subroutine
def push_bodies(r, c, ends, first, f, push):
    """Add a force on a spring's vertices [N], (3,), to what its bodies are pushed with."""
    for e in range(2):
        if ends[c, e] < 0:
            continue
        s, t = SPRING.side + 4 * e, TWIST * (ends[c, e] - first)
        w, x, y, z = r[s], r[s + 1], r[s + 2], r[s + 3]
        push[t] += w * f[0]
        push[t + 1] += w * f[1]
        push[t + 2] += w * f[2]
        push[t + 3] += y * f[2] - z * f[1]
        push[t + 4] += z * f[0] - x * f[2]
        push[t + 5] += x * f[1] - y * f[0]


@subroutine
def times_side(r, s, row, out):
    """A row of three numbers times how a twist moves a spring's point (`COUPLED_SIDE` from column s on). Written: out."""
    w, x, y, z = r[s], r[s + 1], r[s + 2], r[s + 3]
    out[0], out[1], out[2] = w * row[0], w * row[1], w * row[2]
    out[3] = y * row[2] - z * row[1]
    out[4] = z * row[0] - x * row[2]
    out[5] = x * row[1] - y * row[0]


@subroutine
def stiffen(r, c, ends, first, tensor, matrix, room):
    """Add a spring's stiffness, (3, 3), to the lower triangle of its cluster's matrix, (n, n). room: work space, (7, 6)."""
    for e in range(2):
        if ends[c, e] >= 0:
            for i in range(3):
                times_side(r, SPRING.side + 4 * e, (tensor[i, 0], tensor[i, 1], tensor[i, 2]), room[3 * e + i])
    for e in range(2):
        if ends[c, e] < 0:
            continue
        at = TWIST * (ends[c, e] - first)
        for o in range(2):
            if ends[c, o] < 0 or ends[c, o] > ends[c, e]:
                continue
            other = TWIST * (ends[c, o] - first)
            for b in range(TWIST):
                x, y, z = room[3 * o, b], room[3 * o + 1, b], room[3 * o + 2, b]
                times_side(r, SPRING.side + 4 * e, (x, y, z), room[6])
                for a in range(TWIST):
                    if at + a >= other + b:
                        matrix[at + a, other + b] += room[6, a]


@uncounted_kernel
def gaps_and_slips(rows, ends, point, twist, room, gap, slip):
    """The gap of each spring over its target, and the length of its slip. twist: of all bodies, (6 m,). room: work space,
    (2, 3). Written: gap, slip (c,) [m]."""
    d, s = room
    for c in range(len(rows)):
        displacement(rows[c], c, ends, point, twist, 0, d)
        gap[c] = gap_and_slip(rows[c], d, s)
        slip[c] = np.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])


@kernel
def settle(clusters, first, rows, ends, point, reach, stiffness, load, twist):
    """Move each cluster to where the potential of its inertia and its springs is least, by Newton's method; return the sum
    of the potentials [J].

    clusters: first body of each, (g + 1,); first: its first spring, (g + 1,). rows: (c, SPRING.width). ends: bodies of each
    spring, the second -1 for none, (c, 2). point: motion of the springs' other ends [m], (c, 3). reach: the first body of
    its cluster that each touches, (m,). stiffness (m, 6, 6), load (6 m,): see `BodyLoads`. Written: twist (6 m,).
    """
    total, most = 0.0, 0
    for g in range(len(first) - 1):
        most = max(most, TWIST * (clusters[g + 1] - clusters[g]))
    whole, work = np.empty(most * most), np.empty((3, most))
    room = np.empty((3, 3)), np.empty((3, 3)), np.empty((7, TWIST))
    for g in range(len(first) - 1):
        start, begin, end = clusters[g], first[g], first[g + 1]
        n, at = TWIST * (clusters[g + 1] - start), TWIST * start
        matrix, push, step, trial = whole[: n * n].reshape(n, n), work[0, :n], work[1, :n], work[2, :n]
        trial[:] = twist[at : at + n]
        energy = balance(start, begin, end, rows, ends, point, stiffness, load, trial, matrix, push, room)
        for _ in range(MOST_PASSES):
            factorise(matrix, start, reach)
            solve(matrix, start, reach, push, step)
            expected = 0.0
            for i in range(n):
                expected += push[i] * step[i]
            share, now = 1.0, energy
            for _ in range(HALVINGS):
                for i in range(n):
                    trial[i] = twist[at + i] + share * step[i]
                now = balance(start, begin, end, rows, ends, point, stiffness, load, trial, matrix, push, room)
                if now <= energy:
                    break
                share *= 0.5
            if now > energy:
                break
            twist[at : at + n] = trial
            energy = now
            if expected <= ROUNDING * (abs(energy) + 1e-12):
                break
        total += energy
    return total


@subroutine
def inert(start, stiffness, load, twist, matrix, push):
    """The potential of a cluster's bodies without springs [J]. Written: matrix, push, as of `balance`."""
    total = 0.0
    matrix[:] = 0.0
    for body in range(len(push) // TWIST):
        k, row = TWIST * body, start + body
        for i in range(TWIST):
            held = 0.0
            for j in range(TWIST):
                matrix[k + i, k + j] = stiffness[row, i, j]
                held += stiffness[row, i, j] * twist[k + j]
            push[k + i] = load[TWIST * row + i] - held
            total += twist[k + i] * (0.5 * held - load[TWIST * row + i])
    return total


@subroutine
def balance(start, begin, end, rows, ends, point, stiffness, load, twist, matrix, push, room):
    """The potential of a cluster at twists [J], (n,). start: its first body. begin, end: its springs. room: work space, of
    (3, 3), (3, 3) and (7, 6). Written: matrix (n, n), its second derivative, the lower triangle; push (n,), its force."""
    total = inert(start, stiffness, load, twist, matrix, push)
    tensor, vectors, blocks = room
    d, s, f = vectors
    for c in range(begin, end):
        r = rows[c]
        displacement(r, c, ends, point, twist, start, d)
        gap, kappa, bound = gap_and_slip(r, d, s), r[SPRING.stiffness], r[SPRING.bound]
        size = np.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
        normal, across, turn = 0.0, 0.0, 0.0
        if gap < 0:
            normal = kappa
            total += 0.5 * normal * gap * gap
        if bound > 0:
            if kappa * size <= bound:
                across = kappa
                total += 0.5 * kappa * size * size
            else:
                across = bound / size
                turn = across / (size * size)
                total += bound * (size - 0.5 * bound / kappa)
        if normal == 0 and across == 0:
            continue
        for i in range(3):
            f[i] = -normal * gap * r[SPRING.normal + i] - across * s[i]
            for j in range(3):
                tensor[i, j] = (normal - across) * r[SPRING.normal + i] * r[SPRING.normal + j] - turn * s[i] * s[j]
            tensor[i, i] += across
        push_bodies(r, c, ends, start, f, push)
        stiffen(r, c, ends, start, tensor, matrix, blocks)
    return total


@subroutine
def factorise(a, start, reach):
    """The factor of a positive definite matrix, (n, n), in place of its lower triangle."""
    for i in range(len(a)):
        low = TWIST * (reach[start + i // TWIST] - start)
        for j in range(low, i + 1):
            total = a[i, j]
            for k in range(max(low, TWIST * (reach[start + j // TWIST] - start)), j):
                total -= a[i, k] * a[j, k]
            a[i, j] = np.sqrt(total) if i == j else total / a[j, j]


@subroutine
def solve(a, start, reach, b, x):
    """x = (L L^T)^-1 b with a factor L, (n, n); b and x (n,)."""
    n = len(a)
    for i in range(n):
        total = b[i]
        for k in range(TWIST * (reach[start + i // TWIST] - start), i):
            total -= a[i, k] * x[k]
        x[i] = total / a[i, i]
    for r in range(n):
        i = n - 1 - r
        x[i] /= a[i, i]
        for k in range(TWIST * (reach[start + i // TWIST] - start), i):
            x[k] -= a[i, k] * x[i]
