"""A T-shirt that is sewn from flat panels round a mannequin."""

import numpy as np
import pytest

import solver
from tests.scenes.sewing import FABRIC, gaps, mannequin, t_shirt


def crossing(x, triangles, stitches, colliders):
    """Return whether an edge passes through a triangle, of the shirt with joined seams and of bodies inside it (`ipctk`)."""
    ipctk = pytest.importorskip("ipctk")
    one = np.arange(len(x))
    for _ in range(3):  # seams meet in corners
        low = np.minimum(one[stitches[:, 0]], one[stitches[:, 1]])
        np.minimum.at(one, stitches.ravel(), np.repeat(low, 2))
        one = one[one]
    used, number = np.unique(one, return_inverse=True)
    points, faces, count = [x[used]], [number[triangles]], len(used)
    for collider in colliders[:1]:  # arms and neck begin in the torso
        points.append(np.asarray(collider.vertices))
        faces.append(np.asarray(collider.triangles) + count)
        count += len(points[-1])
    x, t = np.concatenate(points).astype(float), np.concatenate(faces)
    return ipctk.has_intersections(ipctk.CollisionMesh(x, ipctk.edges(t), t), x)


@pytest.mark.long
@pytest.mark.parametrize("edge", [0.045, 0.03, 0.025])
def test_four_panels_are_a_t_shirt_after_two_seconds_and_stay_one(edge):
    """Seams are closer than the distance that the cloth keeps from itself, from frame 48 to 120, and nothing passes through
    anything."""
    x, triangles, stitches = t_shirt(edge)
    cloth = solver.Cloth("shirt", x, triangles, FABRIC, sewing=solver.Sewing(stitches))
    colliders = mannequin()
    simulation = solver.Simulation(solver.Scene([cloth], colliders=colliders), solver.Settings(threads=1))
    kept = simulation.model.body_thickness[0]
    for frame in simulation.frames(48, 120):
        assert gaps(simulation, frame).max() < kept, frame.number
        if frame.number % 24 == 0:
            here = frame.positions["shirt"].astype(float)
            assert frame.report.intersections == 0 and not crossing(here, triangles, stitches, colliders), frame.number
    assert frame.positions["shirt"][:, 2].max() > 1.4  # it hangs on the shoulders
