"""Springs from vertices to targets that may move: the local solve, which is exact, and derivatives.

    U = 1/2 k |x - t|^2  [J]

`rest` has the stiffness k [N/m], the first constant its factor by damping, and the numbers of a substep's start the target.
With damping, a time tau, the force is that of the distance and of tau times its rate: at a substep's end that of a spring
1 + tau / h times as stiff, to the target that `damped_target` gives.
"""

from ..device.cpu import element, f32
from ..mathlib import vec3

CORNERS = 1
STATE = 3  # force [N]
START_STRAINS = 3  # target [m] at the end of the substep
CONSTRAINTS = 3

HALF = f32(0.5)
ONE = f32(1)
ZERO = f32(0)


def damped_target(before, after, x, share):
    """Return the target of a damped spring [m], (n, 3). before, after: its target at a substep's start and end, x: its start
    [m], (n, 3). share: tau / h."""
    return (after + share * (x + (after - before))) / (1 + share)


@element
def project(corners, w, rest, k, target, force, reprojection):
    """Solve locally: force = -k (x + w force - target), x the position without the vertex's own force."""
    other = vec3.add_scaled(corners[0], -w[0], force)
    stiff = rest[0] * k[0]
    new = vec3.scale(-stiff / (ONE + w[0] * stiff), vec3.sub(other, target))
    return (vec3.sub(new, force),), new


@element
def displacement(corners, rest, force):
    return (force,)


@element
def gradient(corners, rest, k, target):
    """Energy [J] and its gradient [N]."""
    gap = vec3.sub(corners[0], target)
    stiff = rest[0] * k[0]
    return HALF * stiff * vec3.dot(gap, gap), (vec3.scale(stiff, gap),)


@element
def hessian_times(corners, rest, k, target, directions, exact):
    """Second derivative times directions [N]; it is positive."""
    return (vec3.scale(rest[0] * k[0], directions[0]),)


@element
def block(corners, rest, k, target, mine):
    """The gradient [N] and the 3x3 block [N/m]; without effect where mine is 0."""
    stiffness = mine[0] * rest[0] * k[0]
    return vec3.scale(stiffness, vec3.sub(corners[0], (target[0], target[1], target[2]))), (
        stiffness,
        stiffness,
        stiffness,
        ZERO,
        ZERO,
        ZERO,
    )


@element
def constraints(corners, rest, k, target):
    """The three components of x - t [m], their stiffnesses [N/m] and gradients."""
    slopes = (((ONE, ZERO, ZERO),), ((ZERO, ONE, ZERO),), ((ZERO, ZERO, ONE),))
    stiff = rest[0] * k[0]
    return vec3.sub(corners[0], target), (stiff, stiff, stiff), slopes
