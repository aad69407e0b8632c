"""The imposed shape of the sheet: a cylinder of constant strains and curvature, onto which material coordinates are mapped.

A cylinder with constant fundamental forms looks the same from everywhere on it, so the images of a periodic patch are rigid
motions of it: a rotation about the cylinder's axis (along y) and a translation. A patch under it has no seams.
"""

import math

import numpy as np

from ..device.cpu import kernel

#: Images of the patch on each side, along each of its directions.
REACH = 3
SIDE = 2 * REACH + 1
#: Beyond this angle around the cylinder an image is left out of contacts [rad]: it would come back onto the patch itself.
WRAPPED = 2.8
#: Below this curvature the cylinder is computed as a plane [1/m]; its sagitta over a patch is below a rounding error.
FLAT = 1e-9


def cylinder(stretch_x: float, shear: float, stretch_y: float, curvature: float = 0.0, angle: float = 0.0) -> np.ndarray:
    """(t1, t2, a1, a2, kappa): how far one moves around the cylinder (t) and along its axis (a) for a material step of one
    along x and y, and the cylinder's curvature in space [1/m].

    stretch_x, stretch_y: lengths of the material directions, less 1. shear: the sine of the shear angle.
    curvature: of the second fundamental form in material coordinates [1/m], along the material direction at `angle` from x
    [rad]; positive bends the sheet towards +z.
    """
    x = (1.0 + stretch_x) * np.array([1.0, 0.0])
    y = (1.0 + stretch_y) * np.array([shear, math.sqrt(1.0 - shear * shear)])
    c, s = math.cos(angle), math.sin(angle)
    axis = c * y - s * x  # the direction in which nothing bends
    axis = axis / math.hypot(*axis)
    around = np.array([axis[1], -axis[0]])
    t1, t2, a1, a2 = x @ around, y @ around, x @ axis, y @ axis
    return np.array([t1, t2, a1, a2, curvature / (c * t1 + s * t2) ** 2])


@kernel
def shape_flat(stretch_x, stretch_y, shape):
    """The plane of these strains, written to shape (5,)."""
    shape[0] = 1.0 + stretch_x
    shape[1] = 0.0
    shape[2] = 0.0
    shape[3] = 1.0 + stretch_y
    shape[4] = 0.0


@kernel
def images(shape, width, height, motions):
    """The rigid motion of each image: cosine and sine of its rotation about y, then its translation.

    shape: (5,). width, height: of the patch, in material coordinates [m]. Writes motions (SIDE^2, 5).
    """
    for i in range(SIDE):
        for j in range(SIDE):
            around = shape[0] * (i - REACH) * width + shape[1] * (j - REACH) * height
            turn = shape[4] * around
            m = motions[i * SIDE + j]
            m[0] = math.cos(turn)
            m[1] = math.sin(turn)
            m[3] = shape[2] * (i - REACH) * width + shape[3] * (j - REACH) * height
            if abs(shape[4]) > FLAT:
                m[2] = math.sin(turn) / shape[4]
                m[4] = 2.0 * math.sin(0.5 * turn) ** 2 / shape[4]
            else:
                m[2] = around
                m[4] = 0.0


@kernel
def place(q, shape, x):
    """Positions x (n, 3) of material coordinates q (n, 4): along x, along y, height above the sheet [m]."""
    for v in range(len(q)):
        around = shape[0] * q[v, 0] + shape[1] * q[v, 1]
        turn = shape[4] * around
        c, s = math.cos(turn), math.sin(turn)
        if abs(shape[4]) > FLAT:
            x[v, 0] = s / shape[4] - q[v, 2] * s
            x[v, 2] = 2.0 * math.sin(0.5 * turn) ** 2 / shape[4] + q[v, 2] * c
        else:
            x[v, 0] = around
            x[v, 2] = q[v, 2]
        x[v, 1] = shape[2] * q[v, 0] + shape[3] * q[v, 1]


@kernel
def place_slopes(q, shape, slopes):
    """dx/dq of each vertex, written to slopes (n, 3, 3): rows are the coordinates in space."""
    for v in range(len(q)):
        turn = shape[4] * (shape[0] * q[v, 0] + shape[1] * q[v, 1])
        c, s = math.cos(turn), math.sin(turn)
        grown = 1.0 - shape[4] * q[v, 2]
        for k in range(2):
            slopes[v, 0, k] = grown * c * shape[k]
            slopes[v, 1, k] = shape[2 + k]
            slopes[v, 2, k] = grown * s * shape[k]
        slopes[v, 0, 2] = -s
        slopes[v, 1, 2] = 0.0
        slopes[v, 2, 2] = c


@kernel
def pull_back(slopes, forces, gradient):
    """The gradient over q, flat, (4n,) or longer, from the one over x (n, 3); of the turns of edges, it is left."""
    for v in range(len(slopes)):
        for k in range(3):
            gradient[4 * v + k] = (
                slopes[v, 0, k] * forces[v, 0] + slopes[v, 1, k] * forces[v, 1] + slopes[v, 2, k] * forces[v, 2]
            )
