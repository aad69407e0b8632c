"""Kernels of the contacts of coupled vertices: vertices of rigid bodies, and points embedded in tetrahedra.

As `pairs`, with the frozen plane gap(x) = n . d(x) + gap0 >= 0, but the displacement d of the two points against each
other is of up to 16 particles, and of up to two rigid bodies: a body that is displaced by T and turned by a small rotation
vector moves a point by T + turn x arm. What a contact pushes a body by is as exact as for a particle, with the body's
inverse mass and inertia at the contact.
"""

from __future__ import annotations

import math

from ...device.cpu import f32, kernel
from ...device.uncounted import inline
from ...mathlib.vec3 import cross, dot, sub
from ..broad_phase.candidates import CANDIDATE
from ..narrow_phase.local_minimum import between
from .law import friction_between, friction_force, normal_force, reach
from .tables import COUPLED, COUPLED_SIDE, SELECTED

ONE, ZERO, HALF = f32(1), f32(0), f32(0.5)
#: Four corners, each moved by up to four particles.
CORNERS = 16


@inline
def _add_particle(c, i, w, table):
    """Add a particle's weight to a contact; one that is there already gets more."""
    corners, weights, used = table.corners, table.weights, table.used
    for q in range(used[c]):
        if corners[c, q] == i:
            weights[c, q] += w
            return
    corners[c, used[c]], weights[c, used[c]] = i, w
    used[c] += 1


@inline
def _add_point(c, p, w, motion, coupling, rigid, table):
    """Add the surface particle p with a weight."""
    x0, x1, r, b = motion.x0, motion.x1, table.rows[c], coupling.body[p]
    if p >= coupling.first_collider or b >= 0:
        for axis in range(3):
            r[COUPLED.drift + axis] += w * (x1[p, axis] - x0[p, axis])
    if b >= 0:
        s = 0 if table.bodies[c, 0] == b or table.bodies[c, 0] < 0 else 1
        table.bodies[c, s] = b
        table.sides[c, s, COUPLED_SIDE.weight] += w
        for axis in range(3):
            table.sides[c, s, COUPLED_SIDE.arm + axis] += w * (x1[p, axis] - rigid.predicted[b, axis])
    elif p < coupling.first_collider:
        k = coupling.point[p]
        if k < 0:
            _add_particle(c, p, w, table)
        else:
            for q in range(4):
                if coupling.weights[k, q] != 0:
                    _add_particle(c, coupling.corners[k, q], w * coupling.weights[k, q], table)


@inline
def _balance(c, rigid, table):
    """Move the arms of two rigid bodies so that a push keeps their angular momentum: the lighter one's least.

    A push acts where the surfaces touch at the end of the substep, or rolling would be slowed; momenta, however, are
    those of bodies that are pushed at its start and then move. The difference is at most the relative motion.
    """
    bodies, sides, push, centre0 = table.bodies, table.sides, rigid.push, rigid.start
    a, b = bodies[c, 0], bodies[c, 1]
    both = push[a] + push[b]
    share = push[b] / both if both > 0 else HALF  # two that sleep
    for axis in range(3):
        one, other = sides[c, 0, COUPLED_SIDE.arm + axis], sides[c, 1, COUPLED_SIDE.arm + axis]
        rest = (
            sides[c, 0, COUPLED_SIDE.weight] * centre0[a, axis]
            + sides[c, 1, COUPLED_SIDE.weight] * centre0[b, axis]
            + one
            + other
        )
        sides[c, 0, COUPLED_SIDE.arm + axis] = one - share * rest
        sides[c, 1, COUPLED_SIDE.arm + axis] = other - (ONE - share) * rest


@inline
def _through_turn(side, m, swing):
    """swing (arm x m): the turn of a body by a multiplier m."""
    a = cross((side[COUPLED_SIDE.arm], side[COUPLED_SIDE.arm + 1], side[COUPLED_SIDE.arm + 2]), m)
    return (
        swing[0, 0] * a[0] + swing[0, 1] * a[1] + swing[0, 2] * a[2],
        swing[1, 0] * a[0] + swing[1, 1] * a[1] + swing[1, 2] * a[2],
        swing[2, 0] * a[0] + swing[2, 1] * a[1] + swing[2, 2] * a[2],
    )


@inline
def _mobility(c, one, other, rigid, table):
    """Return the compliance between directions `one` and `other` of a contact by rotation of its bodies."""
    bodies, sides, swing = table.bodies, table.sides, rigid.swing
    total = ZERO * one[0]
    for s in range(2):
        if bodies[c, s] >= 0:
            side = sides[c, s]
            turn = _through_turn(side, other, swing[bodies[c, s]])
            total += dot(cross((side[COUPLED_SIDE.arm], side[COUPLED_SIDE.arm + 1], side[COUPLED_SIDE.arm + 2]), one), turn)
    return total


@inline
def _set_masses(c, x0, rigid, table):
    """Set the effective masses of a contact; false where nothing can move."""
    corners, weights, used, bodies, sides, rows = table
    r, push = rows[c], rigid.push
    spread = ZERO * r[COUPLED.gap]
    for q in range(used[c]):
        spread += weights[c, q] * weights[c, q] * x0[corners[c, q], 3]
    for s in range(2):
        if bodies[c, s] >= 0:
            spread += sides[c, s, COUPLED_SIDE.weight] * sides[c, s, COUPLED_SIDE.weight] * push[bodies[c, s]]
    n = (r[COUPLED.normal], r[COUPLED.normal + 1], r[COUPLED.normal + 2])
    along = spread + _mobility(c, n, n, rigid, table)
    if not along > f32(1e-30):
        return False
    # Two directions across the normal; the largest inverse mass of any of them keeps friction convergent and isotropic.
    zero, one = ZERO * spread, ONE + ZERO * spread
    axis = (one, zero, zero) if abs(n[0]) < HALF else (zero, one, zero)
    t = cross(n, axis)
    size = ONE / math.sqrt(dot(t, t))
    t = (t[0] * size, t[1] * size, t[2] * size)
    u = cross(n, t)
    tt, tu, uu = (
        _mobility(c, t, t, rigid, table),
        _mobility(c, t, u, rigid, table),
        _mobility(c, u, u, rigid, table),
    )
    half = HALF * (tt - uu)
    across = spread + HALF * (tt + uu) + math.sqrt(half * half + tu * tu)
    r[COUPLED.effective_mass], r[COUPLED.across] = ONE / along, ONE / across
    return True


@kernel
def set_masses(count, x0, rigid, table):
    """Set the effective masses of contacts that can move. x0: h^2/m in the last column. Written: the rows of the table."""
    for c in range(count):
        _set_masses(c, x0, rigid, table)


@inline
def _clear(c, table):
    used, bodies, sides, r = table.used, table.bodies, table.sides, table.rows[c]
    used[c] = 0
    for column in range(COUPLED.width):
        r[column] = ZERO
    for s in range(2):
        bodies[c, s] = -1
        for column in range(COUPLED_SIDE.width):
            sides[c, s, column] = ZERO


@kernel
def fill(which, selected, candidates, distance, motion, friction, allowance, coupling, rigid, table):
    """Start the contacts of candidate pairs, with no force yet; return how many there are.

    which: pairs, (k,). selected: (k, SELECTED.width). distance: of the candidates at the start [m]. friction: of particles.
    allowance: way that penetration recovery may go in this substep [m]. Written: table.
    """
    split, pair_corners, values = candidates.split, candidates.corners, candidates.values
    x0, x1, rows, bodies = motion.x0, motion.x1, table.rows, table.bodies
    count = 0
    for q in range(len(which)):
        p = which[q]
        t = selected[q, SELECTED.time]
        i, j, k, m = pair_corners[p, 0], pair_corners[p, 1], pair_corners[p, 2], pair_corners[p, 3]
        w, v, d, _ = between(x0, x1, i, j, k, m, p < split, t)
        if not d > f32(1e-12):
            continue
        r = rows[count]
        _clear(count, table)
        inverse = ONE / d
        for axis in range(3):
            r[COUPLED.normal + axis] = v[axis] * inverse
        for c in range(4):
            corner = pair_corners[p, c]
            for axis in range(3):
                r[COUPLED.gap] += r[COUPLED.normal + axis] * w[c] * (x0[corner, axis] - x0[i, axis])
            _add_point(count, corner, w[c], motion, coupling, rigid, table)
        if bodies[count, 1] >= 0:
            _balance(count, rigid, table)
        thick = selected[q, SELECTED.thickness_share] * values[p, CANDIDATE.thickness]
        target = min(thick, distance[p] + allowance)
        r[COUPLED.gap], r[COUPLED.shortfall] = r[COUPLED.gap] - target, thick - target
        r[COUPLED.friction] = friction_between(friction[i], friction[k])
        r[COUPLED.first] = candidates.ids[p, 0] + 1 if p < split else -candidates.ids[p, 0] - 1
        r[COUPLED.second] = candidates.ids[p, 1] + 1
        if _set_masses(count, x0, rigid, table):
            count += 1
    return count


@kernel
def fill_planes(count, points, motion, vertices, allowance, planes, coupling, rigid, table):
    """Start the contacts of the coupled particles `points` with infinite planes, after `count` others; return their sum.

    A sum beyond the rows of the table means that it has to be larger. The others as `fill`.
    """
    x0, x1, rows = motion.x0, motion.x1, table.rows
    _, distance, friction, owner = vertices
    origins, normals, reserve, plane_friction, rules = planes
    room = len(rows)
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
            if min(start, start + move) >= reach(full, math.sqrt(square)):
                continue
            if count >= room:
                count += 1
                continue
            r = rows[count]
            _clear(count, table)
            for axis in range(3):
                r[COUPLED.normal + axis] = normals[k, axis]
            target = min(full, start + allowance)
            r[COUPLED.gap], r[COUPLED.shortfall] = start - target, full - target
            r[COUPLED.friction] = friction_between(friction[p], plane_friction[k])
            r[COUPLED.first], r[COUPLED.second] = p + 1, -k - 1
            _add_point(count, p, ONE, motion, coupling, rigid, table)
            if _set_masses(count, x0, rigid, table):
                count += 1
    return count


@inline
def displacement(c, table, twist, x0, x):
    """Relative displacement of a contact's two points since the start."""
    corners, weights, used, bodies, sides, rows = table
    r = rows[c]
    dx, dy, dz = r[COUPLED.drift], r[COUPLED.drift + 1], r[COUPLED.drift + 2]
    for q in range(used[c]):
        i, w = corners[c, q], weights[c, q]
        dx += w * (x[i, 0] - x0[i, 0])
        dy += w * (x[i, 1] - x0[i, 1])
        dz += w * (x[i, 2] - x0[i, 2])
    for s in range(2):
        b = bodies[c, s]
        if b >= 0:
            side, t = sides[c, s], twist[b]
            turn = cross(
                (t[3], t[4], t[5]), (side[COUPLED_SIDE.arm], side[COUPLED_SIDE.arm + 1], side[COUPLED_SIDE.arm + 2])
            )
            dx += side[COUPLED_SIDE.weight] * t[0] + turn[0]
            dy += side[COUPLED_SIDE.weight] * t[1] + turn[1]
            dz += side[COUPLED_SIDE.weight] * t[2] + turn[2]
    return dx, dy, dz


@inline
def _push(c, m, table, rigid, x):
    """Move everything in a contact by a multiplier m."""
    corners, weights, used = table.corners, table.weights, table.used
    for q in range(used[c]):
        i = corners[c, q]
        w = weights[c, q] * x[i, 3]
        x[i, 0] += w * m[0]
        x[i, 1] += w * m[1]
        x[i, 2] += w * m[2]
    _push_bodies(c, m, table, rigid)


@inline
def _push_bodies(c, m, table, rigid):
    """Move the rigid bodies in a contact by a multiplier m."""
    bodies, sides = table.bodies, table.sides
    push, swing, twist = rigid.push, rigid.swing, rigid.twist
    for s in range(2):
        b = bodies[c, s]
        if b >= 0:
            turn = _through_turn(sides[c, s], m, swing[b])
            w = sides[c, s, COUPLED_SIDE.weight] * push[b]
            for axis in range(3):
                twist[b, axis] += w * m[axis]
                twist[b, 3 + axis] += turn[axis]


@kernel
def push_bodies(which, forces, table, rigid):
    """Move the rigid bodies of contacts, (k,), by forces on their other points [N], (k, 3). Written: twists."""
    for k in range(len(which)):
        _push_bodies(which[k], (forces[k, 0], forces[k, 1], forces[k, 2]), table, rigid)


@kernel
def gaps(count, table, twist, x0, x, gap):
    """Measure the excess of each contact over its target [m]. Written: gap (count,)."""
    rows = table.rows
    for c in range(count):
        r = rows[c]
        d = displacement(c, table, twist, x0, x)
        gap[c] = dot((r[COUPLED.normal], r[COUPLED.normal + 1], r[COUPLED.normal + 2]), d) + r[COUPLED.gap]


@kernel
def sweep(order, growing, table, rigid, x0, x):
    """Project contacts in an order: along the normal, then friction. Returns the farthest that one moved [m].

    growing: multipliers of normals may grow only. Written: the rows of the table, the twists of the bodies, x.
    """
    rows, twist = table.rows, rigid.twist
    farthest = ZERO * x[0, 0]
    for c in order:
        r = rows[c]
        d = displacement(c, table, twist, x0, x)
        n = (r[COUPLED.normal], r[COUPLED.normal + 1], r[COUPLED.normal + 2])
        gap, before = dot(n, d) + r[COUPLED.gap], r[COUPLED.multiplier]
        if gap >= 0 and (growing or before == 0):
            continue
        after = normal_force(before, gap, r[COUPLED.effective_mass])
        change = after - before
        r[COUPLED.multiplier] = after
        farthest = max(farthest, abs(change) / r[COUPLED.effective_mass])
        _push(c, (change * n[0], change * n[1], change * n[2]), table, rigid, x)
        # A push along the normal turns a body, so friction looks again.
        d = displacement(c, table, twist, x0, x)
        old = (r[COUPLED.tangential], r[COUPLED.tangential + 1], r[COUPLED.tangential + 2])
        t = friction_force(old, d, n, r[COUPLED.across], r[COUPLED.friction] * after)
        m = sub(t, old)
        r[COUPLED.tangential], r[COUPLED.tangential + 1], r[COUPLED.tangential + 2] = t
        farthest = max(farthest, math.sqrt(dot(m, m)) / r[COUPLED.across])
        _push(c, m, table, rigid, x)
    return farthest


@kernel
def measure(count, table, twist, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    corners, used, rows = table.corners, table.used, table.rows
    pushing, deepest = 0, ZERO * x[0, 0]
    for c in range(count):
        r = rows[c]
        if r[COUPLED.multiplier] > 0 or r[COUPLED.pushes] > 0:
            pushing += 1
            n = (r[COUPLED.normal], r[COUPLED.normal + 1], r[COUPLED.normal + 2])
            d = displacement(c, table, twist, x0, x)
            deepest = max(deepest, r[COUPLED.shortfall] - dot(n, d) - r[COUPLED.gap])
            for q in range(used[c]):
                touched[corners[c, q]] = True
    return pushing, deepest
