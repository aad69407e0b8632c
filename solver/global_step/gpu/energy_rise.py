"""Rise of an element's energy along a step, for energies without a limit: by its gradient.

In single precision a difference of energies loses the digits of a good step's change; the gradient along the step keeps
them. It is integrated by Simpson's rule, exact for a quadratic energy.
"""

from __future__ import annotations

from ...device.cpu import LANES
from ...device.cuda.body import body
from ...device.cuda.element_tuples import constants_of, rest_of, strains_of, vertices_of
from ...device.per_energy import GIVEN, per_energy
from .elements import FOUR, HALF, ONE, SIXTH, ZERO, along_of, apart_of, moved_of, offsets_of, put_vectors

CORNERS = GIVEN
gradient = GIVEN


@per_energy(body)
def rise_by_gradient(i, args):
    """Compute the rise for each share, the longest first. args: `elements.Rising`."""
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
    first = ZERO
    before = ZERO
    share = ONE
    for _ in range(args.trials):
        share *= HALF
    for trial in range(-2, args.trials):  # none, half the shortest, the shortest, twice that
        here = ZERO if trial == -2 else share
        _, slopes = gradient(moved_of(start, here, directions), r, k, old)
        slope = along_of(slopes, directions)
        if trial >= 0:
            place = args.slot[pack] * LANES + lane
            args.rise[args.trials - 1 - trial, place] = SIXTH * share * (first + FOUR * before + slope)
        if trial == -2:
            first = slope
        else:
            share += share
        before = slope


@per_energy(body)
def linearise_forces(i, args):
    """Forces alone, of an energy that is in the matrix as a constant. args: `elements.Elements`."""
    if args.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    at = vertices_of(args.corners, pack, lane)
    _, slopes = gradient(
        apart_of(args.x0, args.at, at),
        rest_of(args.rest, pack, lane),
        constants_of(args.constants[args.material[pack]]),
        strains_of(args.strains, pack, lane),
    )
    put_vectors(args.forces, args.first + i * CORNERS, slopes)
