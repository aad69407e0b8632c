"""One sheet's part in the global step's linear system: its elastic energies, the pattern of its rows, its coarse space."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Self, TypeVar

import numpy as np

from ..linalg.aggregates import aggregate_basis, no_basis
from ..linalg.block_matrix import close, pattern
from ..linalg.coarse_space import CoarseSpace
from ..linalg.incomplete_cholesky import factor_pattern, factorise
from ..linalg.second_ring import SecondRingCouplings, second_ring_couplings
from ..linalg.side_by_side import coarse_spaces, patterns, second_rings, strips
from ..linalg.strips import strips_of
from ..model.model import BodyPart, Model
from ..model.state import State
from ..steering import BOARD, CAREFUL, SMALLEST_PIVOT
from ..topology.edges import unique_edges
from .bending import BendingSystem
from .limits import LimitSystem
from .membrane import MembraneSystem
from .row_order import along_lines, along_longest_side, pairs_of_corners
from .volume import VolumeSystem

Array = np.ndarray

#: Vertices of a body at most that stands beside others in one part. Of a larger one calls of kernels are nothing, and it has
#: its systems and iterations for itself.
SMALL = 1024

System = TypeVar("System")


class SheetPart:
    """Part of one body, or of several small ones, one after the other (`side_by_side`); its rows are the body's vertices
    along the body's longest side. Motions and forces are of these rows.

    part: the body's vertices in the model, of one body. sizes: rows of each body. order: vertex of each row in the model.
    systems, tethers, bends: (batch's number, its part in the system), of stretch, of tethers and of bending; solved: all of
    them, of one body; faces, springs: of stretch.
    second_ring: couplings of vertices that are no neighbours. strips: of its rows (`linalg/strips.py`). free: (n,) bool, not
    fixed and part of an element. pinned: (n,) bool. mass: kg, 0 where not free.
    is_limited: whether it has limits or tethers. `is_board`: see `BOARD`.
    """

    is_line = False

    def __init__(
        self, model: Model, part: BodyPart, elements: list[tuple], tethers: list[tuple], bends: list[tuple], dtype: np.dtype
    ):
        """elements, tethers: (batch's number, class of the system, batch, its material, vertices (k, corners), places (k,)).
        bends: (batch's number, batch, its material)."""
        rest, rows = part.body.rest, model.rows_of(part)
        n, place = len(rows), np.full(part.count, -1)
        place[rows - part.start] = np.arange(n)
        joined = np.concatenate([pairs_of_corners(place[vertices - part.start]) for *_, vertices, _ in elements])
        self.is_line = part.kind.is_line
        if self.is_line:  # the factors of a line have no fill-in, so they are exact
            order = along_lines(unique_edges(joined), n)
            strip_ends = np.array([n])
        else:
            order, strip_ends = along_longest_side(rest[rows - part.start], unique_edges(joined))
        self.part, self.order, rank = part, rows[order], np.full(part.count, -1)
        self.sizes = [n]
        rank[self.order - part.start] = np.arange(n)
        self.systems, self.tethers = (
            [
                (number, kind(batch, material, rank[vertices - part.start].astype(np.int32), places, dtype))
                for number, kind, batch, material, vertices, places in some
            ]
            for some in (elements, tethers)
        )
        self.faces, self.springs = _faces_and_others(self.systems)
        self.bends = [
            (number, BendingSystem(model, batch, material, part.start, rank, rest)) for number, batch, material in bends
        ]
        self.solved = [*self.systems, *self.tethers, *self.bends]
        self.is_limited = bool(tethers) or any(isinstance(system, LimitSystem) for _, system in self.systems)
        self.is_board = not self.is_line and any(bend.stiffness > BOARD for _, bend in self.bends)
        joined_by = [system.edges() for _, system in self.systems]
        joined_by += [bend.pairs for _, bend in self.bends if self.is_line]
        edges = unique_edges(np.concatenate(joined_by))
        self.pattern = pattern(n, edges)
        self.strips = strips_of(self.pattern, strip_ends)
        self._factor_pattern = factor_pattern(self.pattern)
        for _, system in self.systems:
            system.fit(self.pattern)
        self.second_ring = second_ring_couplings(n, [system.fit(self.pattern) for _, system in self.bends], dtype)
        self.pinned = model.fixed[self.order]
        self.free = ~self.pinned & (np.diff(self.pattern.rows) > 1)
        self.mass = np.where(self.free, model.mass[self.order], 0.0)
        if self.is_exact:  # nothing is left to a coarse space
            basis = no_basis(n)
        else:
            basis = aggregate_basis(rest[self.order - part.start], edges)
        self.coarse_space = CoarseSpace(basis, self.pattern, self.second_ring, self.free, dtype)

    @property
    def is_exact(self) -> bool:
        """Return whether the factors are those of the whole matrix."""
        return self._factor_pattern.is_exact and not len(self.second_ring.arrays[1])

    @property
    def stands_beside(self) -> bool:
        """Return whether it is small, and `side_by_side` knows its systems; a filled cloth's pressure needs the system."""
        known = all(isinstance(system, MembraneSystem | VolumeSystem) for _, system in self.systems)
        return known and not self.tethers and len(self.order) <= SMALL and self.part.body.pressure is None

    @classmethod
    def side_by_side(cls, parts: list[Self]) -> Self:
        """Join bodies that stand beside each other to one part: an operation on all of them is one call of each kernel."""
        made = cls.__new__(cls)
        made.sizes = [len(part.order) for part in parts]
        rows = np.cumsum([0, *made.sizes]).tolist()
        blocks, n = np.cumsum([0, *(len(part.pattern.columns) for part in parts)]).tolist(), rows[-1]
        made.order, made.free, made.pinned, made.mass = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("order", "free", "pinned", "mass")
        )
        made.pattern, made.strips = patterns([p.pattern for p in parts]), strips([p.strips for p in parts], made.sizes)
        made._factor_pattern = factor_pattern(made.pattern)
        made.systems, made.bends, made.tethers = [], [], []
        for number, kind, members in _alike([part.systems for part in parts]):
            at = [system for _, system in members], [k for k, _ in members], [rows[k] for k, _ in members]
            made.systems.append((number, kind.side_by_side(*at)))
            made.systems[-1][1].fit(made.pattern)
        for number, kind, members in _alike([part.bends for part in parts]):
            at = [system for _, system in members], [k for k, _ in members], [rows[k] for k, _ in members]
            made.bends.append((number, kind.side_by_side(*at, [blocks[k] for k, _ in members], n)))
        made.faces, made.springs = _faces_and_others(made.systems)
        made.is_line = any(p.is_line for p in parts)
        made.is_limited, made.is_board = any(p.is_limited for p in parts), any(p.is_board for p in parts)
        second_ring = second_rings([part.second_ring for part in parts])
        made.second_ring = SecondRingCouplings(np.zeros((0, 2), np.int64), np.zeros(0), second_ring)
        spaces = [part.coarse_space for part in parts]
        made.coarse_space = CoarseSpace.side_by_side(spaces, coarse_spaces(spaces), blocks)
        return made

    def begin(self, state: State, x0: Array, bodies: bool) -> None:
        """Prepare a step, before its first potential. x0: (n, 4), where damping starts. bodies: whether rigid bodies push
        the sheet."""
        for _, system in self.systems:
            if isinstance(system, LimitSystem):
                system.stiffen(bodies)
        self.start(state, x0)

    def start(self, state: State, x0: Array) -> None:
        """A step and its damping start at x0, (n, 4)."""
        for number, system in self.faces:
            system.start(x0, state.strains_at_start[number])
        start = x0
        if self.is_line:
            assert state.exact_start is not None
            start = state.exact_start[self.order]
        for _, springs in self.springs:
            springs.start(start)

    def linearise(self, state: State, x0: Array, move: Array, force: Array) -> None:
        """Add minus the gradient at x0 + move [N], where the potential was taken last, to force, (n, 3)."""
        for _, faces in self.faces:
            faces.linearise(force)
        if self.springs:
            x = x0.astype(float) if self.is_line else x0.copy()
            np.add(x0[:, :3], move, out=x[:, :3], casting="same_kind")
            for number, springs in self.springs:
                springs.linearise(x, state.strains_at_start[number], force)
        for number, tether in self.tethers:
            tether.linearise(x0[:, :3] + move, state.strains_at_start[number], force)
        for _, bend in self.bends:
            bend.add_force(force)

    def add_limits(self, force: Array) -> None:
        """Add minus the gradient of limits, as soft as the step solves them [N], where the potential was taken last, to
        force, (n, 3)."""
        for _, faces in self.faces:
            if isinstance(faces, LimitSystem) and hasattr(faces.energy, "solved_constants"):
                faces.linearise(force)

    def assemble(self, inertia: Array, values: Array) -> None:
        """Fill the blocks of the matrix where the systems have been linearised last. inertia: M / h^2 [N/m], (n,)."""
        values[:] = 0
        for _, system in self.systems:
            system.assemble(values)
        for _, bend in self.bends:
            bend.assemble(values)
        close(self.pattern, self.free, inertia, values)
        for _, tether in self.tethers:
            tether.assemble(self.pattern.diagonal, self.free, values)

    def factorise(self, values: Array, factors: Array, inverse: Array) -> None:
        """The incomplete factors of these blocks, and those of the coarse matrix. Written: factors (k, 9), inverse
        (n, 6)."""
        self._factorise_incompletely(values, factors, inverse)
        self.coarse_space.factorise(values, bool(self.bends))

    def _factorise_incompletely(self, values: Array, factors: Array, inverse: Array) -> None:
        f, p = self._factor_pattern, self.pattern
        pairs, matrix = (f.begin, f.first, f.left, f.right, f.keep), (p.rows, p.columns, p.diagonal, values)
        for careful in CAREFUL:
            least = SMALLEST_PIVOT if careful < CAREFUL[-1] else 0.0
            if factorise(pairs, careful, least, matrix, p.mirror, self.free, self.strips, factors, inverse) >= least:
                return

    def potential(self, state: State, x: Array) -> Array:
        """The potential of stretch and bending of each body at x, (n, 3) double [J], (bodies,)."""
        total = np.zeros(len(self.sizes))
        for number, other in (*self.springs, *self.tethers, *self.bends):
            energies = other.potential(state.strains_at_start[number], x)
            total[: len(energies)] += energies
        for _, faces in self.faces:
            energies = faces.potential(x)
            total[: len(energies)] += energies
        return total

    def store_displacements(self, state: State, swept: frozenset[int], since: Array, x: Array) -> None:
        """Set the displacements of the elements of batches that are swept afterwards. since: the motion from where the
        systems have been linearised last, of the matrix's type; x: where that leads to; both (n, 3) [m]."""
        for number, system in (*self.systems, *self.tethers):
            if number in swept or hasattr(system.energy, "excess_at_start"):
                system.store_displacement(since, state.displacements[number])
        for number, bend in self.bends:
            if number in swept:
                bend.store_displacement(x, state.strains_at_start[number], state.displacements[number])


def _faces_and_others(systems: list[tuple[int, System]]) -> tuple[list[tuple[int, System]], list[tuple[int, System]]]:
    is_face = [isinstance(system, MembraneSystem) for _, system in systems]
    return list(compress(systems, is_face)), list(compress(systems, [not is_one for is_one in is_face]))


def _alike(parts: list[list[tuple[int, System]]]) -> Iterator[tuple[int, type[System], list[tuple[int, System]]]]:
    """The systems of each batch and class, with the numbers of the parts that they are of. parts: (batch's number, system)
    of each part."""
    by_kind: dict[tuple[int, type[System]], list[tuple[int, System]]] = {}
    for k, systems in enumerate(parts):
        for number, system in systems:
            by_kind.setdefault((number, type(system)), []).append((k, system))
    for (number, kind), alike in by_kind.items():
        yield number, kind, alike
