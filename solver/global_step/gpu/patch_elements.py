"""Stretch of energies that stretch and bend a sheet alike and act on a patch: `global_step/patch_stretch.py`."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import LANES
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.cuda.element_tuples import constants_of, rest_of, strains_of, vertices_of
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from ...mathlib import vec3
from .elements import ZERO, apart_of
from .face_elements import add_to_block

linearise = GIVEN

#: Numbers that a patch keeps: slopes of three strains at three corners, six of the stress's derivative, three of the
#: tension, two shape gradients.
KEPT = 27 + 6 + 3 + 4


@read_by_many
class Blocks(NamedTuple):
    """The blocks of `face_elements.Blocks`, for elements whose blocks do not depend on rest data; of tetrahedra too."""

    go: Array | None
    first: Array
    corner: Array
    place: Array
    stored: Array
    values: Array


@per_energy(body)
def linearise_patch(i, args):
    """Keep a patch's numbers at x0 + at; its forces are of `energy_rise.linearise_forces`. args: `elements.Elements`."""
    if args.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    planar, H, T, g = linearise(
        apart_of(args.x0, args.at, vertices_of(args.corners, pack, lane)),
        rest_of(args.rest, pack, lane),
        constants_of(args.constants[args.material[pack]]),
        strains_of(args.strains, pack, lane),
    )
    keep_slopes(args.stored, pack, 0, lane, planar[0])
    keep_slopes(args.stored, pack, 9, lane, planar[1])
    keep_slopes(args.stored, pack, 18, lane, planar[2])
    keep_three(args.stored, pack, 27, lane, (H[0], H[1], H[2]))
    keep_three(args.stored, pack, 30, lane, (H[3], H[4], H[5]))
    keep_three(args.stored, pack, 33, lane, T)
    keep_three(args.stored, pack, 36, lane, (g[0], g[1], g[2]))
    args.stored[pack, 39 * LANES + lane] = g[3]


@inline
def keep_slopes(stored, pack, first, lane, slopes):
    """Keep the vectors of three corners."""
    keep_three(stored, pack, first, lane, slopes[0])
    keep_three(stored, pack, first + 3, lane, slopes[1])
    keep_three(stored, pack, first + 6, lane, slopes[2])


@inline
def keep_three(stored, pack, first, lane, numbers):
    """Keep three numbers from `first` on."""
    stored[pack, first * LANES + lane] = numbers[0]
    stored[pack, (first + 1) * LANES + lane] = numbers[1]
    stored[pack, (first + 2) * LANES + lane] = numbers[2]


@inline
def three(stored, pack, first, lane):
    """Three numbers from `first` on."""
    return (
        stored[pack, first * LANES + lane],
        stored[pack, (first + 1) * LANES + lane],
        stored[pack, (first + 2) * LANES + lane],
    )


@inline
def shape_gradient(stored, pack, lane, corner):
    """Return the gradient of a corner's shape function in the triangle [1/m]."""
    x1 = stored[pack, 36 * LANES + lane]
    y1 = stored[pack, 37 * LANES + lane]
    x2 = stored[pack, 38 * LANES + lane]
    y2 = stored[pack, 39 * LANES + lane]
    if corner == 0:
        return -(x1 + x2), -(y1 + y2)
    if corner == 1:
        return x1, y1
    return x2, y2


@body
def add_blocks(i, args):
    """Add the elements' part to the block of two corners: A (S_a^T H S_b + g_a . T g_b 1)."""
    if args.go[0] == 0:
        return
    b00, b10, b20, b01, b11, b21, b02, b12, b22 = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(args.first[i], args.first[i + 1]):
        code = args.corner[k]
        pack = code // 16 // LANES
        lane = (code // 16) % LANES
        a = 3 * ((code // 4) % 4)
        b = 3 * (code % 4)
        d = args.stored
        u0, u1, u2 = three(d, pack, a, lane), three(d, pack, 9 + a, lane), three(d, pack, 18 + a, lane)
        v0, v1, v2 = three(d, pack, b, lane), three(d, pack, 9 + b, lane), three(d, pack, 18 + b, lane)
        h0, h1, h2 = three(d, pack, 27, lane)
        h3, h4, h5 = three(d, pack, 30, lane)
        t = three(d, pack, 33, lane)
        w0 = vec3.add_scaled(vec3.combine(h0, v0, h1, v1), h2, v2)
        w1 = vec3.add_scaled(vec3.combine(h1, v0, h3, v1), h4, v2)
        w2 = vec3.add_scaled(vec3.combine(h2, v0, h4, v1), h5, v2)
        gx, gy = shape_gradient(d, pack, lane, (code // 4) % 4)
        hx, hy = shape_gradient(d, pack, lane, code % 4)
        geometric = gx * hx * t[0] + gy * hy * t[1] + (gx * hy + gy * hx) * t[2]
        b00 += u0[0] * w0[0] + u1[0] * w1[0] + u2[0] * w2[0] + geometric
        b10 += u0[1] * w0[0] + u1[1] * w1[0] + u2[1] * w2[0]
        b20 += u0[2] * w0[0] + u1[2] * w1[0] + u2[2] * w2[0]
        b01 += u0[0] * w0[1] + u1[0] * w1[1] + u2[0] * w2[1]
        b11 += u0[1] * w0[1] + u1[1] * w1[1] + u2[1] * w2[1] + geometric
        b21 += u0[2] * w0[1] + u1[2] * w1[1] + u2[2] * w2[1]
        b02 += u0[0] * w0[2] + u1[0] * w1[2] + u2[0] * w2[2]
        b12 += u0[1] * w0[2] + u1[1] * w1[2] + u2[1] * w2[2]
        b22 += u0[2] * w0[2] + u1[2] * w1[2] + u2[2] * w2[2] + geometric
    add_to_block(args.values, args.place[i], (b00, b10, b20, b01, b11, b21, b02, b12, b22))
