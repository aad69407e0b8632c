"""Plastic membrane: a sheet that stays stretched: plastic film, chewing gum, rubber that creeps.

    psi = 1/2 (E - p) : D : (E - p)  [N/m],  E the Green strain in the axes of warp and weft

p: the plastic strain, which flows where the sheet is stretched beyond its yield. The equivalent stress is s with s^2 = Y (E
- p) : D : (E - p), Y the mean Young's modulus: for uniaxial stretch of an isotropic sheet, its stress. The yield surface is
a level set of the elastic energy. Radial return along the strain is therefore the closest-point projection in that energy,
and associated, as in `creasing_shell`:

    s <= s_y + H Y a,   dp = da (E - p) Y / s,   a: plastic strain that has accumulated

Creep relaxes E - p at a rate, also below the yield (Maxwell). Compression flows like tension, though a thin sheet buckles
earlier. The flow is explicit, at each substep's start: it never adds energy. `elements/triangle.py`
has the local solve.
Source: Simo and Hughes 1998, "Computational inelasticity", box 3.2 (radial return, isotropic hardening).
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..elements import triangle
from ..elements.triangle import deformation, green_strain, metric
from ..mathlib import vec3

NAME = "plastic_membrane"
LABEL = "Plastic (Film)"
ELEMENT = "triangle"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young_warp": ("Stretch Warp", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the warp (u)"),
    "young_weft": ("Stretch Weft", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the weft (v)"),
    "shear": ("Shear", "N/m", 400.0, 0.0, 1e7, True, "In-plane shear modulus times thickness"),
    "poisson": ("Poisson", "", 0.2, 0.0, 0.95, False, "Sideways contraction; the geometric mean of both directions"),
    "yield_stress": ("Yield", "N/m", 50.0, 0.0, 1e7, False, "Force on a meter of width, beyond which a stretch stays"),
    "hardening": ("Hardening", "", 0.0, 0.0, 100.0, False, "Slope of the force beyond the yield over that below it"),
    "creep": ("Creep", "1/s", 0.0, 0.0, 1e3, False, "Rate at which any stretch becomes the rest shape; 1 is a second"),
    "damping": ("Stretch Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CORNERS = 4
REST = 7
CONSTANTS = 9
STATE = 6  # P, the force displacement per c w_a g_a: two columns of three
START_STRAINS = 7  # Green strain at the start of the substep (E00, E11, 2 E01), plastic strain (3), the accumulated one
CONSTRAINTS = 3
ONE_SIDED = False

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TINY = f32(1e-30)

displacement, strain_at_start = triangle.displacement, triangle.strain_at_start


def rest(x, elements, values, axes, fraction):
    """Shape gradients and c = area * stiffness, as of `stvk_membrane`: `triangle.shape`, (n, 7)."""
    return triangle.shape(x, elements, axes, fraction * _scale(values))


def _scale(values):
    return max(values["young_warp"], values["young_weft"])


def constants(values, h):
    """D00, D01, D11, D22 over the stiffness scale, the damping share tau / h, the mean Young's modulus over the scale, the
    yield strain, H, and the share of a stretch that creeps in a substep: (9,)."""
    D = triangle.plane_stress(values["young_warp"], values["young_weft"], values["shear"], values["poisson"])
    mean, creeps = 0.5 * (values["young_warp"] + values["young_weft"]), -np.expm1(-values["creep"] * h)
    flow = [mean / _scale(values), values["yield_stress"] / mean, values["hardening"], creeps]
    return np.array([*(D / _scale(values)), values["damping"] / h, *flow])


@element
def _stress(strain, k):
    """D strain over the stiffness scale: (00, 11, 01)."""
    return triangle.times((k[0], k[1], k[2], k[3]), strain)


@element
def _plastic(old):
    return old[3], old[4], old[5]


@element
def _damped_stress(strain, old, k):
    """Second Piola-Kirchhoff stress over the stiffness scale, with the damping stress tau dE/dt: (00, 11, 01)."""
    elastic = vec3.sub(strain, _plastic(old))
    rate = vec3.sub(strain, (old[0], old[1], old[2]))
    return _stress(vec3.add_scaled(elastic, k[4], rate), k)


@element
def _tangent(k):
    grow = ONE + k[4]
    return (grow * k[0], grow * k[1], grow * k[2], grow * k[3])


@element
def flow_at_start(corners, g, k, old):
    """Return the strains of a substep that starts here: beyond the yield the strain flows, and all of it creeps."""
    E = triangle.strain_at_start(corners, g)
    elastic = vec3.sub(E, _plastic(old))
    size = math.sqrt(max(vec3.dot(elastic, _stress(elastic, k)) / k[5], ZERO))
    grown = max(size - k[6] - k[7] * old[6], ZERO) / (ONE + k[7])
    flowed = grown / max(size, TINY)
    flowed += (ONE - flowed) * k[8]
    p = vec3.add_scaled(_plastic(old), flowed, elastic)
    return E[0], E[1], E[2], p[0], p[1], p[2], old[6] + grown


@element
def plastic_strain(g, old):
    """Return the accumulated plastic strain [1], 0 where paint leaves no share of this material."""
    return old[6] if g[4] > 0 else ZERO


@element
def project(corners, w, g, k, old, state, reprojection):
    """Solve locally (one Newton step). Returns the change of the force at the corners, and the new columns of P. g:
    `rest`."""
    f0, f1 = deformation(corners, g)
    C = metric(f0, f1)
    return triangle.solve(w, g, f0, f1, C, _damped_stress(green_strain(C), old, k), _tangent(k), state)


@element
def gradient(corners, g, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the corners [N]. g: `rest`."""
    f0, f1 = deformation(corners, g)
    E = green_strain(metric(f0, f1))
    elastic = vec3.sub(E, _plastic(old))
    rate = vec3.sub(E, (old[0], old[1], old[2]))
    energy = HALF * g[4] * (vec3.dot(_stress(elastic, k), elastic) + k[4] * vec3.dot(_stress(rate, k), rate))
    return energy, triangle.stress_forces(f0, f1, _damped_stress(E, old, k), g)


@element
def hessian_times(corners, g, k, old, directions, exact):
    """Second derivative times directions [N]. exact: 0 leaves out the geometric stiffness of compression."""
    f0, f1 = deformation(corners, g)
    S = _damped_stress(green_strain(metric(f0, f1)), old, k)
    return triangle.hessian_times(f0, f1, g, S, _tangent(k), directions, exact)


@element
def linearise(strain, rest, k, old):
    """Stress with the damping's, its elastic derivative, and the factor by which damping stiffens that."""
    return _damped_stress(strain, old, k), (k[0], k[1], k[2], k[3]), ONE + k[4]


@element
def constraints(corners, g, k, old):
    """E00 + r E11, E11 and 2 E01 of the elastic strain, their stiffnesses [J] and gradients [1/m]: as `stvk_membrane`."""
    f0, f1 = deformation(corners, g)
    return triangle.constraints(vec3.sub(green_strain(metric(f0, f1)), _plastic(old)), f0, f1, g, k)
