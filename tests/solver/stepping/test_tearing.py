"""Cloth that may tear: as a whole one until it does, the same bits on any number of threads and after a resume."""

import numpy as np
import pytest

from solver import Cloth, Material, Scene, SceneError, Settings, Simulation, Tearing
from solver.stepping.tearing import largest
from solver.topology.splitting import split_edges
from tests.scenes.tearing import ball_through_sheet, split_grid, strip
from tests.validation.meshes import grid


def test_copies_of_a_point_are_one_vertex_until_they_part():
    """The same bits; and a sheet that cannot tear moves alike, to rounding of other orders of its sums."""
    simulation, whole = strip(4, strength=1e6), strip(4, tears=False)
    weld = simulation.model.weld
    for _ in range(5):
        frame = simulation.advance_frame()
        x = frame.positions["strip"]
        assert np.array_equal(x, x[weld])
    assert simulation.model.mass.sum() == pytest.approx(whole.model.mass.sum(), rel=1e-9)


def test_what_may_tear_costs_no_work_until_it_tears():
    """15 % of each count: pairs of elements depend on the order of vertices."""
    x, triangles = grid(16, 16, 1.0, 1.0)
    points, split = split_edges(triangles, keep=triangles[::2][:, [0, 2]])
    fabric = Material.fabric(0.2, 1000, 300, bending=1e-5)
    work = []
    for vertices, faces, tearing in ((x, triangles, None), (x[points], split, Tearing(1e6, 1.0, points))):
        cloth = Cloth("sheet", vertices, faces, fabric, tearing=tearing)
        simulation = Simulation(Scene([cloth]), Settings(substeps=8, threads=1))
        work.append([simulation.advance_frame().report.work for _ in range(4)])
    for name in ("linear_systems", "cg_iterations", "matrix_products", "candidate_pairs", "kernel_calls"):
        plain, torn = (sum(getattr(one, name) for one in frames) for frames in work)
        assert torn <= 1.15 * plain


def test_tension_is_evaluated_only_where_forces_are_large_enough(monkeypatch):
    """The bound by the largest force of a corner is one: no edge has a larger tension, and a strip at half of its strength
    is looked at, at a thousandth it is not."""
    seen = []
    for strength in (1e5, 200.0):
        simulation = strip(8, strength=strength)
        edges = simulation.substeps.now.tearing
        pulls = edges._pulls
        monkeypatch.setattr(edges, "_pulls", lambda *args, one=strength, pulls=pulls: seen.append(one) or pulls(*args))
        for _ in range(12):
            simulation.advance_frame()
        state = simulation.state
        slopes = edges._slopes(state.x, [state.strains_at_start[k] for k, *_ in edges._batches])
        tension = pulls(state.x, slopes)[0].reshape(-1, 2).mean(1) / edges._edges.length
        assert (tension / strength <= max(map(largest, slopes)) * edges._most).all()
        assert tension.max() > 100.0
    assert set(seen) == {200.0}


@pytest.mark.parametrize("restored_after", [1, 2])
def test_a_resumed_simulation_tears_alike(restored_after):
    """Bit for bit, from before and from within the tear, where a new simulation knows of no broken edge."""
    whole = ball_through_sheet(n=12)
    for _ in range(restored_after):
        whole.advance_frame()
    saved = whole.snapshot()
    assert saved["broken_edges"].any()
    frames = [whole.advance_frame() for _ in range(3)]
    resumed = ball_through_sheet(n=12)
    resumed.restore(saved)
    for frame in frames:
        again = resumed.advance_frame()
        assert all(np.array_equal(again.positions[name], frame.positions[name]) for name in frame.positions)
    assert np.array_equal(resumed.state.broken, whole.state.broken)


def test_a_restored_earlier_frame_is_whole_again():
    simulation = ball_through_sheet(n=12)
    saved, first = simulation.snapshot(), [simulation.advance_frame() for _ in range(2)]
    assert simulation.state.broken.any()
    simulation.restore(saved)
    assert not simulation.state.broken.any()
    for frame in first:
        assert np.array_equal(simulation.advance_frame().positions["sheet"], frame.positions["sheet"])


def test_a_tear_is_the_same_on_any_number_of_threads():
    """Bit for bit."""
    one, two = (ball_through_sheet(n=16, threads=threads) for threads in (1, 2))
    one._threads, two._threads = 1, 2
    for _ in range(3):
        assert np.array_equal(one.advance_frame().positions["sheet"], two.advance_frame().positions["sheet"])
    assert one.state.broken.any()


def test_a_cloth_may_tear_at_no_edge():
    """No point has copies, as where a group paints none: the same bits as without tearing."""
    x, triangles = grid(4, 4, 1.0, 1.0)
    fabric, frames = Material.fabric(0.2, 1000, 300, bending=1e-5), []
    for tearing in (None, Tearing(50.0, 1.0, np.arange(len(x)))):
        cloth = Cloth("sheet", x, triangles, fabric, tearing=tearing)
        frames.append(Simulation(Scene([cloth]), Settings(substeps=4, threads=1)).advance_frame())
    assert np.array_equal(*(frame.positions["sheet"] for frame in frames))


def test_a_material_of_springs_cannot_tear():
    x, triangles, points = split_grid(2, 2, 1.0, 1.0)
    material = Material("net", "fabric", 0.2, {"spring": {"stiffness": 100.0, "damping": 0.0}})
    cloth = Cloth("net", x, triangles, material, tearing=Tearing(100.0, 0.0, points))
    with pytest.raises(SceneError, match=r"net: tears, but its material has .* Choose another model"):
        Simulation(Scene([cloth]), Settings(threads=1))


def test_copies_that_are_apart_are_an_error():
    x, triangles, points = split_grid(2, 2, 1.0, 1.0)
    x = x.copy()
    x[-1] += 0.1
    with pytest.raises(SceneError, match="1 of its vertices are not where the others of their point are"):
        Cloth("sheet", x, triangles, Material.fabric(0.2, 1000, 400), tearing=Tearing(100.0, 0.0, points))
