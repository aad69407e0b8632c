"""3x3 matrices as tuples of three rows, symmetric ones as (00, 11, 22, 01, 02, 12)."""

import math

from ..device.cpu import element, f32
from . import vec3

HALF = f32(0.5)
TWO = f32(2)
THREE = f32(3)


@element
def outer(a, b):
    return (
        (a[0] * b[0], a[0] * b[1], a[0] * b[2]),
        (a[1] * b[0], a[1] * b[1], a[1] * b[2]),
        (a[2] * b[0], a[2] * b[1], a[2] * b[2]),
    )


@element
def add(A, B):
    return (
        (A[0][0] + B[0][0], A[0][1] + B[0][1], A[0][2] + B[0][2]),
        (A[1][0] + B[1][0], A[1][1] + B[1][1], A[1][2] + B[1][2]),
        (A[2][0] + B[2][0], A[2][1] + B[2][1], A[2][2] + B[2][2]),
    )


@element
def sub(A, B):
    return (vec3.sub(A[0], B[0]), vec3.sub(A[1], B[1]), vec3.sub(A[2], B[2]))


@element
def scale(s, A):
    return (
        (s * A[0][0], s * A[0][1], s * A[0][2]),
        (s * A[1][0], s * A[1][1], s * A[1][2]),
        (s * A[2][0], s * A[2][1], s * A[2][2]),
    )


@element
def times_vector(A, v):
    return (
        A[0][0] * v[0] + A[0][1] * v[1] + A[0][2] * v[2],
        A[1][0] * v[0] + A[1][1] * v[1] + A[1][2] * v[2],
        A[2][0] * v[0] + A[2][1] * v[1] + A[2][2] * v[2],
    )


@element
def times(A, B):
    """A B."""
    return (
        (
            A[0][0] * B[0][0] + A[0][1] * B[1][0] + A[0][2] * B[2][0],
            A[0][0] * B[0][1] + A[0][1] * B[1][1] + A[0][2] * B[2][1],
            A[0][0] * B[0][2] + A[0][1] * B[1][2] + A[0][2] * B[2][2],
        ),
        (
            A[1][0] * B[0][0] + A[1][1] * B[1][0] + A[1][2] * B[2][0],
            A[1][0] * B[0][1] + A[1][1] * B[1][1] + A[1][2] * B[2][1],
            A[1][0] * B[0][2] + A[1][1] * B[1][2] + A[1][2] * B[2][2],
        ),
        (
            A[2][0] * B[0][0] + A[2][1] * B[1][0] + A[2][2] * B[2][0],
            A[2][0] * B[0][1] + A[2][1] * B[1][1] + A[2][2] * B[2][1],
            A[2][0] * B[0][2] + A[2][1] * B[1][2] + A[2][2] * B[2][2],
        ),
    )


@element
def transposed(A):
    return ((A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2]))


@element
def transpose_times(A, B):
    """A^T B."""
    return times(transposed(A), B)


@element
def det(A):
    return (
        A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1])
        + A[0][1] * (A[1][2] * A[2][0] - A[1][0] * A[2][2])
        + A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0])
    )


@element
def cofactor(A):
    """The matrix with A^-1 = cofactor(A)^T / det(A); also the gradient of det."""
    return (
        (
            A[1][1] * A[2][2] - A[1][2] * A[2][1],
            A[1][2] * A[2][0] - A[1][0] * A[2][2],
            A[1][0] * A[2][1] - A[1][1] * A[2][0],
        ),
        (
            A[0][2] * A[2][1] - A[0][1] * A[2][2],
            A[0][0] * A[2][2] - A[0][2] * A[2][0],
            A[0][1] * A[2][0] - A[0][0] * A[2][1],
        ),
        (
            A[0][1] * A[1][2] - A[0][2] * A[1][1],
            A[0][2] * A[1][0] - A[0][0] * A[1][2],
            A[0][0] * A[1][1] - A[0][1] * A[1][0],
        ),
    )


@element
def gram(A):
    """A^T A, symmetric."""
    C = transpose_times(A, A)
    return (C[0][0], C[1][1], C[2][2], C[0][1], C[0][2], C[1][2])


@element
def cofactor_change(A, B):
    """The derivative of cofactor(A) along B: row by row the cross products of the other rows."""
    a, b, c = A
    d, e, f = B
    return (
        vec3.add(vec3.cross(e, c), vec3.cross(b, f)),
        vec3.add(vec3.cross(f, a), vec3.cross(c, d)),
        vec3.add(vec3.cross(d, b), vec3.cross(a, e)),
    )


@element
def dot(A, B):
    """Sum of products, A : B."""
    return vec3.dot(A[0], B[0]) + vec3.dot(A[1], B[1]) + vec3.dot(A[2], B[2])


@element
def full(S):
    """A symmetric matrix written out."""
    return ((S[0], S[3], S[4]), (S[3], S[1], S[5]), (S[4], S[5], S[2]))


@element
def times_symmetric(A, S):
    return times(A, full(S))


@element
def symmetric_vector(T):
    """The symmetric part of T as six numbers, off-diagonal ones doubled: the gradient of T : L for symmetric L."""
    return (T[0][0], T[1][1], T[2][2], T[0][1] + T[1][0], T[0][2] + T[2][0], T[1][2] + T[2][1])


@element
def symmetric_part(T):
    """(T + T^T) / 2."""
    return (
        T[0][0],
        T[1][1],
        T[2][2],
        HALF * (T[0][1] + T[1][0]),
        HALF * (T[0][2] + T[2][0]),
        HALF * (T[1][2] + T[2][1]),
    )


@element
def symmetric_add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@element
def symmetric_sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5])


@element
def symmetric_scale(s, a):
    return (s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5])


@element
def symmetric_outer(s, g):
    """s g g^T, symmetric."""
    return (s * g[0] * g[0], s * g[1] * g[1], s * g[2] * g[2], s * g[0] * g[1], s * g[0] * g[2], s * g[1] * g[2])


@element
def symmetric_square(S):
    a, b, c, d, e, f = S
    return (
        a * a + d * d + e * e,
        d * d + b * b + f * f,
        e * e + f * f + c * c,
        a * d + d * b + e * f,
        a * e + d * f + e * c,
        d * e + b * f + f * c,
    )


@element
def symmetric_cofactor(S):
    a, b, c, d, e, f = S
    return (b * c - f * f, a * c - e * e, a * b - d * d, e * f - d * c, d * f - e * b, d * e - a * f)


@element
def symmetric_det(S):
    a, b, c, d, e, f = S
    return a * (b * c - f * f) + d * (e * f - d * c) + e * (d * f - e * b)


@element
def symmetric_dot(a, b):
    """a : b, off-diagonal entries counted twice."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + TWO * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@element
def mean_and_spread(S):
    """Return the mean eigenvalue of a symmetric matrix, and the bound on the distance of one from it: sqrt(2/3) |dev S|.

    Exact for the single one if the two others are equal.
    """
    mean = (S[0] + S[1] + S[2]) / THREE
    a, b, c = S[0] - mean, S[1] - mean, S[2] - mean
    square = a * a + b * b + c * c + TWO * (S[3] * S[3] + S[4] * S[4] + S[5] * S[5])
    return mean, math.sqrt(TWO * square / THREE)
