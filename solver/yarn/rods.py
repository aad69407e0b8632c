"""Energy of the yarns of a patch, as rods: stretch, bending and twist relative to a natural shape, and contact of pairs of
points."""

import math
from typing import NamedTuple

import numpy as np

from ..device.cpu import kernel
from .frames import edge_frames, moved, over_edge, rod_strain, rotated


class Rods(NamedTuple):
    """Vertices along closed yarns, n of them; image numbers are those of `cylinder.images`.

    after, before: the neighbours along the yarn, (n,). image_after, image_before: their images, (n,). length: rest length of
    the edge to `after` [m]. share: rest length that is the vertex's own [m]. stretch: stiffness of that edge [N]. bend,
    twist: of the yarn at the vertex [N m^2]. natural: its curvature and twist, as in `frames.rod_strain` [1], (n, 3).
    tangent, director: t and d1 of the edge for a turn of 0, (n, 3). radius: of the yarn [m]. press: contact stiffness [N/m];
    a pair has the geometric mean. yarn: its number, (n,). first: the first vertex of each yarn, and n, (yarns + 1,). period:
    images along the patch's x and y after which it repeats, (yarns, 2). along: arc length from its first vertex [m], (n,).
    whole: length of a period [m]. weight: share of the mean height that is zero, (n,), sums to 1.
    """

    after: np.ndarray
    before: np.ndarray
    image_after: np.ndarray
    image_before: np.ndarray
    length: np.ndarray
    share: np.ndarray
    stretch: np.ndarray
    bend: np.ndarray
    twist: np.ndarray
    natural: np.ndarray
    tangent: np.ndarray
    director: np.ndarray
    radius: np.ndarray
    press: np.ndarray
    yarn: np.ndarray
    first: np.ndarray
    period: np.ndarray
    along: np.ndarray
    whole: np.ndarray
    weight: np.ndarray


@kernel
def give(forces, images, v, image, m, gx, gy, gz):
    """Add the gradient of an image's vertex to the vertex, and to the sum of its image (SIDE^2, 2)."""
    forces[v, 0] += m[0] * gx + m[1] * gz
    forces[v, 1] += gy
    forces[v, 2] += m[0] * gz - m[1] * gx
    images[image, 0] += gx
    images[image, 1] += gy


@kernel
def rod_energy(rods, q, x, motions, shape, forces, on_images, turns):
    """Return the energy [J] of stretch, bending and twist relative to the natural shape; add its gradient to forces (n, 3)
    and on_images (SIDE^2, 2) [N], and write that over the turns of edges to turns (n,) [N].

    q: material coordinates, the fourth the turn of the edge times the radius [m], (n, 4).
    """
    n = len(x)
    frames, lengths, torques = np.empty((n, 4, 3)), np.empty(n), np.zeros((n, 3))
    edge_frames(rods, q, x, motions, shape, frames, lengths)
    energy = 0.0
    for v in range(n):
        a, m = rods.before[v], motions[rods.image_before[v]]
        u = rod_strain(frames, v, a, m)
        s1, s2, s3 = u[0] - rods.natural[v, 0], u[1] - rods.natural[v, 1], u[2] - rods.natural[v, 2]
        bend, twist = rods.bend[v] / rods.share[v], rods.twist[v] / rods.share[v]
        energy += 0.5 * (bend * (s1 * s1 + s2 * s2) + twist * s3 * s3)
        rx, ry, rz = rotated(frames[v], u, bend * s1, bend * s2, twist * s3)
        torques[v, 0] += rx
        torques[v, 1] += ry
        torques[v, 2] += rz
        torques[a, 0] -= m[0] * rx + m[1] * rz
        torques[a, 1] -= ry
        torques[a, 2] -= m[0] * rz - m[1] * rx
    for v in range(n):
        b, m = rods.after[v], motions[rods.image_after[v]]
        strain = lengths[v] / rods.length[v] - 1.0
        energy += 0.5 * rods.stretch[v] * rods.length[v] * strain * strain
        tension = rods.stretch[v] * strain
        gx, gy, gz, about = over_edge(frames[v], lengths[v], torques[v, 0], torques[v, 1], torques[v, 2])
        gx += tension * frames[v, 2, 0]
        gy += tension * frames[v, 2, 1]
        gz += tension * frames[v, 2, 2]
        forces[v, 0] -= gx
        forces[v, 1] -= gy
        forces[v, 2] -= gz
        give(forces, on_images, b, rods.image_after[v], m, gx, gy, gz)
        turns[v] = about / rods.radius[v]
    return energy


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
