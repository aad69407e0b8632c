"""Vectors of three numbers, as tuples (x, y, z)."""

from ..device.cpu import element


@element
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@element
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@element
def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


@element
def add_scaled(a, s, b):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@element
def combine(s, a, t, b):
    """s a + t b."""
    return (s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2])


@element
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@element
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
