"""Noise in space, as fields of turbulence have it, and numbers by chance that are the same whatever the order of the loop.

Source: Perlin 2002, "Improving noise". The permutation is that of Blender's noise, for equal turbulence;
it follows from values of `mathutils.noise` near the points of the lattice.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.uncounted import inline

PERMUTATION = np.frombuffer(
    bytes.fromhex(
        "a2a0193bf8ebaaeef31c67281ded00de952edc3f3a82354d6cba36d0f60c7932d159f4088b63892fb8b49783f28f18c7"
        "51146587482042a880b54013b2227e57bc7f6b9d864cc8db7cd5254e5a557450cdb37abbc3cbb6e2e4ecfd980b96d39e"
        "5ca164f18161e1c42472498c904b843438ab78ca1f01d79311c158a931f9446dbf339c5f0994a38506c69a1e7b461530"
        "272b1b713c5bd66f62ac4fc2c00eb123a7df47b0776905e9e6e776730ffe6e9b56ef12a537fcaed9038edd10b9cec98d"
        "da2abd68179fbed40accd2e8433d70b7027d99d80d608a042c3e92e5af5307e029a6c5e3f5f74a41266a165e522d21ad"
        "f091ffea54fa661a4539cf75a488fb5d"
    ),
    np.uint8,
).astype(np.int64)

#: Octaves of turbulence beside the first, and what makes their sum, of 1, 1/2 and 1/4, at most 1.
OCTAVES, SHARE = 2, 4.0 / 7.0


@inline
def _fade(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@inline
def _slope(corner, x, y, z):
    """The product of a corner's gradient, one of 12 to the middles of a cube's edges, with the way from the corner."""
    low = corner & 15
    u = x if low < 8 else y
    v = y if low < 4 else (x if low == 12 or low == 14 else z)
    return (u if low & 1 == 0 else -u) + (v if low & 2 == 0 else -v)


@inline
def _corner(permutation, i, j, k):
    """The number of a point of the lattice."""
    first = permutation[i & 255] + j
    return permutation[(permutation[first & 255] + k) & 255]


@inline
def perlin(permutation, x, y, z):
    """Gradient noise at a point, about -1 to 1. permutation: (256,) int64."""
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    x, y, z = x - float(i), y - float(j), z - float(k)
    u, v, w = _fade(x), _fade(y), _fade(z)
    total = 0.0
    for a in range(2):
        for b in range(2):
            for c in range(2):
                share = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
                corner = _corner(permutation, i + a, j + b, k + c)
                total += share * _slope(corner, x - float(a), y - float(b), z - float(c))
    return total


@inline
def turbulence(permutation, x, y, z):
    """A sum of three octaves of noise, -1 to 1."""
    total, height, times = 0.0, 1.0, 1.0
    for _ in range(OCTAVES + 1):
        total += height * (0.5 + 0.5 * perlin(permutation, times * x, times * y, times * z))
        height, times = 0.5 * height, 2.0 * times
    return 2.0 * SHARE * total - 1.0


@inline
def _mixed(n):
    """A number of 32 bits in which each bit depends on all of n. Source: Wang 2007, "Integer hash function"."""
    n = (n ^ 61) ^ (n >> 16)
    n = (n * 9) & 0xFFFFFFFF
    n = n ^ (n >> 4)
    n = (n * 0x27D4EB2D) & 0xFFFFFFFF
    return n ^ (n >> 15)


@inline
def gust(seed, vertex, draw, strength):
    """Return the noise added to a strength: either sign, small more often than large, at most `strength`.

    seed: of the field and the frame. draw: which of a vertex's numbers.
    """
    first = _mixed(_mixed(_mixed(seed & 0xFFFFFFFF) ^ vertex) ^ draw)
    large = float(first & 127)
    force = 1.0 + float(_mixed(first)) / 4294967296.0
    sign = 1.0 if large > 64.0 else -1.0
    return sign * large / force * strength / 128.0
