"""Windows in which a sheet is smooth, so that no two elements of one touch: pairs within them are no candidates.

As in `smooth_sheets`, but window by window, in any world, and with small windows. They hold all elements that begin in one
of their 2 x 2 cells. A window that was smooth and no longer is has its pairs searched for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.uncounted import inline, uncounted_kernel
from ...steering import SAFE_SHARE, SLIGHT, WINDOW_CELL_SIZE
from ..surfaces.sheet_cells import Cells, begun_in, cells_of
from ..surfaces.surfaces import Surfaces
from .smooth_sheets import are_equal, find_smooth, least_of_window, look_at_cell, take_planes

Array = np.ndarray
ZERO, ONE = f32(0), f32(1)


class WindowTable(NamedTuple):
    """Table of windows for kernels. smooth: (windows,) bool. columns, rows: see `Grid`."""

    smooth: Array
    columns: Array
    rows: Array


class Room(NamedTuple):
    """Motion of the particles of cells beside the one in the middle, at most, until its windows are looked at again.

    ways: [m], (cells,). share: of what eigenvalues are above c, [m], (cells,): corners that move by d change the deformation
    gradient by 2 sqrt(2) d times the norm of the inverse of the edges at rest, at most, and eigenvalues by no more. places:
    of the members when they were looked at last [m], (m, 3); centres: of the middles, (cells, 3).
    """

    ways: Array
    share: Array
    places: Array
    centres: Array


class SmoothWindows:
    """Knows windows that are smooth all along the motion of a substep. While lists live they only become fewer. table: for
    kernels. inside: particles of sheets that have windows, (count,) bool."""

    def __init__(self, surfaces: Surfaces) -> None:
        cells = cells_of(surfaces, WINDOW_CELL_SIZE, True)
        self._cells: Cells | None = None if cells is None else cells[0]
        self._grid = None if cells is None else cells[1]
        count = 0 if self._cells is None else len(self._cells.axes)
        self._now, smooth = np.zeros((2, count), bool)
        nothing = np.zeros((0, 2), np.int32)
        self.table = WindowTable(smooth, *((nothing, nothing) if self._grid is None else self._grid[2:]))
        self._left, self.inside = np.zeros((2, surfaces.count), bool)
        if self._grid is not None:
            self.inside = (self._grid.place >= 0).all(1)
        self._room = _no_room(self._cells)
        self._none = self._known_at = np.zeros((0, 4), surfaces.rest.dtype)
        self._margin = surfaces.rest.dtype.type(SLIGHT)
        self.begin()

    def begin(self) -> None:
        """Take new planes at the next look, and look at all windows again."""
        self._begun = False

    def state(self) -> dict[str, Array]:
        """Return the state of the windows, by name: arrays to be written to."""
        if self._cells is None:
            return {}
        return {"list_smooth_windows": self.table.smooth, "list_window_axes": self._cells.axes}

    def restored(self) -> None:
        """Restart after the arrays of a `state` were written to."""
        self._known_at, self._begun = self._none, True
        self._room.ways.fill(-1)

    def cells(self, elements: Array) -> Array:
        """See `sheet_cells.begun_in`."""
        return begun_in(self._grid, elements)

    def look(self, x0: Array, *ends: Array) -> Array | None:
        """Find the windows that are smooth on the straight ways from x0 to all of these ends, (count, 4) [m].

        Returns which particles are in windows that were smooth until now and are not, (count,) bool; None for none.
        """
        cells, smooth, now = self._cells, self.table.smooth, self._now
        if cells is None:
            return None
        if not self._begun:
            take_planes(x0, cells)
            self._room.ways.fill(-1)
            now.fill(True)
            find_smooth(x0, self._margin, cells, now)  # with a margin, so that they stay so for a while
        else:
            now[...] = smooth
            if not are_equal(x0, self._known_at):
                keep_smooth(x0, cells, self._room, now)
        for end in ends:
            keep_smooth(end, cells, self._room, now)
        self._known_at, self._begun = ends[-1].copy(), True
        return self._left if change(now, cells, smooth, self._left) else None


def _no_room(cells: Cells | None) -> Room:
    if cells is None:
        return Room(np.zeros(0), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)))
    dtype, first = cells.inverse.dtype, cells.first
    inverse = np.linalg.norm(cells.inverse.reshape(-1, 2, 2).astype(float), 2, (1, 2))
    largest = np.maximum.reduceat(inverse, first[:-1])
    return Room(
        np.full(len(largest), -1, dtype), (float(SAFE_SHARE) / (2 * np.sqrt(2) * largest)).astype(dtype),
        np.zeros((len(cells.members), 3), dtype), np.zeros((len(largest), 3), dtype),
    )  # fmt: skip


@uncounted_kernel
def keep_smooth(x, cells, room, smooth):
    """As `find_smooth` without a margin, but looks only at cells that have moved beyond their room.

    Read and written: room, smooth (windows,) bool. Written: lanes.
    """
    windows, members, first, middle = cells.windows, cells.members, cells.member_first, cells.middle
    ways, share, places, centres = room
    for cell in range(len(windows)):
        a, b, c, d = windows[cell, 0], windows[cell, 1], windows[cell, 2], windows[cell, 3]
        if not (smooth[a] | smooth[b] | smooth[c] | smooth[d]):
            continue
        m = middle[cell]
        u, v, w = x[m, 0] - centres[cell, 0], x[m, 1] - centres[cell, 1], x[m, 2] - centres[cell, 2]
        square = ZERO * u
        for k in range(first[cell], first[cell + 1]):
            i = np.uint32(members[k])
            e, f, g = x[i, 0] - places[k, 0] - u, x[i, 1] - places[k, 1] - v, x[i, 2] - places[k, 2] - w
            square = max(square, e * e + f * f + g * g)
        if ways[cell] > ZERO and square < ways[cell] * ways[cell]:
            continue
        look_at_cell(x, cell, ZERO * u, cells)
        least = ONE
        for k in range(4):
            if smooth[windows[cell, k]]:
                least_of_lanes = least_of_window(cells.lanes, k)
                smooth[windows[cell, k]] = least_of_lanes > ZERO
                least = min(least, least_of_lanes) if least_of_lanes > ZERO else least
        ways[cell] = share[cell] * least
        for axis in range(3):
            centres[cell, axis] = x[m, axis]
            for k in range(first[cell], first[cell + 1]):
                places[k, axis] = x[members[k], axis]


@uncounted_kernel
def change(now, cells, smooth, left):
    """Take over which windows are smooth now, (windows,) bool; return how many were and are not.

    Written: smooth (windows,) bool, left (count,) bool: particles in these.
    """
    count = 0
    for w in range(len(smooth)):
        count += smooth[w] & (not now[w])
    if count:
        for i in range(len(left)):
            left[i] = False
        for cell in range(len(cells.windows)):
            steep = False
            for k in range(4):
                w = cells.windows[cell, k]
                steep |= smooth[w] & (not now[w])
            if steep:
                for k in range(cells.member_first[cell], cells.member_first[cell + 1]):
                    left[cells.members[k]] = True
    for w in range(len(smooth)):
        smooth[w] = now[w]
    return count


@inline
def share_window(a, b, windows):
    """Do all elements of two nodes lie in one smooth window? a, b: the nodes' rows of `spans`, as tuples."""
    first, last, low, high = min(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3])
    if last - first > 1 or high - low > 1 or last >= windows.columns.shape[0]:
        return False
    i, j = windows.columns[last, 0], windows.columns[first, 1]
    k, m = windows.rows[high, 0], windows.rows[low, 1]
    smooth = windows.smooth
    return smooth[i + k] | smooth[i + m] | smooth[j + k] | smooth[j + m]
