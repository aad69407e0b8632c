"""Positions of a substep on a device, from predictions and corrections."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cuda.array import Array
from ...device.cuda.body import body


class Places(NamedTuple):
    """Positions of a substep, as in `State`."""

    x: Array
    x_pred: Array
    correction: Array


@body
def place(i, args):
    """x = x_pred + correction, three columns."""
    for k in range(3):
        args.x[i, k] = args.x_pred[i, k] + args.correction[i, k]
