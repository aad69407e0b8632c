import time

import numpy as np
import pytest

from solver.errors import TetrahedralizationError
from solver.topology.components import label_components
from solver.topology.embedding import embed
from solver.topology.faces import boundary_faces, face_links
from solver.topology.lattice import fill_with_lattice
from solver.topology.surface_checks import check_tetrahedra, relative_volumes, tetrahedron_volumes
from tests.solver.topology import shapes

SHAPES = {"cube": shapes.cube(), "torus": shapes.torus(), "sphere": shapes.sphere(n=32)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fraction, tolerance", [(0.1, 0.01), (0.05, 0.005)])
def test_the_filled_volume_is_the_volume_of_the_mesh(shape, fraction, tolerance):
    """Samples are evenly spread: half the tetrahedra are cut by the surface, with 18 samples each, and errors average out.

    The floor of 3 % under the emptiest ones adds the rest: 1 % at a tenth of the diagonal, half as much at half the size."""
    x, triangles = SHAPES[shape]
    vertices, tetrahedra, full = fill_with_lattice(shape, x, triangles, fraction)
    filled = (tetrahedron_volumes(vertices, tetrahedra) * full).sum()
    assert filled == pytest.approx(shapes.volume(x, triangles), rel=tolerance)


@pytest.mark.parametrize("shape", SHAPES)
def test_tetrahedra_are_valid_alike_and_joined_by_faces(shape):
    x, triangles = SHAPES[shape]
    vertices, tetrahedra, full = fill_with_lattice(shape, x, triangles, 0.08)
    check_tetrahedra(shape, vertices, tetrahedra)
    np.testing.assert_allclose(relative_volumes(vertices, tetrahedra), 1 / 12, rtol=1e-9)
    assert len(np.unique(label_components(face_links(tetrahedra), len(tetrahedra)))) == 1
    assert ((full > 0) & (full <= 1)).all() and len(np.unique(tetrahedra)) == len(vertices)


def test_neighbours_share_whole_faces():
    """The divergence theorem over the boundary faces gives the sum of the volumes: no gaps, no overlaps. Rounding only."""
    vertices, tetrahedra, _ = fill_with_lattice("ring", *shapes.torus(), 0.08)
    faces, _ = boundary_faces(tetrahedra)
    assert shapes.volume(vertices, faces) == pytest.approx(tetrahedron_volumes(vertices, tetrahedra).sum(), rel=1e-9)


@pytest.mark.parametrize("fraction", [0.2, 0.1, 0.05])
def test_every_surface_vertex_lies_in_a_tetrahedron(fraction):
    """Also at a sharp tip, thinner than a cell. -1e-9: rounding of the weights."""
    x, triangles = shapes.sphere()
    x = x.copy()
    x[-1] = (0.0, 0.0, 3.0)
    vertices, tetrahedra, _ = fill_with_lattice("drop", x, triangles, fraction)
    assert embed(x, vertices, tetrahedra)[1].min() > -1e-9


def test_open_crossing_and_turned_meshes_are_filled():
    """A ball without its cap loses no more than the cap and the bulge of the winding number at the hole (together 10 %); two
    overlapping cubes count their overlap once (1 % as for one cube, also inside out)."""
    vertices, tetrahedra, full = fill_with_lattice("bowl", *shapes.sphere(n=32, cut=0.15), 0.06)
    assert (tetrahedron_volumes(vertices, tetrahedra) * full).sum() == pytest.approx(4 / 3 * np.pi, rel=0.1)
    x, triangles = shapes.cube()
    both = np.concatenate([x, x + 0.5]), np.concatenate([triangles, triangles + 8])
    vertices, tetrahedra, full = fill_with_lattice("boxes", *both, 0.06)
    assert (tetrahedron_volumes(vertices, tetrahedra) * full).sum() == pytest.approx(2 - 0.125, rel=0.01)
    vertices, tetrahedra, full = fill_with_lattice("inside out", x, triangles[:, [0, 2, 1]], 0.06)
    assert (tetrahedron_volumes(vertices, tetrahedra) * full).sum() == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize("shape, fraction", [(shapes.sphere(n=64), 0.08), (shapes.torus(n=90, m=40), 0.16)])
def test_no_tetrahedron_hangs_by_a_point(shape, fraction):
    """If the surface grazes a lattice point, samples reach a tetrahedron beyond it but none between: here up to seven."""
    _, tetrahedra, _ = fill_with_lattice("body", *shape, fraction)
    assert len(np.unique(label_components(face_links(tetrahedra), len(tetrahedra)))) == 1


def test_parts_that_are_apart_stay_apart():
    x, triangles = shapes.cube()
    far = np.concatenate([x, x + (3, 0, 0)]), np.concatenate([triangles, triangles + 8])
    _, tetrahedra, _ = fill_with_lattice("boxes", *far, 0.06)
    assert len(np.unique(label_components(face_links(tetrahedra), len(tetrahedra)))) == 2


def test_the_same_mesh_gives_the_same_bits():
    first, second = (fill_with_lattice("ring", *shapes.torus(), 0.07) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_a_sheet_and_a_needlessly_fine_lattice_are_refused():
    with pytest.raises(TetrahedralizationError, match=r"flag: the surface encloses no volume"):
        fill_with_lattice("flag", *shapes.grid(8, 8), 0.1)
    with pytest.raises(TetrahedralizationError, match=r"box: a lattice .* has .* cells"):
        fill_with_lattice("box", *shapes.cube(), 0.005)


def test_thirty_thousand_triangles_take_seconds():
    """About 0.5 s alone at a twentieth of the diagonal; 20 s leaves room for a busy machine."""
    x, triangles = shapes.torus(n=180, m=84)
    start = time.perf_counter()
    fill_with_lattice("ring", x, triangles, 0.05)
    assert len(triangles) > 30000 and time.perf_counter() - start < 20
