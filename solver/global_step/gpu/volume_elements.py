"""Tetrahedra in the global step: `global_step/volume.py`, with positive second derivatives throughout."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.element_tuples import (
    along_of,
    constants_of,
    mine_of,
    mine_of_three,
    put_state,
    rest_of,
    strains_of,
    vertices_of,
)
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from .elements import ONE, ZERO, Elements, apart_of
from .face_elements import add_to_block
from .patch_elements import keep_three

hessian_times = equilibrium_state = GIVEN

#: Numbers that a tetrahedron keeps: the blocks of its pairs of corners a < b, column by column; block b (b - 1) / 2 + a.
KEPT = 6 * 9
#: Directions: three of each corner; the derivatives of the first corner follow from the others'.
DIRECTIONS = 12


class Directions(NamedTuple):
    """directions: DIRECTIONS, as a number that compilers do not know, so that they make no copies of a second derivative."""

    elements: Elements
    directions: np.int32


class GoingOn(NamedTuple):
    """move: the motion at the step's end, (n, 4) [m]. packs: (k,). state: displacements, are written."""

    elements: Elements
    move: Array
    packs: Array
    state: Array


@per_energy(body)
def store_displacement(i, args):
    """Store the displacement of a tetrahedron's own force at the step's end."""
    e = args.elements
    pack = args.packs[i // LANES]
    lane = i % LANES
    at = apart_of(e.x0, args.move, vertices_of(e.corners, pack, lane))
    r = rest_of(e.rest, pack, lane)
    k = constants_of(e.constants[e.material[pack]])
    put_state(args.state, pack, lane, equilibrium_state(at, r, k, strains_of(e.strains, pack, lane)))


@per_energy(body)
def linearise_volume(i, args):
    """Keep a tetrahedron's blocks at x0 + at; its forces are of `energy_rise.linearise_forces`. args: `Directions`."""
    e = args.elements
    if e.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    at = apart_of(e.x0, e.at, vertices_of(e.corners, pack, lane))
    r = rest_of(e.rest, pack, lane)
    k = constants_of(e.constants[e.material[pack]])
    old = strains_of(e.strains, pack, lane)
    for direction in range(3, args.directions):
        corner = direction // 3
        direction_of_corners = along_of(mine_of(corner, ONE), mine_of_three(direction % 3, ONE))
        product = hessian_times(at, r, k, old, direction_of_corners, ZERO)
        first = 9 * (corner * (corner - 1) // 2) + 3 * (direction % 3)
        keep_three(e.stored, pack, first, lane, product[0])
        if corner > 1:
            keep_three(e.stored, pack, first + 9, lane, product[1])
        if corner > 2:
            keep_three(e.stored, pack, first + 18, lane, product[2])


@body
def add_blocks(i, args):
    """Add the tetrahedra's part to the block of two corners. args: `patch_elements.Blocks`."""
    if args.go[0] == 0:
        return
    b00, b10, b20, b01, b11, b21, b02, b12, b22 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(args.first[i], args.first[i + 1]):
        code = args.corner[k]
        pack = code // 16 // LANES
        lane = (code // 16) % LANES
        a = (code // 4) % 4
        b = code % 4
        low = min(a, b)
        high = max(a, b)
        first = 9 * (high * (high - 1) // 2 + low)
        across = 1 if a < b else 3  # from a column's number to the next one, and from a row's
        down = 3 if a < b else 1
        b00 += number(args.stored, pack, first, lane)
        b10 += number(args.stored, pack, first + across, lane)
        b20 += number(args.stored, pack, first + 2 * across, lane)
        b01 += number(args.stored, pack, first + down, lane)
        b11 += number(args.stored, pack, first + 4, lane)
        b21 += number(args.stored, pack, first + down + 2 * across, lane)
        b02 += number(args.stored, pack, first + 2 * down, lane)
        b12 += number(args.stored, pack, first + 2 * down + across, lane)
        b22 += number(args.stored, pack, first + 8, lane)
    add_to_block(args.values, args.place[i], (b00, b10, b20, b01, b11, b21, b02, b12, b22))


@inline
def number(stored, pack, at, lane):
    """Return one number of a tetrahedron's linearisation."""
    return stored[pack, at * LANES + lane]
