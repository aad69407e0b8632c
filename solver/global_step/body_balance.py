"""Where clusters of rigid bodies balance between their inertia, their loads and springs with friction."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.layout import layout
from .body_clusters import TWIST

#: Newton steps to where a cluster balances, halvings of each, and share of the potential that is nothing.
STEPS, HALVINGS, BALANCED = 20, 10, 1e-10

#: A spring: normal, gap at the start over the target [m], motion of the bodies' points before their twists [m], how the
#: twists of its two bodies move these (`COUPLED_SIDE`), stiffness [N/m], bound of the friction [N].
SPRING = layout(normal=3, gap=1, drift=3, side=4, other=4, stiffness=1, bound=1)


@kernel
def settle(clusters, first, rows, ends, point, stiffness, load, twist):
    """Moves each cluster to where the potential of its inertia and its springs is least, by Newton's method; returns the sum
    of the potentials [J].

    clusters: first body of each, (g + 1,); first: its first spring, (g + 1,). rows: (c, SPRING.width). ends: bodies of each
    spring, the second -1 for none, (c, 2). point: motion of the springs' other ends [m], (c, 3). stiffness (m, 6, 6), load
    (m, 6): see `BodyLoads`. Written: twist (m, 6).
    """
    total = 0.0
    for g in range(len(first) - 1):
        start, bodies, begin, end = clusters[g], clusters[g + 1] - clusters[g], first[g], first[g + 1]
        n = TWIST * bodies
        matrix, push, step, trial = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
        for i in range(n):
            trial[i] = twist[start + i // TWIST, i % TWIST]
        energy = balance(start, begin, end, rows, ends, point, stiffness, load, trial, matrix, push)
        for _ in range(STEPS):
            solve(matrix, push, step)
            expected = 0.0
            for i in range(n):
                expected += push[i] * step[i]
            share, now = 1.0, energy
            for _ in range(HALVINGS):
                for i in range(n):
                    trial[i] = twist[start + i // TWIST, i % TWIST] + share * step[i]
                now = balance(start, begin, end, rows, ends, point, stiffness, load, trial, matrix, push)
                if now <= energy:
                    break
                share *= 0.5
            if now > energy:
                break
            for i in range(n):
                twist[start + i // TWIST, i % TWIST] = trial[i]
            energy = now
            if expected <= BALANCED * (abs(energy) + 1e-12):
                break
        total += energy
    return total


@kernel
def balance(start, begin, end, rows, ends, point, stiffness, load, twist, matrix, push):
    """The potential of a cluster at twists [J], (n,). start: its first body. begin, end: its springs. Written: matrix (n,
    n), its second derivative; push (n,), its force."""
    total = 0.0
    for i in range(len(twist)):
        for j in range(len(twist)):
            matrix[i, j] = 0.0
    for body in range(len(twist) // TWIST):
        k, own = TWIST * body, start + body
        for i in range(TWIST):
            push[k + i] = load[own, i]
            for j in range(TWIST):
                matrix[k + i, k + j] = stiffness[own, i, j]
                push[k + i] -= stiffness[own, i, j] * twist[k + j]
                total += 0.5 * twist[k + i] * stiffness[own, i, j] * twist[k + j]
            total -= load[own, i] * twist[k + i]
    d, n, s, f = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    tensor, side = np.empty((3, 3)), np.zeros((2, 3, TWIST))
    at = np.zeros(2, np.int64)
    for c in range(begin, end):
        r = rows[c]
        kappa, bound = r[SPRING.stiffness], r[SPRING.bound]
        count = 2 if ends[c, 1] >= 0 else 1
        for e in range(count):
            first = SPRING.side if e == 0 else SPRING.other
            weight, x, y, z = r[first], r[first + 1], r[first + 2], r[first + 3]
            w = side[e]
            w[0, 0], w[1, 1], w[2, 2] = weight, weight, weight
            w[0, 4], w[0, 5], w[1, 3], w[1, 5], w[2, 3], w[2, 4] = z, -y, -z, x, y, -x
            at[e] = TWIST * (ends[c, e] - start)
        gap, along = r[SPRING.gap], 0.0
        for i in range(3):
            n[i] = r[SPRING.normal + i]
            d[i] = point[c, i]
            for e in range(count):
                for j in range(TWIST):
                    d[i] += side[e, i, j] * twist[at[e] + j]
            gap += n[i] * d[i]
            s[i] = d[i] - r[SPRING.drift + i]
            along += n[i] * s[i]
        size = 0.0
        for i in range(3):
            s[i] -= along * n[i]
            size += s[i] * s[i]
        size = np.sqrt(size)
        normal = kappa if gap < 0 else 0.0
        total += 0.5 * normal * gap * gap
        across, turn = 0.0, 0.0
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
            f[i] = -normal * gap * n[i] - across * s[i]
            for j in range(3):
                tensor[i, j] = (normal - across) * n[i] * n[j] - turn * s[i] * s[j]
            tensor[i, i] += across
        for e in range(count):
            for a in range(TWIST):
                for i in range(3):
                    push[at[e] + a] += side[e, i, a] * f[i]
                    for j in range(3):
                        pull = side[e, i, a] * tensor[i, j]
                        for o in range(count):
                            for b in range(TWIST):
                                matrix[at[e] + a, at[o] + b] += pull * side[o, j, b]
    return total


@kernel
def solve(a, b, x):
    """x = a^-1 b of a positive definite matrix, (n, n), which is overwritten by its factor."""
    n = len(b)
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = np.sqrt(total) if i == j else total / a[j, j]
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= a[i, k] * x[k]
        x[i] = total / a[i, i]
    for r in range(n):
        i = n - 1 - r
        total = x[i]
        for k in range(i + 1, n):
            total -= a[k, i] * x[k]
        x[i] = total / a[i, i]
