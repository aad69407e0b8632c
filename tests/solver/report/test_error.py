"""The error of a report, beside the true one: the distance to the solution of the substep's equations.

`python -m tools.error_table` prints a hundred cases; those here are a few of them, coarse, and what joins bodies.
"""

import numpy as np
import pytest

from solver import Material, Pins, Plane, Rigid, Scene, Simulation, SoftBody, Tie
from tests.scenes import error_cases
from tests.scenes.error_cases import ErrorCase
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube, grid

CLOTH = Material.fabric(0.2, 2000, 750, 0.3, 1e-5)
RUBBER = Material.solid(1000, 1e6, 0.4)


def case(method, energy, stiffness, n, bending="", pins="corners", poisson=0.3, **settings):
    default = {"method": method, "global_iterations": 0, "substeps": 10, "iterations": 3}
    given = {**default, "integrator": "bdf1", "dtype": "float32", **settings}
    return ErrorCase(energy, bending, n, stiffness, poisson, pins if bending else "side", given)


CASES = [
    case("gpbd", "stvk_membrane", 4e3, 12, "discrete_shell"),
    case("gpbd", "stvk_membrane", 4e3, 12, "discrete_shell", global_iterations=4),
    case("gpbd", "spring", 300.0, 8, "discrete_shell", "side", integrator="bdf2", global_iterations=4),
    case("xpbd", "spring", 2e4, 12, "discrete_shell", integrator="bdf2"),
    case("gpbd", "stable_neo_hookean", 1e5, 4, poisson=0.45),
    case("gpbd", "stable_neo_hookean", 1e7, 4, substeps=24, iterations=4),
    case("gpbd", "stable_neo_hookean", 1e6, 6, poisson=0.49, global_iterations=4),
    case("pbng", "stable_neo_hookean", 1e6, 4),
]


@pytest.mark.parametrize("chosen", CASES, ids=lambda c: c.called)
def test_the_estimate_is_the_true_error_within_half_of_it(chosen):
    """These are within a factor of 1.13, with true errors from 17 nm to 19 mm; of a hundred cases most are."""
    told, true = error_cases.compared(chosen)
    assert true > 1e-8
    assert 1 / 1.5 < told / true < 1.5


@pytest.mark.long
@pytest.mark.slow
def test_of_a_hundred_cases_ninety_are_within_a_factor_of_three_and_none_is_thirty_times_too_small():
    ratios = np.array([error_cases.ratio(told, true) for _, told, true in error_cases.table(100)])
    assert ((ratios > 1 / 3) & (ratios < 3)).mean() >= 0.9
    assert ratios.min() > 1 / 30


@pytest.mark.long
def test_what_is_beyond_a_limit_counts_as_the_way_that_is_missing():
    """A factor of three, as of other cases: 0.9 is measured, with a true error of a third of a millimetre. A limit has no
    compliance, but is solved with one: with the force of the first and the matrix of the second the reported error was
    metres."""
    chosen = case("gpbd", "stvk_membrane", 50.0, 12, "discrete_shell", global_iterations=4)
    told, true = error_cases.compared(chosen, limit=0.02)
    assert true > 1e-4
    assert 1 / 3 < told / true < 3


def of_one(body, scene=None, frames=3, **settings):
    sim = Simulation(scene or Scene([body]), plain_settings(substeps=8, iterations=2, threads=1, **settings))
    for _ in range(frames):
        report = sim.advance_frame().report
    return sim, report


@pytest.mark.parametrize("global_iterations", [0, 4])
def test_pins_that_give_way_and_ties_hold_what_they_hold(global_iterations):
    """The errors of a sheet that springs hold everywhere, and of one that hangs on it by a soft tie, are each within a
    factor of 1.7 of the true one: measured .62 to 1.04, and 1.8 to 4.6 without the springs and the tie in the matrix."""
    rest, triangles = grid(6, 6, 0.6, 0.6)
    upper, lower = rest[:, [2, 0, 1]], rest[:, [2, 0, 1]] - [0, 0, 0.6]
    bodies = [
        plain_cloth("upper", upper, triangles, CLOTH, pins=Pins(np.arange(len(upper)), np.full(len(upper), 0.999))),
        plain_cloth("lower", lower, triangles, CLOTH),
    ]
    sim, report = of_one(
        None, Scene(bodies, ties=[Tie("lower", "upper", 0.02, stiffness=1e5)]), global_iterations=global_iterations
    )
    apart = np.linalg.norm(sim.state.x[: sim.model.n_vertices, :3] - error_cases.solved(sim), axis=1)
    for part in sim.model.parts:
        true = apart[part.start : part.stop].max()
        assert 1 / 1.7 < report.errors[part.body.name] / true < 1.7
    assert report.error == max(report.errors.values())


def test_what_contacts_push_stays_and_rigid_bodies_have_no_error():
    """A block that lies on the ground: more sweeps leave less of the error, to 1 % of it, though contacts push all of its
    lower side."""
    vertices, tetrahedra = cube(3, 0.3)
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]) + [2.0, 0, 1.0]
    told = []
    for iterations in (1, 30):
        bodies = [SoftBody("block", vertices + [0, 0, 0.001], tetrahedra, RUBBER), Rigid("stone", corners, faces, 1000.0)]
        sim = Simulation(Scene(bodies, [Plane("ground")]), plain_settings(substeps=8, iterations=iterations, threads=1))
        for _ in range(3):
            report = sim.advance_frame().report
        assert report.contacts > 0 and list(report.errors) == ["block"]
        told.append(report.error)
    assert told[1] < 0.01 * told[0]


@pytest.mark.parametrize("make", ["sheet", "block"])
def test_asking_for_the_error_changes_nothing(make):
    rest, triangles = grid(5, 5, 0.5, 0.5)
    block, tetrahedra = cube(2, 0.2)
    ends = []
    for asked in (False, True):
        body = (
            plain_cloth("body", rest, triangles, CLOTH, pins=Pins([0, 5]))
            if make == "sheet"
            else SoftBody("body", block, tetrahedra, RUBBER, pins=Pins([0, 1]))
        )
        sim = Simulation(Scene([body]), plain_settings(substeps=4, iterations=2, global_iterations=2, threads=1))
        for _ in range(3):
            sim.advance_frame()
            if asked:
                nowhere = np.zeros(sim.model.n_vertices, bool)
                left = np.ones_like(sim.state.x)
                first, again = (sim.substeps.now.estimate.errors(sim.state, left, nowhere) for _ in range(2))
                assert first == again and first["body"] > 0
                own = sim.substeps.now.estimate.at_vertices(sim.state, left, nowhere)["body"]
                assert len(own) == len(body.vertices) and own.max() == pytest.approx(first["body"], rel=1e-6)
        ends.append(sim.state.x.copy())
    assert np.array_equal(*ends)


def test_an_error_may_be_asked_for_in_metres():
    """Every substep is swept on until the error is below a hundredth of a millimetre, for the block after 2.6 times the
    sweeps; without the setting no convergence is reported."""
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices, tetrahedra, RUBBER, pins=Pins([0, 1, 2, 3]))
    _, report = of_one(body)
    assert report.converged is None and report.error > 1e-5
    _, report = of_one(body, error_tolerance=1e-5)
    assert report.converged is True and report.error <= 1e-5
    assert 16 < report.iterations < 16 * 50
    _, report = of_one(body, error_tolerance=1e-12, frames=1)
    assert report.converged is False and report.error > 1e-12
