"""Arguments of element bodies in the global step, and corner positions relative to the element's first corner.

A sheet is metres across and moves centimetres in a substep; energies depend on differences between neighbours. So a corner
is x0 + d less that of the first corner, the differences of both taken first: in single precision strains do not lose digits
with the distance from the origin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.element_tuples import written_out

ZERO, ONE, HALF = f32(0), f32(1), f32(0.5)
#: Over six: the weights of a parabola through two ends and the middle (Simpson).
SIXTH, FOUR = f32(1 / 6), f32(4)
#: Shares of a step that are tried, each half the last one.
TRIALS = 6


class Elements(NamedTuple):
    """Arrays of a batch, as in `gpbd_sweeps.Elements`; constants and rest with those of the global step. x0: (n, 4) [m].
    at: the motion of linearisation, (n, 4) [m]. stored: numbers of each element's linearisation, (packs, numbers * 16).
    first: begin of its corners in forces, (m, 4) [N].
    """

    go: Array
    corners: Array
    rest: Array
    constants: Array
    material: Array
    strains: Array
    x0: Array
    at: Array
    stored: Array
    first: np.int32
    forces: Array


class Rising(NamedTuple):
    """move, more: the motion so far and the step from it, (n, 4) [m]. slot: where each pack's numbers go, (packs,). rise:
    of the potential, for each share that is tried, (TRIALS, slots * 16) [J]. trials: TRIALS, as a number that compilers do
    not know, so that they make no copies of an energy."""

    elements: Elements
    move: Array
    more: Array
    slot: Array
    trials: np.int32
    rise: Array


def _apart(corners: int) -> str:
    """x + y of the corners less that of the first one."""
    zero = "(ZERO, ZERO, ZERO)"
    others = [
        f"({', '.join(f'(x[at[{k}], {i}] - x[at[0], {i}]) + (y[at[{k}], {i}] - y[at[0], {i}])' for i in range(3))})"
        for k in range(1, corners)
    ]
    return f"def apart(x, y, at):\n    return ({', '.join([zero, *others])},)\n"


def _offsets(corners: int) -> str:
    """y of the corners less that of the first one."""
    others = [f"({', '.join(f'y[at[{k}], {i}] - y[at[0], {i}]' for i in range(3))})" for k in range(1, corners)]
    return f"def offsets(y, at):\n    return ({', '.join(['(ZERO, ZERO, ZERO)', *others])},)\n"


def _moved(corners: int) -> str:
    """start + share * step of the corners."""
    parts = [f"({', '.join(f'start[{k}][{i}] + share * step[{k}][{i}]' for i in range(3))})" for k in range(corners)]
    return f"def moved(start, share, step):\n    return ({', '.join(parts)},)\n"


def _along(corners: int) -> str:
    """Sum of the products of vectors at the corners."""
    products = " + ".join(f"a[{k}][{i}] * b[{k}][{i}]" for k in range(corners) for i in range(3))
    return f"def along(a, b):\n    return {products}\n"


def _put_forces(corners: int) -> str:
    """Write the corners' vectors to rows from `first` on."""
    lines = [f"    rows[first + {k}, {i}] = vectors[{k}][{i}]" for k in range(corners) for i in range(3)]
    return "\n".join(["def put_vectors(rows, first, vectors):", *lines, ""])


apart_of, offsets_of, moved_of = (
    written_out(_apart, "CORNERS"),
    written_out(_offsets, "CORNERS"),
    written_out(_moved, "CORNERS"),
)
along_of, put_vectors = written_out(_along, "CORNERS"), written_out(_put_forces, "CORNERS")
