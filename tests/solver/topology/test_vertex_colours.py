"""Colours of vertices that share no element."""

import numpy as np
import pytest

from solver.topology.vertex_colours import colour_vertices
from tests.validation.meshes import cube


def clashes(elements, colours):
    """Elements with two corners of one colour."""
    own = np.sort(colours[elements], 1)
    return int((np.diff(own, axis=1) == 0).any(1).sum())


@pytest.mark.parametrize("n", [1, 4])
def test_no_element_has_two_corners_of_one_colour(n):
    vertices, tetrahedra = cube(n)
    colours = colour_vertices([tetrahedra], len(vertices))
    assert clashes(tetrahedra, colours) == 0
    assert colours.max() < 10  # eight in such a mesh; its clusters of elements need 30


def test_elements_of_all_groups_count_and_shared_padding_does_not():
    triangles, edges = np.array([[0, 1, 2], [3, 9, 9]]), np.array([[0, 3], [2, 3]])
    colours = colour_vertices([triangles, edges], 5)
    assert clashes(triangles[:1], colours) == clashes(edges, colours) == 0
    assert colours[4] == 0  # in no element


def test_more_colours_than_bits_in_a_word_are_found():
    """A hundred vertices that are all neighbours need a hundred colours."""
    a, b = np.triu_indices(100, 1)
    colours = colour_vertices([np.column_stack([a, b])], 100)
    assert sorted(colours) == list(range(100))
