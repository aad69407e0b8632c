"""Relaxation of a patch's yarns under an imposed shape: L-BFGS, preconditioned by the patch's banded second derivatives."""

import math
from typing import NamedTuple

import numpy as np

from ..device.cpu import kernel, summing_kernel
from ..linalg import banded
from .cylinder import REACH, SIDE, images, place, place_slopes, pull_back, shape_flat
from .neighbours import find_pairs
from .rods import contact_energy, rod_energy
from .tangent import assemble

#: Steps that are remembered.
MEMORY = 10
#: Fewest steps after which the matrix is built anew, and entries of a band's row for one more: a factor costs as much as so
#: many steps. Steps of one that was never built.
REFRESHED, ENTRIES, NEVER = 30, 4, 1 << 30
#: Places that are tried along one direction, and directions that may fail.
SEARCHES, FAILURES = 25, 4
#: Share of the bending stiffness over radius^3 on the matrix's diagonal: without it nothing holds the patch in its plane.
SHIFT = 1e-4


class Factor(NamedTuple):
    """Preconditioner of a solve, kept from one to the next. band: (4n, 4 width + 4). up: preconditioned force that lifts all
    vertices, (4n,). age: steps since it was built, (1,)."""

    band: np.ndarray
    up: np.ndarray
    age: np.ndarray


def no_factor(n: int, width: int) -> Factor:
    """Return a preconditioner that is not built yet."""
    return Factor(np.empty((4 * n, 4 * width + 4)), np.empty(4 * n), np.array([NEVER], np.int64))


@summing_kernel
def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def largest_of(a):
    largest = 0.0
    for i in range(len(a)):
        largest = max(largest, abs(a[i]))
    return largest


@kernel
def copy(a, into):
    for i in range(len(a)):
        into[i] = a[i]


@kernel
def add_to(d, share, a):
    """d += share a, in place."""
    for i in range(len(d)):
        d[i] += share * a[i]


@summing_kernel
def energy_of(z, problem, pairs, count, shape, motions, x, slopes, forces, on_images, gradient):
    """Return the energy [J] of a patch; its gradient over z [N], with the mean of the heights kept, is written.

    z: material coordinates (4n,), then nothing or the stretch along x and y times `given.scale`, of a cell of free size;
    then shape is written too. Other arrays are work space.
    """
    n = len(x)
    q, turns = np.empty((n, 4)), np.empty(n)
    for v in range(n):
        for k in range(4):
            q[v, k] = z[4 * v + k]
    free = len(z) > 4 * n
    if free:
        shape_flat(z[4 * n] / problem.scale, z[4 * n + 1] / problem.scale, shape)
    images(shape, problem.width, problem.height, motions)
    place(q, shape, x)
    place_slopes(q, shape, slopes)
    forces[:] = 0.0
    on_images[:] = 0.0
    energy = rod_energy(problem.rods, q, x, motions, shape, forces, on_images, turns)
    energy += contact_energy(problem.rods, pairs, count, x, motions, forces, on_images)
    pull_back(slopes, forces, gradient)
    weight = problem.rods.weight
    lift, square = 0.0, 0.0
    for v in range(n):
        gradient[4 * v + 3] = turns[v]
        lift += weight[v] * gradient[4 * v + 2]
        square += weight[v] * weight[v]
    for v in range(n):
        gradient[4 * v + 2] -= lift / square * weight[v]
    if free:
        over_x, over_y = 0.0, 0.0
        for v in range(n):
            over_x += forces[v, 0] * q[v, 0]
            over_y += forces[v, 1] * q[v, 1]
        for i in range(SIDE):
            for j in range(SIDE):
                over_x += on_images[i * SIDE + j, 0] * (i - REACH) * problem.width
                over_y += on_images[i * SIDE + j, 1] * (j - REACH) * problem.height
        gradient[4 * n] = over_x / problem.scale
        gradient[4 * n + 1] = over_y / problem.scale
    return energy


@summing_kernel
def neighbours_of(problem, shape, motions, x, pairs):
    """Refresh the list of pairs; return how many there are."""
    turn_x, turn_y = shape[4] * shape[0] * problem.width, shape[4] * shape[1] * problem.height
    return min(find_pairs(problem.rods, x, motions, turn_x, turn_y, problem.skin, pairs), pairs.shape[1])


@summing_kernel
def divide(d, n, band, order, up, weight):
    """Precondition d in place, with the mean height kept; entries after the coordinates stay."""
    y = np.empty(4 * n)
    for v in range(n):
        for k in range(4):
            y[4 * order[v] + k] = d[4 * v + k]
    banded.solve(band, y)
    lift, square = 0.0, 0.0
    for v in range(n):
        lift += weight[v] * y[4 * order[v] + 2]
        square += weight[v] * up[4 * order[v] + 2]
    for v in range(n):
        for k in range(4):
            d[4 * v + k] = y[4 * order[v] + k] - lift / square * up[4 * order[v] + k]


@summing_kernel
def refresh(problem, pairs, count, z, x, motions, shape, slopes, order, band, up):
    """Factorise the matrix at z, written to band, and precondition the force that lifts all vertices, written to up
    (4n,)."""
    rods = problem.rods
    shift = SHIFT * rods.bend[0] / rods.radius[0] ** 3
    q = z[: 4 * len(x)].reshape(len(x), 4)
    assemble(rods, pairs, count, q, x, motions, shape, slopes, order, shift, band)
    banded.factor(band)
    up[:] = 0.0
    for v in range(len(x)):
        up[4 * order[v] + 2] = rods.weight[v]
    banded.solve(band, up)


@summing_kernel
def minimise(z, problem, shape, order, factor, pairs, tolerance, most):
    """Minimise the energy over z in place; return the energy [J], the largest entry of the gradient [N], how many steps
    and evaluations it took, and the number of pairs near each other.

    z, shape: as in `energy_of`. order: of the vertices in the band. tolerance: of the gradient [N]. most: steps.
    """
    size, n = len(z), len(problem.rods.after)
    motions, x, listed = np.empty((SIDE * SIDE, 5)), np.empty((n, 3)), np.empty((n, 3))
    slopes, forces, on_images = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((SIDE * SIDE, 2))
    gradient, new, trial, d = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    steps, changes = np.empty((MEMORY, size)), np.empty((MEMORY, size))
    inverse, share = np.empty(MEMORY), np.empty(MEMORY)
    band, up, age = factor.band, factor.up, factor.age
    worth = max(REFRESHED, band.shape[1] // ENTRIES)
    count, energy, slope, listing = np.int64(0), 0.0, 0.0, True
    known, it, evaluations, failed, refreshed = 0, 0, 0, 0, 0
    size_of_step, searching = 1.0, 0
    copy(z, trial)
    while True:
        at = energy_of(trial, problem, pairs, count, shape, motions, x, slopes, forces, on_images, new)
        evaluations += 1
        if listing:  # an accepted state: its neighbours, and their energy
            if searching == 0:
                count = neighbours_of(problem, shape, motions, x, pairs)
                for v in range(n):
                    for k in range(3):
                        listed[v, k] = x[v, k]
                searching = -1
                continue
            listing, searching = False, 0
            copy(trial, z)
            copy(new, gradient)
            energy = at
        elif searching > 0:
            rising = dot(new, d)
            enough = at <= energy + 1e-4 * size_of_step * slope
            if enough or (at <= energy + 1e-11 * abs(energy) and abs(rising) < -0.9 * slope):
                m = known % MEMORY
                for i in range(size):
                    steps[m, i] = trial[i] - z[i]
                    changes[m, i] = new[i] - gradient[i]
                both = dot(steps[m], changes[m])
                if both > 1e-10 * math.sqrt(dot(steps[m], steps[m]) * dot(changes[m], changes[m])):
                    inverse[m] = 1.0 / both
                    known += 1
                copy(trial, z)
                copy(new, gradient)
                energy = at
                searching = 0
                if moved_far(problem, x, listed, d, n):
                    listing = True
                    continue
            elif searching < SEARCHES:
                searching += 1
                better = -0.5 * slope * size_of_step**2 / (at - energy - size_of_step * slope)
                if not better > 0.1 * size_of_step:
                    better = 0.1 * size_of_step
                size_of_step = min(better, 0.6 * size_of_step)
                for i in range(size):
                    trial[i] = z[i] + size_of_step * d[i]
                continue
            else:  # nothing better on this line: begin anew from here
                failed += 1
                known, age[0], searching = 0, NEVER, 0
                if failed <= FAILURES:
                    copy(z, trial)
                    listing = True
                    continue
        if it >= most or failed > FAILURES or largest_of(gradient) <= tolerance:
            break
        if age[0] >= worth:
            refresh(problem, pairs, count, z, x, motions, shape, slopes, order, band, up)
            age[0] = 0
            refreshed += 1
        it += 1
        age[0] += 1
        for i in range(size):
            d[i] = -gradient[i]
        for k in range(min(known, MEMORY)):
            m = (known - 1 - k) % MEMORY
            share[m] = inverse[m] * dot(steps[m], d)
            add_to(d, -share[m], changes[m])
        divide(d, n, band, order, up, problem.rods.weight)
        for k in range(4 * n, size):
            d[k] /= problem.cell_stiffness
        for k in range(min(known, MEMORY) - 1, -1, -1):
            m = (known - 1 - k) % MEMORY
            add_to(d, share[m] - inverse[m] * dot(changes[m], d), steps[m])
        slope = dot(gradient, d)
        if not slope < 0.0:  # memory that no longer fits: the matrix alone
            failed += 1
            known, age[0] = 0, NEVER
            copy(z, trial)
            listing = True
            continue
        size_of_step, searching = min(1.0, problem.longest / largest_of(d)), 1
        if size_of_step < 1.0:
            slope *= size_of_step
            for i in range(size):
                d[i] *= size_of_step
            size_of_step = 1.0
        for i in range(size):
            trial[i] = z[i] + d[i]
    energy = energy_of(z, problem, pairs, count, shape, motions, x, slopes, forces, on_images, gradient)
    return energy, largest_of(gradient), it, evaluations, refreshed, count


@kernel
def moved_far(problem, x, listed, d, n):
    """Return whether a vertex, or the cell by its last step d, has moved so far that other pairs may be near each other."""
    for v in range(n):
        far = (x[v, 0] - listed[v, 0]) ** 2 + (x[v, 1] - listed[v, 1]) ** 2 + (x[v, 2] - listed[v, 2]) ** 2
        if far > (0.4 * problem.skin) ** 2:
            return True
    grown = largest_of(d[4 * n :]) / problem.scale
    return 2.0 * problem.widest * grown > 0.1 * problem.skin
