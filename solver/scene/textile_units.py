"""Conversion of textile laboratory data (KES-F, SiroFAST, Shore) into the SI quantities of materials.

KES-F is Kawabata's Evaluation System for Fabrics: forces in gram-force, lengths in centimetres, angles in degrees.
"""

from __future__ import annotations

import math

GRAM_FORCE = 9.80665e-3  # N
KES_TENSILE_LOAD = 500 * GRAM_FORCE / 0.01  # N/m: extensibility EMT is read at 500 gf/cm
FAST_SHEAR = 123.0  # N/m: SiroFAST's shear rigidity times its bias extensibility in per cent


def kes_bending(b: float) -> float:
    """Bending rigidity [N m] from KES-F B [gf cm^2/cm]: moment for each width and curvature, so gf cm; 1 is 9.81e-5 N m."""
    return b * GRAM_FORCE * 0.01


def kes_shear(g: float) -> float:
    """Shear modulus times thickness [N/m] from KES-F G [gf/(cm deg)]: force for each width and angle; 1 is 56.2 N/m."""
    return g * GRAM_FORCE / 0.01 * math.degrees(1.0)


def kes_initial_modulus(emt: float, lt: float) -> float:
    """Return Young's modulus times thickness at small strain [N/m] from KES-F tensile data.

    emt: extension at 500 gf/cm [%]. lt: linearity, the work of stretching over that of a straight line; 0.5 < lt <= 1.
    A curve F = a e + b e^3 through the load at EMT has LT = (1 + r) / 2, where r is its first slope over its mean slope.
    """
    return (2.0 * lt - 1.0) * KES_TENSILE_LOAD / (emt / 100.0)


def fast_shear(eb5: float) -> float:
    """Shear modulus times thickness [N/m] from SiroFAST bias extensibility EB5 [%], read at 5 gf/cm.

    A strip cut at 45 degrees and pulled with f [N/m] shears by the angle f / (2 G), and lengthens by half of it:
    e = f / (4 G).
    """
    return FAST_SHEAR / eb5


def shore_a_young(shore: float) -> float:
    """Young's modulus [Pa] of rubber from its Shore A hardness.

    Source: Gent 1958, "On the relation between indentation hardness and Young's modulus".
    """
    return 0.0981e6 * (56.0 + 7.62336 * shore) / (0.137505 * (254.0 - 2.54 * shore))


def bending_length(bending: float, density: float, gravity: float = 9.81) -> float:
    """Return the bending length [m], (B / (density g))^(1/3), as of Peirce's cantilever; stiff, light sheets have a long
    one.

    bending: [N m]. density: [kg/m^2]. Source: Peirce 1930, "The 'handle' of cloth as a measurable quantity".
    """
    return (bending / (density * gravity)) ** (1.0 / 3.0)
