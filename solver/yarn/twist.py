"""Twist of a yarn, uniform over a period: what an isotropic rod takes when nothing holds it from turning about itself.

A frame transported along a period without twist comes back turned against the frame that it began with; a yarn whose frames
are the same in each period has to make up for that, and for less or more of it than in the relaxed fabric it is twisted.
"""

import math

from ..device.cpu import kernel
from .rods import give, moved


@kernel
def holonomy(rods, y, x, motions):
    """The turn of a frame transported along a period of yarn y, against the period's own rotation [rad], in (-pi, pi]."""
    first, end = rods.first[y], rods.first[y + 1]
    bx, by, bz = moved(x, rods.after[first], motions[rods.image_after[first]])
    tx, ty, tz = bx - x[first, 0], by - x[first, 1], bz - x[first, 2]
    l = 1.0 / math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx * l, ty * l, tz * l
    ux, uy, uz = (0.0, tz, -ty) if abs(tx) < 0.7 else (-tz, 0.0, tx)
    l = 1.0 / math.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * l, uy * l, uz * l
    sx, sy, sz, px, py, pz = tx, ty, tz, ux, uy, uz  # tangent and frame at the start
    m = motions[rods.image_after[end - 1]]  # the period's
    for v in range(first + 1, end + 1):
        if v < end:
            bx, by, bz = moved(x, rods.after[v], motions[rods.image_after[v]])
            nx, ny, nz = bx - x[v, 0], by - x[v, 1], bz - x[v, 2]
            l = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx * l, ny * l, nz * l
        else:
            nx, ny, nz = m[0] * sx - m[1] * sz, sy, m[0] * sz + m[1] * sx
        # the smallest rotation from one tangent to the next
        kx, ky, kz = ty * nz - tz * ny, tz * nx - tx * nz, tx * ny - ty * nx
        c = tx * nx + ty * ny + tz * nz
        along = (kx * ux + ky * uy + kz * uz) / (1.0 + c)
        cx, cy, cz = ky * uz - kz * uy, kz * ux - kx * uz, kx * uy - ky * ux
        ux, uy, uz = c * ux + cx + along * kx, c * uy + cy + along * ky, c * uz + cz + along * kz
        tx, ty, tz = nx, ny, nz
    rx, ry, rz = m[0] * px - m[1] * pz, py, m[0] * pz + m[1] * px
    sine = tx * (ry * uz - rz * uy) + ty * (rz * ux - rx * uz) + tz * (rx * uy - ry * ux)
    return math.atan2(sine, rx * ux + ry * uy + rz * uz)


@kernel
def twist_energy(rods, x, motions, forces, on_images):
    """Twist of each yarn, its stiffness over twice its length times the square of the holonomy less the set one [J]; the
    gradient is added as in `rod_energy`.

    Source: Bergou et al. 2008, section 7.1: turning an edge changes the holonomy by half the curvature binormals of its
    ends.
    """
    energy = 0.0
    for y in range(len(rods.twist)):
        if rods.twist[y] > 0.0:
            turn = holonomy(rods, y, x, motions) - rods.holonomy[y]
            turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
            energy += 0.5 * rods.twist[y] / rods.whole[y] * turn * turn
            torque = rods.twist[y] / rods.whole[y] * turn
            for v in range(rods.first[y], rods.first[y + 1]):
                a, b = rods.before[v], rods.after[v]
                ma, mb = motions[rods.image_before[v]], motions[rods.image_after[v]]
                ax, ay, az = moved(x, a, ma)
                bx, by, bz = moved(x, b, mb)
                fx, fy, fz = x[v, 0] - ax, x[v, 1] - ay, x[v, 2] - az
                ex, ey, ez = bx - x[v, 0], by - x[v, 1], bz - x[v, 2]
                lf = math.sqrt(fx * fx + fy * fy + fz * fz)
                le = math.sqrt(ex * ex + ey * ey + ez * ez)
                k = -torque / max(lf * le + fx * ex + fy * ey + fz * ez, 1e-3 * lf * le)
                gx, gy, gz = k * (fy * ez - fz * ey), k * (fz * ex - fx * ez), k * (fx * ey - fy * ex)
                forces[v, 0] += gx / lf - gx / le
                forces[v, 1] += gy / lf - gy / le
                forces[v, 2] += gz / lf - gz / le
                give(forces, on_images, b, rods.image_after[v], mb, gx / le, gy / le, gz / le)
                give(forces, on_images, a, rods.image_before[v], ma, -gx / lf, -gy / lf, -gz / lf)
    return energy
