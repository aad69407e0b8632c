"""Energy of the yarns of a patch, as rods: stretch, bending about a set curvature, contact of pairs of points."""

import math
from typing import NamedTuple

import numpy as np

from ..device.cpu import kernel

#: The set bending energy has a cone where a yarn is straight; it is rounded below this turn at a vertex [rad].
ROUNDED = 0.1


class Rods(NamedTuple):
    """Vertices along closed yarns, n of them; image numbers are those of `cylinder.images`.

    after, before: the neighbours along the yarn, (n,). image_after, image_before: the images that they stand in, (n,).
    length: rest length of the edge to `after` [m]. share: rest length that is the vertex's own [m].
    stretch: stiffness of that edge [N]. bend: of the yarn at the vertex [N m^2]. turned: the set turn, 2 tan(angle / 2) [1].
    radius: of the yarn [m]. press: contact stiffness [N/m]; a pair has the geometric mean.
    yarn: which one, (n,). first: the first vertex of each yarn, and n, (yarns + 1,). period: images along the patch's x and
    y after which it is itself, (yarns, 2). along: arc length from its first vertex [m], (n,). whole: length of a period [m].
    twist: stiffness [N m^2], (yarns,). holonomy: the set one [rad], (yarns,).
    weight: share of the mean height that is zero, (n,), sums to 1.
    """

    after: np.ndarray
    before: np.ndarray
    image_after: np.ndarray
    image_before: np.ndarray
    length: np.ndarray
    share: np.ndarray
    stretch: np.ndarray
    bend: np.ndarray
    turned: np.ndarray
    radius: np.ndarray
    press: np.ndarray
    yarn: np.ndarray
    first: np.ndarray
    period: np.ndarray
    along: np.ndarray
    whole: np.ndarray
    twist: np.ndarray
    holonomy: np.ndarray
    weight: np.ndarray


@kernel
def moved(x, v, m):
    """Vertex v of x in the image of rigid motion m (5,)."""
    return x[v, 0] * m[0] - x[v, 2] * m[1] + m[2], x[v, 1] + m[3], x[v, 2] * m[0] + x[v, 0] * m[1] + m[4]


@kernel
def give(forces, images, v, image, m, gx, gy, gz):
    """Adds the gradient of an image's vertex to the vertex, and to what its image takes as a whole (SIDE^2, 2)."""
    forces[v, 0] += m[0] * gx + m[1] * gz
    forces[v, 1] += gy
    forces[v, 2] += m[0] * gz - m[1] * gx
    images[image, 0] += gx
    images[image, 1] += gy


@kernel
def rod_energy(rods, x, motions, forces, on_images):
    """Stretch and bending [J], their gradient added to forces (n, 3) and on_images (SIDE^2, 2) [N].

    Source: Bergou et al. 2008: the curvature binormal is 2 f x e / (|f| |e| + f . e) for the edges f before and e after.
    """
    stretched, bent = 0.0, 0.0
    for v in range(len(x)):
        a, b = rods.before[v], rods.after[v]
        ma, mb = motions[rods.image_before[v]], motions[rods.image_after[v]]
        ax, ay, az = moved(x, a, ma)
        bx, by, bz = moved(x, b, mb)
        fx, fy, fz = x[v, 0] - ax, x[v, 1] - ay, x[v, 2] - az
        ex, ey, ez = bx - x[v, 0], by - x[v, 1], bz - x[v, 2]
        lf = math.sqrt(fx * fx + fy * fy + fz * fz)
        le = math.sqrt(ex * ex + ey * ey + ez * ez)
        strain = le / rods.length[v] - 1.0
        stretched += 0.5 * rods.stretch[v] * rods.length[v] * strain * strain
        tension = rods.stretch[v] * strain / le
        over = 1.0 / max(lf * le + fx * ex + fy * ey + fz * ez, 1e-3 * lf * le)
        kx = 2.0 * (fy * ez - fz * ey) * over
        ky = 2.0 * (fz * ex - fx * ez) * over
        kz = 2.0 * (fx * ey - fy * ex) * over
        turn2 = kx * kx + ky * ky + kz * kz
        rounded = math.sqrt(turn2 + ROUNDED * ROUNDED)
        stiff = rods.bend[v] / rods.share[v]
        bent += 0.5 * stiff * (turn2 - 2.0 * rods.turned[v] * rounded + rods.turned[v] ** 2)
        moment = stiff * (1.0 - rods.turned[v] / rounded)
        both = moment * turn2 * over
        two = 2.0 * moment * over
        de, df = both * lf / le, both * le / lf
        gex = tension * ex + two * (ky * fz - kz * fy) - de * ex - both * fx
        gey = tension * ey + two * (kz * fx - kx * fz) - de * ey - both * fy
        gez = tension * ez + two * (kx * fy - ky * fx) - de * ez - both * fz
        gfx = two * (ey * kz - ez * ky) - df * fx - both * ex
        gfy = two * (ez * kx - ex * kz) - df * fy - both * ey
        gfz = two * (ex * ky - ey * kx) - df * fz - both * ez
        forces[v, 0] += gfx - gex
        forces[v, 1] += gfy - gey
        forces[v, 2] += gfz - gez
        give(forces, on_images, b, rods.image_after[v], mb, gex, gey, gez)
        give(forces, on_images, a, rods.image_before[v], ma, -gfx, -gfy, -gfz)
    return stretched + bent


@kernel
def contact_energy(rods, pairs, count, x, motions, forces, on_images):
    """Energy of pairs nearer than their radii together [J]: stiffness times both shares times d^2 + d^-2 - 2, d the distance
    over the sum of radii; its gradient is added as in `rod_energy`.

    pairs: (3, capacity): a vertex, another, the image of that; the first `count` count.
    Source: Kaldor, James and Marschner 2008, section 3.2, at points instead of integrals.
    """
    energy = 0.0
    for p in range(count):
        a, b, image = pairs[0, p], pairs[1, p], pairs[2, p]
        m = motions[image]
        bx, by, bz = moved(x, b, m)
        ex, ey, ez = bx - x[a, 0], by - x[a, 1], bz - x[a, 2]
        reach = rods.radius[a] + rods.radius[b]
        d2 = (ex * ex + ey * ey + ez * ez) / (reach * reach)
        if d2 < 1.0:
            stiff = math.sqrt(rods.press[a] * rods.press[b]) * rods.share[a] * rods.share[b]
            energy += stiff * (d2 + 1.0 / d2 - 2.0)
            k = 2.0 * stiff * (1.0 - 1.0 / (d2 * d2)) / (reach * reach)
            forces[a, 0] -= k * ex
            forces[a, 1] -= k * ey
            forces[a, 2] -= k * ez
            give(forces, on_images, b, image, m, k * ex, k * ey, k * ez)
    return energy
