"""Values that are wrong for fields of the public classes, by kind of field, and what a message says of each."""

import math
from typing import Any

import numpy as np

import solver
from solver import Cloth, Field, Material, Region

X = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
T = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
TETRAHEDRON = np.array([[0, 1, 2, 3]])
FABRIC, SOLID = Material.fabric(0.1, 100, 30, name="linen"), Material.solid(1000, 1e5, 0.3, name="jelly")
HUGE = 10**400  # no floating-point number

Wrong = tuple[Any, str]  # a value, and what the message says of it


def changed(good: np.ndarray, place: tuple[int, ...], value: Any) -> np.ndarray:
    bad = np.array(good, type(value) if isinstance(value, complex) else float)
    bad[place] = value
    return bad


def kinds(*scalars: Any) -> list[Wrong]:
    """Values of no use where another kind is required, and their messages."""
    return [(value, "" if value == HUGE else solver.scene.checks.shown(value)) for value in scalars]


OTHERS = kinds({}, Cloth, b"7")
#: What no number is, and what a number of a range is not.
NUMBER = [("24", "'24'"), (None, "None"), (math.nan, "nan"), (math.inf, "inf"), (True, "True"), (1j, "1j"), *OTHERS]
NUMBER += [([1.0], "[1.0]"), (np.bool_(True), "True"), (HUGE, "inf"), (np.array([1.0, 2.0]), "[1, 2]")]
OPTIONAL_NUMBER = [wrong for wrong in NUMBER if wrong[0] is not None]
NEGATIVE, ZERO = (-1.0, "-1"), (0.0, "0")
WHOLE = [("8", "'8'"), (math.nan, "nan"), (math.inf, "inf"), (1.5, "1.5"), (True, "True"), (-1, "-1"), ([8], "[8]"), *OTHERS]
WHOLE += [(2 + 0j, "2"), (HUGE, "1000"), (np.float32(0.5), "0.5")]
FLAGS = [(None, "None"), (1, "1"), ("yes", "'yes'"), ([True], "[True]"), (math.nan, "nan")]
TEXT = [(None, "None"), (3, "3"), ("", "''"), ("  ", "'  '"), *OTHERS]
CHOICE = [(None, "None"), ("magic", "'magic'"), (3, "3"), ([], "[]"), *OTHERS]
NAMES = [("floor", "'floor'"), (3, "3"), ([3], "3"), ([None], "None"), ({"floor": 1}, "{'floor': 1}")]
LIST = [(3, "3"), ("x", "'x'"), ([0, 1], "[0] is 0"), (Cloth, "the class Cloth"), ({}, "{}"), ([None], "[0] is None")]
OBJECT = [(3, "3"), ("x", "'x'"), ([0, 1], "[0, 1]"), (np.arange(9), "shape (9,)"), (Cloth, "the class Cloth")]
VECTOR = [("up", "'up'"), ((0, 0), "(2,)"), ((0, 0, math.nan), "nan"), ((0, math.inf, 0), "inf"), ((0, 0, 1j), "1j")]
VECTOR += [(5.0, "5"), ([[0, 0, 1]], "(1, 3)"), ((0, 0, None), "None"), ((0, "x", 0), "'x'"), ((True, False, True), "True")]
FAST = ((1e30, 0, 0), "1e+30")
ARRAY = [
    ("x", "'x'"),
    (3, "3"),
    (7.5, "7.5"),
    ([["a"] * 3] * 4, "'a'"),
    ([[0, 0, 0], [0, 0]], "[[0, 0, 0], [0, 0]]"),
    *OTHERS,
]


def rows_of(good: np.ndarray) -> list[Wrong]:
    """Arrays of finite reals that are not as `good`, (n, k)."""
    columns = good.shape[1] + 1
    return [
        *ARRAY,
        (changed(good, (2, 1), math.nan), "first: vertex 2, [0"),
        (changed(good, (1, 0), -math.inf), "first: vertex 1, [-inf"),
        (changed(good, (1, 0), 1j), "complex128"),
        (good.astype(str), "type <U"),
        (good.astype(object), "type object"),
        (good > 0, "True and False"),
        (np.ones((4, columns)), f"(4, {columns})"),
        (good.ravel(), f"({good.size},)"),
        (np.ma.masked_less(good, 0.5), "masked"),
    ]


def indices_of(good: np.ndarray) -> list[Wrong]:
    """Numbers of vertices or elements that are none; `good` has numbers below four."""
    first = (0,) * good.ndim
    return [
        *ARRAY,
        (changed(good, first, 0.5), "0.5"),
        (changed(good, first, -1.0), "-1"),
        (changed(good, first, 99.0), "99"),
        (changed(good, first, math.nan), "nan"),
        (changed(good, first, 1j), "1j" if good.size < 5 else "complex128"),
        (good > 0, "True"),
        (good.astype(str), "'" if good.size < 5 else "type <U"),
        (good[None], f"(1, {good.shape[0]}"),
    ]


#: Of something that is not known yet, so that no number is too large.
ANY_INDICES = [wrong for wrong in indices_of(np.array([0, 1])) if wrong[1] != "99"]
DISTANCE, COUNT = [*OPTIONAL_NUMBER, NEGATIVE, ZERO], [*WHOLE, (0, "0")]
START = [*rows_of(X), (None, "None"), (np.zeros((0, 3)), "(0, 3)"), (changed(X, (3, 2), 1e30), "too large")]
BODY = {
    "vertices": START,
    "without_contact": indices_of(np.array([0, 1])),
    "touches": NAMES,
}
RESPONSE = {"response": [*kinds("24", 3, [], Cloth), ({"gravity": 1}, "{'gravity': 1}")]}
DEFORMABLE = BODY | {
    "thickness": DISTANCE,
    "self_thickness": DISTANCE,
    "material": [*OBJECT, (None, "None")],
    "pins": [*OBJECT, ({"indices": [0]}, "{'indices': [0]}")],
    "rest_vertices": [*rows_of(X), (X[:3], "(3, 3)")],
    "velocities": [*rows_of(X), (X[:3], "(3, 3)"), (changed(X, (0, 0), 1e30), "too large")],
    "friction": [*OPTIONAL_NUMBER, NEGATIVE],
    "regions": [*LIST, (Region([0], FABRIC), "a Region"), ([FABRIC], "a Material")],
    "self_contact": FLAGS,
    "layer": COUNT,
    **RESPONSE,
}
FIELDS = [*LIST, (Field("fan", "wind"), "a Field"), ([Field("fan", "wind")] * 2, "two fields are named 'fan'")]


#: Wrong values of a number, or of one number a vertex.
EACH = [wrong for wrong in OPTIONAL_NUMBER if np.ndim(wrong[0]) == 0]
EACH += [(np.full((4, 2), 0.5), "(4, 2)"), (["a"] * 4, "'a'"), ([math.nan] * 4, "nan"), ([True] * 4, "True")]
