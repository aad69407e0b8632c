"""Springs and tethers in the global step: `global_step/springs.py`, `tethers.py`."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import LANES
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.cuda.element_tuples import constants_of, rest_of, strains_of, vertices_of
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from ...elements.segment import length_and_direction
from .elements import HALF, ONE, ZERO, Elements, apart_of, moved_of, offsets_of
from .face_elements import add_to_block

linearise = GIVEN

#: Numbers that a line keeps: direction from the first end to the second, tension [N], length [m], stiffness [N/m].
KEPT = 6


class Tethers(NamedTuple):
    """Arguments of tethers. apart: displacement of pins beyond the motion of linearisation, (n, 4) [m]."""

    elements: Elements
    apart: Array


@read_by_many
class Blocks(NamedTuple):
    """first: of each block that lines add to, where these begin in `line`, (k + 1,); line: pack * 16 + lane of each; place:
    the block in values."""

    go: Array | None
    first: Array
    line: Array
    place: Array
    stored: Array
    values: Array


@per_energy(body)
def linearise_spring(i, args):
    """Keep a spring's numbers and forces at x0 + at. args: `elements.Elements`."""
    if args.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    length, n = length_and_direction(apart_of(args.x0, args.at, vertices_of(args.corners, pack, lane)))
    k = constants_of(args.constants[args.material[pack]])
    r = rest_of(args.rest, pack, lane)
    tension, stiffness = linearise((length,), r, k, strains_of(args.strains, pack, lane))
    keep(args, i, n, tension, length, stiffness)


@per_energy(body)
def linearise_tether(i, args):
    """The same of a tether, whose pin is where the step leads it. args: `Tethers`."""
    e = args.elements
    if e.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    at = vertices_of(e.corners, pack, lane)
    length, n = length_and_direction(moved_of(apart_of(e.x0, e.at, at), ONE, offsets_of(args.apart, at)))
    k = constants_of(e.constants[e.material[pack]])
    r = rest_of(e.rest, pack, lane)
    tension, stiffness, _ = linearise((length,), r, k, strains_of(e.strains, pack, lane))
    keep(e, i, n, tension, length, stiffness)


@inline
def keep(e, i, n, tension, length, stiffness):
    """Store a line's linearisation, and write its forces."""
    pack = i // LANES
    lane = i % LANES
    row = e.first + 2 * i
    for k in range(3):
        e.stored[pack, k * LANES + lane] = n[k]
        e.forces[row, k] = -tension * n[k]
        e.forces[row + 1, k] = tension * n[k]
    e.stored[pack, 3 * LANES + lane] = tension
    e.stored[pack, 4 * LANES + lane] = length
    e.stored[pack, 5 * LANES + lane] = stiffness


@per_energy(body)
def rise_of_tether(i, args):
    """Compute the rise of a tether's energy by each share of a step. args: `elements.Rising`."""
    e = args.elements
    if e.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    at = vertices_of(e.corners, pack, lane)
    r = rest_of(e.rest, pack, lane)
    k = constants_of(e.constants[e.material[pack]])
    old = strains_of(e.strains, pack, lane)
    start = apart_of(e.x0, args.move, at)
    directions = offsets_of(args.more, at)
    before = ZERO
    share = ONE + ONE
    for trial in range(-1, args.trials):
        share *= ONE if trial < 0 else HALF
        length, _ = length_and_direction(moved_of(start, ZERO if trial < 0 else share, directions))
        _, _, energy = linearise((length,), r, k, old)
        if trial < 0:
            before = energy
        else:
            args.rise[trial, args.slot[pack] * LANES + lane] = energy - before


@body
def add_blocks(i, args):
    """Add the springs' part to the block of their ends: less k n n^T + T+ (1 - n n^T) / l."""
    if args.go[0] == 0:
        return
    xx, xy, xz, yy, yz, zz = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for p in range(args.first[i], args.first[i + 1]):
        pack = args.line[p] // LANES
        lane = args.line[p] % LANES
        x, y, z, along, side = stiffness_of(args.stored, pack, lane)
        xx -= along * x * x + side
        yy -= along * y * y + side
        zz -= along * z * z + side
        xy -= along * x * y
        xz -= along * x * z
        yz -= along * y * z
    add_to_block(args.values, args.place[i], (xx, xy, xz, xy, yy, yz, xz, yz, zz))


@body
def add_own_blocks(i, args):
    """Add the tethers' part to the diagonal block of their vertex: k n n^T + T (1 - n n^T) / l."""
    if args.go[0] == 0:
        return
    xx, xy, xz, yy, yz, zz = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for p in range(args.first[i], args.first[i + 1]):
        pack = args.line[p] // LANES
        lane = args.line[p] % LANES
        x, y, z, along, side = stiffness_of(args.stored, pack, lane)
        if args.stored[pack, 5 * LANES + lane] > ZERO:
            xx += along * x * x + side
            yy += along * y * y + side
            zz += along * z * z + side
            xy += along * x * y
            xz += along * x * z
            yz += along * y * z
    add_to_block(args.values, args.place[i], (xx, xy, xz, xy, yy, yz, xz, yz, zz))


@inline
def stiffness_of(stored, pack, lane):
    """A line's direction, and its stiffness along, less that to the sides, which comes last [N/m]."""
    side = max(stored[pack, 3 * LANES + lane], ZERO) / stored[pack, 4 * LANES + lane]
    along = stored[pack, 5 * LANES + lane] - side
    return stored[pack, lane], stored[pack, LANES + lane], stored[pack, 2 * LANES + lane], along, side


@per_energy(body)
def store_displacement(i, args):
    """lambda = -(T + k dl): the displacement of a line's force after a further motion, in the linear model. args:
    `face_elements.Storing`."""
    e = args.elements
    pack = i // LANES
    lane = i % LANES
    at = vertices_of(e.corners, pack, lane)
    ends = offsets_of(args.move, at)
    begins = offsets_of(e.at, at)
    longer = ZERO
    for k in range(3):
        longer += e.stored[pack, k * LANES + lane] * (ends[1][k] - begins[1][k])
    args.state[pack, lane] = -(e.stored[pack, 3 * LANES + lane] + e.stored[pack, 5 * LANES + lane] * longer)
