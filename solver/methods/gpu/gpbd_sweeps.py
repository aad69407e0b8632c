"""Sweeps of generalized position-based dynamics on a device: local solves, a thread an element (`methods/gpbd.py`).

Gauss-Seidel: a launch a colour, whose elements share no vertex, in the order of the CPU. Jacobi: all elements of an energy
from the same positions, then each vertex sums the displacements of its elements, in the order of the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array
from ...device.cuda.element_tuples import (
    add_scaled,
    constants_of,
    keep_scaled,
    moved_places_of,
    places_of,
    put_scaled_state,
    put_state,
    put_state_share,
    put_strains,
    rest_of,
    state_of,
    strains_of,
    vertices_of,
    weights_of,
)
from ...device.cuda.primitives import RUN, Tree
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from ...mathlib import vec3
from ...model.gpu.placing import Places, place
from ...model.gpu.state_arrays import BatchArrays, StateArrays
from ...model.model import Model

if TYPE_CHECKING:
    from ..gpbd import Gpbd

CORNERS = GIVEN
project = displacement = excess_at_start = GIVEN

ZERO = f32(0)


class Elements(NamedTuple):
    """Arrays of a batch, as in `methods/visits/__init__.py` (`corners` is its `index`, which is a method of tuples). first:
    the element of the launch's first thread. state: displacements. x: predictions, correction: as in `State`."""

    first: np.int32
    corners: Array
    rest: Array
    constants: Array
    material: Array
    strains: Array
    state: Array
    reprojection: np.float32
    x: Array
    correction: Array


class Shares(NamedTuple):
    """Arguments of Jacobi sweeps. elements; shares: relaxation factor of each element, (packs, 16); moves: displacements of
    its corners, a row for each, (packs * 16 * corners, 4) [m]."""

    elements: Elements
    shares: Array
    moves: Array


class Sums(NamedTuple):
    """first, rows: the rows of `moves` that each vertex adds up, (n + 1,) and (m,). correction: as in `State`."""

    first: Array
    rows: Array
    moves: Array
    correction: Array


@per_energy(body)
def sweep(i, args):
    """Solve an element locally, in place."""
    pack, lane = (args.first + i) // LANES, (args.first + i) % LANES
    at = vertices_of(args.corners, pack, lane)
    w = weights_of(args.x, at)
    forces, new = project(
        moved_places_of(args.x, args.correction, at),
        w,
        rest_of(args.rest, pack, lane),
        constants_of(args.constants[args.material[pack]]),
        strains_of(args.strains, pack, lane),
        state_of(args.state, pack, lane),
        args.reprojection,
    )
    put_state(args.state, pack, lane, new)
    add_scaled(args.correction, at, w, forces)


@per_energy(body)
def solve(i, args):
    """Solve an element locally and store its displacements; its state is relaxed by its share."""
    e = args.elements
    pack, lane = i // LANES, i % LANES
    at = vertices_of(e.corners, pack, lane)
    w = weights_of(e.x, at)
    state = state_of(e.state, pack, lane)
    forces, new = project(
        moved_places_of(e.x, e.correction, at),
        w,
        rest_of(e.rest, pack, lane),
        constants_of(e.constants[e.material[pack]]),
        strains_of(e.strains, pack, lane),
        state,
        e.reprojection,
    )
    share = args.shares[pack, lane]
    put_state_share(e.state, pack, lane, share, state, new)
    keep_scaled(args.moves, i * CORNERS, share, w, forces)


@per_energy(body)
def warm_start(i, args):
    """Keep a share of an element's displacement, and store the displacements of its corners. x: positions before."""
    e = args.elements
    pack, lane = i // LANES, i % LANES
    at = vertices_of(e.corners, pack, lane)
    state = state_of(e.state, pack, lane)
    share = args.shares[pack, lane]
    put_scaled_state(e.state, pack, lane, share, state)
    forces = displacement(places_of(e.x, at), rest_of(e.rest, pack, lane), state)
    keep_scaled(args.moves, i * CORNERS, share, weights_of(e.x, at), forces)


@per_energy(body)
def set_excess(i, args):
    """Set the excess over a limit at the start x of the substep."""
    pack, lane = i // LANES, i % LANES
    excess = excess_at_start(
        places_of(args.x, vertices_of(args.corners, pack, lane)),
        rest_of(args.rest, pack, lane),
        constants_of(args.constants[args.material[pack]]),
        strains_of(args.strains, pack, lane),
        state_of(args.state, pack, lane),
    )
    put_strains(args.strains, pack, lane, excess)


@body
def add_moves(i, args):
    """Sum the displacements of a vertex by its elements, in their order."""
    x = args.correction[i, 0]
    y = args.correction[i, 1]
    z = args.correction[i, 2]
    for k in range(args.first[i], args.first[i + 1]):
        row = args.rows[k]
        x += args.moves[row, 0]
        y += args.moves[row, 1]
        z += args.moves[row, 2]
    args.correction[i, 0] = x
    args.correction[i, 1] = y
    args.correction[i, 2] = z


class Volumes(NamedTuple):
    """corners: (packs, 64). least: six times the volume below which an element counts as flat, (packs, 16). x: (n, 4).
    counts: of each pack, (packs,) int32."""

    corners: Array
    least: Array
    x: Array
    counts: Array


@body
def count_small(i, args):
    """Count inverted or flat elements of a pack (`methods/recovery/inversion.py`)."""
    count = 0
    for lane in range(LANES):
        at = (
            args.corners[i, lane],
            args.corners[i, LANES + lane],
            args.corners[i, 2 * LANES + lane],
            args.corners[i, 3 * LANES + lane],
        )
        a = edge(args.x, at[0], at[1])
        if vec3.dot(a, vec3.cross(edge(args.x, at[0], at[2]), edge(args.x, at[0], at[3]))) <= args.least[i, lane]:
            count += 1
    args.counts[i] = count


@inline
def edge(x, a, b):
    """Return the edge vector from vertex a to b."""
    return x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]


class Most(NamedTuple):
    """now, most: (1,)."""

    now: Array
    most: Array


class Numbers(NamedTuple):
    """x: (n,)."""

    x: Array


@body
def keep_most(i, args):
    """most = max(most, now)."""
    args.most[i] = max(args.most[i], args.now[i])


@body
def clear(i, args):
    """Set a number to zero."""
    args.x[i] = ZERO


def elements_of(model: Model, state: StateArrays, batch: BatchArrays) -> Elements:
    """Return the arguments of all element bodies of a batch."""
    arrays = batch.corners, batch.rest, batch.constants, batch.material, batch.strains, batch.state
    return Elements(np.int32(0), *arrays, np.float32(model.settings.reprojection), state.x_pred, state.correction)


class GpbdSweeps:
    """`methods.gpbd.Gpbd` on a device: the start of a substep, and sweeps."""

    def __init__(self, method: Gpbd, state: StateArrays, by_jacobi: bool) -> None:
        self.model, self.state, self.device, self.by_jacobi = method.model, state, state.device, by_jacobi
        self.elements = [elements_of(method.model, state, batch) for batch in state.batches]
        shares = [method.recovery.jacobi_sweep(k).shares if by_jacobi else None for k in range(len(state.batches))]
        self._shares = [
            None if shares_of_batch is None else self.device.upload(shares_of_batch) for shares_of_batch in shares
        ]
        self._places = Places(state.x, state.x_pred, state.correction)
        self._warm = [self._warm_share(batch) for batch in state.batches]
        self._least = {k: self.device.upload(least) for k, least in method.recovery.least.items()}
        packs = max((state.batches[k].host.packs for k in self._least), default=1)
        self._counts, self._tree = self.device.zeros(packs, np.int32), Tree(self.device, max(packs, RUN), np.int32)
        #: Of each batch of tetrahedra: the most inverted or flat elements in any substep of the frame so far.
        self.most_inverted = {k: self.device.zeros(1, np.int32) for k in self._least}
        self._from_none: frozenset[int] = frozenset()
        self._left_out: frozenset[int] = frozenset()
        self._ranges = [list(pairwise(batch.host.colours.tolist())) for batch in state.batches]

    def _warm_share(self, batch: BatchArrays) -> Array | None:
        share = self.model.settings.warm_start if batch.host.energy.ELEMENT == "tetrahedron" else 0.0
        return self.device.upload(np.full((batch.host.packs, LANES), share, np.float32)) if share else None

    def leave_out(self, solves: frozenset[int], solved: Mapping[int, np.ndarray]) -> None:
        """Leave out elements of the global step: no warm start (`GlobalStep.begin`), and no sweeps except of some packs
        (`GlobalStep.solve`)."""
        self._from_none, self._left_out = solves, frozenset(k for k, packs in solved.items() if not len(packs))
        for k, packs in solved.items():
            host = self.state.batches[k].host
            swept = np.isin(np.arange(host.packs), packs)
            # Adjacent packs of a colour are one launch.
            self._ranges[k] = [
                (int(run[0]), int(run[-1]) + 1)
                for first, last in pairwise(host.colours.tolist())
                for packs_of_colour in [first + np.flatnonzero(swept[first:last])]
                for run in np.split(packs_of_colour, np.flatnonzero(np.diff(packs_of_colour) > 1) + 1)
                if len(run)
            ]
            old = self._shares[k]
            if old is not None:
                shares = np.where(swept[:, None], self.device.download(old), np.float32(0))
                self._shares[k] = self.device.upload(shares)

    def begin_frame(self) -> None:
        """Reset the count of inverted elements."""
        for most in self.most_inverted.values():
            self.device.update(most, 0)

    def begin_limits(self) -> None:
        """See `Gpbd.begin_limits`."""
        for batch, elements in zip(self.state.batches, self.elements, strict=True):
            if hasattr(batch.host.energy, "excess_at_start"):
                self.device.launch(set_excess(batch.host.energy), batch.threads, elements._replace(x=self.state.x))

    def begin(self) -> None:
        """See `Gpbd.begin`."""
        for number, (batch, elements, shares) in enumerate(zip(self.state.batches, self.elements, self._warm, strict=True)):
            if shares is None or number in self._from_none:
                self.device.launch(clear, batch.state.size, Numbers(batch.state.reshape(-1)))
                continue
            warm = Shares(elements._replace(x=self.state.x), shares, batch.moves)
            self.device.launch(warm_start(batch.host.energy), batch.threads, warm)
            self._add_moves(batch)
            self.device.launch(place, self.state.rows, self._places)
        for k, least in self._least.items():
            batch = self.state.batches[k]
            counts = self._counts[: batch.host.packs]
            self.device.launch(count_small, len(counts), Volumes(batch.corners, least, self.state.x0, counts))
            self.device.launch(keep_most, 1, Most(self._tree.sum(counts), self.most_inverted[k]))

    def sweep(self, iteration: int) -> None:
        """See `Gpbd.sweep`."""
        for number, (batch, elements, shares) in enumerate(
            zip(self.state.batches, self.elements, self._shares, strict=True)
        ):
            if iteration % batch.host.period or number in self._left_out:
                continue
            if shares is not None:
                self.device.launch(solve(batch.host.energy), batch.threads, Shares(elements, shares, batch.moves))
                self._add_moves(batch)
                continue
            for first, last in self._ranges[number]:
                colour = elements._replace(first=np.int32(first * LANES))
                self.device.launch(sweep(batch.host.energy), (last - first) * LANES, colour)

    def _add_moves(self, batch: BatchArrays) -> None:
        sums = Sums(*batch.gathered, batch.moves, self.state.correction)
        self.device.launch(add_moves, batch.n, sums)
