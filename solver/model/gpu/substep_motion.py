"""Arrays of the motion of a substep on a device, and the numbers that change from substep to substep.

These are in a table of the frame, a row for each substep (`NOW`), uploaded once a frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.layout import layout
from ...device.uncounted import inline

ONE = f32(1)
#: Columns of the frame's table. h [s] and its inverse; keep: share of the velocity; share, carry, more = 1 + lag, of
#: `integrate.bdf2_coefficients`; ratio: of the substep to the one before; start, end: where among the frame's poses the
#: substep begins and ends, a whole number at a pose.
NOW = layout(gravity=3, wind=3, h=1, inverse_h=1, keep=1, share=1, carry=1, more=1, ratio=1, start=1, end=1)


class Motion(NamedTuple):
    """Arrays of `State`; weight: h^2 / mass, 0 for fixed vertices, (n + 4,). blown: velocities with air, v itself without
    air. pin: of each vertex its row of the poses, -1 for none, (n + 4,); poses: (poses * rows, 3) [m], rows: of one.
    second_order: 1 or 0. now: the frame's table; step: the substep's row.
    """

    x: Array
    v: Array
    x0: Array
    x_pred: Array
    correction: Array
    remainder: Array
    motion: Array
    v_before: Array
    history: Array
    weight: Array
    blown: Array
    pin: Array
    poses: Array
    rows: np.int32
    second_order: np.int32
    now: Array
    step: np.int32


@inline
def posed(poses, row, rows, at, k):
    """Coordinate k of a row of the poses, where these are interpolated at `at`."""
    last = poses.shape[0] // rows - 2
    before = min(int(at), last)
    share = at - f32(before)
    a = poses[before * rows + row, k]
    b = poses[(before + 1) * rows + row, k]
    return b if share >= ONE else a + share * (b - a)
