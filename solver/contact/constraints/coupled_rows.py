"""Contacts of particles that others carry: vertices of rigid bodies, and points embedded in tetrahedra.

As `contacts`, with the frozen plane gap(x) = n . d(x) + gap0 >= 0, but the displacement d of the two points against each
other is of up to 16 particles, and of up to two rigid bodies: a body that is displaced by T and turned by a small rotation
vector moves a point by T + turn x arm. What a contact pushes a body by is as exact as for a particle, with the body's
inverse mass and inertia at the contact.
"""

from __future__ import annotations

import math

from ...device.cpu import f32, kernel
from ...device.inner import inner
from ...mathlib.vec3 import cross, dot
from ..broad_phase.candidates import THICK
from ..narrow_phase.local_minimum import between

ONE, ZERO, HALF = f32(1), f32(0), f32(0.5)
#: Four corners, each carried by up to four particles.
CORNERS = 16
#: Distances from a plane up to this many thicknesses count as near, beside half the motion.
ACTIVE = 1.5

# Columns of a contact: normal (3), gap at the start over the target, motion of what nothing moves and of rigid predictions
# (3), 1 / inverse mass along the normal and across it, friction, multiplier, tangential multipliers (3), how much less than
# the full distance the target is.
NORMAL, GAP, DRIFT, INVERSE, ACROSS, MU, LAMBDA, TANGENT, MISSING, COLUMNS = 0, 3, 4, 7, 8, 9, 10, 11, 14, 15
# Columns of a side: the sum of the weights of a body's corners, and of these times their arms (3).
SHARE, ARM, SIDE = 0, 1, 4


@inner
def _add_particle(c, i, w, corners, weights, used):
    """Adds a particle's weight to a contact; one that is there already gets more."""
    for q in range(used[c]):
        if corners[c, q] == i:
            weights[c, q] += w
            return
    corners[c, used[c]], weights[c, used[c]] = i, w
    used[c] += 1


@inner
def _add_point(c, p, w, x0, x1, n, body, slot, carriers, carry, centre1, corners, weights, used, bodies, sides, r):
    """Adds the surface particle p with a weight. centre1: rigid centres at the predicted end, (b, 3)."""
    b = body[p]
    if p >= n or b >= 0:
        for axis in range(3):
            r[DRIFT + axis] += w * (x1[p, axis] - x0[p, axis])
    if b >= 0:
        s = 0 if bodies[c, 0] == b or bodies[c, 0] < 0 else 1
        bodies[c, s] = b
        sides[c, s, SHARE] += w
        for axis in range(3):
            sides[c, s, ARM + axis] += w * (x1[p, axis] - centre1[b, axis])
    elif p < n:
        k = slot[p]
        if k < 0:
            _add_particle(c, p, w, corners, weights, used)
        else:
            for q in range(4):
                if carry[k, q] != 0:
                    _add_particle(c, carriers[k, q], w * carry[k, q], corners, weights, used)


@inner
def _balance(c, bodies, sides, centre0, push):
    """Moves the arms of two rigid bodies so that a push keeps their angular momentum: the lighter one's least.

    A push acts where the surfaces touch at the end of the substep, or what rolls would be slowed; momenta, however, are
    those of bodies that are pushed at its start and then move. What is between is at most the relative motion.
    """
    a, b = bodies[c, 0], bodies[c, 1]
    share = push[b] / (push[a] + push[b])
    for axis in range(3):
        one, other = sides[c, 0, ARM + axis], sides[c, 1, ARM + axis]
        rest = sides[c, 0, SHARE] * centre0[a, axis] + sides[c, 1, SHARE] * centre0[b, axis] + one + other
        sides[c, 0, ARM + axis] = one - share * rest
        sides[c, 1, ARM + axis] = other - (ONE - share) * rest


@inner
def _through_turn(side, m, swing):
    """swing (arm x m): the turn of a body by a multiplier m."""
    a = cross((side[ARM], side[ARM + 1], side[ARM + 2]), m)
    return (
        swing[0, 0] * a[0] + swing[0, 1] * a[1] + swing[0, 2] * a[2],
        swing[1, 0] * a[0] + swing[1, 1] * a[1] + swing[1, 2] * a[2],
        swing[2, 0] * a[0] + swing[2, 1] * a[1] + swing[2, 2] * a[2],
    )


@inner
def _mobility(c, one, other, bodies, sides, swing):
    """How far the bodies' turns let a push along `other` move the contact along `one`."""
    total = ZERO * one[0]
    for s in range(2):
        if bodies[c, s] >= 0:
            side = sides[c, s]
            turn = _through_turn(side, other, swing[bodies[c, s]])
            total += dot(cross((side[ARM], side[ARM + 1], side[ARM + 2]), one), turn)
    return total


@inner
def _weigh(c, x0, corners, weights, used, bodies, sides, push, swing, r):
    """Sets the inverse masses of a contact; false where nothing can move."""
    spread = ZERO * r[GAP]
    for q in range(used[c]):
        spread += weights[c, q] * weights[c, q] * x0[corners[c, q], 3]
    for s in range(2):
        if bodies[c, s] >= 0:
            spread += sides[c, s, SHARE] * sides[c, s, SHARE] * push[bodies[c, s]]
    n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
    along = spread + _mobility(c, n, n, bodies, sides, swing)
    if not along > f32(1e-30):
        return False
    # Two directions across the normal; the largest inverse mass of any of them keeps friction convergent and isotropic.
    zero, one = ZERO * spread, ONE + ZERO * spread
    axis = (one, zero, zero) if abs(n[0]) < f32(0.6) else (zero, one, zero)
    t = cross(n, axis)
    size = ONE / math.sqrt(dot(t, t))
    t = (t[0] * size, t[1] * size, t[2] * size)
    u = cross(n, t)
    tt, tu, uu = (
        _mobility(c, t, t, bodies, sides, swing),
        _mobility(c, t, u, bodies, sides, swing),
        _mobility(c, u, u, bodies, sides, swing),
    )
    half = HALF * (tt - uu)
    across = spread + HALF * (tt + uu) + math.sqrt(half * half + tu * tu)
    r[INVERSE], r[ACROSS] = ONE / along, ONE / across
    return True


@inner
def _clear(c, used, bodies, sides, r):
    used[c] = 0
    for column in range(COLUMNS):
        r[column] = ZERO
    for s in range(2):
        bodies[c, s] = -1
        for column in range(SIDE):
            sides[c, s, column] = ZERO


@kernel
def fill(
    which, vertex_pairs, pair_corners, values, distance, when, kept, x0, x1, friction, allowance, n, body, slot, carriers,
    carry, centre0, centre1, push, swing, corners, weights, used, bodies, sides, rows,
):  # fmt: skip
    """Starts the contacts of the pairs `which`, with no force yet; returns how many there are.

    kept: share of the thickness that a contact keeps, of each pair. x0, x1: particles (count, 4) [m]. allowance:
    depenetration in this substep [m]. n: particles of bodies. body, slot, carriers, carry: see `Carried`. centre0, centre1:
    rigid centres at the start and predicted [m], (b, 3). push, swing: see `RigidMotion`. Written: corners, weights
    (k, CORNERS), used (k,), bodies (k, 2), sides (k, 2, SIDE), rows (k, COLUMNS).
    """
    count = 0
    for q in range(len(which)):
        p = which[q]
        t = when[p]
        i, j, k, m = pair_corners[p, 0], pair_corners[p, 1], pair_corners[p, 2], pair_corners[p, 3]
        w, v, d, _ = between(x0, x1, i, j, k, m, p < vertex_pairs, t)
        if not d > f32(1e-12):
            continue
        r = rows[count]
        _clear(count, used, bodies, sides, r)
        inverse = ONE / d
        for axis in range(3):
            r[NORMAL + axis] = v[axis] * inverse
        for c in range(4):
            corner = pair_corners[p, c]
            for axis in range(3):
                r[GAP] += r[NORMAL + axis] * w[c] * (x0[corner, axis] - x0[i, axis])
            _add_point(
                count, corner, w[c], x0, x1, n, body, slot, carriers, carry, centre1, corners, weights, used, bodies, sides,
                r,
            )  # fmt: skip
        if bodies[count, 1] >= 0:
            _balance(count, bodies, sides, centre0, push)
        thick = kept[p] * values[p, THICK]
        target = min(thick, distance[p] + allowance)
        r[GAP], r[MISSING], r[MU] = r[GAP] - target, thick - target, math.sqrt(friction[i] * friction[k])
        if _weigh(count, x0, corners, weights, used, bodies, sides, push, swing, r):
            count += 1
    return count


@kernel
def fill_planes(
    count, room, points, distance, x0, x1, friction, allowance, n, body, slot, carriers, carry, centre1, push, swing, owner,
    rules, origins, normals, reserve, plane_friction, corners, weights, used, bodies, sides, rows,
):  # fmt: skip
    """Starts the contacts of the carried particles `points` with infinite planes, after `count` others; returns their sum.

    distance: kept from colliders [m], (particles,). owner: body of each particle, rules: (bodies, planes) bool, which
    touch. origins, normals: (planes, 3). reserve [m], plane_friction: (planes,).
    A sum beyond `room` means that the arrays have to be larger. The others as `fill`.
    """
    for p in points:
        for k in range(len(origins)):
            if not rules[owner[p], k]:
                continue
            start, move, square = ZERO * allowance, ZERO * allowance, ZERO * allowance
            for axis in range(3):
                d = x1[p, axis] - x0[p, axis]
                start += normals[k, axis] * (x0[p, axis] - origins[k, axis])
                move += normals[k, axis] * d
                square += d * d
            full = distance[p] + reserve[k]
            if min(start, start + move) >= f32(ACTIVE) * full + HALF * math.sqrt(square):
                continue
            if count >= room:
                count += 1
                continue
            r = rows[count]
            _clear(count, used, bodies, sides, r)
            for axis in range(3):
                r[NORMAL + axis] = normals[k, axis]
            target = min(full, start + allowance)
            r[GAP], r[MISSING] = start - target, full - target
            r[MU] = math.sqrt(friction[p] * plane_friction[k])
            _add_point(
                count, p, ONE, x0, x1, n, body, slot, carriers, carry, centre1, corners, weights, used, bodies, sides, r
            )
            if _weigh(count, x0, corners, weights, used, bodies, sides, push, swing, r):
                count += 1
    return count


@inner
def displacement(c, corners, weights, used, bodies, sides, r, twist, x0, x):
    """Relative displacement of a contact's two points since the start."""
    dx, dy, dz = r[DRIFT], r[DRIFT + 1], r[DRIFT + 2]
    for q in range(used[c]):
        i, w = corners[c, q], weights[c, q]
        dx += w * (x[i, 0] - x0[i, 0])
        dy += w * (x[i, 1] - x0[i, 1])
        dz += w * (x[i, 2] - x0[i, 2])
    for s in range(2):
        b = bodies[c, s]
        if b >= 0:
            side, t = sides[c, s], twist[b]
            turn = cross((t[3], t[4], t[5]), (side[ARM], side[ARM + 1], side[ARM + 2]))
            dx += side[SHARE] * t[0] + turn[0]
            dy += side[SHARE] * t[1] + turn[1]
            dz += side[SHARE] * t[2] + turn[2]
    return dx, dy, dz


@inner
def _push(c, m, corners, weights, used, bodies, sides, push, swing, twist, x):
    """Moves everything in a contact by a multiplier m."""
    for q in range(used[c]):
        i = corners[c, q]
        w = weights[c, q] * x[i, 3]
        x[i, 0] += w * m[0]
        x[i, 1] += w * m[1]
        x[i, 2] += w * m[2]
    for s in range(2):
        b = bodies[c, s]
        if b >= 0:
            turn = _through_turn(sides[c, s], m, swing[b])
            w = sides[c, s, SHARE] * push[b]
            for axis in range(3):
                twist[b, axis] += w * m[axis]
                twist[b, 3 + axis] += turn[axis]


@kernel
def gaps(count, corners, weights, used, bodies, sides, rows, twist, x0, x, gap):
    """What each contact is over its target [m]. Written: gap (count,)."""
    for c in range(count):
        r = rows[c]
        d = displacement(c, corners, weights, used, bodies, sides, r, twist, x0, x)
        gap[c] = dot((r[NORMAL], r[NORMAL + 1], r[NORMAL + 2]), d) + r[GAP]


@kernel
def sweep(order, more, corners, weights, used, bodies, sides, rows, push, swing, twist, x0, x):
    """Projects contacts in an order: along the normal, then friction. Returns the farthest that one moved [m].

    more: multipliers of normals may grow only.

    Written: rows, twist, x.
    """
    farthest = ZERO * x[0, 0]
    for c in order:
        r = rows[c]
        d = displacement(c, corners, weights, used, bodies, sides, r, twist, x0, x)
        n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
        gap, before = dot(n, d) + r[GAP], r[LAMBDA]
        if gap >= 0 and (more or before == 0):
            continue
        after = max(ZERO, before - gap * r[INVERSE])
        change = after - before
        r[LAMBDA] = after
        farthest = max(farthest, abs(change) / r[INVERSE])
        _push(c, (change * n[0], change * n[1], change * n[2]), corners, weights, used, bodies, sides, push, swing, twist, x)
        # A push along the normal turns a body, so friction looks again.
        d = displacement(c, corners, weights, used, bodies, sides, r, twist, x0, x)
        along, inverse = dot(n, d), r[ACROSS]
        tx = r[TANGENT] - (d[0] - along * n[0]) * inverse
        ty = r[TANGENT + 1] - (d[1] - along * n[1]) * inverse
        tz = r[TANGENT + 2] - (d[2] - along * n[2]) * inverse
        most, square = r[MU] * after, tx * tx + ty * ty + tz * tz
        if square > most * most:
            # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
            share = most / math.sqrt(square) if square > f32(1e-30) else ZERO * square
            tx, ty, tz = share * tx, share * ty, share * tz
        m = (tx - r[TANGENT], ty - r[TANGENT + 1], tz - r[TANGENT + 2])
        r[TANGENT], r[TANGENT + 1], r[TANGENT + 2] = tx, ty, tz
        farthest = max(farthest, math.sqrt(dot(m, m)) / r[ACROSS])
        _push(c, m, corners, weights, used, bodies, sides, push, swing, twist, x)
    return farthest


@kernel
def measure(count, corners, weights, used, bodies, sides, rows, twist, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    pushing, deepest = 0, ZERO * x[0, 0]
    for c in range(count):
        r = rows[c]
        if r[LAMBDA] > 0:
            pushing += 1
            n = (r[NORMAL], r[NORMAL + 1], r[NORMAL + 2])
            d = displacement(c, corners, weights, used, bodies, sides, r, twist, x0, x)
            deepest = max(deepest, r[MISSING] - dot(n, d) - r[GAP])
            for q in range(used[c]):
                touched[corners[c, q]] = True
    return pushing, deepest
