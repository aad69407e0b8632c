"""Gathering the vertices of 16 elements into lanes, and scattering them back."""

from .cpu import LANES
from .simd.rows import (
    add_lanes_to_rows,
    add_three_lanes_to_rows,
    lanes_to_rows,
    rows_apart_to_lanes,
    rows_to_lanes,
    sums_of_rows_to_lanes,
)
from .uncounted import inline


@inline
def gather(x, index, pack, corners, lanes):
    """lanes[(4 a + i) * 16 + l] = coordinate i of corner a of element l; i = 3 is h^2 / mass."""
    for number in range(corners):
        for four in range(0, LANES, 4):
            at = number * LANES + four
            v0, v1, v2, v3 = index[pack, at], index[pack, at + 1], index[pack, at + 2], index[pack, at + 3]
            rows_to_lanes(x, lanes, v0, v1, v2, v3, 4 * number * LANES + four)


@inline
def gather_sums(x, y, index, pack, corners, lanes):
    """`gather` of x + y."""
    for number in range(corners):
        for four in range(0, LANES, 4):
            at = number * LANES + four
            v0, v1, v2, v3 = index[pack, at], index[pack, at + 1], index[pack, at + 2], index[pack, at + 3]
            sums_of_rows_to_lanes(x, y, lanes, v0, v1, v2, v3, 4 * number * LANES + four)


@inline
def gather_apart(x, index, pack, corners, lanes):
    """`gather` of coordinates less those of each element's first corner; subtracted in the type of x."""
    for four in range(0, LANES, 4):
        o0, o1, o2, o3 = index[pack, four], index[pack, four + 1], index[pack, four + 2], index[pack, four + 3]
        for number in range(corners):
            at = number * LANES + four
            v0, v1, v2, v3 = index[pack, at], index[pack, at + 1], index[pack, at + 2], index[pack, at + 3]
            rows_apart_to_lanes(x, lanes, v0, v1, v2, v3, o0, o1, o2, o3, 4 * number * LANES + four)


@inline
def scatter(x, index, pack, corners, lanes):
    """The positions back to their vertices; elements of a pack share no vertex but padding, which nothing moves."""
    for number in range(corners):
        for four in range(0, LANES, 4):
            at = number * LANES + four
            v0, v1, v2, v3 = index[pack, at], index[pack, at + 1], index[pack, at + 2], index[pack, at + 3]
            lanes_to_rows(x, lanes, v0, v1, v2, v3, 4 * number * LANES + four)


@inline
def scatter_moves(x, index, pack, corners, lanes):
    """Add the three coordinates in the lanes to those of x; elements of a pack share no vertex but padding."""
    for number in range(corners):
        for four in range(0, LANES, 4):
            at = number * LANES + four
            v0, v1, v2, v3 = index[pack, at], index[pack, at + 1], index[pack, at + 2], index[pack, at + 3]
            add_three_lanes_to_rows(x, lanes, v0, v1, v2, v3, 4 * number * LANES + four)


@inline
def scatter_onto(x, index, pack, corners, lanes):
    """Add to the rows of x, (n, 4), of which the fourth numbers mean nothing then; elements may share vertices."""
    for number in range(corners):
        for four in range(0, LANES, 4):
            at = number * LANES + four
            v0, v1, v2, v3 = index[pack, at], index[pack, at + 1], index[pack, at + 2], index[pack, at + 3]
            add_lanes_to_rows(x, lanes, v0, v1, v2, v3, 4 * number * LANES + four)


@inline
def corner(lanes, number, lane):
    """Position of one corner, as a tuple."""
    base = 4 * number * LANES + lane
    return (lanes[base], lanes[base + LANES], lanes[base + 2 * LANES])


@inline
def weight(lanes, number, lane):
    """h^2 / mass of one corner."""
    return lanes[(4 * number + 3) * LANES + lane]


@inline
def put(lanes, number, lane, position):
    """Overwrite the position of one corner."""
    base = 4 * number * LANES + lane
    lanes[base] = position[0]
    lanes[base + LANES] = position[1]
    lanes[base + 2 * LANES] = position[2]
