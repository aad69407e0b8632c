"""Checks of user input: its kind, its shape, its range. No conversion loses information.

Text is no number, True is no number, a fraction is no index, None is no array. In every function `owner` names the object,
`what` its field, and `error` is the class that is raised; a message has the value found, the value wanted and the remedy.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from ..errors import GpbdError, SceneError

Array = np.ndarray
Kind = TypeVar("Kind")

#: No coordinate is further out [m], and no velocity, spin or gravity larger [m/s, rad/s, m/s^2]: such numbers are not meant.
FARTHEST, FASTEST = 1e7, 3e8
#: The largest whole number, that of an index.
MOST_WHOLE = 2**31 - 1
#: Place where a user repairs an object.
OBJECT = "in the settings of this object"
#: Fields that a message says "are" of.
PLURAL = (
    "vertices", "rest_vertices", "triangles", "tetrahedra", "edges", "velocities", "positions", "bodies", "colliders",
    "ties", "regions", "elements", "indices", "energies",
)  # fmt: skip


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`; an open end is not among them. Numbers that are not finite are outside."""

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False

    def has(self, value: float) -> bool:
        """Return whether a number is in the range."""
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return math.isfinite(value) and above and below

    def words(self, unit: str = "") -> str:
        """Return the range in words, for messages."""
        unit = f" {unit}" if unit else ""
        if self.high == math.inf:
            if self.low == -math.inf:
                return "a number that is finite"
            name = "zero" if self.low == 0 else f"{self.low:g}{unit}"
            return f"more than {name}" if self.low_open else f"{name} or more"
        low = f"more than {self.low:g}" if self.low_open else f"{self.low:g}"
        return f"{low}, less than {self.high:g}{unit}" if self.high_open else f"{low} to {self.high:g}{unit}"


FINITE, POSITIVE, NOT_NEGATIVE, SHARE = Range(), Range(0.0, low_open=True), Range(0.0), Range(0.0, 1.0)


def until_checked(default: Any) -> Any:
    """Return the default of a dataclass's field as it is: the class converts it to the field's type when it is made."""
    return default


def shown(value: object) -> str:
    """Return a value as text, short enough for a message."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if dataclasses.is_dataclass(value):
        return f"a {type(value).__name__}"
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"an array of shape {value.shape} and type {value.dtype}"
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "f":
        return f"[{', '.join(f'{number:g}' for number in value)}]"
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, float):
        return f"{value:g}"
    return reprlib.repr(value).replace("\n", " ")


def wrong(owner: str, what: str, actual: str, wanted: str, remedy: str, error: type[GpbdError] = SceneError) -> GpbdError:
    """Return the error to raise: owner, field, value found, value wanted, and remedy."""
    return error(f"{owner}: {what} {'are' if what in PLURAL else 'is'} {actual}; wanted {wanted}. {remedy}")


def text(owner: str, what: str, value: object, error: type[GpbdError] = SceneError, empty: bool = False) -> str:
    """A text with something in it, unless it may be empty."""
    if not isinstance(value, str) or not (empty or value.strip()):
        raise wrong(owner, what, shown(value), "a text" if empty else "a text that is not empty", "Give it one.", error)
    return value


def one_of(owner: str, what: str, value: object, choices: Iterable[str], error: type[GpbdError] = SceneError) -> str:
    """Return one of some texts, checked."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise wrong(owner, what, shown(value), f"one of {', '.join(known)}", "Name one of these.", error)
    return value


def flag(owner: str, what: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong(owner, what, shown(value), "True or False", "Choose one.")
    return bool(value)


def number(
    owner: str,
    what: str,
    value: object,
    unit: str = "",
    within: Range = POSITIVE,
    where: str = OBJECT,
    error: type[GpbdError] = SceneError,
) -> float:
    """A finite real number. where: the user changes it."""
    scalar = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(scalar, Real) or isinstance(scalar, bool):
        wanted = within.words(unit) if within == FINITE else f"a number, {within.words(unit)}"
        raise wrong(owner, what, shown(value), wanted, f"Change it {where}.", error)
    try:
        real = float(scalar)
    except OverflowError:
        real = math.inf
    if not within.has(real):
        raise wrong(owner, what, f"{real:g} {unit}".rstrip(), within.words(unit), f"Change it {where}.", error)
    return real


def whole(owner: str, what: str, value: Any, low: int, where: str = OBJECT, none: bool = False) -> int:
    """Return a whole number from `low` on, checked. none: the message names None among the wanted values."""
    scalar = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    is_whole = isinstance(scalar, Integral) or (isinstance(scalar, (float, np.floating)) and float(scalar).is_integer())
    if isinstance(scalar, bool) or not is_whole or not low <= scalar <= MOST_WHOLE:
        wanted = f"{'None or ' if none else ''}a whole number from {low}"
        raise wrong(owner, what, shown(value), f"{wanted} to {MOST_WHOLE}", f"Change it {where}.")
    return int(scalar)


def instance(
    owner: str, what: str, value: object, kind: type[Kind], remedy: str, error: type[GpbdError] = SceneError
) -> Kind:
    """An object of a class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise wrong(owner, what, shown(value), f"{article} {kind.__name__}", remedy, error)
    return value


def sequence(owner: str, what: str, values: object, kinds: tuple[type[Kind], ...], wanted: str, remedy: str) -> list[Kind]:
    """A list of objects of some classes. wanted, remedy: of the message."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, Mapping, Set, type)):
        raise wrong(owner, what, shown(values), wanted, remedy)
    items = list(values)
    for k, value in enumerate(items):
        if not isinstance(value, kinds):
            raise wrong(owner, f"{what}[{k}]", shown(value), wanted, remedy)
    return items


def names(owner: str, what: str, values: object) -> list[str] | None:
    """A list of names, or None."""
    if values is None:
        return None
    return sequence(owner, what, values, (str,), "a list of names, or None", "Put it in brackets.")


def mapping(owner: str, what: str, values: Mapping[str, Kind], error: type[GpbdError] = SceneError) -> dict[str, Kind]:
    """A mapping from names."""
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise wrong(owner, what, shown(values), "a mapping from names", "Give it one, such as {'name': value}.", error)
    return dict(values)


def _numbers(owner: str, what: str, values: object, wanted: str) -> Array:
    """Real numbers, whole or not, as they are."""
    try:
        x = np.asarray(values)
    except (ValueError, TypeError) as error:  # rows of different lengths
        raise wrong(owner, what, shown(values), wanted, "Give every row as many numbers.") from error
    if isinstance(values, np.ma.MaskedArray):
        raise wrong(owner, what, "a masked array", wanted, "Fill its gaps.")
    if x.dtype.kind == "b" or _has_flag(values):
        raise wrong(owner, what, f"True and False ({shown(values)})", wanted, "Use np.flatnonzero to number what is True.")
    if x.dtype.kind not in "iuf":
        raise wrong(owner, what, shown(values), wanted, "Give an array of real numbers.")
    return x


def _has_flag(values: object) -> bool:
    """Return whether True or False is among the numbers of nested lists, which NumPy would convert to 1 or 0."""
    return isinstance(values, bool) or (isinstance(values, (list, tuple)) and any(map(_has_flag, values)))


def _of_shape(x: Array) -> str:
    return f"of shape {x.shape}{f' ({shown(x)})' if 0 < x.size <= 4 else ''}"


def _fits(shape: tuple[int, ...], wanted: tuple[int | str, ...]) -> bool:
    return len(shape) == len(wanted) and all(isinstance(b, str) or a == b for a, b in zip(shape, wanted, strict=True))


def _shape_words(shape: tuple[int | str, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def array(
    owner: str,
    what: str,
    values: object,
    shape: tuple[int | str, ...],
    unit: str = "",
    most: float = math.inf,
    rows: tuple[str, ...] = ("row",),
) -> Array:
    """Return a new array of finite real numbers, float64. shape: with letters for lengths that are free.

    most: all numbers are smaller. rows: nouns for the axes except the last number, in messages.
    """
    kind = f"finite real numbers{f' [{unit}]' if unit else ''}"
    wanted = f"{kind} of shape {_shape_words(shape)}"
    x = _numbers(owner, what, values, wanted)
    if not _fits(x.shape, shape):
        raise wrong(owner, what, _of_shape(x), wanted, "Give it that shape.")
    x = np.array(x, np.float64)
    good = np.abs(x) < most
    if good.all():
        return x
    large = np.isfinite(x).all()
    wanted = f"{kind} below {most:g}" if large else kind
    if shape == (3,):
        raise wrong(owner, what, shown(values), wanted, "Give such numbers.")
    count = int((~(good.all(-1) if x.ndim > 1 else good)).sum())
    place = tuple(int(i) for i in np.argwhere(~good)[0][: max(x.ndim - 1, 1)])
    where = " of ".join(f"{noun} {i}" for noun, i in reversed(list(zip(rows, place, strict=True))))
    problem = f"{'too large' if large else 'not finite'} at {count} {'place' if count == 1 else 'places'}"
    raise wrong(owner, what, f"{problem} (first: {where}, {shown(x[place])})", wanted, "Repair or remove what is there.")


def indices(
    owner: str, what: str, values: object, count: int, shape: tuple[int | str, ...] = ("k",), noun: str = "vertex"
) -> Array:
    """Numbers of things that exist, from 0 to count - 1, int64."""
    plural = "vertices" if noun == "vertex" else f"{noun}s"
    wanted = f"numbers of {plural}, whole from 0 to {count - 1}"
    x = _numbers(owner, what, values, wanted)
    if not _fits(x.shape, shape):
        raise wrong(owner, what, _of_shape(x), f"{wanted}, of shape {_shape_words(shape)}", "Give it that shape.")
    bad = np.argwhere(~((x >= 0) & (x < count) & (x == np.rint(x))))
    if len(bad):
        k = int(bad[0][0])
        raise wrong(owner, f"{what}[{k}]", shown(x[k]), wanted, f"Name {plural} that exist.")
    return x.astype(np.int64)


def vertices(owner: str, what: str, values: object, shape: tuple[int | str, ...] = ("n", 3), poses: bool = False) -> Array:
    """Positions [m], (n, 3) with n > 0; with `poses` also (frames, n, 3). A new array, float64."""
    rows: tuple[str, ...] = ("vertex",)
    if poses and _numbers(owner, what, values, "positions [m] of shape (n, 3) or (frames, n, 3)").ndim == 3:
        shape, rows = ("frames", *shape), ("pose", "vertex")
    x = array(owner, what, values, shape, "m", FARTHEST, rows)
    if x.size == 0:
        raise wrong(owner, what, f"of shape {x.shape}", "at least one", "Give it a mesh with vertices.")
    return x


def elements(owner: str, noun: str, values: object, corners: int, n_vertices: int) -> Array:
    """Numbers of vertices that exist, (n, corners) with n > 0, int32."""
    corners_of = _numbers(owner, noun, values, f"whole numbers of shape (n, {corners})")
    if corners_of.size == 0:
        raise SceneError(f"{owner}: no {noun}; wanted at least one. Give it a mesh with faces.")
    return indices(owner, noun, corners_of, n_vertices, ("n", corners)).astype(np.int32)
