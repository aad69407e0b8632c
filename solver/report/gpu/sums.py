"""Sums over vertices, edges and tetrahedra of a report, on a device: `report/report.py`, `report/residual.py`.

In double precision, as on the CPU: the change of a body's volume is a hundred-thousandth of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...contact.gpu.pushed import PushedBy, is_pushed_by
from ...device.cuda.body import body
from ...device.cuda.device import Array
from ...device.cuda.primitives import RUN, ThreadSums
from ...device.layout import layout
from ...model.gpu.state_arrays import StateArrays
from ..report import extension, masses, motion_of_vertex, six_volumes

f64 = np.float64
ZERO = f64(0)
#: Sums over vertices. kinetic [J], momentum [kg m/s], turn: angular momentum [kg m^2/s], moment: mass under gravity, times
#: place [kg m]; squares [N^2] of forces: begun, left and rounding of vertices without contact forces, touched: left at
#: vertices with contact forces, elastic: of all; drift: velocities [m/s].
VERTEX = layout(
    kinetic=1, momentum=3, turn=3, moment=3, begun=1, left=1, rounding=1, touched=1, elastic=1, drift=3
)  # fmt: skip
#: Of edges: the largest extension, and the sum of all [1].
EDGE = layout(largest=1, total=1)


class Vertices(NamedTuple):
    """Arguments of sums over vertices. x, v: as in `State`. mass: see `report.masses`; origin: (3,) [m]. begun, rounded,
    left, elastic: forces, (n + 4, 4) [N]: at the prediction, beside it, at x, and elastic ones at the prediction. sums:
    written, (threads, VERTEX.width).
    """

    x: Array
    v: Array
    mass: Array
    origin: Array
    begun: Array
    rounded: Array
    left: Array
    elastic: Array
    pushed: PushedBy
    sums: Array


class Edges(NamedTuple):
    """edges: (e, 2); lengths: at rest, (e,) [m]. sums: is written, (threads, EDGE.width)."""

    x: Array
    edges: Array
    lengths: Array
    sums: Array


class Tetrahedra(NamedTuple):
    """tetrahedra: (t, 4). start, step, end: of each thread, of one body. sums: is written, (threads,) [m^3]."""

    x: Array
    tetrahedra: Array
    start: Array
    step: Array
    end: Array
    sums: Array


@body
def add_vertices(i, args):
    """The sums of every thread's vertices."""
    kinetic, begun, remaining, rounding, touched, elastic = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    p0, p1, p2, t0, t1, t2 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    m0, m1, m2, d0, d1, d2 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    threads = args.sums.shape[0]
    for u in range(i, args.mass.shape[0], threads):
        energy, p, turn, moment = motion_of_vertex(args.x, args.v, args.mass, args.origin, u)
        kinetic += energy
        p0 += p[0]
        p1 += p[1]
        p2 += p[2]
        t0 += turn[0]
        t1 += turn[1]
        t2 += turn[2]
        m0 += moment[0]
        m1 += moment[1]
        m2 += moment[2]
        d0 += args.v[u, 0]
        d1 += args.v[u, 1]
        d2 += args.v[u, 2]
        is_pushed = is_pushed_by(args.pushed, u)
        for k in range(3):
            force = f64(args.left[u, k])
            at_first = f64(args.begun[u, k])
            digits = f64(args.rounded[u, k] - args.begun[u, k])
            all_of_it = f64(args.elastic[u, k])
            touched += force * force if is_pushed else ZERO
            remaining += ZERO if is_pushed else force * force
            begun += ZERO if is_pushed else at_first * at_first
            rounding += ZERO if is_pushed else digits * digits
            elastic += all_of_it * all_of_it
    s = args.sums
    s[i, VERTEX.kinetic] = kinetic
    s[i, VERTEX.momentum], s[i, VERTEX.momentum + 1], s[i, VERTEX.momentum + 2] = p0, p1, p2
    s[i, VERTEX.turn], s[i, VERTEX.turn + 1], s[i, VERTEX.turn + 2] = t0, t1, t2
    s[i, VERTEX.moment], s[i, VERTEX.moment + 1], s[i, VERTEX.moment + 2] = m0, m1, m2
    s[i, VERTEX.begun], s[i, VERTEX.left], s[i, VERTEX.rounding] = begun, remaining, rounding
    s[i, VERTEX.touched], s[i, VERTEX.elastic] = touched, elastic
    s[i, VERTEX.drift], s[i, VERTEX.drift + 1], s[i, VERTEX.drift + 2] = d0, d1, d2


@body
def add_edges(i, args):
    """The largest extension of every thread's edges, and the sum."""
    largest, total = ZERO, ZERO
    for e in range(i, args.edges.shape[0], args.sums.shape[0]):
        stretch = extension(args.x, args.edges[e, 0], args.edges[e, 1], args.lengths[e])
        largest = max(largest, stretch)
        total += stretch
    args.sums[i, EDGE.largest] = largest
    args.sums[i, EDGE.total] = total


@body
def add_volumes(i, args):
    """The volume of every thread's tetrahedra."""
    total = ZERO
    for k in range(args.start[i], args.end[i], args.step[i]):
        t = args.tetrahedra
        total += six_volumes(args.x, t[k, 0], t[k, 1], t[k, 2], t[k, 3]) / f64(6)
    args.sums[i] = total


class DeviceSums:
    """Sums of one model."""

    def __init__(self, state: StateArrays) -> None:
        device, model = state.device, state.model
        self.device, self._state, up = device, state, state.device.upload
        self._mass, self._origin = up(masses(model), f64), up(np.asarray(model.origin, f64))
        self._vertices = ThreadSums(device, model.n_vertices, VERTEX.width)
        self._edges, self._of_edges = None, ThreadSums(device, len(model.edges), EDGE.width, 1)
        if len(model.edges):
            self._edges = up(model.edges, np.int32), up(model.edge_lengths, f64)
        self._tetrahedra: tuple[Array, ...] = ()
        if len(model.tetrahedra):
            counts = np.bincount(model.tetrahedron_body, minlength=len(model.body_volumes))  # body by body
            threads = -(-counts // RUN)
            self._owner = owner = np.repeat(np.arange(len(counts)), threads)
            begin = np.cumsum(counts) - counts
            start = begin[owner] + np.arange(len(owner)) - (np.cumsum(threads) - threads)[owner]
            runs = start, threads[owner], (begin + counts)[owner]
            self._tetrahedra = up(model.tetrahedra, np.int32), *(up(part, np.int32) for part in runs)
            self._volumes = device.zeros(len(owner), f64)

    def measure(self, forces: tuple[Array, Array, Array, Array], pushed: PushedBy) -> None:
        """Measure at a frame's end. forces: begun, rounded, left, elastic, see `Vertices`."""
        s, launch, table = self._state, self.device.launch, self._vertices
        arguments = Vertices(s.x, s.v, self._mass, self._origin, *forces, pushed, table.sums)
        launch(add_vertices, len(table.sums), arguments)
        table.gather()
        if self._edges is not None:
            launch(add_edges, len(self._of_edges.sums), Edges(s.x, *self._edges, self._of_edges.sums))
            self._of_edges.gather()
        if self._tetrahedra:
            launch(add_volumes, len(self._volumes), Tetrahedra._make([s.x, *self._tetrahedra, self._volumes]))

    def vertices(self) -> np.ndarray:
        """Return all sums over vertices, (VERTEX.width,)."""
        return self._vertices.take()

    def stretch(self) -> tuple[float, float]:
        """The largest and the mean extension of edges [1]."""
        if self._edges is None:
            return 0.0, 0.0
        sums = self._of_edges.take()
        return float(sums[EDGE.largest]), float(sums[EDGE.total]) / len(self._edges[0])

    def volumes(self) -> np.ndarray:
        """Return the volume of each body [m^3], (bodies,); 0 without tetrahedra."""
        count = len(self._state.model.body_volumes)
        if not self._tetrahedra:
            return np.zeros(count)
        return np.bincount(self._owner, self.device.download(self._volumes), count)
