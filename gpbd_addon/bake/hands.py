"""What an artist's hand does to bodies that play live or are draped: springs that draw at the vertices in a brush, and what is held.

Each frame that is solved is told of it (`of_frame`); the solver keeps where targets are (`solver/scene/grab.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...solver.scene import Grab
from ..read.body_input import BodyInput
from ..read.scene_input import World

Array = np.ndarray

#: Of the springs, so that what is grabbed follows without a long swing [s].
DAMPING = 0.05


@dataclass
class Hold:
    """Of the vertices of one mesh. body: its identity. vertices: (k,). shares: of the stiffness, (k,) float32, of any sum.
    stiffness: of all springs together [N/m], infinite for what is held. place: of the hand, world space in Blender units,
    (3,) float32; told: the same as it was in the last frame. is_whole: whether it freezes a body."""

    body: str
    vertices: Array
    shares: Array
    stiffness: float
    place: Array
    told: Array = field(init=False)
    is_whole: bool = False

    def __post_init__(self) -> None:
        self.place = self.told = np.array(self.place, np.float32)

    @property
    def is_held(self) -> bool:
        return bool(np.isinf(self.stiffness))


_holds: list[Hold] = []


def all_of() -> Iterator[Hold]:
    """What is held and drawn now."""
    yield from _holds


def grab(body: str, vertices: Array, shares: Array, stiffness: float, place: Array) -> Hold:
    """Draws at vertices from now on, of any other hold no more; of `Hold`."""
    let_go(body, vertices)
    found = Hold(body, np.asarray(vertices, np.int64), np.asarray(shares, np.float32), stiffness, place)
    _holds.append(found)
    return found


def move(hold: Hold, place: Array) -> None:
    """Where the hand is, of `Hold`."""
    hold.place = np.array(place, np.float32)


def pin(hold: Hold) -> None:
    """Holds where they are what springs have drawn."""
    hold.stiffness = np.inf


def hold_all(body: str, count: int) -> None:
    """Freezes a body of so many vertices."""
    grab(body, np.arange(count), np.ones(count), np.inf, np.zeros(3)).is_whole = True


def is_frozen(body: str) -> bool:
    return any(hold.body == body and hold.is_whole for hold in _holds)


def let_go(body: str, vertices: Array | None) -> bool:
    """Of these vertices of a body, None for all; returns whether any was held."""
    found = False
    for hold in [one for one in _holds if one.body == body]:
        keep = np.zeros(len(hold.vertices), bool) if vertices is None else ~np.isin(hold.vertices, vertices)
        found |= not keep.all()
        hold.vertices, hold.shares = hold.vertices[keep], hold.shares[keep]
        if not keep.any():
            _holds.remove(hold)
    return found


def clear() -> None:
    """Lets go of all."""
    _holds.clear()


def of_frame(world: World) -> dict[str, Grab]:
    """What is done to each body on the way to the next frame. Each hand has come to where it is then."""
    found = {}
    for body in world.bodies:
        own = [hold for hold in _holds if hold.body == body.uuid]
        if own:
            found[body.name] = _together([_springs(body, hold, world.scale) for hold in own])
        for hold in own:
            hold.told = hold.place
    return found


def _springs(body: BodyInput, hold: Hold, scale: float) -> tuple[Array, Array, Array]:
    """Simulated vertices (k,), their stiffness [N/m], and how far they are drawn [m], (k, 3). scale: metres of a Blender
    unit."""
    vertices, shares = body.grabbed(hold.vertices, hold.shares)
    stiffness = np.full(len(vertices), np.inf) if hold.is_held else hold.stiffness * shares / shares.sum()
    way = scale * (hold.place.astype(float) - hold.told.astype(float))
    return vertices, stiffness, np.tile(np.zeros(3) if hold.is_held else way, (len(vertices), 1))


def _together(springs: list[tuple[Array, Array, Array]]) -> Grab:
    """A vertex that several have, as those of a soft body between two, is of the last."""
    vertices, stiffness, moved = (np.concatenate(rows) for rows in zip(*springs, strict=True))
    _, last = np.unique(vertices[::-1], return_index=True)
    rows = np.sort(len(vertices) - 1 - last)
    return Grab(vertices[rows], stiffness[rows], moved[rows], DAMPING)
