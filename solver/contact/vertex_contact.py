"""Body vertices against collider triangles and infinite planes: finding the contacts of a substep, and projecting them.

A contact of vertex x is gap(x) = n . (x - x0) + gap0 >= 0 with n and gap0 frozen, and Coulomb friction against the motion
of the collider's own point. The multiplier of the normal is kept, as the distance that the contact has moved the vertex
in this substep; a later projection may take some of it back, never more, so contacts push and do not pull. Friction keeps
the tangential distance it has moved the vertex, at most mu times that of the normal.
"""

from __future__ import annotations

import math

from ..device.cpu import kernel
from ..mathlib.vec3 import dot, sub
from .distance import blend, length, row
from .inner import inner
from .planes import ACTIVE, MOST, target_distance

#: Infinite planes kept for a vertex, beside `MOST` planes of triangles.
MOST_PLANES = 3
SLOTS = MOST + MOST_PLANES

# Columns of a slot: normal (3), gap at x0 over the target, motion of the collider's point (3), friction, multiplier,
# tangential displacement (3), and how much less than the full distance the target is.
NORMAL, GAP, DRIFT, MU, LAMBDA, TANGENT, MISSING, COLUMNS = 0, 3, 4, 7, 8, 9, 12, 13


@inner
def fill_slot(slots, s, n, gap, drift, mu, missing):
    """Starts a contact, with no force yet."""
    for axis in range(3):
        slots[s, NORMAL + axis], slots[s, DRIFT + axis], slots[s, TANGENT + axis] = n[axis], drift[axis], 0
    slots[s, GAP], slots[s, MU], slots[s, LAMBDA], slots[s, MISSING] = gap, mu, 0, missing


@inner
def project(slots, s, d):
    """Displacement that one contact asks for, at a point displaced by d since the start; updates the contact's forces."""
    zero = slots.dtype.type(0)
    n = (slots[s, NORMAL], slots[s, NORMAL + 1], slots[s, NORMAL + 2])
    before = slots[s, LAMBDA]
    after = max(zero, before - dot(n, d) - slots[s, GAP])
    push = after - before
    slots[s, LAMBDA] = after
    rx, ry, rz = d[0] - slots[s, DRIFT], d[1] - slots[s, DRIFT + 1], d[2] - slots[s, DRIFT + 2]
    along = n[0] * rx + n[1] * ry + n[2] * rz
    tx = slots[s, TANGENT] - (rx - along * n[0])
    ty = slots[s, TANGENT + 1] - (ry - along * n[1])
    tz = slots[s, TANGENT + 2] - (rz - along * n[2])
    most = slots[s, MU] * after
    square = tx * tx + ty * ty + tz * tz
    if square > most * most:
        # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
        share = most / math.sqrt(square) if square > 1e-30 else zero
        tx, ty, tz = share * tx, share * ty, share * tz
    mx = push * n[0] + tx - slots[s, TANGENT]
    my = push * n[1] + ty - slots[s, TANGENT + 1]
    mz = push * n[2] + tz - slots[s, TANGENT + 2]
    slots[s, TANGENT], slots[s, TANGENT + 1], slots[s, TANGENT + 2] = tx, ty, tz
    return (mx, my, mz)


@kernel
def sweep(hot, number, slots, x0, x):
    """Projects all contacts of the vertices `hot`, each vertex by itself. Written: slots, x.

    One thread: 10 sweeps over 5,000 contacts take as long as waking a second one.
    """
    for h in range(len(hot)):
        i = hot[h]
        dx, dy, dz = x[i, 0] - x0[i, 0], x[i, 1] - x0[i, 1], x[i, 2] - x0[i, 2]
        for k in range(number[i]):
            m = project(slots, i * SLOTS + k, (dx, dy, dz))
            dx, dy, dz = dx + m[0], dy + m[1], dz + m[2]
        x[i, 0], x[i, 1], x[i, 2] = x0[i, 0] + dx, x0[i, 1] + dy, x0[i, 2] + dz


@kernel
def fill(
    begin, finish, x0, x1, movable, own, mu, allowance, triangles, friction, A, B, planes, kept, mesh_number,
    plane_points, plane_normals, plane_reserve, plane_friction, number, slots,
):  # fmt: skip
    """Starts the contacts of the vertices begin..finish: infinite planes near them, and the chosen planes of triangles.

    planes, kept, mesh_number: from `planes.choose`. Written: number (n,), slots (n SLOTS, COLUMNS), `SLOTS` a vertex.
    """
    one = x0.dtype.type(1)
    half, zero = one / (one + one), one - one
    for i in range(begin, finish):
        count = 0
        if movable[i]:
            p, move = row(x0, i), sub(row(x1, i), row(x0, i))
            for k in range(len(plane_points)):
                n = row(plane_normals, k)
                start = dot(n, sub(p, row(plane_points, k)))
                full = own[i] + plane_reserve[k]
                near = x0.dtype.type(ACTIVE) * full + half * length(move)
                if count < MOST_PLANES and min(start, start + dot(n, move)) < near:
                    target = target_distance(full, start, allowance)
                    both = math.sqrt(mu[i] * plane_friction[k])
                    fill_slot(slots, i * SLOTS + count, n, start - target, (zero, zero, zero), both, full - target)
                    count += 1
            for k in range(mesh_number[i]):
                t = kept[i, k]
                n = (planes[i, k, 0], planes[i, k, 1], planes[i, k, 2])
                w = (planes[i, k, 3], planes[i, k, 4], planes[i, k, 5])
                a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                q = blend(w, row(B, a), row(B, b), row(B, c))
                drift = sub(q, blend(w, row(A, a), row(A, b), row(A, c)))
                target = planes[i, k, 6]
                both = math.sqrt(mu[i] * friction[t])
                fill_slot(slots, i * SLOTS + count, n, dot(n, sub(p, q)) - target, drift, both, planes[i, k, 7] - target)
                count += 1
        number[i] = count


@kernel
def measure(hot, number, slots, x0, x):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]."""
    zero = x.dtype.type(0)
    count, deepest = 0, zero
    for h in range(len(hot)):
        i = hot[h]
        d = sub(row(x, i), row(x0, i))
        for k in range(number[i]):
            s = i * SLOTS + k
            if slots[s, LAMBDA] > zero:
                count += 1
                gap = dot((slots[s, NORMAL], slots[s, NORMAL + 1], slots[s, NORMAL + 2]), d) + slots[s, GAP]
                deepest = max(deepest, slots[s, MISSING] - gap)
    return count, deepest
