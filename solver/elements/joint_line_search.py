"""Line search in the local problem of a joint, for any energy of joints: along a change of the forces at its corners."""

from ..device.cpu import element, f32
from ..device.per_energy import GIVEN, per_energy
from ..mathlib import vec3

gradient = _potential_after = GIVEN

ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)
TINY = f32(1e-30)
#: Factor of a local step after a missed minimum.
SMALL = f32(0.05)


@element
def weighted(one, other, w):
    """Sum over the corners of w one other."""
    return w[0] * vec3.dot(one[0], other[0]) + w[1] * vec3.dot(one[1], other[1]) + w[2] * vec3.dot(one[2], other[2])


@per_energy(element)
def potential(corners, w, rest, k, old, f, d, s):
    """Energy and half the work of inertia [J] after a change of the forces f by s d."""
    moved = (
        vec3.add_scaled(corners[0], s * w[0], d[0]),
        vec3.add_scaled(corners[1], s * w[1], d[1]),
        vec3.add_scaled(corners[2], s * w[2], d[2]),
    )
    force = vec3.add_scaled(f[0], s, d[0]), vec3.add_scaled(f[1], s, d[1]), vec3.add_scaled(f[2], s, d[2])
    return gradient(moved, rest, k, old)[0] + HALF * weighted(force, force, w)


@per_energy(element)
def step(corners, w, rest, k, old, state, f, r, first, last, at_start):
    """Apply the first share of a change that does not raise the energy: the minimum of a parabola through the energy at both
    ends, a small part of it, or 0. Return the change at the corners [N], and the new state.

    f: forces, r: residual, first, last: change of the forces at the outer corners [N], at_start: energy [J].
    """
    middle = vec3.scale(-ONE, vec3.add(first, last))
    d = first, middle, last
    before = at_start + HALF * weighted(f, f, w)
    slope = weighted(r, d, w)
    rise = _potential_after(corners, w, rest, k, old, f, d, ONE) - before
    share = min(-HALF * slope / max(rise - slope, TINY), ONE)  # the minimum of a parabola
    share = share if _potential_after(corners, w, rest, k, old, f, d, share) <= before else SMALL * share
    share = share if _potential_after(corners, w, rest, k, old, f, d, share) <= before else ZERO
    first = vec3.scale(share, first)
    last = vec3.scale(share, last)
    middle = vec3.scale(share, middle)
    new = (
        state[0] + first[0], state[1] + first[1], state[2] + first[2],
        state[3] + last[0], state[4] + last[1], state[5] + last[2],
    )  # fmt: skip
    return (first, middle, last), new
