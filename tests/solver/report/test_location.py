"""Locations of contact faults, with the names of objects."""

from __future__ import annotations

import numpy as np

from solver.report.location import locations


def test_locations_are_grouped_by_the_objects_and_lie_where_something_is():
    points = np.array([(0, 0, 0), (1, 0, 0), (9, 0, 0), (0, 5, 0)], float)
    found = locations(np.array([0, 1, 0, 2]), np.array([1, 0, 1, 2]), points, ["Coat", "Shirt", "Cape"])
    assert [(p.one, p.other, p.count) for p in found] == [("Coat", "Shirt", 3), ("Cape", "Cape", 1)]
    assert found[0].point == (1.0, 0.0, 0.0)
    assert str(found[1]) == "1 of Cape with itself near (0, 5, 0) m"
