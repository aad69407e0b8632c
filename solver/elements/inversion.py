"""Recovery of an inverted tetrahedron before its local solve: the hook `inversion_recovery`."""

import math

from ..device.cpu import element, f32
from ..mathlib import eigen3, mat3, vec3

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)
NOTHING = ((ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO))
#: An element with a J below this is recovered. A long one is at rest with one small singular value: that alone says nothing.
FLAT = f32(0.01)
#: Lower bound for the smallest singular value.
LEAST = f32(0.05)
#: Share of G's trace added to it, where pinned corners make it singular: they then take no part in the move.
HOLD = f32(1e-5)


@element
def no_recovery(F, G):
    """Return zero, for energies that recover every element by themselves."""
    return NOTHING


@element
def flipped_smallest_stretch(F, G):
    """Y: moving the corners by c w_a Y g_a makes F's smallest signed singular value s max(|s|, LEAST); 0 unless det F is
    below FLAT.

    With v its unit direction, s = det F / |cof(F) v|, and F + t u v^T with u = cof(F) v / |cof(F) v| adds t to it. Corners
    move in proportion to their h^2 / mass, so the centre of mass stays; the angular momentum does not. The move is no
    displacement by a force, and so no part of P.
    """
    v = eigen3.smallest_direction(mat3.gram(F))
    across = mat3.times_vector(mat3.cofactor(F), v)
    length = math.sqrt(vec3.dot(v, v) + TINY)
    inverse = ONE / math.sqrt(vec3.dot(across, across) + TINY)
    J = mat3.det(F)
    s = J * length * inverse
    t = max(abs(s), LEAST) - s if J < FLAT else ZERO
    hold = HOLD * (G[0] + G[1] + G[2]) + TINY
    held = (G[0] + hold, G[1] + hold, G[2] + hold, G[3], G[4], G[5])
    # Y G = t u v^T.
    row = mat3.times_vector(mat3.full(mat3.symmetric_cofactor(held)), v)
    return mat3.outer(vec3.scale(inverse * t / (length * mat3.symmetric_det(held) + TINY), across), row)
