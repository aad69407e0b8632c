"""Variables of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from ..device.cpu import LANES, kernel
from .hooks import pins_that_let_go
from .model import PADDING, Model
from .rigid_motion import RigidMotion
from .rod_frames import RodFrames
from .rod_frames_start import rod_frames
from .shape_clusters import ShapeClusters, shape_clusters

#: Fewest inverted elements that were left, where none were counted: more than any mesh has.
NOT_YET = np.iinfo(np.int32).max


@dataclass
class Sleep:
    """Sleeping bodies, and the motion of the others. Windows are of `stepping/sleep.py`.

    asleep, still: (bodies,) bool; still: in the last two windows. island: bodies of one number sleep and wake together,
    (bodies,). age: frames of a body's window so far, windows: whole ones since it was last disturbed, (bodies,). held: of
    vertices, (n,) bool. total, low, high: sum, least and largest of the positions in the window, mean: of the window before
    [m], (n, 3). acting: wind [m/s] and gravity [m/s^2] of the last substep, and a number for each body's response, (6 +
    bodies,).
    """

    asleep: np.ndarray
    still: np.ndarray
    island: np.ndarray
    age: np.ndarray
    windows: np.ndarray
    held: np.ndarray
    total: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    acting: np.ndarray

    @property
    def memory(self) -> dict[str, np.ndarray]:
        """Its arrays by name; a checkpoint keeps and restores them."""
        return {f"sleep_{name}": array for name, array in vars(self).items()}


def nobody_asleep(bodies: int, n: int) -> Sleep:
    """Return the state at frame 1. n: vertices."""
    (asleep, still), (island, age, windows) = np.zeros((2, bodies), bool), np.zeros((3, bodies), np.int32)
    total, low, high, mean = np.zeros((4, n, 3))
    return Sleep(
        asleep, still, island, age, windows, np.zeros(n, bool), total, low, high, mean, acting=np.full(6 + bodies, np.nan)
    )


@dataclass
class State:
    """Variables of a simulation.

    x: (n + 4, 4) position [m] relative to the model's origin and h^2 / mass [s^2/kg]; the last four rows are padding. h is
    the integrator's effective step (`integrate.py`). v: velocities [m/s], (n + 4, 3). x0, x_pred: start and prediction of
    the substep, as x. correction: displacement from the prediction by energies and contacts [m], (n + 4, 4): x is x_pred +
    correction, rounded; the correction is not, and has the digits that a difference of positions would lose. remainder:
    rounding error of x, (n + 4, 3) [m]; the next prediction adds it.
    motion: of the substep [m], exact, (n + 4, 3), where history (n + 4,) is true; v_before: velocity before it [m/s], (n +
    4, 3); step_before: its length [s].
    load: force beside the energies' [N], (n + 4, 3), and inertia: 1, or 0 in a quasi-static solve (`methods/potential.py`).
    displacements, strains_at_start: of each `ElementBatch`: its method's state between sweeps, and the reference strains of
    damping, at the substep's start. inversion_recovery: of each batch, for how many substeps its inverted elements are still
    recovered, or its volume is still soft after that, and the fewest that remained, (batches, 2);
    `methods/recovery/inversion_recovery.py`.
    clamped_pins: fixed vertices that contact keeps from their targets, (n,) bool. flat_compression: of each flat sheet, the
    compression at its last disturbance [1], (s,), see `stepping/flat_starts.py`. times: factor on the substeps of the
    settings, now. stall_stayed: whether most of the last frame stalled with the largest factor, or with smaller ones after
    one that did. rigid: rigid bodies, whose vertices are rows of x. pressure: of the gas in each body over that around it
    [Pa], (bodies,); (0,) without gas. sleep: None if bodies never sleep. time: seconds
    since frame 1. rods: frames of ropes that bend; shapes: clusters of shape-matched bodies; None without them. broken:
    of `Model.tearing`, (e,) bool. bound: copies that pins keep together (`model/torn.py`), (n,) bool. let_go:
    vertices whose pins hold no longer, (n,) bool; (0,) where none can.
    exact_start: start of the substep with the remainder, double [m], (n + 4, 3), which a rope's damping compares with; None
    without ropes.
    """

    x: np.ndarray
    v: np.ndarray
    x0: np.ndarray
    x_pred: np.ndarray
    correction: np.ndarray
    remainder: np.ndarray
    motion: np.ndarray
    v_before: np.ndarray
    history: np.ndarray
    load: np.ndarray
    displacements: list[np.ndarray]
    strains_at_start: list[np.ndarray]
    inversion_recovery: np.ndarray
    clamped_pins: np.ndarray
    flat_compression: np.ndarray
    step_before: float
    inertia: float = 1.0
    times: int = 1
    stall_stayed: bool = False
    frame: int = 1
    time: float = 0.0
    rigid: RigidMotion | None = None
    pressure: np.ndarray = field(default_factory=lambda: np.zeros(0))
    sleep: Sleep | None = None
    rods: RodFrames | None = None
    shapes: ShapeClusters | None = None
    broken: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    bound: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    let_go: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    exact_start: np.ndarray | None = None

    def place(self) -> None:
        """Set x to where corrections have moved the predictions."""
        add_corrections(self.x_pred, self.correction, self.x)

    def take_up(self) -> None:
        """Set the corrections of the vertices that were moved in x alone."""
        take_up_moves(self.x_pred, self.x, self.correction)

    def move(self, rows: np.ndarray, by: np.ndarray, free: np.ndarray | None = None) -> None:
        """Move vertices, (k,), by (k, 3) [m] after the prediction; those that are free, (k,) bool, None for all."""
        which = np.ones(len(rows), bool) if free is None else free
        move_rows(rows, which, by, self.x_pred, self.correction, self.x)


@kernel
def add_corrections(x_pred, correction, x):
    """x = x_pred + correction, three columns."""
    for i in range(len(x)):
        for k in range(3):
            x[i, k] = x_pred[i, k] + correction[i, k]


@kernel
def move_rows(rows, which, by, x_pred, correction, x):
    """correction += by, x = x_pred + correction in those of these rows, (k,) bool, three columns."""
    for i in range(len(rows)):
        if which[i]:
            v = rows[i]
            for k in range(3):
                correction[v, k] += x.dtype.type(by[i, k])
                x[v, k] = x_pred[v, k] + correction[v, k]


@kernel
def take_up_moves(x_pred, x, correction):
    """correction = x - x_pred, three columns, where it does not lead to x."""
    for i in range(len(x)):
        for k in range(3):
            if x[i, k] != x_pred[i, k] + correction[i, k]:
                correction[i, k] = x[i, k] - x_pred[i, k]


def start_state(model: Model, state_numbers: Callable[[ModuleType], int]) -> State:
    """The state at frame 1. state_numbers: of the method (`methods/__init__.py`)."""
    dtype = np.dtype(model.settings.dtype)
    n = model.n_vertices
    x = np.zeros((n + len(PADDING), 4), dtype)
    x[:n, :3] = model.x_start
    x[:n, 3] = np.where(model.fixed, 0.0, model.h**2 / model.mass)
    x[n:, :3] = PADDING
    v = np.zeros((len(x), 3), dtype)
    v[:n] = np.where(model.fixed[:, None], 0.0, model.v_start)
    rigid = RigidMotion(model.rigid, model.h, dtype, len(model.rigid_ties)) if model.rigid else None
    if rigid is not None:
        rigid.place(x)
    model.embedded.place(x)
    return State(
        x,
        v,
        x.copy(),
        x.copy(),
        np.zeros_like(x),
        np.zeros_like(v),
        np.zeros_like(v),
        v.copy(),
        np.zeros(len(x), bool),
        np.zeros_like(v),
        [np.zeros((batch.packs, state_numbers(batch.energy) * LANES), dtype) for batch in model.batches],
        [np.zeros((batch.packs, batch.energy.START_STRAINS * LANES), dtype) for batch in model.batches],
        np.array([[0, NOT_YET]] * len(model.batches), np.int32).reshape(-1, 2),
        np.zeros(n, bool),
        np.zeros(len(model.flat_sheets.anchors), dtype),
        model.h,
        inertia=0.0 if model.settings.quasi_static else 1.0,
        rigid=rigid,
        pressure=np.zeros(len(model.parts) * any(part.body.pressure is not None for part in model.parts)),
        sleep=nobody_asleep(len(model.parts), n) if model.settings.sleep else None,
        rods=rod_frames(model),
        shapes=shape_clusters(model),
        broken=np.zeros(0 if model.tearing is None else len(model.tearing), bool),
        bound=np.zeros(0, bool) if model.tearing is None else model.fixed[model.weld],
        let_go=np.zeros(n if any(pins_that_let_go(part) is not None for part in model.parts) else 0, bool),
        exact_start=x[:, :3].astype(float) if any(part.kind.is_line for part in model.parts) else None,
    )
