"""Contacts in the global step: what it takes from the contact system, and gives back, is what the sweeps mean by it."""

import numpy as np
import pytest

from solver import Cloth, Collider, Material, Plane, Scene, Settings, Simulation
from solver.contact.constraints import half_spaces
from solver.contact.constraints import pairs as contacts
from solver.device.cpu import LANES
from solver.global_step.contact_springs import contact_springs_of
from tests.validation.meshes import grid

pytestmark = pytest.mark.slow  # what it compiles


COTTON = Material.fabric(0.15, 2000, 750, poisson=1 / 3, bending=1e-5)
STEEP = np.array([[0.0, 0, 0.1], [0.6, 0, 0.1], [0.3, 0.6, 0.1], [0.3, 0.2, -0.3]])
TETRAHEDRON = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])


def found(sim):
    sheet = sim.paces.now.global_step._sheets[0]
    return sheet, contact_springs_of(sim.contact, sheet.order, sheet.rank, sheet.free, sheet.pattern)


def landed(friction):
    """A sheet on a block's face, its corners and edges, and on the ground."""
    flat, triangles = grid(12, 12, 0.6, 0.6)
    cloth = Cloth("sheet", flat + [0, 0, 0.108], triangles, COTTON, rest_vertices=flat, friction=friction)
    others = [
        Collider("block", STEEP, TETRAHEDRON, friction=friction),
        Plane("ground", [0, 0, 0], [0, 0, 1], friction=friction),
    ]
    sim = Simulation(Scene([cloth], others), Settings(global_iterations=4, iterations=2))
    for _ in range(8):
        sim.advance_frame()
    sim.contact.rows[:, contacts.LAMBDA] = 0  # as where a substep begins: what has a force already is not the global step's
    return sim


def motion_of(contact, kept_pairs, kept_slots, n):
    """What the contact system's own multipliers move the vertices by [m], (n, 3)."""
    w, move = contact.x0[:n, 3], np.zeros((n, 3))
    for r, corners in zip(kept_pairs, contact.corners, strict=False):
        push = r[contacts.LAMBDA] * r[:3] + r[contacts.TANGENT : contacts.TANGENT + 3]
        for c in range(4):
            move[corners[c]] += w[corners[c]] * r[contacts.WEIGHT + c] * push
    for k, v in enumerate(contact.hot):
        s = kept_slots[k // LANES, :, k % LANES]
        move[v] += s[half_spaces.LAMBDA] * s[:3] + s[half_spaces.TANGENT : half_spaces.TANGENT + 3]
    return move


@pytest.mark.parametrize("friction", [0.0, 1e6])
def test_contacts_get_the_impulses_of_the_forces_that_the_global_step_found(friction):
    """Without friction, and with so much that no bound cuts it: the motion that the contacts then stand for is h^2/m times
    the force in the linear system, to 1e-5 of the largest, as they are kept in single precision."""
    sim = landed(friction)
    contact, n = sim.contact, sim.model.n_vertices
    sheet, springs = found(sim)
    assert contact.rows_used and len(contact.hot)
    slots = contact.vertex_packs.reshape(-1, half_spaces.COLUMNS, LANES)
    slots[:, half_spaces.LAMBDA] = 0
    slots[:, half_spaces.TANGENT : half_spaces.TANGENT + 3] = 0
    contact.rows[:, contacts.TANGENT : contacts.TANGENT + 3] = 0
    move = np.random.default_rng(1).standard_normal((n, 3)) * 1e-3 - [0, 0, 0.01]
    springs.activate(move, None, sheet.pattern.diagonal, sheet.values.copy())
    force = np.zeros((n, 3))
    springs.add_forces(move, force)
    springs.store_impulses(move)
    moved = motion_of(contact, contact.rows[: contact.rows_used], slots, n)
    wanted = np.zeros((n, 3))
    wanted[sheet.order] = force
    wanted *= contact.x0[:n, 3:]
    assert np.abs(wanted).max() > 1e-6
    assert np.abs(moved - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_violations_are_those_of_the_contacts_own_rows():
    """The gap of each pair's frozen plane at some motion; 1e-7 m, the rounding of positions."""
    sim = landed(0.3)
    contact, n = sim.contact, sim.model.n_vertices
    sheet, springs = found(sim)
    move = np.random.default_rng(2).standard_normal((n, 3)) * 1e-3
    pairs = springs._kinds[-1]
    (row,) = pairs.row
    assert len(row) > 10
    x = contact.x0[:n, :3].copy()
    x[sheet.order] += move
    for k in range(len(row)):
        r, corners = pairs.kept[row[k]], contact.corners[row[k]]
        d = (
            r[contacts.DRIFT : contacts.DRIFT + 3]
            + r[contacts.WEIGHT : contacts.WEIGHT + 4] @ (x - contact.x0[:n, :3])[corners]
        )
        ours = pairs.gap[k] + pairs.normal[k] @ (pairs.weights[k] @ move[pairs.corners[k]])
        assert ours == pytest.approx(r[:3] @ d + r[contacts.GAP], abs=1e-7)


def test_a_sheet_that_lies_on_itself_leaves_that_to_the_sweeps():
    """Two layers 3 mm apart that keep 5 mm: the pairs are there, and the global step has none of them."""
    flat, triangles = grid(12, 4, 0.6, 0.2)
    over = flat[:, 0] > 0.3
    start = np.where(over[:, None], [0.6, 0, 0.003] + flat * [-1, 1, 0], flat)
    cloth = Cloth("sheet", start, triangles, COTTON, rest_vertices=flat, thickness=0.005, self_contact=True)
    sim = Simulation(Scene([cloth], gravity=(0, 0, 0)), Settings(substeps=1, global_iterations=4))
    sim.advance_frame()
    assert sim.contact.rows_used
    assert found(sim)[1] is None
