"""The recipes of docs/reference/how_to_add.md, each followed from outside of the solver, which changes in no file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import solver
from solver import energies
from solver.model import bodies
from solver.scene import Deformable, catalog, checks
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.scenes.ropes import line, segment_distances
from tests.solver.contact.worlds import grid

HERE = Path(__file__).parent
STRETCH = {"stvk_membrane": {"young_warp": 200.0, "young_weft": 200.0, "shear": 80.0, "poisson": 0.2, "damping": 0.0}}


@pytest.fixture(autouse=True)
def added(monkeypatch):
    """The energies and kinds of bodies of the folders beside this file are found beside the solver's own."""
    monkeypatch.setenv(catalog.FOLDERS, str(HERE / "energies"))
    monkeypatch.setattr(energies, "__path__", [*energies.__path__, str(HERE / "energies")])
    monkeypatch.setattr(bodies, "__path__", [*bodies.__path__, str(HERE / "bodies")])
    for cached in (catalog.energies, catalog.element_kinds):
        cached.cache_clear()
    yield
    for cached in (catalog.energies, catalog.element_kinds):
        cached.cache_clear()
    for package, folder in ((energies, "energies"), (bodies, "bodies")):
        for path in (HERE / folder).glob("*.py"):
            sys.modules.pop(f"{package.__name__}.{path.stem}", None)


# An energy with a new kind of element


CROSS = {"cross_spring": {"stiffness": 2000.0, "damping": 0.0}}


def fold(energies_of: dict, **changes: Any) -> solver.Cloth:
    """Two triangles, of which one is pinned, that are folded by a right angle at rest and start flat."""
    flat = np.array([[0.0, 0, 0], [0, 0.1, 0], [0.1, 0, 0], [-0.1, 0, 0]])
    folded = flat.copy()
    folded[3] = [0, 0, 0.1]
    material = solver.Material("fold", "fabric", 0.15, STRETCH | energies_of)
    triangles = np.array([[0, 2, 1], [0, 1, 3]])
    return plain_cloth("fold", flat, triangles, material, pins=solver.Pins([0, 1, 2]), rest_vertices=folded, **changes)


def across(cloth: solver.Cloth, **settings: Any) -> tuple[float, solver.Simulation]:
    """Return the distance of the corners beside the fold after a second [m], and the simulation."""
    sim = solver.Simulation(solver.Scene([cloth], gravity=(0, 0, 0)), plain_settings(threads=1, **settings))
    *_, last = sim.frames(1, 25)
    return float(np.linalg.norm(np.subtract(*last.positions["fold"][2:].astype(float)))), sim


def test_an_energy_brings_its_kind_of_element():
    """Cross springs fold the cloth to the distance of rest, the root of two times 0.1 m, to a thousandth: it starts with a
    hair out of its plane. Without it stays flat. A map scales them."""
    assert catalog.element_kinds()["across"].brought_by == "cross_spring"
    assert "across" in catalog.elements_of("fabric") and "across" not in catalog.elements_of("solid")
    start = fold({}).vertices + np.outer([0, 0, 0, 1e-3], [0, 0, 1])
    assert across(fold({}))[0] == pytest.approx(0.2, rel=1e-6)
    cloth = fold(CROSS)
    cloth.vertices = start
    distance, sim = across(cloth)
    assert distance == pytest.approx(0.1 * 2**0.5, rel=1e-3)
    assert [int((b.element >= 0).sum()) for b in sim.model.batches if b.energy.NAME == "cross_spring"] == [1]
    half = fold(CROSS, maps={"bending": solver.Map(np.zeros(4), 0.5, 1.0)})
    painted = solver.Simulation(solver.Scene([half]), plain_settings(threads=1)).model.batches
    batch = next(batch for batch in painted if batch.energy.NAME == "cross_spring")
    assert batch.rest.reshape(2, 16)[1, batch.element >= 0] == pytest.approx(1000.0)


def test_the_global_step_solves_for_it_as_for_springs():
    """Its ELEMENT_KIND is `solved_as` edges, so no warning says that it is left to the sweeps."""
    cloth = fold(CROSS)
    sim = solver.Simulation(solver.Scene([cloth]), plain_settings(threads=1, global_iterations=8))
    step = sim.substeps.now.global_step
    assert "cross_spring" in [sim.model.batches[k].energy.NAME for k in step.solves] and not sim.warnings


def test_elements_of_an_energy_are_refused_where_the_material_is_of_another_kind():
    x, edges = line(4, 1.0)
    rope = solver.Rope("rope", x, edges, 0.01, solver.Material("odd", "rope", 1000.0, CROSS))
    with pytest.raises(solver.SceneError, match="acts on a across, which a rope does not have; wanted energies of segment"):
        solver.Simulation(solver.Scene([rope]))


# A body of edges that touches


@dataclass
class Wire(Deformable):
    """The user's side of `bodies/wire.py`."""

    kind: ClassVar[str] = "wire"
    name: str
    vertices: Any
    edges: Any
    material: solver.Material
    radius: float = 0.01
    self_contact: bool = False
    pins: solver.Pins | None = None
    velocities: Any = None
    friction: float | None = None
    regions: Any = ()

    def __post_init__(self) -> None:
        self.check_deformable("rope")
        self.edges = checks.elements(self.name, "edges", self.edges, 2, len(self.vertices))


def wire(name: str, direction: tuple[float, float, float], height: float, **more: Any) -> Wire:
    """Twelve segments over 0.6 m, centred."""
    x, edges = line(12, 0.6, direction)
    material = solver.Material("wire", "rope", 1000.0, {"rod_stretch": {"young": 1e6, "damping": 0.001}})
    return Wire(name, x - x.mean(0) + [0, 0, height], edges, material, **more)


def test_a_body_of_edges_touches_bodies_and_colliders():
    """One wire falls on another that is pinned at its ends, over a plane. Their segments keep nine tenths of both radii."""
    held = wire("held", (1, 0, 0), 0.15, pins=solver.Pins([0, 12]))
    falling = wire("falling", (0, 1, 0), 0.2)
    scene = solver.Scene([held, falling], [solver.Plane("ground")])
    sim = solver.Simulation(scene, plain_settings(threads=1, global_iterations=8))
    pushed = False
    for frame in sim.frames(1, 24):
        a, b = (frame.positions[name].astype(float) for name in ("held", "falling"))
        (i, j), (k, m) = held.edges.T, falling.edges.T
        one, other = np.meshgrid(np.arange(12), np.arange(12))
        one, other = one.ravel(), other.ravel()
        gaps = segment_distances(a[i[one]], a[j[one]], b[k[other]], b[m[other]])
        assert gaps.min() > 0.9 * 0.02 and min(a[:, 2].min(), b[:, 2].min()) > 0.9 * 0.01
        pushed = pushed or frame.report.contacts > 0
    assert pushed and b[[0, 12], 2].max() < b[6, 2] - 0.05, "its ends hang down on both sides of the other"


# Elements that change at every substep


@dataclass
class Grains(Deformable):
    """The user's side of `bodies/grains.py`."""

    kind: ClassVar[str] = "grains"
    name: str
    vertices: Any
    material: solver.Material
    radius: float = 0.01
    pins: solver.Pins | None = None
    velocities: Any = None
    friction: float | None = None
    regions: Any = ()

    def __post_init__(self) -> None:
        self.check_deformable("solid")


def grains(x: np.ndarray, **more: Any) -> Grains:
    values = {"repulsion": {"stiffness": 100.0, "distance": 0.02}}
    return Grains("grains", x, solver.Material("grains", "solid", 2000.0, values), **more)


def pairs_of(sim: solver.Simulation) -> int:
    """The number of elements in the last substep."""
    batch = next(batch for batch in sim.model.batches if batch.energy.NAME == "repulsion")
    return int((batch.element >= 0).sum())


def test_neighbours_are_found_at_each_substep_and_keep_momentum():
    """Two grains meet head-on: none are neighbours at first, then they are, and they part again. Momentum is kept to the
    rounding of 13 frames in single precision."""
    x = np.array([[-0.04, 0.0, 0.0], [0.04, 0.0, 0.0]])
    speed = np.array([[0.5, 0.0, 0.0], [-0.2, 0.0, 0.0]])
    body = grains(x, velocities=speed)
    sim = solver.Simulation(solver.Scene([body], gravity=(0, 0, 0)), plain_settings(threads=1, substeps=20))
    counts, gaps = [], []
    for frame in sim.frames(1, 14):
        counts.append(pairs_of(sim))
        gaps.append(np.ptp(frame.positions["grains"][:, 0]))
        assert sim.state.v[:2, 0].sum() == pytest.approx(0.3, abs=1e-5)
    assert counts[0] == 0 and max(counts) == 1 and counts[-1] == 0
    assert min(gaps) > 0.01 and sim.state.v[0, 0] < sim.state.v[1, 0], "they have bounced"


def test_changing_elements_are_resumed_to_the_bit():
    """A heap of 64 grains falls on a plane; a simulation restored from its middle continues with the same bits."""
    x = np.stack(np.meshgrid(*[np.arange(4) * 0.021] * 3, indexing="ij"), -1).reshape(-1, 3)
    x = x + np.random.default_rng(0).uniform(-1e-3, 1e-3, x.shape) + [0, 0, 0.03]
    scene = solver.Scene([grains(x)], [solver.Plane("ground")])
    one, other = (solver.Simulation(scene, plain_settings(threads=1)) for _ in range(2))
    *_, _ = one.frames(1, 5)
    other.restore(one.snapshot())
    *_, first = one.frames(5, 14)
    *_, second = other.frames(5, 14)
    assert first.positions["grains"].tobytes() == second.positions["grains"].tobytes()
    assert pairs_of(one) > 64 and first.positions["grains"][:, 2].min() > 0.5 * 0.01
    softer = solver.FrameInputs(values={"grains": {"repulsion.stiffness": 50.0}})
    assert np.isfinite(one.advance_frame(softer).positions["grains"]).all()


def test_changing_elements_need_a_method_without_memory_of_elements():
    with pytest.raises(solver.SceneError, match="wanted the method gpbd"):
        solver.Simulation(solver.Scene([grains(np.zeros((1, 3)))]), plain_settings(method="gpbd_jacobi"))


# A new kind of collider


@dataclass
class Ball(solver.ShapeCollider):
    """A ball. centre, radius: [m]."""

    centre: Any = (0.0, 0.0, 0.0)
    radius: float = 0.1

    def signed_distance(self, points):
        away = points - self.centre
        length = np.maximum(np.linalg.norm(away, axis=1), 1e-12)
        return length - self.radius, away / length[:, None]


@dataclass
class Ground(solver.ShapeCollider):
    """The half-space below zero."""

    def signed_distance(self, points):
        return points[:, 2], np.tile([0.0, 0.0, 1.0], (len(points), 1))


def sheet(height: float) -> solver.Cloth:
    x, triangles = grid(17, 17, 0.4)
    return plain_cloth("sheet", x + [0, 0, height], triangles, solver.Material.fabric(0.15, 200.0, 60.0))


def test_cloth_drapes_over_a_collider_of_a_new_kind():
    """A sheet of 0.4 m falls on a ball of 0.1 m: no vertex ends in it, and it hangs down around it."""
    ball = Ball("ball", friction=0.5, radius=0.1)
    cloth = sheet(0.12)
    centre = cloth.vertices.mean(0) * [1, 1, 0]
    ball.centre = centre
    sim = solver.Simulation(solver.Scene([cloth], [ball]), plain_settings(threads=1, global_iterations=8))
    for frame in sim.frames(1, 30):
        away = np.linalg.norm(frame.positions["sheet"] - centre, axis=1)
        assert away.min() > 0.1 - 1e-6
    assert frame.report.contacts > 0
    z = frame.positions["sheet"][:, 2]
    assert z.max() > 0.1 and z.min() < 0.0


def test_a_flat_shape_is_a_plane():
    """A sheet that falls on it moves as over a plane, to the digits of single precision after a second of contact."""
    ends = []
    for ground in (Ground("ground"), solver.Plane("ground")):
        sim = solver.Simulation(solver.Scene([sheet(0.02)], [ground]), plain_settings(threads=1))
        *_, frame = sim.frames(1, 24)
        assert frame.report.contacts > 0
        ends.append(frame.positions["sheet"])
    assert np.abs(ends[0] - ends[1]).max() < 1e-5


def test_bodies_and_distances_that_do_not_fit_are_refused():
    class Wrong(Ground):
        def signed_distance(self, points):
            return points, points

    with pytest.raises(solver.SceneError, match=r"ground: signed_distance returns shapes \(289, 3\)"):
        solver.Simulation(solver.Scene([sheet(0.02)], [Wrong("ground")]), plain_settings(threads=1)).advance_frame()
    cube = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    rigid = solver.Rigid("stone", cube, faces)
    with pytest.raises(solver.SceneError, match="stone: does not touch 'ground', a collider that is a shape"):
        solver.Simulation(solver.Scene([rigid], [Ground("ground")]))
