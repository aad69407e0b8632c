"""Origin of a bad number: the error's class, and the object that its remedy names."""

import re

import numpy as np
import pytest

from solver import Cloth, Collider, Material, MaterialError, Plane, Rigid, Scene, SceneError, Tie

X = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
T = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
M = Material.fabric(0.1, 100, 30)

OBJECTS = "in the settings of this object"


@pytest.mark.parametrize(
    ("make", "words", "where"),
    [
        (lambda: Tie("a", "b", -1.0), "Tie from 'a' to 'b': distance is -1 m; wanted zero or more", "in the tie"),
        (lambda: Tie("a", "b", 1.0, 0.0), "stiffness is 0 N/m^3; wanted more than zero", "in the tie"),
        (lambda: Scene([Cloth("a", X, T, M)], drag=-1.0), "Scene: drag is -1; wanted zero or more", "in the scene"),
        (lambda: Scene([Cloth("a", X, T, M)], air_density=np.nan), "air_density is nan kg/m^3", "in the scene"),
        (lambda: Cloth("a", X, T, M, thickness=0.0), "a: thickness is 0 m", OBJECTS),
        (lambda: Rigid("a", X, T, density=-1.0), "a: density is -1 kg/m^3", OBJECTS),
        (lambda: Collider("a", X, T, depth=0.0), "a: depth is 0 m", OBJECTS),
        (lambda: Plane("a", friction=-1.0), "a: friction is -1; wanted", OBJECTS),
    ],
)
def test_a_bad_number_of_a_scene_is_no_fault_of_a_material(make, words, where):
    with pytest.raises(SceneError) as caught:
        make()
    assert not isinstance(caught.value, MaterialError)
    assert words in str(caught.value) and str(caught.value).endswith(f"Change it {where}.")


def test_a_bad_number_of_a_material_is_the_materials():
    with pytest.raises(
        MaterialError, match=r"jelly: density is 0 kg/m\^3; wanted more than zero\. Change it in the material\."
    ):
        Material.solid(0.0, 1e4, 0.3, name="jelly")


@pytest.mark.parametrize(
    ("tied_at", "words"),
    [
        ({"b": X}, "tied_at: the scene has no body 'b'; wanted one of a"),
        ({"a": X[1:]}, "a (tied_at): positions are of shape (3, 3); wanted finite real numbers [m] of shape (4, 3)"),
        ([X], "Scene: tied_at is"),
    ],
)
def test_where_ties_find_what_is_near_is_of_bodies_and_all_their_vertices(tied_at, words):
    with pytest.raises(SceneError, match=re.escape(words)):
        Scene([Cloth("a", X, T, M)], tied_at=tied_at)
