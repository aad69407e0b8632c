"""Starts in which surfaces already pass through each other: they come apart, and the report says so."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.contact.candidates import Candidates
from solver.contact.piercing import piercing
from solver.contact.shapes import ColliderTables
from solver.contact.surfaces import BodySurface, Surfaces
from solver.contact.tangles import Tangles
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # what it compiles


@pytest.mark.parametrize(
    ("name", "frames"), [("corner", 8), ("border", 8), ("cross", 24), ("head", 8), ("sleeves", 20), ("coat", 20)]
)
def test_tangled_starts_come_apart(name, frames):
    """No intersection at the end by ipctk's count, well within the two seconds that are promised; none is refused."""
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    from benchmarks.contact.tangled import run

    counted, told, simulation = run(name, frames, solver.Settings(threads=1))
    assert counted[0] > 5
    assert counted[-1] == 0
    assert told[-1] == 0
    assert np.isfinite(simulation.state.x).all()
    assert abs(simulation.state.v[: simulation.model.n_vertices]).max() < 12


@pytest.mark.parametrize("outer", ["coat", "shirt"])
def test_layers_come_apart_in_their_order(outer):
    """Two tubes that weave through each other in patches: of the outer one 99 % of the vertices end in front of the inner
    one's faces, which look outwards, whichever it is. The rest is at the open ends, where nearest faces are beyond them."""
    from benchmarks.contact.tangled import STARTS

    scene = STARTS["coat"]()
    bodies = {body.name: body for body in scene.bodies}
    for name, body in bodies.items():
        body.layer = 2 if name == outer else 1
    simulation = solver.Simulation(scene, solver.Settings(threads=1))
    for _ in range(30):
        frame = simulation.advance_frame()
    assert frame.report.intersections == 0
    inner = bodies["shirt" if outer == "coat" else "coat"]
    x, y = frame.positions[outer].astype(float), frame.positions[inner.name].astype(float)
    p = y[inner.triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    nearest = ((x[:, None] - p.mean(1)[None]) ** 2).sum(2).argmin(1)
    assert (((x - p.mean(1)[nearest]) * normal[nearest]).sum(1) > 0).mean() > 0.99


def poked():
    """A horizontal sheet, and a small one that hangs through it edge on, by a third of its height."""
    x, t = grid(9, 9, 0.4)
    y, u = grid(7, 7, 0.12)
    y = np.c_[y[:, 0] + 0.0113, 0.2 * y[:, 0] + 0.0071, y[:, 1] + 0.02]
    bodies = [
        BodySurface("sheet", t, 0, len(x), 0.001, 0.001, 0.4),
        BodySurface("blade", u + len(x), len(x), len(x) + len(y), 0.001, 0.001, 0.4),
    ]
    start = np.r_[x, y]
    dtype = np.dtype(np.float64)
    surfaces = Surfaces(bodies, len(start), start, ColliderTables([], dtype), dtype)
    state = np.c_[start, np.ones(len(start))]
    return surfaces, Candidates(surfaces, start, dtype), state, len(x)


def test_the_hits_of_a_blade_through_a_sheet_are_one_contour_with_two_sides():
    """Exact: an edge of the blade counts as the one side, an edge of the sheet as the other."""
    surfaces, candidates, x, first = poked()
    tangles = Tangles(surfaces, piercing(candidates, x, np.ones(len(x), bool)))
    assert len(tangles.hits) > 8
    assert set(tangles.contour) == {0}
    of_sheet = surfaces.edges[tangles.hits[:, 0], 0] < first
    assert of_sheet.any()
    assert (~of_sheet).any()
    assert len(set(tangles.side[of_sheet])) == len(set(tangles.side[~of_sheet])) == 1
    assert tangles.side[of_sheet][0] == -tangles.side[~of_sheet][0]


def test_a_push_draws_the_shorter_part_back():
    """A third of the blade is below the sheet: it moves up, the sheet down, and further pushes end the tangle."""
    surfaces, candidates, x, first = poked()
    everywhere = np.ones(len(x), bool)
    hits = piercing(candidates, x, everywhere)
    push = Tangles(surfaces, hits).push(x, 0.001, x[:, 3])
    assert push[first:, 2].max() > 0.0002
    assert push[first:, 2].min() >= 0
    assert push[:first, 2].max() <= 0
    assert np.linalg.norm(push, axis=1).max() <= 0.001
    for _ in range(120):
        hits = piercing(candidates, x, everywhere)
        if not len(hits):
            break
        push = Tangles(surfaces, hits).push(x, 0.002, x[:, 3])
        x[first:, :3] += push[first:].sum(0) / max(1, np.count_nonzero(push[first:].any(1)))  # as a stiff blade moves
        x[:first, :3] += push[:first].sum(0) / max(1, np.count_nonzero(push[:first].any(1)))
    assert not len(hits)
    assert x[first:, 2].min() > x[:first, 2].max()


def test_what_does_not_move_is_not_pushed():
    surfaces, candidates, x, first = poked()
    x[:first, 3] = 0
    hits = piercing(candidates, x, np.ones(len(x), bool))
    push = Tangles(surfaces, hits).push(x, 0.001, x[:, 3])
    assert not push[:first].any()
    assert push[first:, 2].max() > 0.0004
