"""The linear system of one implicit step of a membrane, and each triangle's share of the force that it finds.

Triangles of one body: triangles (t, 3) local vertices; shapes (t, 5), `stvk_membrane.rest`; places (t,), pack * 16 + lane
in the block; constants (5,) double, `stvk_membrane.constants`. Positions x0 are (n, 4) with h^2 / mass [s^2/kg] last.
"""

from ..device.cpu import LANES, element, kernel
from ..energies.stvk_membrane import deformation, gradient, green_strain, metric
from ..mathlib import sym3, vec3


@element
def _point(x, v):
    return (float(x[v, 0]), float(x[v, 1]), float(x[v, 2]))


@element
def _shape(shapes, t):
    return (float(shapes[t, 0]), float(shapes[t, 1]), float(shapes[t, 2]), float(shapes[t, 3]), float(shapes[t, 4]))


@element
def _elastic(strain, k):
    """Stress over the stiffness scale, without damping."""
    return (k[0] * strain[0] + k[1] * strain[1], k[1] * strain[0] + k[2] * strain[1], k[3] * strain[2])


@kernel
def assemble(triangles, shapes, slots, diagonal, constants, x0, free, values, force):
    """values = M / h^2 + c (B^T D B + g^T S+ g): the Hessian at x0 with the stress's positive part, which keeps it positive.

    Damping stiffens D; its own force at x0 is zero. slots: where block (u, v) of a triangle stands, (t, 9), -1 for none.
    force: minus the gradient [N], (n, 3).
    """
    values[:] = 0
    force[:] = 0
    k0 = constants[0]
    k1 = constants[1]
    k2 = constants[2]
    k3 = constants[3]
    k = (k0, k1, k2, k3)
    grow = 1.0 + constants[4]
    for v in range(len(diagonal)):
        if free[v]:
            inertia = 1.0 / x0[v, 3]
            values[diagonal[v], 0] = inertia
            values[diagonal[v], 4] = inertia
            values[diagonal[v], 8] = inertia
    for t in range(len(triangles)):
        g = _shape(shapes, t)
        c = float(shapes[t, 4])
        f0, f1 = deformation((_point(x0, triangles[t, 0]), _point(x0, triangles[t, 1]), _point(x0, triangles[t, 2])), g)
        s = _elastic(green_strain(metric(f0, f1)), k)
        tension = sym3.positive_part(s)
        gx = (-(g[0] + g[2]), g[0], g[2])
        gy = (-(g[1] + g[3]), g[1], g[3])
        p0 = vec3.combine(c * s[0], f0, c * s[2], f1)
        p1 = vec3.combine(c * s[2], f0, c * s[1], f1)
        d = c * grow
        for u in range(3):
            at = triangles[t, u]
            for i in range(3):
                force[at, i] -= gx[u] * p0[i] + gy[u] * p1[i]
            for v in range(u, 3):
                slot = slots[t, 3 * u + v]
                mirrored = slots[t, 3 * v + u]
                xx = gx[u] * gx[v]
                xy = gx[u] * gy[v]
                yx = gy[u] * gx[v]
                yy = gy[u] * gy[v]
                a00 = d * (k0 * xx + k3 * yy)
                a01 = d * (k1 * xy + k3 * yx)
                a10 = d * (k1 * yx + k3 * xy)
                a11 = d * (k2 * yy + k3 * xx)
                geometric = c * (tension[0] * xx + tension[1] * yy + tension[2] * (xy + yx))
                for i in range(3):
                    m0 = a00 * f0[i] + a10 * f1[i]
                    m1 = a01 * f0[i] + a11 * f1[i]
                    for j in range(3):
                        number = m0 * f0[j] + m1 * f1[j]
                        if i == j:
                            number += geometric
                        if slot >= 0:
                            values[slot, 3 * i + j] += number
                        if mirrored >= 0 and u != v:
                            values[mirrored, 3 * j + i] += number


@kernel
def hand_over(triangles, shapes, places, constants, x0, move, displacement):
    """P = -(F S + dF S+ + F D dE): what each triangle takes over of the force at x0 + move, in the linear model.

    move: (n, 3) [m]. displacement: the block's P, (packs, 96).
    """
    k = (constants[0], constants[1], constants[2], constants[3])
    grow = 1.0 + constants[4]
    for t in range(len(triangles)):
        a = triangles[t, 0]
        b = triangles[t, 1]
        e = triangles[t, 2]
        g = _shape(shapes, t)
        f0, f1 = deformation((_point(x0, a), _point(x0, b), _point(x0, e)), g)
        d0, d1 = deformation((_point(move, a), _point(move, b), _point(move, e)), g)
        s = _elastic(green_strain(metric(f0, f1)), k)
        tension = sym3.positive_part(s)
        more = _elastic((vec3.dot(f0, d0), vec3.dot(f1, d1), vec3.dot(f0, d1) + vec3.dot(f1, d0)), k)
        u0 = s[0] + grow * more[0]
        u1 = s[1] + grow * more[1]
        u2 = s[2] + grow * more[2]
        p0 = vec3.add(vec3.combine(u0, f0, u2, f1), vec3.combine(tension[0], d0, tension[2], d1))
        p1 = vec3.add(vec3.combine(u2, f0, u1, f1), vec3.combine(tension[2], d0, tension[1], d1))
        pack = places[t] // LANES
        lane = places[t] % LANES
        for i in range(3):
            displacement[pack, i * LANES + lane] = -p0[i]
            displacement[pack, (3 + i) * LANES + lane] = -p1[i]


@kernel
def potential(triangles, shapes, places, constants, memory, x_pred, free, x):
    """1/2 |x - x_pred|^2 M / h^2 + the membrane's energy with its damping [J], which the exact step minimises. x: (n, 3)."""
    k = (constants[0], constants[1], constants[2], constants[3], constants[4])
    total = 0.0
    for t in range(len(triangles)):
        pack = places[t] // LANES
        lane = places[t] % LANES
        old = (float(memory[pack, lane]), float(memory[pack, LANES + lane]), float(memory[pack, 2 * LANES + lane]))
        corners = (_point(x, triangles[t, 0]), _point(x, triangles[t, 1]), _point(x, triangles[t, 2]))
        energy, _ = gradient(corners, _shape(shapes, t), k, old)
        total += energy
    for v in range(len(x)):
        if free[v]:
            square = 0.0
            for i in range(3):
                square += (x[v, i] - x_pred[v, i]) ** 2
            total += 0.5 * square / x_pred[v, 3]
    return total
