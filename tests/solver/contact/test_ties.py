"""Contact of tied objects: they touch all others, but not the object that they are tied to."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from tests.scenes.intersections import Intersections, skins
from tests.scenes.plain_settings import plain_settings
from tests.scenes.tied import at_ties, tagged_block, tied_cubes

pytestmark = pytest.mark.slow  # compilation

DRAFT = plain_settings(substeps=10, iterations=3, global_iterations=4, threads=1)


@pytest.mark.parametrize("make", [tied_cubes, tagged_block])
def test_tied_vertices_touch_all_but_what_they_are_tied_to(make):
    """24 frames (1 s). In each all intersections that ipctk counts are of pairs that a tie excuses by the distances of the
    start alone, and the report has some where ipctk has; of edges in the plane of a triangle ipctk counts more. No vertex is
    out of the box or below the ground. No tolerance: all keep a distance. Tied vertices do hit something."""
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    scene = make()
    simulation = solver.Simulation(scene, DRAFT)
    counter, walls = Intersections(*skins(scene)), [c.vertices for c in scene.colliders if hasattr(c, "vertices")]
    excused = touched = 0
    for _ in range(24):
        frame = simulation.advance_frame()
        x = [frame.positions[body.name].astype(float) for body in scene.bodies]
        pairs = counter.pairs([*x, *walls])
        left_alone = at_ties(scene, simulation, counter, pairs)
        excused += left_alone
        assert len(pairs) == left_alone
        assert (frame.report.intersections > 0) == (len(pairs) > 0)
        inside = np.abs(np.concatenate(x)).max() < 0.2 if walls else np.concatenate(x)[:, 2].min() > 0
        assert inside
        touched += (
            simulation.contact.results.touched() & simulation.contact.surfaces.bound[: simulation.model.n_vertices]
        ).sum()
    print(make.__name__, "excused", excused, "touched", touched)
    assert touched > 0
