"""Contacts in the global step: forces taken from the contact system and handed back mean the same as in the sweeps."""

import numpy as np
import pytest

from solver import Collider, Material, Plane, Scene, Settings, Simulation
from solver.contact.constraints.tables import HALF_SPACE, PAIR, by_contact
from solver.device.cpu import LANES
from solver.global_step.contact_springs import contact_springs_of
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import grid

pytestmark = pytest.mark.slow  # compilation


COTTON = Material.fabric(0.15, 2000, 750, poisson=1 / 3, bending=1e-5)
STEEP = np.array([[0.0, 0, 0.1], [0.6, 0, 0.1], [0.3, 0.6, 0.1], [0.3, 0.2, -0.3]])
TETRAHEDRON = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])


def found(sim):
    sheet = sim.substeps.now.global_step.systems[0]
    is_soft = np.zeros(sim.model.n_vertices, bool)
    known = sheet.rank, sheet.free, sheet.pattern, sheet.groups
    return sheet, contact_springs_of(sim.contact, *known, sim.state, is_soft)


def landed(friction):
    """A sheet on a block's face, its corners and edges, and on the ground."""
    flat, triangles = grid(12, 12, 0.6, 0.6)
    cloth = plain_cloth("sheet", flat + [0, 0, 0.108], triangles, COTTON, rest_vertices=flat, friction=friction)
    others = [
        Collider("block", STEEP, TETRAHEDRON, friction=friction),
        Plane("ground", [0, 0, 0], [0, 0, 1], friction=friction),
    ]
    sim = Simulation(Scene([cloth], others), plain_settings(global_iterations=4, iterations=2))
    for _ in range(4):  # until it reaches the ground: the motion after that depends on rounding
        sim.advance_frame()
    # As at substep start: a contact with a force already is not the global step's.
    by_contact(sim.contact.constraints.pairs.table.packs)[:, :, PAIR.multiplier] = 0
    return sim


def both(table):
    """Numbers and corners of all places for contacts, (k, PAIR.width) and (k, 4)."""
    return by_contact(table.packs).reshape(-1, PAIR.width), by_contact(table.corners).reshape(-1, 4)


def motion_of(contact, kept_slots, n):
    """Return the displacement of the vertices by the contact system's own multipliers [m], (n, 3)."""
    w, move = contact.particles.motion.x0[:n, 3], np.zeros((n, 3))
    table = contact.constraints.pairs.table
    for r, corners in zip(*both(table), strict=True):
        push = r[PAIR.multiplier] * r[:3] + r[PAIR.tangential : PAIR.tangential + 3]
        for c in range(4):
            move[corners[c]] += w[corners[c]] * r[PAIR.weight + c] * push
    for k, v in enumerate(contact.constraints.half_spaces.table.vertices):
        s = kept_slots[k // LANES, :, k % LANES]
        move[v] += s[HALF_SPACE.multiplier] * s[:3] + s[HALF_SPACE.tangential : HALF_SPACE.tangential + 3]
    return move


@pytest.mark.parametrize("friction", [0.0, 1e6])
def test_contacts_get_the_forces_that_the_global_step_found(friction):
    """Without friction, and with so much that no bound cuts it: the motion that the contacts then stand for is h^2/m times
    the force in the linear system, to 1e-5 of the largest, as they are kept in single precision."""
    sim = landed(friction)
    contact, n = sim.contact, sim.model.n_vertices
    sheet, springs = found(sim)
    stages = contact.constraints
    assert len(stages.pairs) and len(stages.half_spaces)
    slots = stages.half_spaces.table.packs.reshape(-1, HALF_SPACE.width, LANES)
    slots[:, HALF_SPACE.multiplier] = 0
    slots[:, HALF_SPACE.tangential : HALF_SPACE.tangential + 3] = 0
    by_contact(stages.pairs.table.packs)[:, :, PAIR.tangential : PAIR.tangential + 3] = 0
    move = np.random.default_rng(1).standard_normal((n, 3)) * 1e-3 - [0, 0, 0.01]
    springs.choose(move, move, sheet.own_traces(), np.ones(1, bool))
    force = np.zeros((n, 3))
    springs.add_forces(move, force)
    springs.store_forces(move)
    moved = motion_of(contact, slots, n)
    wanted = np.zeros((n, 3))
    wanted[sheet.order] = force
    wanted *= contact.particles.motion.x0[:n, 3:]
    assert np.abs(wanted).max() > 1e-6
    assert np.abs(moved - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_a_system_has_the_contacts_that_push_at_the_motion_or_where_the_last_one_led():
    """A metre away from the block and the ground none pushes, at the start some do. Those that push ahead only have no
    friction yet: it would hold a body that the next system finds away from them. Exact: both are the same function of the
    motion."""
    sim = landed(0.3)
    sheet, springs = found(sim)
    on, traces = np.ones(1, bool), sheet.own_traces()
    here = np.random.default_rng(3).standard_normal((sim.model.n_vertices, 3)) * 1e-3 - [0, 0, 0.01]
    away = here + [0, 0, 1.0]

    def chosen(move, ahead):
        springs.choose(move, ahead, traces, on)
        return np.stack([springs.normal_stiffness, springs.friction_stiffness])

    wanted = chosen(here, here).copy()
    assert (wanted[0] > 0).any() and (wanted[1] > 0).any()
    assert np.array_equal(chosen(here, away), wanted)
    assert np.array_equal(chosen(away, here)[0], wanted[0])
    assert not chosen(away, here)[1].any()
    assert not chosen(away, away).any()


@pytest.mark.parametrize(("way", "sticks"), [(0.5, True), (2.0, False)])
def test_what_goes_farther_than_an_error_slides_from_the_first_system_on(way, sticks):
    """Contacts that were within their bound, of a sheet that goes along the ground by half and by twice the error of a step:
    friction is as stiff as the contact, or no more than its bound over the way. Exact."""
    sim = landed(0.3)
    sheet, springs = found(sim)
    n, traces, error = sim.model.n_vertices, sheet.own_traces(), 1e-5
    springs._sticks[:] = True
    predicted, moved = np.tile([0, 0, -0.01], (n, 1)), np.tile([way * error, 0, 0], (n, 1))
    springs.choose_first(predicted, moved, traces, np.full(n, 100.0), error)
    on = (springs.normal_stiffness > 0) & (np.abs(springs.normal[:, 2]) > 0.9) & (springs.weights.sum(1) > 0.99)
    assert on.any()
    assert ((springs.friction_stiffness == springs.normal_stiffness)[on] == sticks).any()
    assert sticks == (springs.friction_stiffness == springs.normal_stiffness)[on].all()


def test_violations_are_those_of_the_contacts_own_rows():
    """The gap of each pair's frozen plane at some motion; 1e-7 m, the rounding of positions."""
    sim = landed(0.3)
    contact, n = sim.contact, sim.model.n_vertices
    sheet, springs = found(sim)
    move = np.random.default_rng(2).standard_normal((n, 3)) * 1e-3
    pairs = springs._kinds[-1]
    row, x0 = pairs.row, contact.particles.motion.x0[:n, :3]
    rows, all_corners = both(contact.constraints.pairs.table)
    assert len(row) > 10
    x = x0.copy()
    x[sheet.order] += move
    for k in range(len(row)):
        r, corners = rows[row[k]], all_corners[row[k]]
        d = r[PAIR.drift : PAIR.drift + 3] + r[PAIR.weight : PAIR.weight + 4] @ (x - x0)[corners]
        ours = pairs.gap[k] + pairs.normal[k] @ (pairs.weights[k] @ move[pairs.corners[k]])
        assert ours == pytest.approx(r[:3] @ d + r[PAIR.gap], abs=1e-7)


def test_a_sheet_at_rest_begins_with_the_forces_that_hold_it():
    """On a plane, and on a collider's face: the sum of what contacts begin with is the weight, to 1 % as the sheet has come
    to rest, and a restored simulation begins with the same; its vertices hardly move: 0.1 mm/s."""
    flat, triangles = grid(6, 6, 0.3, 0.3)
    cloth = plain_cloth("sheet", flat + [0, 0, 0.02], triangles, COTTON, rest_vertices=flat)
    ground, faces = grid(1, 1, 2.0, 2.0)
    for other in (Plane("ground"), Collider("ground", ground - [0.8, 0.8, 0], faces)):
        sim = Simulation(Scene([cloth], [other]), Settings.quality("draft"))
        for _ in range(24):
            sim.advance_frame()
        again = Simulation(Scene([cloth], [other]), Settings.quality("draft"))
        again.restore(sim.snapshot())
        sums = []
        for one in (sim, again):
            one.advance_frame()
            force = np.zeros(3)
            for source in one.contact.forces.linear_contacts():
                every = np.arange(len(source.without_force()))
                force += (source.rows(every).last[:, :1] * source.rows(every).normal).sum(0)
            sums.append(force)
        assert sums[0] == pytest.approx([0, 0, 9.81 * sim.model.mass.sum()], rel=0.01, abs=1e-3)
        np.testing.assert_array_equal(sums[0], sums[1])
        v = sim.state.v[: sim.model.n_vertices]
        assert np.sqrt((v * v).sum(1).mean()) < 1e-4


def test_a_sheet_at_rest_begins_with_the_friction_that_holds_it():
    """On a plane and on a collider's face, with gravity that leans by 0.3: the sum of the friction that contacts begin with
    is the weight along them, to 2 %."""
    flat, triangles = grid(6, 6, 0.3, 0.3)
    cloth = plain_cloth("sheet", flat + [0, 0, 0.005], triangles, COTTON, rest_vertices=flat, friction=0.5)
    ground, faces = grid(1, 1, 2.0, 2.0)
    for other in (Plane("ground", friction=0.5), Collider("ground", ground - [0.8, 0.8, 0], faces, friction=0.5)):
        sim = Simulation(Scene([cloth], [other], gravity=(3.0, 0, -10.0)), Settings.quality("draft"))
        for _ in range(24):
            sim.advance_frame()
        friction = sum(
            source.rows(np.arange(len(source.without_force()))).last[:, 1:].sum(0)
            for source in sim.contact.forces.linear_contacts()
        )
        assert friction == pytest.approx([-3.0 * sim.model.mass.sum(), 0, 0], rel=0.02, abs=2e-3)
