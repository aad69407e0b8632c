"""Sweeps of position-based nonlinear Gauss-Seidel on a device: a thread a vertex, a launch a colour (`methods/pbng.py`).

Of each energy in turn the vertices of a colour add up their elements; after the last one they move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.element_tuples import (
    along_of,
    constants_of,
    mine_of,
    mine_of_three,
    own_of,
    places_of,
    rest_of,
    strains_of,
    vertices_of,
)
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from ...mathlib import sym3, vec3
from ...model.gpu.placing import Places, place
from ...model.gpu.state_arrays import StateArrays
from ..pbng import chebyshev_weight
from .gpbd_sweeps import elements_of

if TYPE_CHECKING:
    from ..pbng import Pbng

CORNERS = GIVEN
block = gradient = hessian_times = GIVEN

ZERO, ONE, TINY = f32(0), f32(1), f32(1e-30)


class Vertices(NamedTuple):
    """Free vertices, as in `methods/visits/pbng.py`; first: the vertex of the launch's first thread, as pack * 16 + lane.
    sums: (9, packs * 16): gradient [N] and the upper rows of the block [N/m]."""

    first: np.int32
    packs: Array
    x_pred: Array
    load: Array
    inertia: np.float32
    relaxation: np.float32
    sums: Array
    x: Array
    correction: Array


class Incident(NamedTuple):
    """Elements of one batch at the vertices, as in `methods/incident_elements.py` (`corners` is its `index`, `corner` its
    `corner`). strains: of each row if own_strains is 1, one for all if it is 0. begins: 1 if sums start here. axes: 3, as a
    variable, so that compilers do not unroll a second derivative three times.
    """

    vertices: Vertices
    rows: Array
    corners: Array
    corner: Array
    rest: Array
    constants: Array
    material: Array
    strains: Array
    own_strains: np.int32
    begins: np.int32
    axes: np.int32


class Extrapolation(NamedTuple):
    """See `methods/pbng.py`; packs: vertices, (packs, 16). start, before: (n + 4, 4)."""

    packs: Array
    omega: np.float32
    start: Array
    before: Array
    x_pred: Array
    correction: Array
    x: Array


class Copies(NamedTuple):
    """Arguments of copied strains. source: element of the batch, as pack * 16 + lane, of each visit. strains: of the batch,
    of_visit: of each visit."""

    source: Array
    strains: Array
    of_visit: Array


@body
def copy_strains(i, args):
    """Take over an element's strains at the substep's start."""
    source = args.source[i]
    for k in range(args.of_visit.shape[1] // LANES):
        args.of_visit[i // LANES, k * LANES + i % LANES] = args.strains[source // LANES, k * LANES + source % LANES]


@per_energy(body)
def add_blocks(i, args):
    """Sum the elements at a vertex by the energy's own `block`."""
    v = args.vertices
    pack, lane = (v.first + i) // LANES, (v.first + i) % LANES
    f0, f1, f2, s00, s01, s02, s11, s12, s22 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for row in range(args.rows[pack], args.rows[pack + 1]):
        corner = args.corner[row, lane]
        if corner < CORNERS:
            slope, b = block(
                places_of(v.x, vertices_of(args.corners, row, lane)),
                rest_of(args.rest, row, lane),
                constants_of(args.constants[args.material[row]]),
                strains_of(args.strains, row * args.own_strains, lane),
                mine_of(corner, ONE),
            )
            f0, f1, f2 = f0 + slope[0], f1 + slope[1], f2 + slope[2]
            s00, s01, s02 = s00 + b[0], s01 + b[3], s02 + b[4]
            s11, s12, s22 = s11 + b[1], s12 + b[5], s22 + b[2]
    add_sums(v.sums, v.first + i, args.begins, (f0, f1, f2), (s00, s01, s02, s11, s12, s22))


@per_energy(body)
def add_hessians(i, args):
    """The same for an energy without `block`, from its gradient and its positive Hessian."""
    v = args.vertices
    pack, lane = (v.first + i) // LANES, (v.first + i) % LANES
    f0, f1, f2, s00, s01, s02, s11, s12, s22 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for row in range(args.rows[pack], args.rows[pack + 1]):
        corner = args.corner[row, lane]
        if corner < CORNERS:
            at = places_of(v.x, vertices_of(args.corners, row, lane))
            r = rest_of(args.rest, row, lane)
            k = constants_of(args.constants[args.material[row]])
            old = strains_of(args.strains, row * args.own_strains, lane)
            corner_mask = mine_of(corner, ONE)
            _, slopes = gradient(at, r, k, old)
            slope = own_of(corner_mask, slopes)
            f0, f1, f2 = f0 + slope[0], f1 + slope[1], f2 + slope[2]
            for axis in range(args.axes):
                x, y, z = mine_of_three(axis, ONE)
                a = own_of(corner_mask, hessian_times(at, r, k, old, along_of(corner_mask, (x, y, z)), ZERO))
                s00, s01, s02 = s00 + x * a[0], s01 + x * a[1], s02 + x * a[2]
                s11, s12, s22 = s11 + y * a[1], s12 + y * a[2], s22 + z * a[2]
    add_sums(v.sums, v.first + i, args.begins, (f0, f1, f2), (s00, s01, s02, s11, s12, s22))


@inline
def add_sums(sums, i, begins, force, upper):
    """Add to the sums of a vertex; set them where they begin."""
    if begins > 0:
        sums[0, i], sums[1, i], sums[2, i] = force
        sums[3, i], sums[4, i], sums[5, i], sums[6, i], sums[7, i], sums[8, i] = upper
    else:
        sums[0, i] += force[0]
        sums[1, i] += force[1]
        sums[2, i] += force[2]
        sums[3, i] += upper[0]
        sums[4, i] += upper[1]
        sums[5, i] += upper[2]
        sums[6, i] += upper[3]
        sums[7, i] += upper[4]
        sums[8, i] += upper[5]


@body
def move(i, args):
    """Move a vertex by its Newton step, times the relaxation."""
    number = args.first + i
    vertex = args.packs[number // LANES, number % LANES]
    s = args.sums
    w = args.x[vertex, 3]
    inertia = args.inertia / max(w, TINY)
    stiffness = inertia + s[3, number] + s[6, number] + s[8, number]
    held = stiffness > TINY and w > ZERO  # a vertex without stiffness stays
    scale = ONE / max(stiffness, TINY) if held else ZERO
    inertia *= scale
    h = (
        scale * s[3, number] + inertia,
        scale * s[4, number],
        scale * s[5, number],
        scale * s[6, number] + inertia,
        scale * s[7, number],
        scale * s[8, number] + inertia,
    )
    correction = (args.correction[vertex, 0], args.correction[vertex, 1], args.correction[vertex, 2])
    n = (
        -inertia * correction[0] - scale * (s[0, number] - args.load[vertex, 0]),
        -inertia * correction[1] - scale * (s[1, number] - args.load[vertex, 1]),
        -inertia * correction[2] - scale * (s[2, number] - args.load[vertex, 2]),
    )
    correction = vec3.add_scaled(correction, args.relaxation if held else ZERO, sym3.solve(h, n))
    for k in range(3):
        args.correction[vertex, k] = correction[k]
        args.x[vertex, k] = args.x_pred[vertex, k] + correction[k]


@body
def extrapolate(i, args):
    """Chebyshev's step of a vertex: see `methods/pbng.py`."""
    v = args.packs[i // LANES, i % LANES]
    if args.x[v, 3] > ZERO:
        for k in range(3):
            correction = args.before[v, k] + args.omega * (args.correction[v, k] - args.before[v, k])
            args.before[v, k] = args.start[v, k]
            args.correction[v, k] = correction
            args.x[v, k] = args.x_pred[v, k] + correction


class PbngSweeps:
    """`methods.pbng.Pbng` on a device."""

    def __init__(self, method: Pbng, state: StateArrays) -> None:
        self.model, self.state, self.device, self.method = method.model, state, state.device, method
        packs, settings = method.packs, self.model.settings
        self.colours = packs.colours
        self._places = Places(state.x, state.x_pred, state.correction)
        self.elements = [elements_of(self.model, state, batch) for batch in state.batches]
        sums = self.device.zeros((9, packs.vertices.size), np.float32)
        self._vertices = Vertices(
            np.int32(0),
            self.device.upload(packs.vertices),
            state.x_pred,
            state.load,
            np.float32(0.0 if settings.quasi_static else 1.0),
            np.float32(settings.relaxation),
            sums,
            state.x,
            state.correction,
        )
        self._incident = [self._arguments(k) for k in range(len(state.batches))]
        self._copied = [self._copies(k) for k in range(len(state.batches))]
        self._start, self._before = (self.device.zeros((state.rows, 4), np.float32) for _ in range(2))
        self.omega, self.sweeps = 1.0, 0

    def _arguments(self, k: int) -> Incident:
        host, batch, up = self.method.incident[k], self.state.batches[k], self.device.upload
        arrays = up(host.rows, np.int32), up(host.index), up(host.corner), up(host.rest)
        own_strains, strains = int(self.method.own_strains[k]), up(self.method.strains[k])
        begins = np.int32(k == 0)
        return Incident(
            self._vertices, *arrays, batch.constants, up(host.material), strains, np.int32(own_strains), begins, np.int32(3)
        )

    def _copies(self, k: int) -> Copies | None:
        if not self.method.own_strains[k] or not self.state.batches[k].host.energy.START_STRAINS:
            return None
        source = self.device.upload(self.method.incident[k].source.ravel(), np.int32)
        return Copies(source, self.state.batches[k].strains, self._incident[k].strains)

    def begin_frame(self) -> None:
        """Do nothing."""

    def begin_limits(self) -> None:
        """Do nothing."""

    def begin(self) -> None:
        """See `Pbng.begin`."""
        for copies in self._copied:
            if copies is not None:
                self.device.launch(copy_strains, len(copies.source), copies)
        self.device.launch(place, self.state.rows, self._places)
        self.omega, self.sweeps = 1.0, 0
        if self.model.settings.chebyshev > 0:
            self.device.copy(self._before, self.state.correction)

    def sweep(self, iteration: int) -> None:
        """See `Pbng.sweep`."""
        if self.model.settings.chebyshev > 0:
            self.device.copy(self._start, self.state.correction)
        for first, last in zip(self.colours, self.colours[1:], strict=False):
            threads = int(last - first) * LANES
            vertices = self._vertices._replace(first=np.int32(first * LANES))
            for batch, elements in zip(self.state.batches, self._incident, strict=True):
                energy = batch.host.energy
                undamped = not batch.host.damped and hasattr(energy, "undamped_block")
                if undamped or hasattr(energy, "block"):
                    visit = add_blocks(energy, **({"block": "undamped_block"} if undamped else {}))
                else:
                    visit = add_hessians(energy)
                self.device.launch(visit, threads, elements._replace(vertices=vertices))
            self.device.launch(move, threads, vertices)
        if self.model.settings.chebyshev > 0:
            self._extrapolate()

    def _extrapolate(self) -> None:
        rho = self.model.settings.chebyshev
        self.sweeps += 1
        self.omega = chebyshev_weight(self.omega, self.sweeps, rho)
        packs, state = self._vertices.packs, self.state
        arrays = np.float32(self.omega), self._start, self._before, state.x_pred, state.correction, state.x
        self.device.launch(extrapolate, self.method.packs.vertices.size, Extrapolation(packs, *arrays))
