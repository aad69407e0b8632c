"""Collision rules: excluded pairs of objects pass through each other, all others collide."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.surfaces.rules import lonely, rules_of
from solver.errors import SceneError
from solver.scene import Cloth, Collider, Material, Plane, Scene
from solver.simulation import Simulation
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.solver.contact.worlds import World, box, grid

M = Material.fabric(0.15, 100.0, 30.0)


def cloth(name: str, **options) -> Cloth:
    x, t = grid(2, 2, 1.0)
    return plain_cloth(name, x, t, M, **options)


def floor(name: str, **options) -> Collider:
    x, t = grid(2, 2, 1.0)
    return Collider(name, x, t, **options)


def test_two_objects_touch_if_both_say_so():
    scene = Scene(
        [cloth("a", touches=["b", "floor"]), cloth("b"), cloth("c", touches=["ground"])],
        [Plane("ground"), floor("floor"), floor("wall", touches=["b"])],
    )
    found = rules_of(scene)  # columns: a b c floor wall ground
    assert found.tolist() == [
        [True, True, False, True, False, False],
        [True, True, False, True, True, True],
        [False, False, True, False, False, True],
    ]
    assert lonely(scene) == []


def test_an_empty_group_is_told_by_name():
    scene = Scene([cloth("a", touches=[]), cloth("b")], [floor("wall", touches=["a"]), Plane("ground")])
    told = lonely(scene)
    assert len(told) == 2
    assert told[0].startswith("a: touches nothing: the group of what it touches is empty")
    assert told[1].startswith("wall: touches nothing: none of what it names (a)")


def test_a_body_that_names_itself_alone_is_not_told():
    scene = Scene([cloth("a", touches=["a"]), cloth("b")], [Plane("ground")])
    assert lonely(scene) == []
    assert rules_of(scene).tolist() == [[True, False, False], [False, True, True]]


@pytest.mark.parametrize(
    ("touches", "said"), [(["flor"], "'flor', which the scene does not have"), ("floor", "wanted a list")]
)
def test_a_name_that_is_not_there_is_refused(touches, said):
    with pytest.raises(SceneError, match=f"a: touches .*{said}"):
        Scene([cloth("a", touches=touches)], [floor("floor")])


@pytest.mark.parametrize("layer", [0, -1, 1.5])
def test_layers_count_from_one(layer):
    with pytest.raises(SceneError, match="a: layer is"):
        cloth("a", layer=layer)


def test_what_a_body_does_not_touch_lets_it_through():
    """An open mesh, a closed one that it starts inside of, and a plane above what holds: it falls 0.125 m to the
    last. 1e-6 m is rounding of float32."""
    v, t = grid(5, 5, 1.0, 0.0)
    inside, u = box((1, 1, 0.2), (0, 0, 0.12))
    world = World(
        [[0.1, 0.12, 0.1]],
        colliders=[(v, t), (inside, u), (v - [0, 0, 0.03], t)],
        planes=[((0, 0, 0.05), (0, 0, 1))],
        rules=np.array([[True, False, False, True, False]]),
        r=0.005,
    )
    x = world.step(150)
    assert x[0] == pytest.approx([0.1, 0.12, -0.025], abs=1e-6)
    assert world.contact.results.statistics().contacts == 1


def test_cloth_falls_through_the_hole_of_a_collider():
    """Two sheets over one floor of 2 m, of which the half x > 0 is left out: one lies on it, one is more
    than 0.9 m below after 0.5 s."""
    x, t = grid(8, 8, 2.0)
    small, u = grid(4, 4, 0.5, 0.05)
    sheets = [plain_cloth(name, small + [dx, 0, 0], u, M) for name, dx in (("kept", -0.5), ("fallen", 0.5))]
    hole = Collider("floor", x, t, without_contact=np.flatnonzero(x[:, 0] > 0.1))
    simulation = Simulation(Scene(sheets, [hole]), plain_settings(substeps=4, iterations=4))
    for _ in range(12):
        surfaces = simulation.advance_frame().surfaces
    assert surfaces["kept"][:, 2].min() > 0
    assert surfaces["fallen"][:, 2].max() < -0.9


def test_a_collider_that_is_left_out_whole_is_refused():
    with pytest.raises(SceneError, match="wall: without_contact leaves no triangle"):
        floor("wall", without_contact=range(4))
