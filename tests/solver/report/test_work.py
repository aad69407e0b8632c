"""Cost of a frame, in counts."""

import numpy as np
import pytest

import solver
from solver.device.counters import counters
from solver.report.numbers import numbers
from solver.report.work import Work
from tests.scenes import contact, touching, without_contact
from tests.scenes.materials import SOFT
from tests.scenes.meshes import cube_of_five
from tests.scenes.plain_settings import plain_settings


def simulated(scene, **settings):
    return solver.Simulation(scene, plain_settings(**{"threads": 1} | settings))


def works(scene, frames, **settings) -> list[Work]:
    simulation = simulated(scene, **settings)
    return [simulation.advance_frame().report.work for _ in range(frames)]


def block(n):
    x, t = cube_of_five(n)
    pins = solver.Pins(np.flatnonzero(x[:, 0] == 0))
    return solver.Scene([solver.SoftBody("block", 0.1 * x, t, solver.Material.solid(**SOFT), pins=pins)])


@pytest.mark.parametrize("make", [lambda: contact.drape(solver)[0], lambda: block(16)], ids=["drape", "block"])
def test_it_is_the_same_for_any_number_of_threads(make):
    """4,225 and 4,913 vertices: enough for threads to share ranges of rows, tasks and linear systems."""
    settings = {"substeps": 4, "iterations": 1, "global_iterations": 4}
    one, three = (works(make(), 3, threads=threads, **settings) for threads in (1, 3))
    assert one == three and min(work.cg_iterations for work in one) > 0


def test_it_is_of_one_frame_whatever_else_the_thread_simulates():
    alone = works(touching.fold(), 3)
    both = [simulated(touching.fold()) for _ in range(2)]
    assert [[each.advance_frame().report.work for each in both] for _ in range(3)] == [[work, work] for work in alone]
    assert len(set(alone)) == 3 and min(min(work.contacts, work.searches) for work in alone[1:]) > 0


def test_what_is_taken_back_and_done_again_counts_twice():
    """Two sheets that meet at 10 m/s stall in two substeps a frame."""
    report = simulated(touching.crossing(), substeps=2, iterations=2).advance_frame().report
    assert 2 < report.substeps < report.work.substeps


def test_a_linear_system_counts_its_iterations_and_products():
    """The coarse space, and a direction that is searched along first, take a product each."""
    simulation = simulated(without_contact.solver_scene(without_contact.s1(6), solver), global_iterations=4)
    simulation.advance_frame()
    sheet = simulation.substeps.now.global_step.systems[0]
    residual = np.where(sheet.free[:, None], np.random.default_rng(1).standard_normal((len(sheet.free), 3)), 0.0)
    for ahead, products in ((None, 8), (residual, 9)):
        counters.clear()
        sheet.solve(residual.copy(), ahead, 7)
        assert (counters.linear_systems, counters.cg_iterations, counters.matrix_products) == (1, 7, products)


def test_a_cache_keeps_each_count_by_its_name():
    found = numbers(solver.Simulation(touching.fold(), plain_settings()).advance_frame().report)
    kept = {name.removeprefix("work_"): value for name, value in found.items() if name.startswith("work_")}
    assert Work(**kept).substeps == kept["substeps"] == plain_settings().substeps
