"""Sleeping: bodies that have stayed where they are for a second are held there until something moves them.

Contacts of stiff or light bodies are never solved exactly, and the residual trembles, about a mean that stays. A body is
still if it trembled within bounds for two windows of half a second each, and its mean was the same in both: the mean of a
swinging, creeping or slowly falling body moves. An island is the bodies that are near each other or tied; it falls asleep
when
all in it are still, and wakes as a whole. Asleep: no velocity, inverse mass 0, as a pinned vertex, and no global step.

Awake stays, and wakes, a body whose pins move; one near a collider or another body that moves; every one while gravity,
wind or fields change. So that it has its mass when it is hit, it wakes a little before. One with pins or ties sleeps only
while something touches it: a pendulum has no friction that could hold it.
Source: islands that sleep as one as in Schmidl and Milenkovic 2004, "A fast impulsive contact suite for rigid body
simulation", and in Coumans, Bullet, and Catto, Box2D; by a window of positions, not by speeds, which trembling has as well.
"""

from __future__ import annotations

import numpy as np

from ..contact.contact import Contact
from ..model.model import Model
from ..model.state import Sleep, State
from ..topology.components import label_components
from .integrate import weigh
from .poses import Poses

Array = np.ndarray

#: [s] Two of these a body has to be still: a swing of less than 2 Hz shows in them.
WINDOW = 0.5
#: A vertex may tremble so far within a window: share of the distance that the body keeps from others, and of its size,
#: whichever is less.
TREMBLE_THICKNESS, TREMBLE_SIZE = 0.5, 2.5e-3
#: Its mean may move so far from one window to the next: the same, and [m/s] slower than anyone sees. Friction of contacts
#: that tremble creeps: stiff sheets that support each other at 0.4 mm/s.
DRIFT_THICKNESS, DRIFT_SIZE, DRIFT_SPEED = 0.25, 1e-3, 5e-4
#: [m/s] A faster body wakes those near it; a slower one, undriven, is about to sleep itself.
WAKE_SPEED = 1e-3
#: Substeps of its prediction.
AHEAD = 2.0


def wake_disturbed(
    model: Model,
    state: State,
    contact: Contact | None,
    poses: tuple[Poses, Poses],
    colliders: list[tuple[slice, float]],
    wind: Array,
    gravity: Array,
    response_numbers: Array,
    fields_change: bool,
    ahead: float = AHEAD,
) -> None:
    """Wake, before substeps, and keep awake, bodies that something moves or will. ahead: substeps of the prediction.
    poses: at their ends. colliders: rows of each collider mesh, and its thickness [m]. wind [m/s], gravity [m/s^2]:
    (3,). response_numbers: numbers that change with the response of each body, (bodies,). fields_change: within the
    frame. Written: state.
    """
    sleep = state.sleep
    if sleep is None:
        return
    (before, after), loads = poses, np.concatenate([wind, gravity, response_numbers])
    disturbed = np.array([not np.array_equal(a, b) for a, b in zip(before.pins, after.pins, strict=True)])
    disturbed |= fields_change or not np.array_equal(loads[:6], sleep.acting[:6])
    disturbed |= response_numbers != sleep.acting[6:]
    sleep.acting[:] = loads
    disturbed |= np.logical_or.reduceat(state.clamped_pins, [part.start for part in model.parts])
    boxes = _Boxes(model, state)
    for rows, margin in colliders:
        start, end = before.collider_vertices[rows], after.collider_vertices[rows]
        if not np.array_equal(start, end):
            disturbed |= boxes.near(np.minimum(start, end).min(0) - margin, np.maximum(start, end).max(0) + margin)
    if sleep.asleep.any():
        square = (state.v[: model.n_vertices] ** 2).sum(1)
        speed = np.sqrt(np.maximum.reduceat(square, boxes.first))
        fast = np.flatnonzero(~sleep.asleep & (disturbed | (speed > WAKE_SPEED)))
        reach = ahead * model.h * (speed + ahead * model.h * np.linalg.norm(gravity))
        for body in fast:
            disturbed |= sleep.asleep & boxes.near(boxes.low[body] - reach[body], boxes.high[body] + reach[body])
    _restart(sleep, disturbed)
    woken = sleep.asleep & np.isin(sleep.island, sleep.island[sleep.asleep & disturbed])
    if woken.any():
        sleep.asleep[woken] = False
        _restart(sleep, woken)
        _hold(model, state, contact)


def put_to_sleep(model: Model, state: State, contact: Contact | None) -> None:
    """Let islands sleep, after a frame, whose bodies are all still. Written: state."""
    sleep = state.sleep
    if sleep is None:
        return
    boxes = _Boxes(model, state)
    _observe(model, state, sleep, boxes.first)
    ready = sleep.still & ~sleep.asleep
    if not ready.any():
        return
    if contact is None:
        touched = np.zeros(len(model.parts), bool)
    else:
        touched = np.logical_or.reduceat(contact.results.touched(), boxes.first)
    bound = {name for tie in model.scene.ties for name in (tie.body, tie.other)}
    held = [bool(len(p.pinned) or len(p.attached) or p.grab) for p in model.parts]
    hung = [is_held or p.body.name in bound for is_held, p in zip(held, model.parts, strict=True)]
    ready &= touched | ~np.array(hung)
    island = label_components(boxes.links(_ties(model)), len(model.parts))
    restless = np.bincount(island, ~(ready | sleep.asleep), len(island)) > 0
    falling = ready & ~restless[island]
    if falling.any():
        # An island that it joins becomes one with it.
        joined = sleep.asleep & np.isin(sleep.island, sleep.island[sleep.asleep & np.isin(island, island[falling])])
        sleep.asleep |= falling
        sleep.island[falling | joined] = island[falling | joined]
        _hold(model, state, contact)


def hold_rigid_bodies(model: Model, state: State) -> None:
    """Let the rigid bodies of a restored state sleep."""
    if state.rigid is not None and state.sleep is not None:
        for number, shape in enumerate(state.rigid.shapes):
            state.rigid.hold(number, bool(state.sleep.held[shape.start]))


def _hold(model: Model, state: State, contact: Contact | None) -> None:
    """Take over who sleeps: no velocity, no mass, and other pairs than before. Written: state."""
    sleep, n = state.sleep, model.n_vertices
    assert sleep is not None
    sleep.held[:] = np.repeat(sleep.asleep, [part.stop - part.start for part in model.parts])
    state.v[:n][sleep.held] = 0
    state.v_before[:n][sleep.held] = 0
    state.motion[:n][sleep.held] = 0
    state.history[:n][sleep.held] = False
    weigh(model, state, model.h)
    hold_rigid_bodies(model, state)
    if contact is not None:
        contact.forget_pairs()


def _observe(model: Model, state: State, sleep: Sleep, first: Array) -> None:
    """Add a frame to the windows of bodies; where one is full, says whether the body is still. Written: sleep."""
    x = state.x[: model.n_vertices, :3].astype(float)
    counts = np.diff(np.append(first, len(x)))
    fresh = np.repeat(sleep.age == 0, counts)[:, None]
    sleep.total[:] = np.where(fresh, x, sleep.total + x)
    sleep.low[:] = np.where(fresh, x, np.minimum(sleep.low, x))
    sleep.high[:] = np.where(fresh, x, np.maximum(sleep.high, x))
    frames = max(2, round(WINDOW * model.settings.fps))
    sleep.age += 1
    full = sleep.age >= frames
    if not full.any():
        return
    mean = sleep.total / frames
    drift = np.maximum.reduceat(np.linalg.norm(mean - sleep.mean, axis=1), first)
    tremble = np.maximum.reduceat(np.linalg.norm(sleep.high - sleep.low, axis=1), first)
    size = np.array([np.linalg.norm(np.ptp(part.body.rest, axis=0)) for part in model.parts])
    most_drift = np.minimum(DRIFT_THICKNESS * model.body_thickness, DRIFT_SIZE * size)
    most_drift = np.minimum(most_drift, DRIFT_SPEED * WINDOW)
    most_tremble = np.minimum(TREMBLE_THICKNESS * model.body_thickness, TREMBLE_SIZE * size)
    quiet = (sleep.windows > 0) & (drift <= most_drift) & (tremble <= most_tremble)
    sleep.still[full] = quiet[full]
    sleep.mean[:] = np.where(np.repeat(full, counts)[:, None], mean, sleep.mean)
    sleep.windows[full] += 1
    sleep.age[full] = 0


def _restart(sleep: Sleep, which: Array) -> None:
    """Begin the windows of bodies anew."""
    sleep.age[which], sleep.windows[which], sleep.still[which] = 0, 0, False


class _Boxes:
    """Boxes around bodies, grown by their distance to others. first: row of each body. low, high: (bodies, 3) [m]."""

    def __init__(self, model: Model, state: State) -> None:
        x = state.x[: model.n_vertices, :3].astype(float)
        self.first = np.array([part.start for part in model.parts])
        margin = np.maximum(model.body_thickness, model.vertex_distance[self.first])[:, None]
        self.low = np.minimum.reduceat(x, self.first) - margin
        self.high = np.maximum.reduceat(x, self.first) + margin

    def near(self, low: Array, high: Array) -> Array:
        """Return the bodies whose boxes overlap another box, (bodies,) bool."""
        return ((self.low <= high) & (self.high >= low)).all(1)

    def links(self, more: Array) -> Array:
        """Pairs of bodies whose boxes overlap, and `more`, (k, 2)."""
        neighbours = [np.flatnonzero(self.near(low, high)) for low, high in zip(self.low, self.high, strict=True)]
        links = [np.stack([np.full(len(others), body), others], 1) for body, others in enumerate(neighbours)]
        return np.concatenate([*links, more])


def _ties(model: Model) -> Array:
    """Bodies that ties join, (k, 2)."""
    row = {part.body.name: number for number, part in enumerate(model.parts)}
    return np.array([(row[tie.body], row[tie.other]) for tie in model.scene.ties], np.int64).reshape(-1, 2)
