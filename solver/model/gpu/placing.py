"""Positions of a substep on a device, from predictions and corrections."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cuda.body import body


class Places(NamedTuple):
    """Positions of a substep, as in `State`."""

    x: Any
    x_pred: Any
    correction: Any


@body
def place(i, args):
    """x = x_pred + correction, three columns."""
    for k in range(3):
        args.x[i, k] = args.x_pred[i, k] + args.correction[i, k]
