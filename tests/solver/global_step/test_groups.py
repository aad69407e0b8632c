"""Bodies that share a system of the global step without touching each other go as each does by itself."""

import numpy as np
import pytest

import solver
from solver import Scene, Settings, Simulation
from solver.global_step.groups import Groups
from solver.global_step.sheet_system import SheetSystem
from tests.scenes import many_bodies
from tests.scenes.materials import FABRIC, SOFT
from tests.scenes.meshes import cube_of_five, rectangle

SIZES = np.array([2, 3, 1])


def test_sums_of_groups_are_those_of_the_rows_of_their_bodies():
    groups, numbers = Groups(SIZES), np.arange(6.0)
    assert groups.sums_of_rows(numbers).tolist() == [1, 9, 5] and groups.count == 3
    groups.join(np.array([4, 1, 4]))
    assert groups.label.tolist() == [0, 1, 0]
    assert groups.sums_of_rows(numbers).tolist() == [6, 9]
    assert groups.sums_of_rows(np.stack([numbers, -numbers], 1)).tolist() == [[6, -6], [9, -9]]
    assert groups.largest(np.array([3.0, 1.0, 2.0])).tolist() == [3, 1]
    assert groups.any_of_rows(numbers == 5).tolist() == [True, False]
    assert groups.at_rows(np.array([7, 8])).tolist() == [7, 7, 8, 8, 8, 7]


def test_segments_have_rows_of_one_body_and_pieces_have_whole_segments():
    starts, body, pieces = Groups(np.array([300, 100, 1200])).segments
    assert starts.tolist() == [0, 300, 400, 912, 1424, 1600]
    assert body.tolist() == [0, 1, 2, 2, 2] and pieces.tolist() == [0, 2, 3, 4, 5]


def blocks(names):
    """Blocks that hang by a side; each has a velocity in another direction."""
    found = []
    for name in names:
        x, t = cube_of_five(2)
        v = np.where(x[:, :1] == 0, 0.0, (0.5 + name) * np.eye(3)[name % 3])
        held = {"pins": solver.Pins(np.flatnonzero(x[:, 0] == 0)), "velocities": v}
        found.append(solver.SoftBody(str(name), 0.1 * x + [name, 0, 0], t, solver.Material.solid(**SOFT), **held))
    return found


def sheets(names):
    """Sheets that hang by a corner; each has a velocity in another direction."""
    found = []
    for name in names:
        x, t = rectangle((5, 4), (0.3, 0.2))
        v = np.zeros_like(x)
        v[1:, name % 3] = 0.5 + name
        held = {"pins": solver.Pins([0]), "velocities": v, "self_contact": False}
        cotton = solver.Material.fabric(**FABRIC)
        found.append(solver.Cloth(str(name), x + [name, 0, 0], t, cotton, **held))
    return found


def simulated(bodies, frames=3):
    sim = Simulation(Scene(bodies), Settings.quality("draft", threads=1, dtype="float64"))
    for _ in range(frames):
        last = sim.advance_frame()
    return sim, last.positions


@pytest.mark.parametrize("make", [blocks, sheets])
def test_bodies_in_one_system_move_as_each_by_itself(make):
    """1e-9 m: rounding. A requirement on the step of one body, such as an end or a shorter motion, does not affect the
    others."""
    sim, together = simulated(make(range(3)))
    step = sim.substeps.now.global_step
    assert [own for _, own in step._moved] == [[0, 1, 2]] and step._moved[0][0].groups.count == 3
    for k in range(3):
        _, alone = simulated(make([k]))
        assert together[str(k)] == pytest.approx(alone[str(k)], abs=1e-9)


def test_a_system_of_several_sheets_answers_forces_as_each_by_itself():
    """1e-9 of the motion, after eight iterations of conjugate gradients: rounding."""
    sim, _ = simulated(sheets(range(3)), 1)
    step, n = sim.substeps.now.global_step, sim.model.n_vertices
    joint = SheetSystem(sim.model, step.sheets)
    assert len(joint.parts) == 1 and len(joint.rows) == 3
    left = np.where(sim.model.fixed[:, None], 0.0, np.random.default_rng(5).standard_normal((n, 3)))
    given = sim.state, left, sim.model.fixed, None, 8
    together = joint.correction(*given)
    for system, own in zip(step.systems, joint.rows, strict=True):
        alone = system.correction(*given)
        assert together[own] == pytest.approx(alone, abs=1e-9 * np.abs(alone).max())


def test_many_bodies_take_no_more_systems_than_few():
    """Four times as many: a third more systems, as the slowest body sets how many there are, and less than twice the kernel
    calls, as contacts are swept until all of them meet their targets."""

    def work(count):
        sim = Simulation(many_bodies.soft_dominoes(solver, count)[0], Settings.quality("draft", threads=1))
        return [sim.advance_frame().report.work for _ in range(2)][-1]

    few, many = work(4), work(16)
    assert many.contacts > 3 * few.contacts
    assert many.linear_systems < 1.34 * few.linear_systems and many.kernel_calls < 2 * few.kernel_calls
