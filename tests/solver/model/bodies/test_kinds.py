"""Kinds of body: one that the solver does not have, in a file of a temporary folder, and what each kind is to the rest."""

import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import solver
from solver.model import bodies
from solver.model.bodies import kind_of
from solver.scene import Body, Deformable, checks
from solver.settle import settle
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.solver.contact.worlds import grid

FABRIC = solver.Material.fabric(0.15, 100.0, 30.0)
#: The solver's side of a chain of masses and springs, all that a new kind needs beside its description.
FILE = '''
import numpy as np

from . import deformable
from .kind import Contribution, kept_distances, rest_lengths


class ChainKind(deformable.DeformableKind):
    """Springs from each vertex to the next."""

    label = "chain"

    def contribution(self, body, first_vertex, origin):
        n, edges = len(body.vertices), body.edges
        lengths = rest_lengths(body.rest, edges)
        thickness, distance = kept_distances(body.thickness, body.material.thickness, lengths)
        return Contribution(
            mass=deformable.lumped_mass(deformable.element_masses(body, lengths, edges)[0], edges, n),
            velocities=deformable.start_velocities(body),
            edges=edges,
            surface=np.zeros((0, 3), np.int32),
            friction=self.friction(body),
            kept_between_bodies=thickness,
            kept_from_colliders=distance,
            points=np.arange(n),
            groups=deformable.element_groups(body, self.label, edges, {"edge": deformable.Elements(edges)}, first_vertex),
        )


KIND = ChainKind()
'''


@dataclass
class Chain(Deformable):
    """The user's side of it: vertices joined one to the next."""

    kind: ClassVar[str] = "chain_of_springs"
    name: str
    vertices: Any
    material: solver.Material
    pins: solver.Pins | None = None
    rest_vertices: Any = None
    velocities: Any = None
    thickness: float | None = None
    friction: float | None = None
    regions: Any = ()

    def __post_init__(self) -> None:
        self.check_deformable("fabric")
        first = np.arange(len(self.vertices) - 1)
        self.edges = checks.elements(self.name, "edges", np.stack([first, first + 1], 1), 2, len(self.vertices))


@pytest.fixture
def chain(tmp_path, monkeypatch):
    """Ten vertices in a row, 1 m long, hung at one end; its kind is found in a folder beside the solver's."""
    (tmp_path / f"{Chain.kind}.py").write_text(FILE, encoding="utf-8")
    monkeypatch.setattr(bodies, "__path__", [*bodies.__path__, str(tmp_path)])
    springs = solver.Material("springs", "fabric", 0.5, {"spring": {"stiffness": 4000.0, "damping": 0.01}})
    x = np.stack([np.linspace(0, 1, 10), np.zeros(10), np.full(10, 2.0)], 1)
    yield Chain("chain", x, springs, pins=solver.Pins([0]))
    sys.modules.pop(f"{bodies.__name__}.{Chain.kind}", None)


def test_a_new_kind_is_simulated_and_reported_beside_a_cloth(chain):
    """Half a second beside a cloth, over a plane: 5 % of stretch is nearly five times what its weight does to a spring."""
    x, t = grid(5, 5, 1.0)
    scene = solver.Scene([plain_cloth("sheet", x + [2, 0, 1], t, FABRIC), chain], [solver.Plane("ground", (0, 0, -1))])
    *_, frame = solver.Simulation(scene, plain_settings(threads=1)).frames(1, 12)
    end = frame.positions["chain"]
    assert end.shape == (10, 3) and np.isfinite(end).all()
    assert end[0] == pytest.approx([0, 0, 2]) and end[-1, 2] < 1.5
    assert 0 < frame.report.max_stretch < 0.05
    assert frame.report.elastic_energy > 0 and frame.report.kinetic_energy > 0


def test_a_new_kind_is_resumed_to_the_bit_and_touches_the_ground(chain):
    """It falls on a plane 0.1 m below it: nothing ends nearer to that than nine tenths of the thickness."""
    chain.pins = None
    scene = solver.Scene([chain], [solver.Plane("ground", (0, 0, 1.9))])
    one, other = (solver.Simulation(scene, plain_settings(threads=1)) for _ in range(2))
    *_, _ = one.frames(1, 5)
    other.restore(one.snapshot())
    *_, first = one.frames(5, 12)
    *_, second = other.frames(5, 12)
    assert first.positions["chain"].tobytes() == second.positions["chain"].tobytes()
    assert first.report.contacts > 0
    assert first.positions["chain"][:, 2].min() > 1.9 + 0.9 * one.model.vertex_distance[0]


def test_a_new_kind_comes_to_rest_by_drape(chain):
    """It hangs straight down, to 12 mm: its own weight makes it 6 mm longer than at rest, and drape leaves as much again."""
    rest = settle(solver.Scene([chain]), plain_settings(threads=1))
    assert rest.settled, rest.warning
    assert rest.positions["chain"][-1] == pytest.approx([0, 0, 1], abs=0.012)


def test_a_kind_without_a_file_is_named():
    class Ghost(Body):
        kind = "ghost"
        name = "shade"
        vertices = np.zeros((1, 3))

    with pytest.raises(solver.SceneError, match=r"shade: .* no kind of body 'ghost'; wanted a file model/bodies/ghost\.py"):
        kind_of(Ghost())


def test_an_energy_that_the_kind_has_no_elements_for_is_refused(chain):
    chain.material = FABRIC
    with pytest.raises(solver.SceneError, match="acts on a triangle, which a chain does not have; wanted energies of edge"):
        solver.Simulation(solver.Scene([chain]))
