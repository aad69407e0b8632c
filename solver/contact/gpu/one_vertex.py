"""Functions of one vertex in the stages of a substep."""

from __future__ import annotations

from ...device.cpu import f32
from ...device.uncounted import inline
from ...model.gpu.substep_motion import NOW
from ...model.motion_law import back_to_first_order, lost

ONE = f32(1)


@inline
def begin_first_order(m, i):
    """Predict vertex i by backward Euler, if that was not done yet (`stepping/integrate.py`). m: `substep_motion.Motion`."""
    if m.second_order > 0 and m.history[i]:
        now = m.now[m.step]
        lag = now[NOW.more] - ONE
        m.history[i] = False
        w = now[NOW.more] * now[NOW.more] * m.x[i, 3]
        m.x[i, 3] = w
        m.x0[i, 3] = w
        m.x_pred[i, 3] = w
        for k in range(3):
            v, displacement = back_to_first_order(m.v[i, k], m.v_before[i, k], now[NOW.h], lag)
            step = m.remainder[i, k] + (displacement - m.motion[i, k])
            before = m.x_pred[i, k]
            place = before + step
            m.v[i, k] = v
            m.motion[i, k] = displacement
            m.x_pred[i, k] = place
            m.x[i, k] = place
            m.remainder[i, k] = lost(before, step, place)


@inline
def take_up(m, i, p):
    """Move a vertex to p after the prediction, if it is not there."""
    for k in range(3):
        if p[k] != m.x_pred[i, k] + m.correction[i, k]:
            m.correction[i, k] = p[k] - m.x_pred[i, k]
        m.x[i, k] = p[k]
