"""Sweeps of generalized position-based dynamics on a device: local solves, a thread an element (`methods/gpbd.py`).

Gauss-Seidel: a launch a colour, whose elements share no vertex, in the order of the CPU. Jacobi: all elements of an energy
from the same positions, then each vertex adds up what its elements move it by, in the order of the CPU.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..device.cpu import LANES
from ..device.cuda.body import body
from ..device.cuda.tuples import (
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
from ..device.per_energy import GIVEN, per_energy

CORNERS = GIVEN
project = displacement = excess_at_start = GIVEN


class Elements(NamedTuple):
    """Arrays of a batch, as in `methods/visits/__init__.py` (`corners` is its `index`); first: its first element, of the threads of the launch. state:
    displacements. x: predictions, correction: what is added to them, as in `State`."""

    first: Any
    corners: Any
    rest: Any
    constants: Any
    material: Any
    strains: Any
    state: Any
    reprojection: Any
    x: Any
    correction: Any


class Shares(NamedTuple):
    """elements; shares: of its local solve that each element moves by, (packs, 16); moves: what it moves its corners by,
    a row for each, (packs * 16 * corners, 4) [m]."""

    elements: Elements
    shares: Any
    moves: Any


class Sums(NamedTuple):
    """first, rows: the rows of `moves` that each vertex adds up, (n + 1,) and (m,). correction: as in `State`."""

    first: Any
    rows: Any
    moves: Any
    correction: Any


@per_energy(body)
def sweep(i, given):
    """One local solve of an element, in place."""
    pack, lane = (given.first + i) // LANES, (given.first + i) % LANES
    at = vertices_of(given.corners, pack, lane)
    w = weights_of(given.x, at)
    forces, new = project(
        moved_places_of(given.x, given.correction, at),
        w,
        rest_of(given.rest, pack, lane),
        constants_of(given.constants, given.material[pack]),
        strains_of(given.strains, pack, lane),
        state_of(given.state, pack, lane),
        given.reprojection,
    )
    put_state(given.state, pack, lane, new)
    add_scaled(given.correction, at, w, forces)


@per_energy(body)
def solve(i, given):
    """One local solve of an element, whose moves are kept; its state goes by its share."""
    e = given.elements
    pack, lane = i // LANES, i % LANES
    at = vertices_of(e.corners, pack, lane)
    w = weights_of(e.x, at)
    state = state_of(e.state, pack, lane)
    forces, new = project(
        moved_places_of(e.x, e.correction, at),
        w,
        rest_of(e.rest, pack, lane),
        constants_of(e.constants, e.material[pack]),
        strains_of(e.strains, pack, lane),
        state,
        e.reprojection,
    )
    share = given.shares[pack, lane]
    put_state_share(e.state, pack, lane, share, state, new)
    keep_scaled(given.moves, i * CORNERS, share, w, forces)


@per_energy(body)
def warm_start(i, given):
    """Keeps a share of an element's displacement, and what that moves its corners by. x: where they are before."""
    e = given.elements
    pack, lane = i // LANES, i % LANES
    at = vertices_of(e.corners, pack, lane)
    state = state_of(e.state, pack, lane)
    share = given.shares[pack, lane]
    put_scaled_state(e.state, pack, lane, share, state)
    forces = displacement(places_of(e.x, at), rest_of(e.rest, pack, lane), state)
    keep_scaled(given.moves, i * CORNERS, share, weights_of(e.x, at), forces)


@per_energy(body)
def set_excess(i, given):
    """Sets what a limit leaves alone in the substep that starts at x."""
    pack, lane = i // LANES, i % LANES
    found = excess_at_start(
        places_of(given.x, vertices_of(given.corners, pack, lane)),
        rest_of(given.rest, pack, lane),
        constants_of(given.constants, given.material[pack]),
        strains_of(given.strains, pack, lane),
        state_of(given.state, pack, lane),
    )
    put_strains(given.strains, pack, lane, found)


@body
def add_moves(i, given):
    """What its elements move a vertex by, in their order."""
    x = given.correction[i, 0]
    y = given.correction[i, 1]
    z = given.correction[i, 2]
    for k in range(given.first[i], given.first[i + 1]):
        row = given.rows[k]
        x += given.moves[row, 0]
        y += given.moves[row, 1]
        z += given.moves[row, 2]
    given.correction[i, 0] = x
    given.correction[i, 1] = y
    given.correction[i, 2] = z
