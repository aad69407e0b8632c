"""Curvature of a patch, on meshes that are cut in all ways."""

import numpy as np
import pytest

from solver import Cloth, Scene, Settings, load_material
from solver.elements import patch
from solver.methods.batch import set_strains
from solver.model.build import build
from solver.topology.axes import warp_and_weft
from solver.topology.patches import find_patches
from tests.solver.topology.test_quadrilaterals import grid


def sheet(cut, moved=0.0, n=8):
    """A square of 1 m whose vertices are moved by a share of an edge: vertices, triangles with all three neighbours."""
    x, triangles = grid(cut, n, 1 / n)
    x[:, :2] += moved / n * np.random.default_rng(3).uniform(-1, 1, (len(x), 2))
    patches = find_patches("sheet", triangles)
    return x, patches[(patches >= 0).all(1)]


def found_curvature(x, patches, height):
    """(IIxx, IIxy, IIyy) of a flat sheet whose vertices are lifted by small heights, (t, 3)."""
    axes = warp_and_weft("sheet", x, patches[:, :3])
    weights = patch.rest(x, patches, axes, np.ones(len(patches)))[:, 11:20].reshape(-1, 3, 3)
    measures = patch.flat_slopes(x, patches) @ height[patches][:, :, None]
    return (weights @ measures)[:, :, 0]


@pytest.mark.parametrize("cut", ["one way", "the other way"])
def test_the_curvature_of_quadratic_surfaces_is_theirs_where_a_sheet_is_cut_one_way(cut):
    """1e-9: rounding. Skewed cells too."""
    x, patches = sheet(cut)
    x[:, 0] += 0.5 * x[:, 1]
    u, v = x[:, 0], x[:, 1]
    for surface, height in zip(np.eye(3), (0.5 * u * u, u * v, 0.5 * v * v), strict=True):
        assert np.abs(found_curvature(x, patches, height) - surface).max() < 1e-9


def frequencies(cut, moved, n=14):
    """The five lowest of a free square plate of 1 m, of unit mass and bending stiffness and Poisson ratio 0 [rad/s]."""
    x, triangles = grid(cut, n, 1 / n)
    x[:, :2] += moved / n * np.random.default_rng(1).uniform(-1, 1, (len(x), 2))
    patches = find_patches("sheet", triangles)
    rest = patch.rest(x, patches, warp_and_weft("sheet", x, triangles), np.ones(len(patches)))
    slopes = patch.flat_slopes(x, patches) * rest[:, 5:8, None]
    II = slopes.transpose(0, 2, 1) @ rest[:, 11:20].reshape(-1, 3, 3).transpose(0, 2, 1)
    blocks = rest[:, 4, None, None] * (II * [1, 2, 1]) @ II.transpose(0, 2, 1)
    at = np.where(patches < 0, patches[:, [0, 1, 2, 0, 1, 2]], patches)
    K, mass = np.zeros((len(x), len(x))), np.zeros(len(x))
    np.add.at(K, (at[:, :, None], at[:, None, :]), blocks)
    np.add.at(mass, triangles, rest[:, 4:5] / 3)
    root = np.sqrt(mass)
    return np.sqrt(np.linalg.eigvalsh(K / root / root[:, None])[3:8])


@pytest.mark.parametrize(
    ("cut", "moved", "tolerance"), [("alternating", 0.0, 0.12), ("alternating", 0.2, 0.12), ("one way", 0.2, 0.02)]
)
def test_a_plate_vibrates_alike_however_it_is_cut(cut, moved, tolerance):
    """12 % of the five lowest frequencies where cuts alternate, of which the shape operator makes 35 %; 2 % where vertices
    alone are moved, by a fifth of an edge."""
    assert np.abs(frequencies(cut, moved) / frequencies("one way", 0.0) - 1).max() < tolerance


def test_the_sheets_border_keeps_the_shape_operator():
    """1e-9, rounding: without a neighbour there is no surface through six corners."""
    x, triangles = grid("one way")
    patches = find_patches("sheet", triangles)
    axes = warp_and_weft("sheet", x, triangles)
    rest = patch.rest(x, patches, axes, np.ones(len(patches)))
    t = np.column_stack([-(rest[:, 0] + rest[:, 2]), rest[:, 0], rest[:, 2]])
    assert np.abs(rest[:, 11:14] - t * t).max() < 1e-9 * np.abs(rest[:, 11:14]).max()


@pytest.mark.parametrize("degrees", [0, 30, 45])
def test_a_sheet_sees_the_cylinder_it_is_rolled_to(degrees):
    """1.5 % of the curvature, 2 1/m: it turns by 1/8 rad over an edge. Cells are skewed."""
    x, triangles = grid("one way", 16, 1 / 16)
    x[:, 0] += 0.6 * x[:, 1]
    cloth = Cloth("sheet", x, triangles, load_material("plain_weave"), uv=x[:, :2])
    model = build(Scene([cloth]), Settings(dtype="float64"))
    batch = next(batch for batch in model.batches if batch.energy.NAME == "hylc")
    along = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    s, k = x[:, :2] @ along, 2.0
    rolled = np.column_stack([x[:, :2] + np.outer(np.sin(k * s) / k - s, along), (1 - np.cos(k * s)) / k])
    place = np.zeros((model.n_vertices + 4, 4))
    place[: len(x), :3] = rolled - model.origin
    strains = np.zeros((batch.packs, 6 * 16))
    set_strains(batch, strains, place)
    inside = (find_patches("sheet", triangles) >= 0).all(1)
    by_lane = strains.reshape(-1, 6, 16).transpose(0, 2, 1).reshape(-1, 6)
    curvature = by_lane[batch.element.ravel() >= 0, 3:][np.argsort(batch.element[batch.element >= 0])][inside]
    wanted = k * np.array([along[0] ** 2, along[0] * along[1], along[1] ** 2])
    assert np.abs(curvature - wanted).max() < 0.015 * k
