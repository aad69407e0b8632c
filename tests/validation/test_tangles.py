"""Starts in which surfaces already pass through each other: they come apart, and the report says so."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.contact.broad_phase.neighbour_lists import Candidates
from solver.contact.intersections import separation as pulls
from solver.contact.intersections.edge_triangle import piercing
from solver.contact.intersections.intersections import Tangles
from solver.contact.surfaces.collider_tables import ColliderTables
from solver.contact.surfaces.surfaces import BodySurface, Surfaces
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # what it compiles


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("corner", 8),
        ("cross", 24),
        ("flap", 24),
        ("scroll", 12),
        ("sleeves", 12),
        ("cape", 16),
        ("armpit", 40),
        ("knot", 12),
        ("wall", 16),
    ],
)
def test_tangled_starts_come_apart(name, frames):
    """No intersection at the end by ipctk's count, well within the two seconds that are promised; none is refused."""
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    from benchmarks.contact.tangled import run

    r = run(name, frames)
    assert r.counted[0] > 5
    assert r.counted[-1] == 0
    assert [count > 0 for count in r.counted[1:]] == [count > 0 for count in r.told]
    assert np.isfinite(r.simulation.state.x).all()
    assert abs(r.simulation.state.v[: r.simulation.model.n_vertices]).max() < 12


def test_the_report_says_what_passes_through_what_and_where():
    """The place is within the crossing of the sheets; the count is compared with ipctk's in the test above."""
    from benchmarks.contact.tangled import STARTS

    simulation = solver.Simulation(STARTS["cross"](), solver.Settings(threads=1))
    report = simulation.advance_frame().report
    (place,) = report.tangles
    assert (place.one, place.other) == ("cloth 0", "cloth 1")
    assert place.count == report.intersections > 5
    assert np.abs(np.array(place.point) - (0.03, 0.0, 0.5)).max() < 0.4
    assert report.pinched == ()


def test_a_restored_simulation_goes_on_with_the_same_bits():
    """Exact: what a tangle is pulled by is kept in the checkpoint."""
    from benchmarks.contact.tangled import STARTS

    one = solver.Simulation(STARTS["cross"](), solver.Settings(threads=1))
    one.advance_frame()
    kept = one.snapshot()
    one.advance_frame()
    other = solver.Simulation(STARTS["cross"](), solver.Settings(threads=1))
    other.restore(kept)
    other.advance_frame()
    assert other.state.x.tobytes() == one.state.x.tobytes()


def test_cloth_pinched_between_colliders_is_told_and_comes_free():
    """Two plates close on a sheet to less than the gap it keeps, and open again: the report names them while it is pinched,
    and half a second after they are open nothing passes through anything."""
    from benchmarks.contact.scenes import sheet

    x, t = sheet(10, 0.3, (0, 0, 0))
    y, u = sheet(4, 0.4, (0.011, 0.007, 0))

    def plate(side):
        def move(time):
            gap = max(0.05 * abs(1 - time / 0.25), 0.0002) if time < 0.5 else 0.05
            return y + [0, 0, side * gap]

        return move

    cloth = solver.Cloth("sheet", x, t, solver.Material.fabric(0.2, 2000.0, 750.0, 1 / 3, 1e-5), self_contact=True)
    plates = [solver.Collider("upper", plate(1), u), solver.Collider("lower", plate(-1), u)]
    simulation = solver.Simulation(solver.Scene([cloth], plates), solver.Settings(threads=1))
    reports = [simulation.advance_frame().report for _ in range(24)]
    told = {name for r in reports for place in (*r.pinched, *r.tangles) for name in (place.one, place.other)}
    assert "sheet" in told
    assert told & {"upper", "lower"}
    assert np.isfinite(simulation.state.x).all()
    assert reports[-1].intersections == 0
    assert reports[-1].unresolved == 0


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


def pulled(surfaces, x, hits, size=0.001):
    """The positions after a substep in which nothing acts but the pulls, swept ten times."""
    tangles = Tangles(surfaces, hits)
    way = tangles.ways(x, np.zeros((len(x), 3)))
    corners, rows = np.empty((len(hits), pulls.CORNERS), np.int32), np.empty((len(hits), pulls.COLUMNS))
    count = pulls.fill(
        hits, surfaces.edges, surfaces.triangles, way, np.ones(len(hits)), size, x, x, corners, rows
    )  # fmt: skip
    after = x.copy()
    for _ in range(10):
        pulls.sweep(count, corners, rows, x, after)
    return after


def test_pulls_draw_the_shorter_part_back_until_nothing_is_left():
    """A third of the blade is below the sheet: it moves up, the sheet down, and further pulls end the tangle."""
    surfaces, candidates, x, first = poked()
    everywhere = np.ones(len(x), bool)
    moved = (pulled(surfaces, x, piercing(candidates, x, everywhere)) - x)[:, :3]
    assert moved[first:, 2].max() > 0.0002
    assert moved[first:, 2].min() >= 0
    assert moved[:first, 2].max() <= 0
    for _ in range(120):
        hits = piercing(candidates, x, everywhere)
        if not len(hits):
            break
        moved = (pulled(surfaces, x, hits, 0.002) - x)[:, :3]
        x[first:, :3] += moved[first:].sum(0) / max(1, np.count_nonzero(moved[first:].any(1)))  # as a stiff blade moves
        x[:first, :3] += moved[:first].sum(0) / max(1, np.count_nonzero(moved[:first].any(1)))
    assert not len(hits)
    assert x[first:, 2].min() > x[:first, 2].max()


def test_what_does_not_move_is_not_pulled():
    surfaces, candidates, x, first = poked()
    x[:first, 3] = 0
    moved = (pulled(surfaces, x, piercing(candidates, x, np.ones(len(x), bool))) - x)[:, :3]
    assert not moved[:first].any()
    assert moved[first:, 2].max() > 0.0004


def test_stretched_cloth_is_pulled_with_less_force_and_torn_cloth_not_at_all():
    """Exact: no force from the stretch LONGEST on."""
    surfaces, candidates, x, _ = poked()
    hits = piercing(candidates, x, np.ones(len(x), bool))
    strength = []
    for stretch in (1.0, 1.2, 2.0):
        longer = x.copy()
        longer[:, :3] *= stretch
        strength.append(Tangles(surfaces, hits).strength(longer).max())
    assert strength[0] == pytest.approx(1.0)
    assert 0 < strength[1] < 0.5
    assert strength[2] == 0


def test_contact_leaves_alone_only_the_two_sides_of_a_tangle():
    """Exact: the blade and the sheet around the contour are on different sides, and nothing far away is on any."""
    surfaces, candidates, x, first = poked()
    sides = Tangles(surfaces, piercing(candidates, x, np.ones(len(x), bool))).sides()
    own = set(map(tuple, sides[:first].tolist()))
    assert own in ({(0, 0), (1, 0)}, {(0, 0), (0, 1)})
    assert not (np.bitwise_or.reduce(sides[:first], axis=0) & np.bitwise_or.reduce(sides[first:], axis=0)).any()
    assert not sides[0].any()
