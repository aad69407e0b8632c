"""Smooth sheets: where it is said that nothing can touch, nothing does; anything else is searched for pairs as ever."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.contact.broad_phase.smooth_sheets import SmoothSheets
from solver.contact.contact import BodySurface, Contact
from solver.contact.surfaces.collider_tables import ColliderShape, ColliderTables
from solver.contact.surfaces.motion import SubstepMotion
from solver.contact.surfaces.surfaces import Surfaces
from solver.steering import ACTIVATION
from tests.scenes.meshes import rectangle
from tests.solver.contact.broad_phase.test_neighbour_lists import near
from tests.solver.contact.worlds import grid, sphere

pytestmark = pytest.mark.slow  # compilation
THICK = 0.004
#: A strip of eight cells in a row.
FLAT, FACES = rectangle((64, 3), (1.0, 0.046875))


def asked(x, faces, colliders=()):
    """Surfaces of one body, and their smoothness test."""
    body = BodySurface("body", faces, 0, len(x), 0.001, THICK, 0.5)
    surfaces = Surfaces(
        [body], len(x), np.asarray(x, float), ColliderTables(colliders, np.dtype(np.float32)), np.dtype("f4")
    )
    return surfaces, SmoothSheets(surfaces)


def motion(start, end):
    return SubstepMotion(*(np.c_[x, np.ones(len(x))].astype(np.float32) for x in (start, end)))


def rolled(angle, noise=0.0, seed=0):
    """The strip bent to an arc of so many radians, with random offsets [m]."""
    radius, at = 1.0 / angle, angle * FLAT[:, 0]
    x = np.stack([radius * np.sin(at), FLAT[:, 1], radius * (1 - np.cos(at))], 1)
    return x + noise * np.random.default_rng(seed).standard_normal(x.shape)


@pytest.mark.each_value
@pytest.mark.parametrize("noise", [0.0, 5e-4])
@pytest.mark.parametrize("angle", [3.0, 6.0, 6.28])
def test_nothing_touches_where_it_is_said_to_stay_apart(angle, noise):
    """At five times of motions that unroll, continue, shrink or scatter the sheet, no two elements without a common
    corner are nearer than any contact begins at. Exact but for rounding, for which ten per cent of room are kept."""
    start = rolled(angle, noise)
    ends = [rolled(angle + 0.05, noise, 1), rolled(0.8 * angle, noise), 0.9 * start, start + [0, 0, 3.0], start[::-1]]
    for end in ends:
        surfaces, sheets = asked(FLAT, FACES)
        if sheets.stay_apart(motion(start, end), True):
            for t in np.linspace(0, 1, 5):
                assert near(surfaces, (1 - t) * start + t * end, float(ACTIVATION) * THICK) == (set(), set())


@pytest.mark.parametrize(
    ("start", "end", "apart"),
    [
        (rolled(0.1), rolled(0.2), True),
        (rolled(4.5), rolled(4.6), True),
        (rolled(4.5), rolled(4.5) + [0, 0, 5.0], True),  # displaced as a whole
        (rolled(4.5), rolled(6.28), False),  # the ends meet
        (rolled(6.28), rolled(4.5), False),  # they part
        (rolled(0.1, 0.01), rolled(0.1, 0.01), False),  # crumpled
        (rolled(0.1), rolled(0.1) * [0.1, 1, 1], False),  # crushed in its plane
        (rolled(0.1), rolled(0.1) * [-1, 1, 1], False),  # through itself, upright at neither end
    ],
)
def test_smooth_sheets_are_known_and_others_are_not(start, end, apart):
    """A window of a sheet bent by 4.5 radians turns by 64 degrees and counts as smooth, for the predicted motion and for
    the motion at substep end."""
    _, sheets = asked(FLAT, FACES)
    assert sheets.stay_apart(motion(start, end), True) == apart
    sheets.begin_frame()
    if sheets.stay_apart(motion(start, start), True):
        assert sheets.stay_apart(motion(start, end), False) == apart


def shapes():
    x, faces = grid(9, 9, 0.5)
    centres = x[faces].mean(1)
    yield "a notch", x, faces[(centres[:, :2] < 0).any(1)], ()
    yield "a hole", x, faces[np.abs(centres[:, :2]).max(1) > 0.1], ()
    yield "two layers", np.concatenate([x, x + [0, 0, 0.1]]), np.concatenate([faces, faces + len(x)]), ()
    yield "two sheets", np.concatenate([x, x + [1, 0, 0]]), np.concatenate([faces, faces + len(x)]), ()
    yield "closed", *sphere(5, 0.3), ()
    yield "a collider", x, faces, [ColliderShape("ball", sphere(4)[1], 0.5, 0.0, 0)]


@pytest.mark.parametrize(
    ("name", "x", "faces", "colliders"), list(shapes()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_is_no_convex_sheet_is_never_taken_for_smooth(name, x, faces, colliders):
    """Straight lines between its points leave it, or there is more that it may touch."""
    surfaces, sheets = asked(x, faces, colliders)
    still = np.concatenate([x, np.zeros((surfaces.count - len(x), 3)) + 9])
    assert not sheets.stay_apart(motion(still, still), True)


def two_sheets():
    """A contact system of two sheets of 0.5 m, 1 m apart, and their positions."""
    x, faces = grid(9, 9, 0.5)
    x = np.concatenate([x, x + [0, 0, 1.0]])
    n = len(x) // 2
    bodies = [BodySurface(f"body {k}", faces + k * n, k * n, (k + 1) * n, 0.001, THICK, 0.5) for k in range(2)]
    return Contact(np.float32, bodies, x, x), np.c_[x, np.full(len(x), 1e-3)].astype(np.float32), n


def test_what_ends_elsewhere_than_predicted_passes_through_nothing():
    """Sheets that were not to move, and are not searched for pairs, end behind each other: they are clamped."""
    contact, x, n = two_sheets()
    none, end = np.zeros((0, 3), np.float32), x.copy()
    contact.begin_frame()
    contact.begin_substep(x.copy(), x.copy(), none, none, 1e-2)
    assert contact.lists.smooth and contact.idle
    end[n:, 2] -= 1.2
    assert contact.end_substep(end) > 0
    assert contact.results.failures == 0 and (end[n:, 2] > end[:n, 2]).all()


def test_sheets_on_their_way_to_each_other_become_contacts():
    contact, x, n = two_sheets()
    none, end = np.zeros((0, 3), np.float32), x.copy()
    end[n:, 2] -= 0.999
    contact.begin_frame()
    contact.begin_substep(x.copy(), end, none, none, 1e-2)
    assert not contact.lists.smooth and not contact.idle


def test_a_sheet_that_touches_nothing_moves_by_the_same_bits_without_a_search(monkeypatch):
    """Four frames in wind, as when pairs are searched for, and as without self-collision."""
    flat, faces = rectangle((12, 12), (1.0, 1.0))
    hung = np.stack([flat[:, 0], 0 * flat[:, 0], flat[:, 1]], 1)
    pins, cotton = solver.Pins(np.flatnonzero(flat[:, 1] > 1 - 1e-9)), solver.load_material("cotton_poplin")

    def end(itself=True):
        cloth = solver.Cloth("sheet", hung, faces, cotton, pins=pins, self_contact=itself)
        simulation = solver.Simulation(solver.Scene([cloth], wind=(0.5, 3, 0)), solver.Settings.quality("draft", threads=1))
        *_, last = simulation.frames(1, 5)
        searches = simulation.contact.lists.searches if itself else 0
        return last.positions["sheet"].tobytes(), searches

    smooth, searches = end()
    assert searches == 0 and smooth == end(itself=False)[0]
    monkeypatch.setattr(SmoothSheets, "stay_apart", lambda *_: False)
    searched, searches = end()
    assert searches > 0 and smooth == searched
