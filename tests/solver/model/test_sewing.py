"""Seams: stitches that close, hold and are opened again."""

import numpy as np
import pytest

from solver import Cloth, FrameInputs, Pins, Scene, SceneError, Settings, Sewing, ShapeInputs, Simulation
from tests.covering_set import long
from tests.scenes.meshes import rectangle
from tests.scenes.sewing import FABRIC, gaps, tube, two_panels

FEW = {"substeps": 10}


def test_two_panels_become_a_tube_that_stays_closed():
    """Below a tenth of the distance that the cloth keeps from itself: a seam is one line, of which contact knows. It closes
    within five closing times. Nothing moves the tube as a whole: 1e-4 m/s of its centre of mass
    is a ten-thousandth of the speed of its panels."""
    simulation = tube(FEW)
    *_, frame = simulation.frames(1, 20)
    kept = simulation.model.body_thickness[0]
    assert gaps(simulation, frame).max() < 0.1 * kept
    *_, frame = simulation.frames(20, 30)
    assert gaps(simulation, frame).max() < 0.1 * kept and frame.report.intersections == 0
    mass, v = simulation.model.mass, simulation.state.v[: simulation.model.n_vertices].astype(float)
    assert np.abs(mass @ v / mass.sum()).max() < 1e-4


def test_a_closed_tube_passes_through_nothing():
    """None: no edge passes through a triangle of the mesh whose seams are one (`ipctk`)."""
    ipctk = pytest.importorskip("ipctk")
    simulation = tube(FEW)
    *_, frame = simulation.frames(1, 24)
    body = simulation.scene.bodies[0]
    one = np.arange(len(body.vertices))
    one[body.sewing.edges[:, 1]] = body.sewing.edges[:, 0]
    used, number = np.unique(one, return_inverse=True)
    triangles = number[body.triangles]
    mesh = ipctk.CollisionMesh(frame.positions["shirt"][used].astype(float), ipctk.edges(triangles), triangles)
    assert not ipctk.has_intersections(mesh, frame.positions["shirt"][used].astype(float))


def test_a_seam_opens_by_its_weight_and_closes_again():
    """A seam that is closed has no gap; half a centimetre open is what its pinned side is drawn off by. Its stitches are
    opened one after the other by their weights."""
    x, t, stitches = two_panels(4, 6, 0.1)
    left, right = np.flatnonzero(x[:, 1] < 0), np.flatnonzero(x[:, 1] > 0)
    pins = Pins(np.concatenate([left, right]), 0.2)
    cloth = Cloth("shirt", x, t, FABRIC, pins=pins, sewing=Sewing(stitches))
    simulation = Simulation(Scene([cloth], gravity=(0, 0, 0)), Settings(threads=1, **FEW))
    half = (x[stitches[:, 0], 2] > 0.3).astype(float)
    shut, opened, again = (
        [simulation.advance_frame(FrameInputs(shapes={"shirt": ShapeInputs(sewing_weight=w)})) for _ in range(20)][-1]
        for w in (1.0, half, 1.0)
    )
    kept = simulation.model.body_thickness[0]
    assert gaps(simulation, shut).max() < 0.2 * kept
    open_gaps = gaps(simulation, opened)
    assert open_gaps[half == 0].min() > kept and open_gaps[half == 1].max() < 0.5 * kept
    assert gaps(simulation, again).max() < 0.2 * kept


def test_an_open_seam_pulls_by_no_more_than_its_force():
    """10 %: of a metre of seam whose panels are free, the speed after a tenth of a second is force over mass; the mesh's own
    waves have a share."""
    x, t, stitches = two_panels(4, 6, 3.0)
    scene = Scene([Cloth("shirt", x, t, FABRIC, sewing=Sewing(stitches, force=2.0))], gravity=(0, 0, 0))
    simulation = Simulation(scene, Settings(threads=1, fps=20, **FEW))
    for _ in range(2):
        simulation.advance_frame()
    front = x[:, 1] < 0
    mass, v = simulation.model.mass, simulation.state.v[: len(x)].astype(float)
    pull = (mass @ np.where(front[:, None], v, 0))[1] / 0.1
    batch = next(b for b in simulation.model.batches if b.energy.NAME == "sewing")
    seam = batch.groups[0].fraction.sum()
    assert pull == pytest.approx(2.0 * seam, rel=0.1)


def test_a_checkpoint_goes_on_with_the_same_bits():
    """None: whether a stitch is closed is in the state."""
    one, other = tube(FEW), tube(FEW)
    *_, frame = one.frames(1, 14)
    kept = one.snapshot()
    assert 0 < gaps(one, frame).min() < one.model.body_thickness[0]
    other.restore(kept)
    ends = [simulation.advance_frame().positions["shirt"] for simulation in (one, other)]
    assert np.array_equal(*ends)


def hung(n, strength):
    """Two strips, the lower one sewn to the upper, which is pinned at its top; and the lower one's weight on a metre."""
    x, t = rectangle((n, n), (0.3, 0.3))
    upright = np.stack([x[:, 0], np.zeros(len(x)), x[:, 1]], 1)
    top, bottom = (np.flatnonzero(np.isclose(upright[:, 2], z)) for z in (0.3, 0.0))
    v = np.concatenate([upright, upright - [0, 0, 0.3]])
    sewing = Sewing(np.stack([bottom, top + len(x)], 1), strength=strength)
    cloth = Cloth("strips", v, np.concatenate([t, t + len(x)]), FABRIC, pins=Pins(top), sewing=sewing)
    settings = Settings(threads=1, damping=20.0, global_iterations=4, **FEW)
    return Simulation(Scene([cloth]), settings), 0.2 * 0.3 * 9.81


@pytest.mark.parametrize("n", [4, *long(8), 16])
def test_a_seam_breaks_at_its_strength_on_any_mesh(n):
    """Gravity grows to that of the Earth in two seconds; the seam has two thirds of the strength that it needs then, and
    breaks within 5 % of there. Nothing pulls after it: the strip falls at the speed that the damping leaves, g / 20."""
    _, weight = hung(n, None)
    simulation, broke = hung(n, 2 / 3 * weight)[0], 0
    for frame in range(1, 73):
        share = min(frame / 48, 1.0)
        made = simulation.advance_frame(FrameInputs(gravity=(0, 0, -9.81 * share)))
        broke = broke or (share if made.report.torn_edges else 0)
    assert broke == pytest.approx(2 / 3, rel=0.05) and made.report.torn_edges == n + 1
    assert gaps(simulation, made).min() > 0.2
    assert simulation.state.v[-n - 5 : -4, 2].mean() == pytest.approx(-9.81 / 20, rel=0.05)


def test_a_broken_seam_stays_broken_after_a_resume():
    one, weight = hung(4, 0.5)
    assert weight > 0.5
    for _ in range(6):
        one.advance_frame()
    other = hung(4, 0.5)[0]
    other.restore(one.snapshot())
    ends = [simulation.advance_frame() for simulation in (one, other)]
    assert ends[0].report.torn_edges == ends[1].report.torn_edges == 5
    assert np.array_equal(*(end.positions["strips"] for end in ends))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Sewing([(0, 0)]), r"Sewing: edges\[0\] is from vertex 0 to itself"),
        (lambda: Sewing([(0, 1)], force=-1), "Sewing: force is -1 N/m; wanted more than zero"),
        (lambda: Sewing([(0, 1)], weight=[2.0]), r"Sewing: weight\[0\] is 2; wanted 0 to 1"),
        (lambda: Cloth("c", np.eye(3), [(0, 1, 2)], FABRIC, sewing=Sewing([(0, 7)])), "c: sewing edges"),
        (lambda: Cloth("c", np.eye(5, 3), [(0, 1, 2)], FABRIC, sewing=Sewing([(3, 4)])), "c: sewing edge 0 joins vertices"),
        (lambda: Cloth("c", np.eye(3), [(0, 1, 2)], FABRIC, sewing=[(0, 1)]), "c: sewing is .*; wanted a Sewing"),
    ],
)
def test_what_does_not_fit_is_told(made, message):
    """Each message names the fault and the requirement."""
    with pytest.raises(SceneError, match=message):
        made()
