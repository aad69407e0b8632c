"""The start of a substep on a device: predictions, pins, flat sheets, embedded points (`CpuStages.predict`)."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...model.gpu.substep_motion import NOW, posed
from ...model.model import FlatSheets
from ...model.motion_law import first_order, lost, second_order
from ..flat_starts import disturb_sheet

ZERO = f32(0)


class Sheets(NamedTuple):
    """sheets: `FlatSheets` of the device. x0, before, x: as `disturb` takes them."""

    sheets: FlatSheets
    x0: Array
    before: Array
    x: Array


class Points(NamedTuple):
    """Points that tetrahedra carry: rows (k,), corners (k, 4), shares (k, 4). x: is written."""

    rows: Array
    corners: Array
    shares: Array
    x: Array


@body
def predict(i, args):
    """`integrate.predict_bdf2` and, without a history, `predict`; pins go to their targets; then the prediction is kept."""
    now, x = args.now[args.step], args.x
    w = args.weight[i]
    old = args.second_order > 0 and args.history[i]
    if old:
        w *= now[NOW.share] * now[NOW.share]
    pin = args.pin[i]
    for k in range(3):
        start = x[i, k]
        v_start = args.v[i, k]
        place = start
        args.x0[i, k] = start
        if w > ZERO:
            blown, gain, keep, h = args.blown[i, k], now[NOW.h] * now[NOW.gravity + k], now[NOW.keep], now[NOW.h]
            if old:
                before, past, carry, share = args.v_before[i, k], args.motion[i, k], now[NOW.carry], now[NOW.share]
                v, motion = second_order(v_start, blown, before, past, gain, keep, h, carry, share)
            else:
                v, motion = first_order(blown, gain, keep, h)
            step = motion + args.remainder[i, k]
            place = start + step
            args.v[i, k] = v
            if args.second_order > 0:
                args.motion[i, k] = motion
            args.remainder[i, k] = lost(start, step, place)
        elif pin >= 0:
            place = posed(args.poses, pin, args.rows, now[NOW.end], k)
        if args.second_order > 0:
            args.v_before[i, k] = v_start
        x[i, k] = place
        args.x_pred[i, k] = place
        args.correction[i, k] = ZERO
    args.x0[i, 3] = w
    x[i, 3] = w
    args.x_pred[i, 3] = w
    args.correction[i, 3] = ZERO


@body
def disturb(i, args):
    """`flat_starts.disturb` of one sheet."""
    disturb_sheet(i, args.sheets, args.x0, args.before, args.x)


@body
def embed(i, args):
    """Write a point where its tetrahedron has it."""
    row = args.rows[i]
    for k in range(3):
        place = args.shares[i, 0] * args.x[args.corners[i, 0], k]
        for corner in range(1, 4):
            place += args.shares[i, corner] * args.x[args.corners[i, corner], k]
        args.x[row, k] = place
