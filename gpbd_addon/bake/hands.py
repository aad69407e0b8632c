"""Grabs of an artist on bodies that play live or are draped: springs that pull at vertices, and held vertices.

Each solved frame gets them (`of_frame`); the solver keeps the positions of targets (`solver/scene/grab.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...solver.scene import Grab
from ..read import grabs
from ..read.body_input import BodyInput
from ..read.scene_input import World

Array = np.ndarray


@dataclass(eq=False)
class Hold:
    """Grab of vertices of one mesh, the same only as itself. body: its identity. vertices: (k,). shares: of the stiffness,
    (k,) float32, of any sum. stiffness: of all springs together [N/m], infinite for held vertices. place: of the hand, world
    space in Blender units, (3,) float32; reported: its place in the last frame. is_whole: whether it freezes a body. number:
    unique."""

    body: str
    vertices: Array
    shares: Array
    stiffness: float
    place: Array
    reported: Array = field(init=False)
    is_whole: bool = False
    number: int = field(default_factory=itertools.count().__next__)

    def __post_init__(self) -> None:
        self.place = self.reported = np.array(self.place, np.float32)

    @property
    def is_held(self) -> bool:
        return bool(np.isinf(self.stiffness))


@dataclass(frozen=True)
class Done:
    """Motion of a `Hold` in a frame. number: of the hold. before, place: of the hand at its start and end."""

    number: int
    body: str
    vertices: Array
    shares: Array
    stiffness: float
    before: Array
    place: Array


_holds: list[Hold] = []
_done: dict[int, list[Done]] = {}


def all_of() -> Iterator[Hold]:
    """Yield the current holds and grabs."""
    yield from _holds


def grab(body: str, vertices: Array, shares: Array, stiffness: float, place: Array) -> Hold:
    """Draw at vertices from now on, of any other hold no more; of `Hold`."""
    let_go(body, vertices)
    hold = Hold(body, np.asarray(vertices, np.int64), np.asarray(shares, np.float32), stiffness, place)
    _holds.append(hold)
    return hold


def move(hold: Hold, place: Array) -> None:
    """Set the place of the hand of a `Hold`."""
    hold.place = np.array(place, np.float32)


def pin(hold: Hold) -> None:
    """Hold vertices that springs have pulled at their current places."""
    hold.stiffness = np.inf


def hold_all(body: str, count: int) -> None:
    """Freeze a body of so many vertices."""
    grab(body, np.arange(count), np.ones(count), np.inf, np.zeros(3)).is_whole = True


def is_frozen(body: str) -> bool:
    return any(hold.body == body and hold.is_whole for hold in _holds)


def let_go(body: str, vertices: Array | None) -> bool:
    """Release these vertices of a body, None for all; return whether any was held."""
    released = False
    for hold in [one for one in _holds if one.body == body]:
        keep = np.zeros(len(hold.vertices), bool) if vertices is None else ~np.isin(hold.vertices, vertices)
        released |= not keep.all()
        hold.vertices, hold.shares = hold.vertices[keep], hold.shares[keep]
        if not keep.any():
            _holds.remove(hold)
    return released


def clear() -> None:
    """Release all holds."""
    _holds.clear()


def of_frame(world: World, frame: int | None = None) -> dict[str, Grab]:
    """Return the grab of each body in the interval before a frame, and record it. Each hand reaches its place at the end."""
    by_body = {}
    for late in [] if frame is None else [one for one in _done if one >= frame]:
        del _done[late]  # it is solved anew
    for body in world.bodies:
        holds = [hold for hold in _holds if hold.body == body.uuid]
        if holds:
            by_body[body.name] = grabs.together([_springs(body, hold, world.scale) for hold in holds])
        for hold in holds:
            if frame is not None:
                _done.setdefault(frame, []).append(_as_done(hold))
            hold.reported = hold.place
    return by_body


def _springs(body: BodyInput, hold: Hold, scale: float) -> grabs.Springs:
    motion = grabs.displacement(hold.reported, hold.place, scale)
    return grabs.springs(body, hold.vertices, hold.shares, hold.stiffness, motion)


def _as_done(hold: Hold) -> Done:
    of_hold = hold.vertices, hold.shares, hold.stiffness
    return Done(hold.number, hold.body, *of_hold, hold.reported, hold.place)


def done() -> dict[int, list[Done]]:
    """Return the recorded motion of holds before each frame, since `forget`."""
    return dict(_done)


def forget() -> None:
    """Clear the recorded motion and release all holds; frames begin anew."""
    _done.clear()
    _holds.clear()
