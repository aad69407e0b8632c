"""Hooks of solids whose energy beside the volume is mu/2 (|F|^2 - 3): the neo-Hookean family."""

import math

from ..device.cpu import element, f32
from ..mathlib import mat3, vec3

SQUARE = f32(1)
SURE = f32(1)

HALF = f32(0.5)
ONE = f32(1)
THREE = f32(3)
TINY = f32(1e-30)


@element
def shape(F, C, k):
    """1/2 (|F|^2 - 3) and its derivative F."""
    return HALF * (C[0] + C[1] + C[2] - THREE), F


@element
def shape_change(F, C, dF, k, exact):
    return dF


@element
def shape_block(F, C, g, k):
    """|g|^2 of the unit matrix."""
    square = vec3.dot(g, g)
    zero = square - square
    return square, square, square, zero, zero, zero


@element
def add_shape_hessian(H, F, C, G, k):
    """SQUARE says it all."""
    return H


@element
def stable_volume(J, k):
    """k0/2 (J - 1)^2 - (J - 1) and its two derivatives: with |F|^2 / 2 at rest for J = 1, and finite for every J."""
    grown = J - ONE
    return HALF * k[0] * grown * grown - grown, k[0] * grown - ONE, k[0]


@element
def stable_measures(F, C, k):
    """|F| and J - 1 - 1/k0, whose squares make up the shape and `stable_volume` but for a constant.

    Source: Macklin and Muller 2021, "A Constraint-based Formulation of Stable Neo-Hookean Materials", section 3.
    """
    size = math.sqrt(C[0] + C[1] + C[2] + TINY)
    values = (size, mat3.det(F) - ONE - ONE / k[0])
    return values, (ONE, k[0]), (mat3.scale(ONE / size, F), mat3.cofactor(F))
