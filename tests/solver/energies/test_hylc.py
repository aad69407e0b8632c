"""Energy density of fabric tables: against an evaluation by principal curvatures, and against published points."""

import json
from pathlib import Path

import numpy as np
import pytest

from solver.device.cpu import kernel
from solver.device.simd.tuples import numbers, put_numbers
from solver.elements.fabric_energy import _principal
from solver.energies.hylc import density, density_with_hessian
from solver.scene.fabric_table import PAIRS, Curve, FabricTable, Patch
from solver.scene.published_fabric import read_published

#: Published tables, for tests only; not part of the project.
PUBLISHED = Path(__file__).parents[4] / "shared" / "data" / "hylc"
FABRICS = ("satin1", "basket1", "rib1", "honey1", "stock1")
published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published tables at {PUBLISHED}")
#: Strains of one size: curvatures of 100 1/m weigh as stretches of 1.
SIZES = np.array([1, 1, 1, 100, 100, 100.0])


def rough_table(seed=0):
    """Random nodes, uneven spacings on the two sides of 0, zero where a table must be."""
    rng = np.random.default_rng(seed)
    reach = np.array([0.6, 0.5, 0.7, 120.0, 150.0])

    def knots(axis, below, above):
        return np.concatenate([np.linspace(-0.7, 0, below + 1)[:-1], np.linspace(0, 1, above + 1)]) * reach[axis]

    curves = []
    for axis in range(5):
        t = knots(axis, 3, 4)
        values = (t / reach[axis]) ** 2 + 0.1 * rng.standard_normal(len(t))
        values[3] = 0
        curves.append(Curve(t, values, rng.standard_normal(len(t)) / reach[axis]))
    patches = {}
    for pair in PAIRS:
        k, other = int(pair[0]), int(pair[1])
        u, v = knots(k, 2, 3), knots(other, 3, 2)
        nodes = rng.standard_normal((4, len(v), len(u))) * np.array([1, 1 / reach[k], 1 / reach[other], 0])[:, None, None]
        nodes[3] = rng.standard_normal((len(v), len(u))) / (reach[k] * reach[other])
        nodes[:2, 3], nodes[0, :, 2], nodes[2, :, 2] = 0, 0, 0
        patches[pair] = Patch(u, v, nodes)
    heights = {"height_u": 4e-4, "height_v": -3e-4}
    return FabricTable(tuple(curves), patches, twist=0.3e-4, constant=0.25, straight=True, **heights)


def spline(knots, values, slopes, x):
    """A Hermite spline with straight ends, at one x, by textbook."""
    if x <= knots[0]:
        return values[0] + slopes[0] * (x - knots[0])
    if x >= knots[-1]:
        return values[-1] + slopes[-1] * (x - knots[-1])
    j = min(int(np.searchsorted(knots, x, side="right")) - 1, len(knots) - 2)
    w = knots[j + 1] - knots[j]
    u = (x - knots[j]) / w
    h = 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, 3 * u**2 - 2 * u**3, u**3 - u**2
    return h[0] * values[j] + h[1] * w * slopes[j] + h[2] * values[j + 1] + h[3] * w * slopes[j + 1]


def surface(patch, x, y):
    lines = [
        [spline(patch.u, row, by_u, x) for row, by_u in zip(*two, strict=True)] for two in (patch.nodes[:2], patch.nodes[2:])
    ]
    return spline(patch.v, np.array(lines[0]), np.array(lines[1]), y)


def by_principal_curvatures(table, s):
    """psi with eigenvalues and eigenvectors of II, as the strains are defined."""
    s = table.at_heights(np.array([s]))[0]
    total = table.constant + sum(
        spline(c.knots, c.values, c.slopes, x) for c, x in zip(table.curves[:3], s[:3], strict=True)
    )
    total += sum(surface(table.patches[f"{k}{m}"], s[k], s[m]) for k, m in ((0, 1), (0, 2), (1, 2)))
    values, vectors = np.linalg.eigh([[s[3], s[4]], [s[4], s[5]]])
    for axis in (3, 4):
        curve = table.curves[axis]
        for value, vector in zip(values, vectors.T, strict=True):
            bending = spline(curve.knots, curve.values, curve.slopes, value)
            bending += sum(surface(table.patches[f"{k}{axis}"], s[k], value) for k in range(3))
            total += vector[axis - 3] ** 2 * bending
    return total + 0.5 * table.twist * s[4] ** 2


def strains(count=60, seed=1):
    """Within the data and beyond it; every third nearly or exactly isotropic in curvature, and flat ones."""
    s = np.random.default_rng(seed).uniform(-1, 1, (count, 6)) * [0.8, 0.6, 0.9, 150, 80, 150]
    s[::3, 4] *= 10.0 ** -np.arange(len(s[::3]))
    s[::3, 5] = s[::3, 3] * (1 + 10.0 ** -np.arange(len(s[::3])))
    s[::7, 3:] = 0
    return s


def test_the_energy_is_that_of_the_principal_curvatures():
    """1e-9 of energies of size one: rounding, at isotropic and flat curvature as elsewhere."""
    table, s = rough_table(), strains()
    wanted = [by_principal_curvatures(table, one) for one in s]
    assert np.abs(density(table, s)[0] - wanted).max() < 1e-9


def test_the_slopes_are_those_of_the_energy():
    """2e-6: central differences of step 1e-6 of numbers of size ten lose six digits of sixteen and some; 1e-3 of second
    derivatives of size a hundred. Flat ones stand on a knot, where second derivatives jump by so much: 2e-4."""
    table, s = rough_table(), strains()
    _, gradient, hessian = density_with_hessian(table, s, np.float64)
    flat = np.abs(s[:, 3:]).max(1) == 0
    for k in range(6):
        step = np.zeros(6)
        step[k] = 1e-6 * SIZES[k]
        ends = [density(table, s + sign * step) for sign in (1, -1)]
        slope, bend = ((ends[0][i] - ends[1][i]) / 2e-6 for i in (0, 1))
        assert (np.abs(slope - gradient[:, k] * SIZES[k]) < np.where(flat, 2e-4, 2e-6)).all()
        assert np.abs((bend - hessian[:, k] * SIZES[k]) * SIZES)[~flat].max() < 1e-3


@published
@pytest.mark.parametrize("fabric", FABRICS)
def test_published_points_are_met_in_double_precision(fabric):
    """1e-9, and 1e-6 where the curvature is isotropic: the published program's own rounding there. Points on the outermost
    knots, of label 4, have a second derivative on each side."""
    points = np.load(PUBLISHED / "points.npz")
    table = read_published(PUBLISHED / f"{fabric}.json").table
    s, psi, slopes, second = (points[f"{fabric}_{what}"] for what in ("s", "psi", "grad", "hess"))
    apart = np.hypot(0.5 * (s[:, 3] - s[:, 5]), s[:, 4])
    tolerance = np.where(apart > 1e-3, 1e-9, 1e-6)
    found = density_with_hessian(table, s, np.float64)
    scale = np.maximum(1, np.abs(slopes * SIZES).max(1))
    assert (np.abs(found[0] - psi) <= tolerance * np.maximum(1, np.abs(psi))).all()
    assert (np.abs((found[1] - slopes) * SIZES).max(1) <= tolerance * scale).all()
    size = np.maximum(1, np.abs(second * SIZES * SIZES[:, None]).max((1, 2)))
    off = np.abs((found[2] - second) * SIZES * SIZES[:, None]).max((1, 2))
    assert (off <= tolerance * size)[points[f"{fabric}_label"] != 4].all()


@published
@pytest.mark.parametrize("fabric", FABRICS)
def test_published_points_are_met_in_single_precision(fabric):
    """2e-5 of the local scale: 170 roundings of 1.2e-7. Of energies and slopes the scale is the largest slope, of second
    derivatives the largest of these; none is below one."""
    points = np.load(PUBLISHED / "points.npz")
    table = read_published(PUBLISHED / f"{fabric}.json").table
    s, psi, slopes, second = (points[f"{fabric}_{what}"] for what in ("s", "psi", "grad", "hess"))
    found = density_with_hessian(table, s, np.float32)
    scale = np.maximum(1, np.abs(slopes * SIZES).max(1))
    assert (np.abs(found[0] - psi) <= 2e-5 * np.maximum(scale, np.abs(psi))).all()
    assert (np.abs((found[1] - slopes) * SIZES).max(1) <= 2e-5 * scale).all()
    size = np.maximum(1, np.abs(second * SIZES * SIZES[:, None]).max((1, 2)))
    off = np.abs((found[2] - second) * SIZES * SIZES[:, None]).max((1, 2)) / size
    assert np.quantile(off, 0.99) <= 2e-5


@published
@pytest.mark.parametrize("fabric", FABRICS)
def test_published_curves_of_uniaxial_tension_are_met(fabric):
    """5e-4 of the strain and 1 % of the tension: the published ones are rounded to their own grid. Satin grows sideways, and
    the tension of stockinette along the course has two slopes."""
    curves = json.loads((PUBLISHED / "homogeneous_curves.json").read_text())[fabric]
    table = read_published(PUBLISHED / f"{fabric}.json").table
    sideways = np.linspace(-0.45, 0.3, 15001)
    for direction, along, across in (("X", 0, 2), ("Y", 2, 0)):
        for strain, wanted in curves[direction].items():
            s = np.zeros((len(sideways), 6))
            s[:, along], s[:, across] = float(strain), sideways
            psi, gradient = density(table, s)
            best = int(psi.argmin())
            assert sideways[best] == pytest.approx(wanted["lateral_strain"], abs=5e-4)
            assert gradient[best, along] == pytest.approx(wanted["tension_N_per_m"], rel=0.01)
    if fabric == "satin1":
        assert curves["X"]["0.2"]["lateral_strain"] > 0.05


@kernel
def _principal_in_lanes(strains, found):
    """found: (m, r, c, s) of 16 strains, lanes innermost."""
    for lane in range(16):
        put_numbers(found, lane, _principal(numbers(strains, lane, 6)))


def test_curvatures_that_differ_by_what_squares_to_no_normal_number_are_one():
    """Vector units without AVX-512 take roots by an estimate, which fails for such numbers: the positions of falling
    flat sheets became infinite."""
    strains = np.zeros((6, 16), np.float32)
    strains[4] = 10.0 ** -np.arange(10, 26)
    found = np.empty((4, 16), np.float32)
    _principal_in_lanes(strains.ravel(), found.reshape(-1))
    assert np.isfinite(found).all() and (found[1] <= strains[4] * 1.001).all()
    assert found[:, 0] == pytest.approx([0, 1e-10, 0, 1], rel=1e-6) and found[:, -1].tolist() == [0, 0, 1, 0]


@pytest.mark.long
def test_of_what_is_no_number_the_energy_is_none():
    """The place that it is looked up at is one of the table all the same."""
    strains = np.full((6, 6), np.nan)
    assert np.isnan(density(rough_table(), strains)[0]).all()
    assert np.isnan(density_with_hessian(rough_table(), strains, np.float32)[0]).all()
