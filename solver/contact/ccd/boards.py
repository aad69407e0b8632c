"""Clamp of continuous collision detection on stiff sheets, shortened as a whole.

Clamping one vertex of a stiff sheet stores membrane energy, which is released as velocity.
"""

from __future__ import annotations

import math

from ...device.cpu import f32
from ...device.uncounted import uncounted_kernel
from .law import CCD_LEVELS, own_share

ONE, ZERO = f32(1), f32(0)


@uncounted_kernel
def clamp_boards(rows, motion, level, share, room, lead, common, x):
    """End the substep of stiff sheets with a vertex that has a level: the share of their own motion that is let to all of
    these vertices, beside the mean of their reference motions.

    rows: first vertex of each sheet, and the one after its last, (k, 2). motion: as wanted. Others: see `clamp_ends`.
    Read and written: level (count,), of those vertices that have one the highest of their sheet's. Written: x (count, 4).
    """
    x0, wanted = motion.x0, motion.x1
    for board in range(rows.shape[0]):
        start, stop = rows[board, 0], rows[board, 1]
        top, held = 0, 0
        bx, by, bz = ZERO * x0[0, 0], ZERO * x0[0, 0], ZERO * x0[0, 0]
        for i in range(start, stop):
            if level[i] > 0:
                top = max(top, level[i])
                held += 1
                bx, by, bz = bx + lead[i, 0], by + lead[i, 1], bz + lead[i, 2]
        if held == 0:
            continue
        if top < CCD_LEVELS:
            bx, by, bz = bx / f32(held), by / f32(held), bz / f32(held)
        else:
            bx, by, bz = common[0], common[1], common[2]
        part = ONE + bx * ZERO
        for i in range(start, stop):
            if level[i] > 0:
                level[i] = top
                dx = wanted[i, 0] - x0[i, 0] - bx
                dy = wanted[i, 1] - x0[i, 1] - by
                dz = wanted[i, 2] - x0[i, 2] - bz
                size = math.sqrt(dx * dx + dy * dy + dz * dz)
                part = min(part, own_share(top, share[i], room[i], size))
        for i in range(start, stop):
            if x0[i, 3] > 0:
                x[i, 0] = x0[i, 0] + bx + part * (wanted[i, 0] - x0[i, 0] - bx)
                x[i, 1] = x0[i, 1] + by + part * (wanted[i, 1] - x0[i, 1] - by)
                x[i, 2] = x0[i, 2] + bz + part * (wanted[i, 2] - x0[i, 2] - bz)
