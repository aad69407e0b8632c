"""Loops over vertices of Newton's method; sums are doubles in a fixed order, on one thread: the same bits in every run."""

import math

from ..device.cpu import kernel


@kernel
def norm(p):
    """Root of the sum of squares of (n, 3 or more), three columns."""
    total = 0.0
    for v in range(len(p)):
        for i in range(3):
            total += float(p[v, i] * p[v, i])
    return math.sqrt(total)


@kernel
def add_inertia_times(x, p, inertia, out):
    """out += inertia p / w, and 0 at fixed vertices."""
    for v in range(len(x)):
        if x[v, 3] > 0:
            for i in range(3):
                out[v, i] += inertia * p[v, i] / x[v, 3]
        else:
            for i in range(3):
                out[v, i] = 0


@kernel
def invert_blocks(x, inertia, blocks):
    """Add inertia to each vertex's block (00, 01, 02, 11, 12, 22) and inverts it in place; 0 at fixed vertices.

    A vertex that nothing holds has a block of zeros in a quasi-static solve; its inverse is 0: it stays.
    """
    for v in range(len(x)):
        if x[v, 3] <= 0:
            blocks[v] = 0
            continue
        mass_term = float(inertia / x[v, 3])
        a = float(blocks[v, 0]) + mass_term
        d = float(blocks[v, 1])
        e = float(blocks[v, 2])
        b = float(blocks[v, 3]) + mass_term
        f = float(blocks[v, 4])
        c = float(blocks[v, 5]) + mass_term
        # A chain of springs in a line has no stiffness across it.
        hold = 1e-6 * (a + b + c)
        if not hold > 0:
            blocks[v] = 0
            continue
        a += hold
        b += hold
        c += hold
        p = b * c - f * f
        q = e * f - d * c
        r = d * f - b * e
        share = 1.0 / (a * p + d * q + e * r)
        blocks[v, 0] = p * share
        blocks[v, 1] = q * share
        blocks[v, 2] = r * share
        blocks[v, 3] = (a * c - e * e) * share
        blocks[v, 4] = (d * e - a * f) * share
        blocks[v, 5] = (a * b - d * d) * share


@kernel
def precondition(inverse, residual, out):
    """out = inverse residual, vertex by vertex; returns their product."""
    total = 0.0
    for v in range(len(inverse)):
        a = residual[v, 0]
        b = residual[v, 1]
        c = residual[v, 2]
        p = inverse[v, 0] * a + inverse[v, 1] * b + inverse[v, 2] * c
        q = inverse[v, 1] * a + inverse[v, 3] * b + inverse[v, 4] * c
        r = inverse[v, 2] * a + inverse[v, 4] * b + inverse[v, 5] * c
        out[v, 0] = p
        out[v, 1] = q
        out[v, 2] = r
        total += float(p * a + q * b + r * c)
    return total


@kernel
def turn(z, share, p):
    """p = z + share p."""
    for v in range(len(z)):
        for i in range(3):
            p[v, i] = z[v, i] + share * p[v, i]


@kernel
def moved(x_pred, correction, step, p, out, x):
    """out = correction + step p, and x = x_pred + out; the last column as in x_pred."""
    for v in range(len(x)):
        for i in range(3):
            out[v, i] = correction[v, i] + step * p[v, i]
            x[v, i] = x_pred[v, i] + out[v, i]
        x[v, 3] = x_pred[v, 3]
