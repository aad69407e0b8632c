"""The direction in which a symmetric positive 3x3 matrix is smallest."""

import math

from ..device.cpu import element, f32
from . import mat3, vec3

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
THREE = f32(3)
TINY = f32(1e-30)
#: Keeps the step finite where two eigenvalues are equal.
SMALL = f32(1e-6)


@element
def smallest_direction(C):
    """A unit vector near the eigenvector of the smallest eigenvalue; any of them where several are equal.

    Newton's method on the characteristic polynomial rises from 0 to that eigenvalue, t; the largest column of the cofactors
    of C - t is one step of inverse iteration. C: six numbers, eigenvalues of at least 0.
    """
    scale = THREE / (C[0] + C[1] + C[2] + TINY)
    A = mat3.symmetric_scale(scale, C)
    cofactor = mat3.symmetric_cofactor(A)
    trace = A[0] + A[1] + A[2]
    second = cofactor[0] + cofactor[1] + cofactor[2]
    third = mat3.symmetric_det(A)
    t = rise(ZERO * trace, trace, second, third)
    t = rise(t, trace, second, third)
    t = rise(t, trace, second, third)
    t = rise(t, trace, second, third)
    t = rise(t, trace, second, third)
    t = rise(t, trace, second, third)
    B = mat3.symmetric_cofactor((A[0] - t, A[1] - t, A[2] - t, A[3], A[4], A[5]))
    x = (B[0], B[3], B[4])
    y = (B[3], B[1], B[5])
    z = (B[4], B[5], B[2])
    xx, yy, zz = vec3.dot(x, x), vec3.dot(y, y), vec3.dot(z, z)
    second_best = y if yy > xx else x
    best = z if zz > max(xx, yy) else second_best
    size = ONE / math.sqrt(vec3.dot(best, best) + TINY)
    return vec3.scale(size, best)


@element
def rise(t, trace, second, third):
    """One step up to the smallest root of third - second t + trace t^2 - t^3."""
    value = third + t * (-second + t * (trace - t))
    slope = second - t * (TWO * trace - THREE * t)
    return t + max(value, ZERO) / (max(slope, ZERO) + SMALL)
