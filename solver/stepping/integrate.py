"""Time integration: prediction, velocities, and the forces that are known before the substep (gravity, air,
fields).

Both integrators look for x with M (x - x_pred) / h'^2 = forces(x): backward Euler (BDF1) with h' = h, and BDF2, of second
order, with h' = 2/3 h (after a substep of the same length) and a prediction from two substeps. Sources: Curtiss and
Hirschfelder 1952, "Integration of stiff equations"; steps that change: Hairer, Norsett, Wanner 1993, "Solving ordinary
differential equations I", section III.5.

Velocities and motions are those of the prediction and what the correction adds, x - x_pred, which the methods sum up by
itself. Differences of positions would have their rounding: in single precision 6e-8 m at 1 m, over a substep of 1 ms
6e-5 m/s, in every substep, which no force has caused. What positions themselves lose in rounding is kept and added to the
next prediction. Source: Knuth 1969, "The Art of Computer Programming", vol. 2, section 4.2.2, theorem B (exact sums).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..device.cpu import f32, kernel
from ..model.model import Model
from ..model.motion_law import (
    HALF,
    THIRD,
    air_on_segment,
    air_on_triangle,
    air_share,
    back_to_first_order,
    corrected_velocity,
    first_order,
    lost,
    second_order,
)
from ..model.state import State

ONE = f32(1)


def bdf2_coefficients(ratio: float) -> tuple[float, float, float]:
    """(lag, share, carry) of BDF2 in a substep that is `ratio` times as long as the one before; 1/2, 2/3, 1/3 after one of
    the same length.

    (1 + lag) v - lag v_0 = (1 + lag) (v_0 + carry (v_0 - v_before)) - lag v_0 + h force / mass, and so for x. share: the
    effective step over h, 1 / (1 + lag). Stable while ratios stay below 1 + sqrt 2; a frame repeated in shorter substeps
    halves them, and they double again at most once a frame.
    """
    lag = ratio / (1.0 + ratio)
    share = 1.0 / (1.0 + lag)
    return lag, share, ratio * lag * share


def gravity_share(model: Model, state: State) -> float:
    """Return the share of gravity h^2 by which gravity moves the prediction of a vertex with a history."""
    if model.settings.integrator == "bdf1" or model.settings.quasi_static:
        return 1.0
    return bdf2_coefficients(model.h / state.step_before)[1] ** 2


def begin_substep(model: Model, state: State, gravity: np.ndarray, act: Callable[[], None]) -> None:
    """Move every vertex to its prediction and keep the start in x0; a quasi-static solve starts where it is.

    gravity: (3,) m/s^2. act: changes the velocities, in a quasi-static solve the load, by all else that acts in the substep.
    """
    settings, dtype = model.settings, state.x.dtype
    state.correction.fill(0)
    if settings.quasi_static:
        state.x0[...] = state.x
        state.load[: model.n_vertices] = model.mass[:, None] * gravity
        act()
        return
    h, keep = dtype.type(model.h), dtype.type(np.exp(-settings.damping * model.h))
    gravity = gravity.astype(dtype)
    second_order = settings.integrator == "bdf2"
    v_start = state.v.copy()
    if second_order:
        weigh(model, state, model.h)
    act()
    if second_order:
        _, share, carry = bdf2_coefficients(model.h / state.step_before)
        weigh_bdf2(state.x, state.history, dtype.type(share**2))
        before = state.motion, state.v_before, v_start, state.history, dtype.type(carry)
        predict_bdf2(state.x, state.v, state.x0, state.remainder, *before, gravity, keep, h, dtype.type(share))
    else:
        predict(state.x, state.v, state.x0, state.remainder, gravity, keep, h)
    state.v_before[...] = v_start


def lower_order(model: Model, state: State, near: np.ndarray) -> None:
    """Use backward Euler in this substep for vertices that contact may push, near (n,) bool: extrapolation through an impact
    returns velocity to the impacting body. Goes after the prediction; forces so far stay as they are.

    The velocity that it starts with is (3 v - v_before) / 2 while substeps are equal. The sum of mass times this changes by
    force times h alone, at either order: so forces that are equal and opposite keep momentum, whatever the orders of their
    vertices are.
    """
    moved = state.x, state.v, state.x0, state.x_pred, state.correction, state.remainder, state.motion
    of_type, lag = state.x.dtype.type, bdf2_coefficients(model.h / state.step_before)[0]
    begin_first_order(*moved, state.v_before, state.history, near, of_type(model.h), of_type(lag))


def end_substep(model: Model, state: State, pushed: np.ndarray | None) -> None:
    """Turn corrections into velocities; of what no force moves, positions.

    pushed: the vertices that contact has moved, (n,) bool; None: none. An unpredicted motion by contact gets a velocity of
    first order too: that keeps no momentum, but does not return it as velocity.
    """
    inverse_h = state.x.dtype.type(1.0 / model.h)
    if model.settings.quasi_static:
        state.v.fill(0)
        return
    keep_remainders(state.x, state.x_pred, state.correction, state.remainder)
    if model.settings.integrator == "bdf1":
        set_velocities(state.x, state.v, state.x0, state.correction, inverse_h)
    else:
        if pushed is not None:
            state.history[: model.n_vertices] &= ~pushed
        more = state.x.dtype.type(1.0 + bdf2_coefficients(model.h / state.step_before)[0])
        set_velocities_bdf2(state.x, state.v, state.x0, state.motion, state.correction, state.history, inverse_h, more)
        state.history.fill(True)
        state.step_before = model.h


def restart(model: Model, state: State, first_order: np.ndarray) -> None:
    """Let vertices, (n,) bool, continue from a substep of first order as if they had always had the velocity that they have
    now: (3 v - v_before) / 2 is v then."""
    rows = np.flatnonzero(first_order)
    state.v_before[rows] = state.v[rows]
    state.motion[rows] = state.v[rows] * state.x.dtype.type(model.h)


def set_step(model: Model, state: State) -> None:
    """Take over the substep of a model that differs in it only."""
    weigh(model, state, model.h)
    if state.rigid is not None:
        state.rigid.set_step(model.h)


def weigh(model: Model, state: State, step: float) -> None:
    """Set the last column of x to step^2 / mass, 0 where fixed or asleep."""
    fixed = model.fixed if state.sleep is None else model.fixed | state.sleep.held
    state.x[: model.n_vertices, 3] = np.where(fixed, 0.0, step**2 / model.mass)


@kernel
def keep_remainders(x, x_pred, correction, remainder):
    """Add to the remainders what rounding took from x = x_pred + correction; none where nothing may move."""
    for i in range(len(x)):
        for k in range(3):
            if x[i, 3] > 0:
                remainder[i, k] += lost(x_pred[i, k], correction[i, k], x[i, k])
            else:
                remainder[i, k] = 0


@kernel
def predict(x, v, x0, remainder, gravity, keep, h):
    """x0 = x, v = keep v + h g, x = x + remainder + h v for every vertex that may move; the remainder is what x loses.

    gravity: (3,) m/s^2. keep: share of v.
    """
    for i in range(len(x)):
        for k in range(4):
            x0[i, k] = x[i, k]
        if x[i, 3] > 0:
            for k in range(3):
                v[i, k], motion = first_order(v[i, k], h * gravity[k], keep, h)
                step = motion + remainder[i, k]
                x[i, k] += step
                remainder[i, k] = lost(x0[i, k], step, x[i, k])


@kernel
def weigh_bdf2(x, history, share):
    """The last column of x, h^2 / mass, times share where there is a history."""
    for i in range(len(x)):
        if history[i]:
            x[i, 3] *= share


@kernel
def predict_bdf2(x, v, x0, remainder, motion, v_before, v_start, history, carry, gravity, keep, h, share):
    """x0 = x; where free v = v_start + carry (v_start - v_before) + share (keep v - v_start + h g), motion = carry motion +
    share h v, and x = x + remainder + motion.

    motion: of the substep before [m], (n, 3). v_start: the velocity [m/s], (n, 3); v: the same with what the air has added
    to it, which acts as a force during h. history: (n,) bool; without one as `predict`. carry, share: `bdf2_coefficients`.
    """
    for i in range(len(x)):
        for k in range(4):
            x0[i, k] = x[i, k]
        if x[i, 3] > 0 and not history[i]:
            for k in range(3):
                v[i, k], motion[i, k] = first_order(v[i, k], h * gravity[k], keep, h)
                step = motion[i, k] + remainder[i, k]
                x[i, k] += step
                remainder[i, k] = lost(x0[i, k], step, x[i, k])
        elif x[i, 3] > 0:
            for k in range(3):
                gain, past = h * gravity[k], motion[i, k]
                v[i, k], motion[i, k] = second_order(
                    v_start[i, k], v[i, k], v_before[i, k], past, gain, keep, h, carry, share
                )
                step = motion[i, k] + remainder[i, k]
                x[i, k] += step
                remainder[i, k] = lost(x0[i, k], step, x[i, k])


@kernel
def begin_first_order(x, v, x0, x_pred, correction, remainder, motion, v_start, history, near, h, lag):
    """v = v + lag (v - v_start), that of backward Euler's prediction; x_pred with it; weights and corrections times
    (1 + lag)^2, which leaves forces as they are; no history. For vertices near contact, with a history. near: (n,) bool."""
    more = (ONE + lag) * (ONE + lag)
    for i in range(len(near)):
        if not (near[i] and history[i] and x[i, 3] > 0):
            continue
        history[i] = False
        x[i, 3] *= more
        x0[i, 3] = x[i, 3]
        x_pred[i, 3] = x[i, 3]
        for k in range(3):
            v[i, k], displacement = back_to_first_order(v[i, k], v_start[i, k], h, lag)
            step = remainder[i, k] + (displacement - motion[i, k])
            motion[i, k] = displacement
            before = x_pred[i, k]
            x_pred[i, k] += step
            remainder[i, k] = lost(before, step, x_pred[i, k])
            correction[i, k] *= more
            x[i, k] = x_pred[i, k] + correction[i, k]


@kernel
def set_velocities_bdf2(x, v, x0, motion, correction, history, inverse_h, more):
    """v + more correction / h with v of the prediction, more = 1 + lag (`bdf2_coefficients`), where there is a history:
    (3 x - 4 x0 + x_before) / (2 h) while substeps are equal.

    Else the backward Euler velocity, motion / h. motion: of the prediction, then of the substep [m], (n, 3).
    """
    for i in range(len(x)):
        for k in range(3):
            if x[i, 3] > 0:
                motion[i, k] += correction[i, k]
            else:
                motion[i, k] = x[i, k] - x0[i, k]
            has_history = x[i, 3] > 0 and history[i]
            v[i, k] = corrected_velocity(v[i, k], motion[i, k], correction[i, k], inverse_h, more, has_history)


@kernel
def set_velocities(x, v, x0, correction, inverse_h):
    """The backward Euler velocity, (x - x0) / h: v + correction / h with v of the prediction where x may move."""
    for i in range(len(x)):
        for k in range(3):
            if x[i, 3] > 0:
                v[i, k] += correction[i, k] * inverse_h
            else:
                v[i, k] = (x[i, k] - x0[i, k]) * inverse_h


@kernel
def blow_on_triangles(x, seen, triangles, wind, pressure, drag, lift, rate, push):
    """Set rate, (t,) [kg/s], and push, (t, 3) [N], of each triangle: see `law.air_on_triangle`.

    seen: the velocities that the air meets [m/s], (n, 3 or more). triangles: (t, 3). wind: (3,) m/s.
    """
    for t in range(len(triangles)):
        a = triangles[t, 0]
        b = triangles[t, 1]
        c = triangles[t, 2]
        ux = wind[0] - (seen[a, 0] + seen[b, 0] + seen[c, 0]) * THIRD
        uy = wind[1] - (seen[a, 1] + seen[b, 1] + seen[c, 1]) * THIRD
        uz = wind[2] - (seen[a, 2] + seen[b, 2] + seen[c, 2]) * THIRD
        p = (x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2])
        q = (x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2])
        rate[t], raised = air_on_triangle((ux, uy, uz), p, q, pressure, drag, lift)
        push[t, 0], push[t, 1], push[t, 2] = raised


@kernel
def blow_on_segments(x, seen, segments, diameters, wind, pressure, drag, rate, push):
    """The same of each segment of a rope: see `law.air_on_segment`. segments: (s, 2). diameters: [m], (s,)."""
    for e in range(len(segments)):
        a = segments[e, 0]
        b = segments[e, 1]
        ux = wind[0] - (seen[a, 0] + seen[b, 0]) * HALF
        uy = wind[1] - (seen[a, 1] + seen[b, 1]) * HALF
        uz = wind[2] - (seen[a, 2] + seen[b, 2]) * HALF
        p = (x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2])
        rate[e], along = air_on_segment((ux, uy, uz), p, pressure, drag, diameters[e])
        push[e, 0], push[e, 1], push[e, 2] = along


@kernel
def add_air(x, v, seen, first, incident, wind, rate, push, h):
    """Change v by the air on each vertex's elements during h.

    first, incident: elements at each vertex, (n + 1,) and (corners of all,). seen, wind, rate, push: of
    `blow_on_triangles`.
    """
    zero = x.dtype.type(0)
    for i in range(len(first) - 1):
        if x[i, 3] <= zero or first[i] == first[i + 1]:
            continue
        total = zero
        fx = zero
        fy = zero
        fz = zero
        for j in range(first[i], first[i + 1]):
            t = incident[j]
            total += rate[t]
            fx += push[t, 0]
            fy += push[t, 1]
            fz += push[t, 2]
        step = air_share(x[i, 3] / h, total)  # of h / mass
        v[i, 0] += step * (total * (wind[0] - seen[i, 0]) + fx)
        v[i, 1] += step * (total * (wind[1] - seen[i, 1]) + fy)
        v[i, 2] += step * (total * (wind[2] - seen[i, 2]) + fz)
