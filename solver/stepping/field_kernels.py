"""Effect of one field on each vertex: an acceleration, and its derivative by the velocity.

A field gives a vertex a - c v + v x B. The three are summed up (`sums`, (n, 14)): columns 0 to 6 are a [m/s^2], c [1/s]
and B [rad/s] of what acts wholly, 7 to 13 of what acts along the normal of a sheet only. All numbers are doubles: fields
reach far, and there are few of them.
Source: what Blender's particles of 1 kg do (`source/blender/blenkernel/intern/effect.cc`), formula by formula; velocities
enter implicitly here.
"""

from __future__ import annotations

import math

import numpy as np

from ..contact.broad_phase.nearest_surface import nearest_surface
from ..contact.narrow_phase.distance import blend, closest_on_triangle, row, triangle_normal
from ..device.cpu import kernel
from ..device.uncounted import inline, uncounted_kernel
from ..mathlib.vec3 import add_scaled, cross, dot, scale, sub
from ..scene.field import FALLOFFS, KINDS, SHAPES, SIDES
from .field_noise import gust, turbulence

#: Columns of a field's numbers, and of its choices; see `scene.Field`.
STRENGTH, LOCATION, AXIS, POWER, MIN_DISTANCE, MAX_DISTANCE, RADIAL_POWER, MIN_RADIUS, MAX_RADIUS = (
    0,
    1,
    4,
    7,
    8,
    9,
    10,
    11,
    12,
)
FLOW, NOISE, SIZE, DAMPING, ALONG_NORMAL, UNIT, GRID_AXES, NUMBERS = 13, 14, 15, 16, 17, 18, 19, 31
KIND, SHAPE, FALLOFF, SIDE, INVERSE_SQUARE, IN_WORLD, SEED, CHOICES = 0, 1, 2, 3, 4, 5, 6, 7
#: Columns of the numbers of each body.
WEIGHT, CHARGE, POINT_SIZE, SHEET = 0, 1, 2, 3

FORCE, WIND, VORTEX, MAGNETIC, HARMONIC, ELECTRIC = (
    KINDS.index(kind) for kind in ("force", "wind", "vortex", "magnetic", "harmonic", "charge")
)
LENNARD_JONES, TURBULENCE, DRAG, TEXTURE, FLUID_FLOW, GUIDE = (
    KINDS.index(kind) for kind in ("lennard_jones", "turbulence", "drag", "texture", "fluid_flow", "curve_guide")
)
LINE, PLANE, SURFACE, POINTS = (SHAPES.index(shape) for shape in ("line", "plane", "surface", "points"))
SPHERE, TUBE = FALLOFFS.index("sphere"), FALLOFFS.index("tube")
POINT = SHAPES.index("point")
POSITIVE, NEGATIVE = SIDES.index("positive"), SIDES.index("negative")
#: Distances below this [m] have no direction.
NEAREST = 1e-9
#: The most that a drag's coefficients, and the force of a Lennard-Jones field per strength, may be.
MOST = 2.0
#: A Lennard-Jones field that is nearer than its size over this pushes by the most; its sixth power has a square in single
#: precision.
CLOSE = 30.0
#: Largest share of the difference to a guide's velocity that a vertex gains in a frame.
LED = 0.98


@inline
def _unit(a):
    """The direction of a vector, zero for none."""
    size = math.sqrt(dot(a, a))
    return scale(1.0 / size if size > NEAREST else 0.0, a)


@inline
def _fall(distance, least, most, power, unit):
    """Return 1 below `least`, 0 beyond `most`, and (1 + distance between)^-power."""
    if distance > most:
        return 0.0
    if distance < least:
        return 1.0
    return (1.0 + (distance - least) / unit) ** -power


@inline
def _falloff(numbers, choices, normal, distance, offset):
    """Return a strength after falloff at a vertex. normal: axis of its source. offset: from the field's location [m]."""
    along = dot(normal, offset)
    if (choices[SIDE] == POSITIVE and along < 0.0) or (choices[SIDE] == NEGATIVE and along > 0.0):
        return 0.0
    unit = numbers[UNIT]
    far = distance if choices[FALLOFF] == SPHERE else abs(along)
    left = _fall(far, numbers[MIN_DISTANCE], numbers[MAX_DISTANCE], numbers[POWER], unit)
    if choices[FALLOFF] == SPHERE:
        return left
    if choices[FALLOFF] == TUBE:
        across = add_scaled(offset, -along, normal)
        radius = math.sqrt(dot(across, across))
    else:
        size = math.sqrt(dot(offset, offset))
        radius, unit = math.degrees(math.acos(min(1.0, max(-1.0, along / max(size, NEAREST))))), 1.0
    return left * _fall(radius, numbers[MIN_RADIUS], numbers[MAX_RADIUS], numbers[RADIAL_POWER], unit)


@inline
def _on_curve(points, place):
    """The nearest point of a line through `points`, and its direction there."""
    none = 0.0
    best, at, along = 1e300, (place[0], place[1], place[2]), (none, none, none)
    for k in range(points.shape[0] - 1):
        a, b = row(points, k), row(points, k + 1)
        edge = sub(b, a)
        square = dot(edge, edge)
        if square <= NEAREST * NEAREST:
            continue
        t = min(1.0, max(0.0, dot(sub(place, a), edge) / square))
        q = add_scaled(a, t, edge)
        d = sub(place, q)
        if dot(d, d) < best:
            best, at, along = dot(d, d), q, scale(1.0 / math.sqrt(square), edge)
    return at, along


@inline
def _cubic(t):
    """Shares of four neighbours at the place t between the two in the middle. Source: Catmull and Rom 1974."""
    return (
        t * (t * (1.0 - 0.5 * t) - 0.5),
        t * t * (1.5 * t - 2.5) + 1.0,
        t * (t * (2.0 - 1.5 * t) + 0.5),
        0.5 * t * t * (t - 1.0),
    )


@inline
def _along(numbers, first, place):
    """Number of a grid point along an axis. first: where its numbers begin."""
    return numbers[first] * place[0] + numbers[first + 1] * place[1] + numbers[first + 2] * place[2] + numbers[first + 3]


@inline
def _on_grid(grid, numbers, place, outside):
    """Vectors of a grid at a point, cubic between its points; beyond them those of its border, times `outside`."""
    none = 0.0
    total, amount, inside = (none, none, none), 0.0, 1.0
    x, y, z = _along(numbers, GRID_AXES, place), _along(numbers, GRID_AXES + 4, place), _along(numbers, GRID_AXES + 8, place)
    last = (grid.shape[0] - 1, grid.shape[1] - 1, grid.shape[2] - 1)
    end = (float(last[0]), float(last[1]), float(last[2]))
    if min(x, min(y, z)) < -0.5 or x > end[0] + 0.5 or y > end[1] + 0.5 or z > end[2] + 0.5:
        inside = outside
    x, y, z = min(max(x, 0.0), end[0]), min(max(y, 0.0), end[1]), min(max(z, 0.0), end[2])
    base = (int(x), int(y), int(z))
    by_x, by_y, by_z = _cubic(x - float(base[0])), _cubic(y - float(base[1])), _cubic(z - float(base[2]))
    for a in range(4):
        i = min(max(base[0] + a - 1, 0), last[0])
        for b in range(4):
            j = min(max(base[1] + b - 1, 0), last[1])
            for c in range(4):
                k = min(max(base[2] + c - 1, 0), last[2])
                weight = by_x[a] * by_y[b] * by_z[c]
                total = add_scaled(total, weight, (grid[i, j, k, 0], grid[i, j, k, 1], grid[i, j, k, 2]))
                amount += weight * grid[i, j, k, 3]
    return scale(inside, total), inside * max(amount, 0.0)


@inline
def nearest_at(i, p, x, triangles, order, leaves, nodes, zeros, ones, stack, near):
    """Write the point of some triangles that is nearest to p, and the normal there, to row i of near; zero for none.
    Others: see `find_nearest`."""
    t, _, _ = nearest_surface(p, 0, zeros, ones, triangles, x, order, leaves, nodes, stack)
    for k in range(6):
        near[i, k] = 0.0
    if t < 0:
        return
    a, b, c = row(x, triangles[t, 0]), row(x, triangles[t, 1]), row(x, triangles[t, 2])
    weights, _ = closest_on_triangle(p, a, b, c, 1.0)
    normal, _ = triangle_normal(a, b, c, 1.0)
    at = blend(weights, a, b, c)
    for k in range(3):
        near[i, k], near[i, k + 3] = at[k], normal[k]


@uncounted_kernel
def find_nearest(place, x, triangles, order, leaves, nodes, zeros, ones, stack, near):
    """The nearest point of some triangles to each place, and the normal there. place: (n, 3) [m]. x: (k, 3) [m].

    order, leaves, nodes: of a tree of the triangles. zeros, ones: (t,). stack: (STACK,). Written: near (n, 6).
    """
    for i in range(len(place)):
        nearest_at(i, row(place, i), x, triangles, order, leaves, nodes, zeros, ones, stack, near)


@inline
def _add(sums, i, column, share, a):
    """Add a share of a vector to three columns; without a loop, for which a GPU would keep the vector in memory."""
    sums[i, column] += share * a[0]
    sums[i, column + 1] += share * a[1]
    sums[i, column + 2] += share * a[2]


@inline
def add_at(i, numbers, choices, points, normals, near, grid, permutation, responses, seed, p, velocity, sums):
    """Add the effect of one field to vertex i. responses: of its body, (4,); p: where it is [m], velocity: [m/s].
    Others, and written arrays: see `add_field`."""
    weight = responses[WEIGHT]
    if weight <= 0.0:
        return
    kind, shape, unit = choices[KIND], choices[SHAPE], numbers[UNIT]
    centre = (numbers[LOCATION], numbers[LOCATION + 1], numbers[LOCATION + 2])
    axis = (numbers[AXIS], numbers[AXIS + 1], numbers[AXIS + 2])
    none = 0.0  # by name: the compiler for GPUs takes no literal tuple
    share = numbers[ALONG_NORMAL] if responses[SHEET] > 0.0 else 0.0
    first, last = 0, 1
    if shape == POINTS and kind != GUIDE:
        last = points.shape[0]
        if kind == HARMONIC:
            first = i % last
            last = first + 1
    for k in range(first, last):
        source, normal = centre, axis
        if kind == GUIDE:
            source, normal = _on_curve(points, p)
        elif shape == SURFACE:
            source, normal = row(near, i), (near[i, 3], near[i, 4], near[i, 5])
        elif shape == POINTS:
            source, normal = row(points, k), row(normals, k)
        elif shape in (LINE, PLANE):
            along = dot(sub(p, centre), axis)
            source = add_scaled(centre, along, axis)
            if shape == PLANE and kind != VORTEX:
                source = add_scaled(p, -along, axis)
        offset, from_centre = sub(p, source), sub(p, centre)
        distance = math.sqrt(dot(offset, offset))
        falls_from = offset if kind == GUIDE else from_centre
        left = weight * _falloff(numbers, choices, normal, distance, falls_from)
        if left <= 0.0:
            continue
        strength, damping = numbers[STRENGTH], numbers[DAMPING]
        if numbers[NOISE] > 0.0:
            strength += gust(seed + choices[SEED], i, 2 * k, numbers[NOISE])
            if kind in (HARMONIC, DRAG):
                damping += gust(seed + choices[SEED], i, 2 * k + 1, numbers[NOISE])
        a, c, b = (none, none, none), 0.0, (none, none, none)
        flow = left
        if kind == FORCE:
            if choices[INVERSE_SQUARE]:
                strength = strength * (unit / distance) ** 2.0 if distance > NEAREST else 0.0
            a = scale(strength * left, _unit(offset))
        elif kind == WIND:
            a = scale(strength * left, normal)
        elif kind == VORTEX and shape == POINT:
            a = scale(strength * left * distance, _unit(cross(normal, offset)))
        elif kind == VORTEX:
            round_axis = scale(strength * left, cross(axis, from_centre))
            a = add_scaled(round_axis, strength * left, cross(axis, round_axis))
            c = 1.0
        elif kind == MAGNETIC:
            lines = cross(normal, offset) if shape in (POINT, LINE) else normal
            b = scale(strength * left, _unit(lines))
        elif kind == HARMONIC:
            stretched = 1.0 - numbers[SIZE] / max(distance, NEAREST) if numbers[SIZE] > 0.0 else 1.0
            a = scale(-strength * left * stretched, offset)
            c = 2.0 * damping * math.sqrt(abs(strength))
        elif kind == ELECTRIC:
            a = scale(responses[CHARGE] * strength * left / unit, offset)
        elif kind == LENNARD_JONES:
            apart = max(distance, NEAREST) / unit
            ratio = min(responses[POINT_SIZE] / max(distance, NEAREST), CLOSE) ** 6.0
            a = scale(strength * min(-ratio * (1.0 - ratio) / apart, MOST) / unit, offset)
        elif kind == TURBULENCE:
            at = scale(1.0 / unit, p)
            if not choices[IN_WORLD]:
                at = add_scaled(axis, 1.0 / unit, from_centre)
            if numbers[SIZE] > 0.0:
                at = scale(unit / numbers[SIZE], at)
            a = (
                turbulence(permutation, at[0], at[1], at[2]),
                turbulence(permutation, at[1], at[2], at[0]),
                turbulence(permutation, at[2], at[0], at[1]),
            )
            a = scale(strength * left, a)
        elif kind == DRAG:
            speed = math.sqrt(dot(velocity, velocity))
            c = left * (min(strength, MOST) * speed / unit + min(damping, MOST))
            flow = 0.0
        elif kind == TEXTURE:
            a, flow = _on_grid(grid, numbers, p, 1.0)
            a, flow = scale(strength * left, a), 0.0
        elif kind == FLUID_FLOW:
            a, amount = _on_grid(grid, numbers, p, 0.0)
            flow = strength * left * amount
            a = scale(flow, a)
        elif kind == GUIDE:
            c = -math.log(1.0 - min(left, LED)) * damping
            a = scale(c * strength, normal)
        if kind != HARMONIC:
            c += numbers[FLOW] * flow
        _add(sums, i, 0, 1.0 - share, a)
        _add(sums, i, 4, 1.0 - share, b)
        _add(sums, i, 7, share, a)
        _add(sums, i, 11, share, b)
        sums[i, 3] += (1.0 - share) * c
        sums[i, 10] += share * c


@kernel
def add_field(numbers, choices, points, normals, near, grid, permutation, body, responses, seed, place, v, sums):
    """Add the effect of one field on each vertex. Written: sums (n, 14).

    numbers, choices: of the field, (31,) and (7,). points, normals: of its shape [m], (k, 3). near: the nearest surface
    of each vertex, see `find_nearest`, (n, 6). body: of each vertex, (n,); responses: of each body, weight, charge, size
    [m] and whether it is a sheet, (bodies, 4). seed: of the frame. place [m], v [m/s]: (n, 3).
    """
    for i in range(place.shape[0]):
        numbers_of_body, p, velocity = responses[body[i]], row(place, i), row(v, i)
        add_at(i, numbers, choices, points, normals, near, grid, permutation, numbers_of_body, seed, p, velocity, sums)


@inline
def squares_of_normal(a, b, c):
    """n n^T of a triangle by twice its area: xx, yy, zz, then xy, yz, zx; and twice the area. Zero where there is none."""
    n = cross(sub(b, a), sub(c, a))
    twice = math.sqrt(dot(n, n))
    inverse = 1.0 / twice if twice > 0.0 else 0.0
    squares = scale(inverse, (n[0] * n[0], n[1] * n[1], n[2] * n[2]))
    products = scale(inverse, (n[0] * n[1], n[1] * n[2], n[2] * n[0]))
    return squares, products, twice


@kernel
def add_normals(x, triangles, projector):
    """Average n n^T over the triangles at each vertex, by their areas: the remainder of a push along their normals.

    x: (n, 3) or more. triangles: (t, 3). Written: projector (n, 6) as xx, yy, zz, xy, yz, zx; zero where there are none.
    """
    area = np.zeros(projector.shape[0])
    for t in range(triangles.shape[0]):
        a, b, c = row(x, triangles[t, 0]), row(x, triangles[t, 1]), row(x, triangles[t, 2])
        squares, products, twice = squares_of_normal(a, b, c)
        for corner in range(3):
            i = triangles[t, corner]
            area[i] += twice
            for k in range(3):
                projector[i, k] += squares[k]
                projector[i, k + 3] += products[k]
    for i in range(projector.shape[0]):
        if area[i] > 0.0:
            for k in range(6):
                projector[i, k] /= area[i]


@inline
def _times(m, a):
    """The product of a symmetric matrix (xx, yy, zz, xy, yz, zx) with a vector."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[5] * a[2],
        m[3] * a[0] + m[1] * a[1] + m[4] * a[2],
        m[5] * a[0] + m[4] * a[1] + m[2] * a[2],
    )


@inline
def _turned(c, b, a):
    """-c a + a x b."""
    return add_scaled(cross(a, b), -c, a)


@inline
def _column(e, reach, m, free_c, free_b, bound_c, bound_b):
    """e - reach L e."""
    changed = add_scaled(_turned(free_c, free_b, e), 1.0, _times(m, _turned(bound_c, bound_b, e)))
    return add_scaled(e, -reach, changed)


@inline
def acceleration(i, sums, projector, expected, gravity, reach):
    """Return the acceleration of vertex i by the fields [m/s^2], a tuple. expected, gravity: tuples. Others: see `solve`."""
    m = (projector[i, 0], projector[i, 1], projector[i, 2], projector[i, 3], projector[i, 4], projector[i, 5])
    free_b, bound_b = (sums[i, 4], sums[i, 5], sums[i, 6]), (sums[i, 11], sums[i, 12], sums[i, 13])
    free_c, bound_c = sums[i, 3], sums[i, 10]
    u = (
        expected[0] + reach * gravity[0],
        expected[1] + reach * gravity[1],
        expected[2] + reach * gravity[2],
    )
    bound = add_scaled((sums[i, 7], sums[i, 8], sums[i, 9]), 1.0, _turned(bound_c, bound_b, u))
    right = add_scaled((sums[i, 0], sums[i, 1], sums[i, 2]), 1.0, _turned(free_c, free_b, u))
    right = add_scaled(right, 1.0, _times(m, bound))
    first = _column((1.0, 0.0, 0.0), reach, m, free_c, free_b, bound_c, bound_b)
    second = _column((0.0, 1.0, 0.0), reach, m, free_c, free_b, bound_c, bound_b)
    third = _column((0.0, 0.0, 1.0), reach, m, free_c, free_b, bound_c, bound_b)
    across = cross(second, third)
    inverse = 1.0 / dot(first, across)
    return (
        inverse * dot(right, across),
        inverse * dot(right, cross(third, first)),
        inverse * dot(right, cross(first, second)),
    )


@kernel
def solve(sums, projector, weight, expected, gravity, reach, accelerations):
    """Solve for the fields at the velocity that they lead to, u = expected + reach (gravity + a): a = A + L u.

    sums, projector: of `add_field` and `add_normals`. weight: (n,) 0 where nothing moves a vertex. expected: velocity
    without forces [m/s], gravity [m/s^2]: (n, 3). reach: [s], (n,), 0 for a at `expected`. Written: accelerations (n, 3)
    [m/s^2].
    """
    for i in range(sums.shape[0]):
        result = (0.0, 0.0, 0.0)
        if weight[i] > 0.0:
            result = acceleration(i, sums, projector, row(expected, i), row(gravity, i), reach[i])
        for k in range(3):
            accelerations[i, k] = result[k]
