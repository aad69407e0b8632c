"""A sheet that is crumpled in a closing box, and let go as the box opens."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import solver
from tests.scenes.meshes import brick, rectangle

#: Frames in which the box closes, stays, opens; and the sheet is left alone.
CLOSES, STAYS, OPENS, ALONE = 24, 6, 10, 12


def foil(yield_curvature):
    """Household foil with a fiftieth of its stretch stiffness, so that few squares fold; the mesh has no sharper folds than
    200 1/m, so that it yields sooner than foil."""
    material = solver.load_material("aluminium_foil")
    energies = {name: dict(values) for name, values in material.energies.items()}
    for name in ("young_warp", "young_weft", "shear"):
        energies["stvk_membrane"][name] *= 0.02
    energies["creasing_shell"]["yield_curvature"] = yield_curvature
    return material.changed(energies=energies)


def volumes(yield_curvature):
    """Volume of the convex hull [m^3] when the box is open, and in the end; and intersections in all frames."""
    x, t = rectangle((16, 16), (0.14, 0.14))
    x = x - x.mean(0) + np.random.default_rng(0).normal(0, 2e-4, x.shape)
    box, faces = brick((1, 1, 1))
    times, sizes = np.cumsum([0, CLOSES, STAYS, OPENS]) / 24, [0.16, 0.05, 0.05, 0.25]
    collider = solver.Collider("box", lambda time: box * np.interp(time, times, sizes), faces, side="inside", friction=0.2)
    scene = solver.Scene(
        [solver.Cloth("foil", x, t, foil(yield_curvature), self_contact=True)], [collider], gravity=(0, 0, 0)
    )
    simulation = solver.Simulation(scene, solver.Settings.quality("production", damping=1.0))
    found, hits = [], 0
    for frame in range(1, CLOSES + STAYS + OPENS + ALONE):
        made = simulation.advance_frame()
        hits += made.report.intersections
        if frame in (CLOSES + STAYS + OPENS, CLOSES + STAYS + OPENS + ALONE - 1):
            found.append(ConvexHull(made.positions["foil"]).volume)
    return *found, hits


@pytest.mark.long
def test_crumpled_foil_keeps_its_volume_when_it_is_let_go():
    """15 1/m is a twentieth of the curvature that folds of the mesh get. The elastic sheet opens flat meanwhile: less than
    half of the foil's volume."""
    opened, kept, hits = volumes(15.0)
    assert hits == 0 and kept == pytest.approx(opened, rel=0.1)
    _, left, hits = volumes(1e6)
    assert hits == 0 and left < 0.5 * kept, (left, kept)
