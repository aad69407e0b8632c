"""Bodies of two materials."""

import numpy as np
import pytest

from solver import Material, Pins, Region, Scene, SceneError, Simulation, SoftBody
from tests.scenes import meshes
from tests.scenes.plain_settings import plain_settings

SOFT = Material.solid(1000, 1e4, 0.3, damping=0.05)
HARD = Material.solid(1000, 1e8, 0.3, damping=0.05)
X, TETRAHEDRA = meshes.cube_of_six(3)
UPPER = np.flatnonzero(X[TETRAHEDRA].mean(1)[:, 2] > 2 / 3)


def cube(**more):
    held = Pins(np.flatnonzero(X[:, 2] < 1e-9))
    return SoftBody("cube", X, TETRAHEDRA, SOFT, pins=held, **more)


def test_a_hard_lid_stays_plane_and_the_soft_rest_below_gives():
    """The lid is ten thousand times as stiff as the part below: it may warp by 5e-3 of the settling; the strain of the soft
    part under 1 m of 1000 kg/m^3 is of the order rho g h / 2 E = 0.5, of which a tenth is required."""
    world = Scene([cube(regions=[Region(UPPER, HARD)])])
    *_, frame = Simulation(world, plain_settings(substeps=40, iterations=20, dtype="float64", threads=1)).frames(1, 24)
    x = frame.positions["cube"].astype(float)
    lid = X[:, 2] > 2 / 3 - 1e-9
    p, q = X[lid] - X[lid].mean(0), x[lid] - x[lid].mean(0)
    u, _, v = np.linalg.svd(p.T @ q)
    warped = np.abs(p @ (u @ v) - q).max()
    settled = 1 - x[X[:, 2] > 1 - 1e-9, 2].mean()
    assert settled > 0.05
    assert warped < 5e-3 * settled


def test_a_region_brings_its_density():
    heavy = Material.solid(3000, 1e4, 0.3)
    plain = Simulation(Scene([cube()])).model.mass.sum()
    mixed = Simulation(Scene([cube(regions=[Region(UPPER, heavy)])])).model.mass.sum()
    assert plain == pytest.approx(1000.0)
    assert mixed == pytest.approx(1000 * 2 / 3 + 3000 / 3)


def test_edges_between_two_materials_are_of_the_region():
    springs = {"spring": {"stiffness": 10.0, "damping": 0.0}}
    soft, hard = (
        Material("soft", "solid", 1.0, springs),
        Material("hard", "solid", 1.0, {"spring": {"stiffness": 99.0, "damping": 0.0}}),
    )
    body = SoftBody("cube", X, TETRAHEDRA, soft, regions=[Region(UPPER, hard)])
    batch = Simulation(Scene([body])).model.batches[0]
    lanes, real = batch.index.reshape(-1, 2, 16), (batch.element >= 0).reshape(-1, 16)
    low = X[np.minimum(lanes, len(X) - 1)][..., 2].min(1)
    stiffness = batch.rest.reshape(-1, 2, 16)[:, 1]
    assert (stiffness[real & (low > 2 / 3 - 1e-9)] == 99).all()
    assert (stiffness[real & (low < 2 / 3 - 1e-9)] == 10).all()


@pytest.mark.parametrize(
    ("regions", "words"),
    [
        (
            [Region([0, 99999], HARD)],
            r"elements of region '.*'\[1\] is 99999; wanted numbers of elements, whole from 0 to 161",
        ),
        ([Region([0, 1], HARD), Region([1], SOFT)], "element 1 is of two regions"),
        ([Region([0], Material.fabric(0.2, 100, 50))], "is a fabric; wanted a solid"),
    ],
)
def test_wrong_regions_are_told(regions, words):
    with pytest.raises(SceneError, match=f"cube.*{words}"):
        cube(regions=regions)
