"""Cells of a sheet at rest, against a search of all its triangles for each cell."""

import numpy as np
import pytest

from solver.contact.surfaces import sheet_cells
from tests.scenes import meshes


@pytest.mark.parametrize(("quads", "size", "angle"), [(1, 32, 0.0), (3, 32, 0.4), (13, 7, 0.4), (20, 100, 0.0)])
def test_each_cell_lists_the_triangles_that_its_rectangle_meets(quads, size, angle):
    """An eps of cells at the sides, `EDGE_END`: a triangle that ends at a side is in one cell alone."""
    vertices, triangles = meshes.grid(quads)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    plane = vertices[:, :2] * [1.0, 1.7] @ turn
    layout = low, cell, counts = sheet_cells._layout(plane[triangles], size)
    of_sheet = sheet_cells._of_sheet(plane, triangles, 2, 5, None, (*layout, np.zeros(2)))
    corners, inverse, sizes, members, member_counts, middle, _, body, columns, rows, _ = of_sheet
    assert set(body) == {2} and len(sizes) == len(columns) == len(rows) <= np.prod(counts)
    low_of, high_of = (plane[triangles].min(1) - low) / cell, (plane[triangles].max(1) - low) / cell
    pieces = [np.split(rows_of, np.cumsum(k)[:-1]) for rows_of, k in ((corners, sizes), (members, member_counts))]
    cells = list(zip(columns, rows, *pieces, middle, strict=True))
    for column, row, cell_corners, cell_members, cell_middle in cells:
        at, eps = np.array([column, row]), sheet_cells.EDGE_END
        meets = ((low_of < at + 1 - eps) & (high_of > at + eps)).all(1)
        assert np.array_equal(cell_corners, triangles[meets])
        assert np.array_equal(cell_members, np.unique(triangles[meets]))
        away = np.linalg.norm(plane[cell_members] - low - cell * (at + 0.5), axis=1)
        assert cell_middle == cell_members[away.argmin()]
    sides = (plane[corners[:, 1:]] - plane[corners[:, :1]]).swapaxes(1, 2)
    assert np.abs(inverse.reshape(-1, 2, 2) @ sides - np.eye(2)).max() < 1e-9
