"""Couplings of surfaces in contact, or of distant parts of one, beside a sparse matrix.

A contact with weights w of its corners and the normal n adds (k n n^T + q (1 - n n^T)) w_a w_b for each two corners a and b
to the matrix. Those on the same side are neighbours, which the pattern has; those on opposite sides, whose weights differ in
sign, change from step to step. They are stored as a list, and applied as products.
"""

from __future__ import annotations

import numpy as np

from ..device.uncounted import uncounted_kernel

Array = np.ndarray


@uncounted_kernel
def add_contact_couplings(couplings, p, out):
    """Add the forces on each side of the contacts by the motion p of the other side to out; both (n, 3).

    couplings: corners, weights, both (c, 4), normals (c, 3), stiffnesses k and q (c, 2) [N/m].
    """
    corners, weights, normal, stiffness = couplings
    for c in range(len(corners)):
        for side in range(2):
            x = p.dtype.type(0)
            y = p.dtype.type(0)
            z = p.dtype.type(0)
            for a in range(4):
                w = weights[c, a]
                if (w < 0) == (side == 0):
                    v = corners[c, a]
                    x += w * p[v, 0]
                    y += w * p[v, 1]
                    z += w * p[v, 2]
            along = x * normal[c, 0] + y * normal[c, 1] + z * normal[c, 2]
            kt = stiffness[c, 1]
            along *= stiffness[c, 0] - kt
            x = along * normal[c, 0] + kt * x
            y = along * normal[c, 1] + kt * y
            z = along * normal[c, 2] + kt * z
            for a in range(4):
                w = weights[c, a]
                if (w < 0) != (side == 0):
                    v = corners[c, a]
                    out[v, 0] += w * x
                    out[v, 1] += w * y
                    out[v, 2] += w * z


def no_contact_couplings(dtype: np.dtype) -> tuple[Array, ...]:
    return np.zeros((0, 4), np.int32), np.zeros((0, 4), dtype), np.zeros((0, 3), dtype), np.zeros((0, 2), dtype)
