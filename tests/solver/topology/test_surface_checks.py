import numpy as np
import pytest

from solver.errors import TopologyError
from solver.topology.surface_checks import check_tetrahedra, check_triangles, relative_volumes, tetrahedron_volumes
from tests.solver.topology import shapes

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)


def test_good_meshes_pass():
    for x, triangles in (shapes.cube(), shapes.grid(9, 9), shapes.torus(), shapes.sphere()):
        check_triangles("good", x, triangles)
    check_tetrahedra("good", CORNERS, np.array([(0, 1, 2, 3)]))


def test_a_duplicate_is_found_whatever_its_rotation_and_winding():
    x, triangles = shapes.cube()
    again = np.concatenate([triangles, triangles[5:6, [2, 1, 0]]])
    with pytest.raises(TopologyError, match=r"box: 1 face is a duplicate .*triangle 12 .* triangle 5"):
        check_triangles("box", x, again)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_faces_without_area_are_found_at_any_scale(scale):
    """A corner on the line between the others, and two equal corners; heights are compared with the triangle's own size."""
    x = scale * np.array([(0, 0, 0), (1, 0, 0), (0.3, 0, 0), (0, 1, 0), (1, 0, 0)])
    for flat in ((0, 1, 2), (1, 3, 4)):
        with pytest.raises(TopologyError, match=r"strip: 1 face has no area \(first: triangle 1"):
            check_triangles("strip", x, np.array([(0, 1, 3), flat]))


def test_inverted_and_flat_tetrahedra_are_told_apart():
    x = np.concatenate([CORNERS, [(0.3, 0.3, 0.0)]])
    with pytest.raises(TopologyError, match=r"block: 1 tetrahedron is inverted .*tetrahedron 1"):
        check_tetrahedra("block", x, np.array([(0, 1, 2, 3), (0, 2, 1, 3)]))
    with pytest.raises(TopologyError, match=r"block: 1 tetrahedron is flat .*tetrahedron 0"):
        check_tetrahedra("block", x, np.array([(0, 1, 2, 4)]))
    with pytest.raises(TopologyError, match=r"block: 1 tetrahedron is a duplicate"):
        check_tetrahedra("block", x, np.array([(0, 1, 2, 3), (1, 2, 0, 3)]))


def test_volumes_of_known_tetrahedra():
    """Corner of the unit cube: 1/6. Regular tetrahedron: sqrt(2) / 12 of the cube of its edge. Rounding only."""
    assert tetrahedron_volumes(CORNERS, np.array([(0, 1, 2, 3)]))[0] == pytest.approx(1 / 6, rel=1e-15)
    regular = 7.0 * np.array([(1, 1, 1), (-1, 1, -1), (1, -1, -1), (-1, -1, 1)], float)
    assert abs(relative_volumes(regular, np.array([(0, 1, 2, 3)]))[0]) == pytest.approx(np.sqrt(2) / 12, rel=1e-12)
