"""Homogenised yarn-level cloth: a sheet with the stretch, locking, shear, bending and curl of a woven or knitted fabric,
from a table of its energy (`scene/fabric_table.py`).

    U = A psi(sx, sa, sy, IIxx, IIxy, IIyy)  [J]

with the strains of a triangle and its three neighbours (`elements/patch.py`) in the axes of warp and weft, and psi from
`elements/fabric_energy.py`. It replaces stretch and bending alike. Damping is viscous stress over the rate of strain, with
the table's reference stiffnesses.

The natural curvature of a fabric may be too large for its triangles: then edges would fold flat, or turn inside out. Beyond
`FOLD` the fold of an edge has a penalty, in measures,

    1/2 W_i max(|k_i| - FOLD h_i, 0)^2  [J],   W_i = 2 A m / h_i^3

with the largest curling moment m of the fabric, which so folds an edge by at most half a radian more; zero for a fabric that
lies flat.
Source: Sperl, Narain, Wojtan 2020, "Homogenized yarn-level cloth", ACM Transactions on Graphics 39(4). Local solve:
Chaudhary, Pokhariya, Narain, "Towards Generalized Position-Based Dynamics", section 4.2: six unknowns, forces along the
strains; made positive in scaled variables (`mathlib/local6.py`), so that single precision is enough, and shortened if psi
would rise.
"""

import math

import numpy as np

from ..device.cpu import element, f32, kernel
from ..device.simd.table import look_up
from ..elements import fabric_energy, patch
from ..elements.fabric_energy import STIFFNESS, packed, response
from ..mathlib import local6, positive6, sym3, sym6, vec3
from ..scene.fabric_table import FabricTable, read_table

NAME = "hylc"
LABEL = "Yarns (Table)"
ELEMENT = "patch"  # a triangle and its three neighbours
TABLE = True  # its material has a table
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "damping": ("Damping", "s", 0.002, 0.0, 10.0, False, "Rayleigh damping: viscous over elastic stress at small strain"),
}
CORNERS = 6
REST = patch.REST + 9
CONSTANTS = 0  # `k` is the table's row
STATE = 6  # lambda: the force displacement per w_a grad_a of each measure
START_STRAINS = 6  # the strains at the start of the substep
PROPOSAL = 16

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TENTH = f32(0.1)
TINY = f32(1e-30)
#: Fold of an edge [rad] from which on the moment that curls a fabric is held.
FOLD = 1.0
#: Times its reference stiffness a bent and folded fabric resists further bending. With less, steps of the global step are
#: too long: a free square of stockinette gains energy with 1, and takes six linear systems a substep with 2.
STIFFER = 3.0
#: Rise of the potential, over its size, that is rounding.
ROUNDING = f32(4e-6)
#: Most that a local solve changes sx, sa, sy by.
LONGEST = f32(0.25)


def load_table(path) -> FabricTable:
    """The table in an npz file. Raises: PresetError."""
    return read_table(path)


def density(table: FabricTable, strains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """psi [J/m^2], (n,), and its gradient, (n, 6). strains: sx, sa, sy [1], IIxx, IIxy, IIyy [1/m], (n, 6) float64."""
    psi, gradient, _ = density_with_hessian(table, strains, np.float64)
    return psi, gradient


def density_with_hessian(table, strains, dtype):
    """psi, gradient, and second derivatives, (n, 6, 6), computed in a type of numbers."""
    s = np.ascontiguousarray(np.asarray(strains, dtype).reshape(-1, 6))
    psi, gradient, upper = (np.empty((len(s), *shape), dtype) for shape in ((), (6,), (21,)))
    _fill_density(packed(table, 0.0).astype(dtype), s, psi, gradient, upper)
    hessian = np.empty((len(s), 6, 6), dtype)
    i, j = np.triu_indices(6)
    hessian[:, i, j] = hessian[:, j, i] = upper
    return psi + dtype(table.constant), gradient, hessian


@kernel
def _fill_density(k, strains, psi, gradient, hessian):
    """Written: psi (n,), gradient (n, 6), hessian (n, 21)."""
    for i in range(len(strains)):
        s = strains[i]
        energy, slopes, second = response(k, (s[0], s[1], s[2], s[3], s[4], s[5]))
        psi[i] = energy
        for j in range(6):
            gradient[i, j] = slopes[j]
        for j in range(21):
            hessian[i, j] = second[j]


def rest(x, elements, values, axes, fraction):
    """`patch.rest`, then the reference stiffness of IIxx, IIxy, IIyy [N m], W_i [J/m^2] and FOLD h_i [m]: (n, 29).

    x: rest positions [m], (n_vertices, 3). elements: (n, 6), -1 where the sheet ends. axes: unit vectors of warp and weft in
    each triangle's plane, (n, 2, 3). fraction: share of the stiffness of each triangle, (n,).
    """
    bending = fabric_energy.reference_stiffness(values["table"])[3:]
    numbers = patch.rest(x, elements, axes, fraction)
    t = np.stack([-(numbers[:, :2] + numbers[:, 2:4]), numbers[:, :2], numbers[:, 2:4]], 1)
    height = 1 / np.linalg.norm(t, axis=2)
    weight = 2 * fabric_energy.curl_moment(values["table"]) * numbers[:, 4:5] / height**3
    return np.column_stack([numbers, np.tile(bending, (len(elements), 1)), weight, FOLD * height])


def constants(values, h):
    """The table's row with the damping share tau / h: (numbers,)."""
    return packed(values["table"], values["damping"] / h)


def bending_matrix(x, elements, rest):
    """The second derivative for motion along the normal of a flat sheet with STIFFER times the table's reference stiffness
    [N/m], each edge by itself, which bounds it: (n, 6, 6).

    x: rest positions [m]. elements: (n, 6), -1 where the sheet ends. rest: as returned by `rest`.
    """
    slopes, weights = _flat_slopes(x, elements, rest)
    return STIFFER * np.einsum("eia,ei,eib->eab", slopes, weights, slopes)


def stiffness_ratio(x, elements, rest, w):
    """Elastic over inertial stiffness of bending, h^2 k / m, of each patch when it is flat, a bound: (n,).

    x: rest positions [m]. elements: (n, 6). rest: as returned by `rest`. w: h^2 / mass of each vertex [s^2/kg].
    """
    slopes, weights = _flat_slopes(x, elements, rest)
    heaviest = w[elements[:, :3]].max(1)
    return heaviest * ((slopes**2).sum(2) * weights).sum(1)


def _flat_slopes(x, elements, rest):
    """Return the slopes of k_0, k_1, k_2 [1] of a flat patch along its normal, (n, 3, 6), and their weights [N/m], (n, 3):
    the sums of the rows of the matrix between them."""
    slopes = patch.flat_slopes(x, elements) * rest[:, 5:8, None]
    T = rest[:, 11:20].reshape(-1, 3, 3)  # strains, edges
    D = np.einsum("e,esi,es,esj->eij", rest[:, 4], T, rest[:, patch.REST : patch.REST + 3], T)
    return slopes, np.abs(D).sum(2)


@element
def _stiffness(k):
    """Reference stiffnesses of the six strains."""
    return (
        look_up(k, ZERO, STIFFNESS), look_up(k, ZERO, STIFFNESS + 1), look_up(k, ZERO, STIFFNESS + 2),
        look_up(k, ZERO, STIFFNESS + 3), look_up(k, ZERO, STIFFNESS + 4), look_up(k, ZERO, STIFFNESS + 5),
    )  # fmt: skip


@element
def _damped(k, s, old):
    """`response` with the dissipation potential of the damping."""
    psi, f, H = response(k, s)
    share = look_up(k, ZERO, 0)
    D = _stiffness(k)
    d = (share * D[0], share * D[1], share * D[2], share * D[3], share * D[4], share * D[5])
    v = (s[0] - old[0], s[1] - old[1], s[2] - old[2], s[3] - old[3], s[4] - old[4], s[5] - old[5])
    p = (d[0] * v[0], d[1] * v[1], d[2] * v[2], d[3] * v[3], d[4] * v[4], d[5] * v[5])
    return (
        psi + HALF * sym6.dot(p, v),
        (f[0] + p[0], f[1] + p[1], f[2] + p[2], f[3] + p[3], f[4] + p[4], f[5] + p[5]),
        (
            H[0] + d[0], H[1], H[2], H[3], H[4], H[5], H[6] + d[1], H[7], H[8], H[9], H[10], H[11] + d[2], H[12], H[13],
            H[14], H[15] + d[3], H[16], H[17], H[18] + d[4], H[19], H[20] + d[5],
        ),
    )  # fmt: skip


@element
def _folded(k, weight, free):
    """Energy of a fold of k beyond `free`, its slope and second derivative by k."""
    beyond = max(abs(k) - free, ZERO)
    push = weight * beyond
    return HALF * push * beyond, push if k > ZERO else -push, weight if beyond > ZERO else ZERO


@element
def _folds(values, g):
    """The same of all three edges: energy [J], slopes, second derivatives. values: the measures."""
    a, b = _folded(values[3], g[23], g[26]), _folded(values[4], g[24], g[27])
    c = _folded(values[5], g[25], g[28])
    return a[0] + b[0] + c[0], (ZERO, ZERO, ZERO, a[1], b[1], c[1]), (a[2], b[2], c[2])


@element
def _sum(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@element
def _scaled(a, v):
    return a * v[0], a * v[1], a * v[2], a * v[3], a * v[4], a * v[5]


@element
def _by_measures(H, T, a, fold):
    """Return a times H in the measures of a patch, 21 upper entries, with the penalty of folds. T:
    `patch.curvature_weights`."""
    t0, t1, t2 = (T[0][0], T[1][0], T[2][0]), (T[0][1], T[1][1], T[2][1]), (T[0][2], T[1][2], T[2][2])
    x, y, z = (H[3], H[4], H[5]), (H[8], H[9], H[10]), (H[12], H[13], H[14])
    b0, b1, b2 = (H[15], H[16], H[17]), (H[16], H[18], H[19]), (H[17], H[19], H[20])
    u0 = (vec3.dot(b0, t0), vec3.dot(b1, t0), vec3.dot(b2, t0))
    u1 = (vec3.dot(b0, t1), vec3.dot(b1, t1), vec3.dot(b2, t1))
    u2 = (vec3.dot(b0, t2), vec3.dot(b1, t2), vec3.dot(b2, t2))
    return (
        a * H[0], a * H[1], a * H[2], a * vec3.dot(x, t0), a * vec3.dot(x, t1), a * vec3.dot(x, t2),
        a * H[6], a * H[7], a * vec3.dot(y, t0), a * vec3.dot(y, t1), a * vec3.dot(y, t2),
        a * H[11], a * vec3.dot(z, t0), a * vec3.dot(z, t1), a * vec3.dot(z, t2),
        a * vec3.dot(t0, u0) + fold[0], a * vec3.dot(t0, u1), a * vec3.dot(t0, u2),
        a * vec3.dot(t1, u1) + fold[1], a * vec3.dot(t1, u2),
        a * vec3.dot(t2, u2) + fold[2],
    )  # fmt: skip


@element
def propose(corners, w, g, k, old, lam, reprojection):
    """Compute one Newton step of the measures. Returns its forces, and the arguments of `share_taken`: the change of lambda,
    the measures at the step's end, psi, the energy of the folds, the change of the inertial potential, and the potential's
    slope along the step. g: `rest`.
    """
    values, planar, bend = patch.measures(corners, g)
    T = patch.curvature_weights(g)
    psi, slopes, H = _damped(k, patch.strains(values, T), old)
    a = g[4]
    folds = _folds(values, g)
    f = _sum(patch.along_measures(_scaled(a, slopes), T), folds[1])
    b = (-f[0] - lam[0], -f[1] - lam[1], -f[2] - lam[2], -f[3] - lam[3], -f[4] - lam[4], -f[5] - lam[5])
    C, inverse = local6.cholesky(patch.mobility(planar, bend, w))
    right = local6.transposed_times(C, b)
    y = local6.solve(local6.congruence(_by_measures(H, T, a, folds[2]), C), right)
    moved = local6.times(C, y)  # the measures
    most = max(max(abs(moved[0]), abs(moved[1])), abs(moved[2]))
    first = min(ONE, LONGEST / (most + TINY))
    y, moved = _scaled(first, y), _scaled(first, moved)
    step, end = local6.backward(C, inverse, y), _sum(values, moved)
    inertia = sym6.dot(lam, moved) + HALF * sym6.dot(y, y)
    return patch.forces(planar, bend, step), (
        step[0], step[1], step[2], step[3], step[4], step[5], end[0], end[1], end[2], end[3], end[4], end[5],
        psi, folds[0], inertia, -sym6.dot(right, y),
    )  # fmt: skip


@element
def share_taken(g, k, old, proposal):
    """Return the share of a proposed step that lowers the potential, at most 1. g: `rest`."""
    end = (proposal[6], proposal[7], proposal[8], proposal[9], proposal[10], proposal[11])
    psi, _, _ = _damped(k, patch.strains(end, patch.curvature_weights(g)), old)
    a, slope = g[4], proposal[15]
    rise = a * (psi - proposal[12]) + _folds(end, g)[0] - proposal[13] + proposal[14]
    # If the potential rises, the step ends at the minimum of the parabola through the known values.
    lowest = -HALF * slope / (rise - slope + TINY)
    return ONE if rise <= ROUNDING * a * abs(proposal[12]) else min(max(lowest, TENTH), HALF)


@element
def project(corners, w, g, k, old, lam, reprojection):
    """Solve locally, one Newton step of the measures. Returns the forces of the step and the new lambda. g: `rest`."""
    forces, proposal = propose(corners, w, g, k, old, lam, reprojection)
    share = share_taken(g, k, old, proposal)
    step = _scaled(share, proposal)
    return (
        vec3.scale(share, forces[0]), vec3.scale(share, forces[1]), vec3.scale(share, forces[2]),
        vec3.scale(share, forces[3]), vec3.scale(share, forces[4]), vec3.scale(share, forces[5]),
    ), _sum(lam, step)  # fmt: skip


@element
def displacement(corners, g, lam):
    """lambda along the slopes of the measures, at the six corners."""
    _, planar, bend = patch.measures(corners, g)
    return patch.forces(planar, bend, lam)


@element
def strain_at_start(corners, g):
    """The six strains."""
    values, _, _ = patch.measures(corners, g)
    return patch.strains(values, patch.curvature_weights(g))


@element
def gradient(corners, g, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the six corners [N]. g: `rest`."""
    values, planar, bend = patch.measures(corners, g)
    T = patch.curvature_weights(g)
    psi, slopes, _ = _damped(k, patch.strains(values, T), old)
    folds = _folds(values, g)
    f = _sum(patch.along_measures(_scaled(g[4], slopes), T), folds[1])
    return g[4] * psi + folds[0], patch.forces(planar, bend, f)


@element
def hessian_times(corners, g, k, old, directions, exact):
    """Return the second derivative times directions [N]. g: `rest`.

    exact: 0 makes the derivative by the strains positive (`mathlib/positive6.py`), and leaves out the change of all slopes
    but those of sx and sy under tension.
    """
    values, planar, bend = patch.measures(corners, g)
    moved, planar_rates, bend_rates = patch.rates(corners, directions, g)
    T = patch.curvature_weights(g)
    _, f, H = _damped(k, patch.strains(values, T), old)
    keep = ONE if exact > 0 else ZERO
    f = (f[0] if f[0] > ZERO else keep * f[0], keep * f[1], f[2] if f[2] > ZERO else keep * f[2],
         keep * f[3], keep * f[4], keep * f[5])  # fmt: skip
    more = _scaled(ONE - keep, positive6.lacking(H, _stiffness(k)))
    d = patch.strains(moved, T)
    change = local6.symmetric_times(H, d)
    change = (
        change[0] + more[0] * d[0], change[1] + more[1] * d[1], change[2] + more[2] * d[2],
        change[3] + more[3] * d[3], change[4] + more[4] * d[4], change[5] + more[5] * d[5],
    )  # fmt: skip
    _, push, stiffness = _folds(values, g)
    fold = (ZERO, ZERO, ZERO, stiffness[0] * moved[3], stiffness[1] * moved[4], stiffness[2] * moved[5])
    stiff = patch.forces(planar, bend, _sum(patch.along_measures(_scaled(g[4], change), T), fold))
    push = _sum(patch.along_measures(_scaled(g[4], f), T), _scaled(keep, push))
    turned = patch.forces(planar_rates, bend_rates, push)
    return (
        vec3.add(stiff[0], turned[0]),
        vec3.add(stiff[1], turned[1]),
        vec3.add(stiff[2], turned[2]),
        vec3.add(stiff[3], turned[3]),
        vec3.add(stiff[4], turned[4]),
        vec3.add(stiff[5], turned[5]),
    )


@element
def linearise(corners, g, k, old):
    """Return slopes of sx, sa, sy at the three corners; a positive derivative of the stress by them (00, 01, 02, 11, 12, 22)
    and the tension (uu, vv, uv), both over the area; and the shape gradients of the second and third corner.

    Negative stiffnesses are set to zero, and a coupling is at most half of the bound by its two stiffnesses: so the form is
    never negative.
    """
    values, planar, _ = patch.measures(corners, g)
    s = patch.strains(values, patch.curvature_weights(g))
    _, f, H = _damped(k, s, old)
    iu, iv = ONE / max(ONE + s[0], TENTH), ONE / max(ONE + s[2], TENTH)
    tension = sym3.positive_part((f[0] * iu, f[2] * iv, f[1] * iu * iv))
    # The tension acts along the axes too, where the stretches themselves are of first order.
    a, h0, h1, h2 = g[4], max(H[0] - tension[0], ZERO), max(H[6], ZERO), max(H[11] - tension[1], ZERO)
    r0, r1, r2 = HALF * math.sqrt(h0), math.sqrt(h1), math.sqrt(h2)
    h01, h02, h12 = _within(H[1], r0 * r1), _within(H[2], r0 * r2), _within(H[7], HALF * r1 * r2)
    return (
        planar,
        (a * h0, a * h01, a * h02, a * h1, a * h12, a * h2),
        vec3.scale(a, tension),
        (g[0], g[1], g[2], g[3]),
    )


@element
def _within(x, most):
    return min(max(x, -most), most)


@element
def equilibrium_state(corners, g, k, old):
    """Return the state whose displacement is that of the element's own force."""
    values, _, _ = patch.measures(corners, g)
    T = patch.curvature_weights(g)
    _, slopes, _ = _damped(k, patch.strains(values, T), old)
    return _sum(patch.along_measures(_scaled(-g[4], slopes), T), _scaled(-ONE, _folds(values, g)[1]))
