"""Sheets with a fabric's table as whole simulations."""

import numpy as np
import pytest

from solver import Cloth, Collider, Material, Pins, Scene, Settings, Simulation, load_material
from tests.scenes.linear_table import linear_table
from tests.scenes.meshes import ball, rectangle

GRAVITY = 9.81


def sheet(rows, columns, length=0.3, **changes):
    """A strip that hangs from its first row of vertices, warp across, weft down: 100 N/m and 0.3 kg/m^2."""
    h = length / rows
    x, z = np.meshgrid(np.arange(columns + 1) * h, -np.arange(rows + 1) * h)
    v = np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], 1)
    i = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    below = i + columns + 1
    triangles = np.concatenate([np.stack([i, below, below + 1], 1), np.stack([i, below + 1, i + 1], 1)])
    table = linear_table(100.0, 100.0, 50.0, coupling=0.0, **changes)
    fabric = Material("plain", "fabric", 0.3, {"hylc": {"damping": 0.02}}, table=table)
    pins = Pins(np.arange(columns + 1), 1.0)
    return Cloth("strip", v, triangles, fabric, pins=pins, uv=v[:, [0, 2]], self_contact=False)


def stretch(sim, rows, columns, length=0.3):
    z = sim.state.x[: (rows + 1) * (columns + 1), 2].astype(float).reshape(rows + 1, columns + 1).mean(1)
    return (z[0] - z[-1]) / length - 1


@pytest.mark.long
@pytest.mark.parametrize("rows", [40, 160])
def test_a_hung_sheet_is_as_long_as_its_material_makes_it_at_any_resolution(rows):
    """rho g L / (2 E) = 0.44 %; 1 % of it: it swings out in 1.5 s. Sweeps alone leave more than ten times its length at 160
    rows."""
    settings = Settings(substeps=8, iterations=4, global_iterations=4, damping=5.0, threads=1)
    sim = Simulation(Scene([sheet(rows, 4)], air_density=0.0), settings)
    for _ in range(36):
        sim.advance_frame()
    assert stretch(sim, rows, 4) == pytest.approx(0.3 * GRAVITY * 0.3 / (2 * 100.0), rel=0.01)
    assert not sim.warnings


@pytest.mark.long
def test_a_free_square_of_stockinette_comes_to_rest_with_less_energy_than_flat():
    """It wants to curl, so that flat it has the energy 0. After half a second it turns about its pins with a thousandth of
    that energy; it had 30 times as much, and ever changing, where bending of the global step was too soft."""
    x, triangles = rectangle((14, 14), (0.0192, 0.0192))
    x = x + np.random.default_rng(0).uniform(-1e-6, 1e-6, x.shape)
    pins = Pins(np.array([97, 98, 111, 112, 113, 126, 127]))  # in the middle
    body = Cloth("square", x, triangles, load_material("stockinette"), pins, x[:, :2], self_contact=False)
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), Settings.quality("production", damping=8.0, threads=1))
    reports = [sim.advance_frame().report for _ in range(12)]
    elastic = [report.elastic_energy for report in reports]
    assert elastic[-1] < -1e-4
    assert elastic[-1] == pytest.approx(elastic[-2], rel=0.01)
    assert reports[-1].kinetic_energy < -1e-3 * elastic[-1]


@pytest.mark.long
def test_fabrics_of_yarns_and_of_threads_meet_each_other_themselves_and_a_collider():
    """Stockinette over cotton over a ball, in wind, with damping: nothing passes through anything in a second, both come
    down on the ball, and reports say how far they are stretched."""
    shape, faces = ball(3, 0.05)
    bodies = []
    for name, height in (("cotton_poplin", 0.06), ("stockinette", 0.07)):
        v, triangles = rectangle((16, 16), (0.2, 0.2))
        v = v - [0.1, 0.1, -height]
        bodies.append(Cloth(name, v, triangles, load_material(name), uv=v[:, :2]))
    scene = Scene(bodies, [Collider("ball", shape, faces)], wind=(0.5, 0, 0))
    sim = Simulation(scene, Settings.quality("draft", damping=0.5, threads=1))
    for _ in range(24):
        frame = sim.advance_frame()
        assert frame.report.intersections == 0
        assert 0 < frame.report.max_stretch < 0.6
    for body in bodies:
        x = frame.positions[body.name]
        assert (np.linalg.norm(x, axis=1) > 0.05).all() and x[:, 2].min() < 0.04


@pytest.mark.long
def test_what_is_odd_about_a_fabric_of_yarns_is_told_once():
    """Pulled to more than twice its length it is beyond the table's 90 %, in all triangles but those at the bars' ends."""
    body = sheet(4, 4)
    targets = np.repeat(body.vertices[None, [0, 1, 2, 3, 4, 20, 21, 22, 23, 24]], 4, 0)
    targets[1:, 5:, 2] -= 0.4
    body = Cloth("strip", body.vertices, body.triangles, body.material, Pins(np.r_[0:5, 20:25], 1.0, targets))
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(substeps=8, iterations=8, threads=1))
    assert len(sim.warnings) == 1 and sim.warnings[0].startswith("strip: no UV map says how the yarns of 'plain' run")
    for _ in range(3):
        sim.advance_frame()
    told = [warning for warning in sim.warnings if "beyond its data" in warning]
    assert len(told) == 1 and "of 32 triangles of the fabric 'linear'" in told[0] and "stretch along V" in told[0]
