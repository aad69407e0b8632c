"""Turning an inverted tetrahedron right side out, for energies that know no inverted state."""

import math

from ..device.cpu import element, f32
from ..mathlib import eigen3, mat3, vec3
from .solid_solve import first_gradient, mobility, moved
from .tetrahedron import deformation, gradients_of

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)
#: An element with a J below this is righted. A long one is at rest with one small singular value: that alone says nothing.
FLAT = f32(0.01)
#: What the smallest singular value becomes at least.
LEAST = f32(0.05)
#: Share of G's trace added to it, where pinned corners make it singular: they then take no part in the move.
HOLD = f32(1e-5)


@element
def righted(corners, w, rest):
    """The corners, moved so that the smallest signed singular value s of F is max(|s|, LEAST), if det F is below FLAT.

    With v its direction, s = det F / |cof(F) v|, and F + t u v^T with u = cof(F) v / |cof(F) v| adds t to it. The corners
    move in proportion to their h^2 / mass, so the centre of mass stays; the angular momentum does not.
    """
    g = gradients_of(rest)
    g0 = first_gradient(g)
    c = rest[9]
    scaled = (c * w[0], c * w[1], c * w[2], c * w[3])
    F = deformation(corners, g)
    v = eigen3.smallest_direction(mat3.gram(F))
    across = mat3.times_vector(mat3.cofactor(F), v)
    size = math.sqrt(vec3.dot(across, across) + TINY)
    J = mat3.det(F)
    s = J / size
    t = max(abs(s), LEAST) - s if J < FLAT else ZERO
    G = mobility(scaled, g0, g)
    hold = HOLD * (G[0] + G[1] + G[2]) + TINY
    G = (G[0] + hold, G[1] + hold, G[2] + hold, G[3], G[4], G[5])
    row = vec3.scale(t / (mat3.symmetric_det(G) + TINY), mat3.times_vector(mat3.full(mat3.symmetric_cofactor(G)), v))
    return moved(corners, scaled, mat3.outer(vec3.scale(ONE / size, across), row), g0, g)
