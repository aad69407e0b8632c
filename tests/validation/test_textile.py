"""Textile laboratory that measures fabrics: its instruments against results of theory."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from solver import load_material
from solver.scene.textile_units import bending_length
from tests.scenes import textile


def overhang_of_an_elastica(slope):
    """Return the overhang of a strip whose tip lies on a line of this slope, in bending lengths. Source: B theta'' = -w (L -
    s) cos theta."""

    def tip(length):
        solution = solve_bvp(
            lambda s, y: np.array([y[1], -(length**3) * (1 - s) * np.cos(y[0])]),
            lambda a, b: np.array([a[0], b[1]]),
            np.linspace(0, 1, 40),
            np.zeros((2, 40)),
            tol=1e-8,
        )
        s = np.linspace(0, 1, 2001)
        theta = solution.sol(s)[0]
        return np.arctan2(np.trapezoid(np.sin(theta), s), np.trapezoid(np.cos(theta), s))

    lengths = np.linspace(1.8, 2.2, 9)
    return np.interp(slope, [tip(length) for length in lengths], lengths)


@pytest.mark.slow
def test_a_cantilever_reads_the_bending_length_of_its_rigidity():
    """1 %: the discretisation of 16 cells, .14 % measured. Peirce's bending length, (B / w)^(1/3),
    is half the overhang at 41.5 degrees, as the standards have it: of the exact elastica it is 1.000 of it."""
    denim = load_material("denim")
    assert overhang_of_an_elastica(textile.SLOPE) / 2 == pytest.approx(1.0, rel=0.01)
    expected = bending_length(denim.energies["discrete_shell"]["bending_warp"], denim.density)
    assert textile.bending_length(denim) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("mesh", textile.MESHES)
@pytest.mark.parametrize("edge", [0.015, 0.0075])
def test_a_flat_specimen_covers_the_whole_ring(mesh, edge):
    """1 % of it: what the polygon of the hem lacks of the circle, (pi edge / 2 pi R)^2 R^2 / (R^2 - r^2), .8 % at the coarse
    edge, and the pixels of the shadow."""
    body = textile.specimen(load_material("denim"), edge, mesh=mesh)
    assert textile.drape_coefficient(body.rest_vertices, body.triangles) == pytest.approx(1.0, abs=0.01)


def test_a_cone_has_the_shadow_of_its_hem():
    """.5 %: pixels. A hem at the radius of 12 cm covers (12^2 - 9^2) / (15^2 - 9^2) of the ring."""
    body = textile.specimen(load_material("denim"), 0.0075)
    x = body.rest_vertices.copy()
    radius = np.linalg.norm(x, axis=1, keepdims=True)
    x *= np.where(radius > textile.SUPPORT, (textile.SUPPORT + (radius - textile.SUPPORT) / 2) / radius, 1.0)
    assert textile.drape_coefficient(x, body.triangles) == pytest.approx((12**2 - 9**2) / (15**2 - 9**2), abs=0.005)
