"""Gathering the vertices of 16 elements into lanes, and scattering them back."""

from .cpu import LANES, element


@element
def gather(x, index, pack, corners, lanes):
    """lanes[(4 a + i) * 16 + l] = coordinate i of corner a of element l; i = 3 is h^2 / mass."""
    for lane in range(LANES):
        for corner in range(corners):
            vertex = index[pack, corner * LANES + lane]
            base = 4 * corner * LANES + lane
            lanes[base] = x[vertex, 0]
            lanes[base + LANES] = x[vertex, 1]
            lanes[base + 2 * LANES] = x[vertex, 2]
            lanes[base + 3 * LANES] = x[vertex, 3]


@element
def scatter(x, index, pack, corners, lanes):
    """The positions back to their vertices; elements of a pack share no vertex."""
    for lane in range(LANES):
        for corner in range(corners):
            vertex = index[pack, corner * LANES + lane]
            base = 4 * corner * LANES + lane
            x[vertex, 0] = lanes[base]
            x[vertex, 1] = lanes[base + LANES]
            x[vertex, 2] = lanes[base + 2 * LANES]


@element
def corner(lanes, number, lane):
    """Position of one corner, as a tuple."""
    base = 4 * number * LANES + lane
    return (lanes[base], lanes[base + LANES], lanes[base + 2 * LANES])


@element
def weight(lanes, number, lane):
    """h^2 / mass of one corner."""
    return lanes[(4 * number + 3) * LANES + lane]


@element
def put(lanes, number, lane, position):
    """Overwrite the position of one corner."""
    base = 4 * number * LANES + lane
    lanes[base] = position[0]
    lanes[base + LANES] = position[1]
    lanes[base + 2 * LANES] = position[2]
