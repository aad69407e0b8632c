"""Share of its step that each element takes when all are solved from the same positions (Jacobi), so that the sum converges.

Taken alone, an element of stiffness beta, the largest eigenvalue of h^2 M^-1 times its Hessian, responds to a displacement
of its corners by up to tau = beta / (1 + beta) of it, and the responses of all elements at a vertex add up. So it moves by

    share = RELAXATION / max(1, largest over its corners of (sum of tau of all elements there) + 1 - its own tau)

of its local solve, at most by all of it: averages, over-relaxed, where elements are stiff, and no scaling where they are
soft. The eigenvalues of a sweep then lie between -0.9 and 1. Position and state are scaled alike, element by element, so
that positions stay the prediction plus all displacements and momentum is kept; averages at each vertex would lose both.
The bound is that of the rest shape.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...device.cpu import LANES, kernel
from ...device.per_energy import GIVEN, per_energy
from ...device.simd.tuples import corners_of, first_numbers, numbers, put_corners
from ...model.model import PADDING, ElementBatch, Model
from ..batch import set_strains

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
gradient = GIVEN

#: Twice the average is the limit of stability.
RELAXATION = 1.9
#: Steps of the power iteration, from one fixed start; each gains at least the ratio of the two largest eigenvalues.
POWER_STEPS = 20
#: Displacement of the differences over the size of the element: half of float64's digits.
DIFFERENCE = 1e-6
#: Packs at a time.
CHUNK = 4096


def jacobi_shares(model: Model, batch: ElementBatch) -> np.ndarray:
    """The share of its local solve that each element moves by, (packs, LANES), in the model's precision."""
    beta = stiffness(model, batch)
    tau = beta / (1 + beta)
    corners = batch.index.reshape(batch.packs, -1, LANES)
    at_corners = np.broadcast_to(tau[:, None], corners.shape)
    total = np.bincount(corners.ravel(), at_corners.ravel(), model.n_vertices + len(PADDING))
    total[np.append(model.fixed, np.ones(len(PADDING), bool))] = 0  # fixed vertices need no share
    most = np.maximum(total[corners].max(1) + 1 - tau, 1)
    return np.minimum(RELAXATION / most, 1).astype(model.settings.dtype)


def stiffness(model: Model, batch: ElementBatch) -> np.ndarray:
    """Largest eigenvalue of h^2 M^-1 times the Hessian of each element at rest, damping included, (packs, LANES) float64."""
    x = rest_positions(model)
    rest, constants = batch.rest.astype(float), batch.constants.astype(float)
    batch = replace(batch, rest=rest, constants=constants)
    memory = np.zeros((batch.packs, batch.energy.START_STRAINS * LANES))
    if batch.damped:
        set_strains(batch, memory, x)
    loop = _gradients(batch.energy)
    eigenvalues = []
    for first in range(0, batch.packs, CHUNK):
        part = slice(first, first + CHUNK)
        arrays = (rest[part], constants, batch.material[part], memory[part])
        index = batch.index[part].reshape(-1, batch.energy.CORNERS, LANES)
        lanes = np.ascontiguousarray(x[index].transpose(0, 1, 3, 2))
        eigenvalues.append(_largest_eigenvalues(lambda at, out, arrays=arrays: loop(*arrays, at, out), lanes))
    return np.where(batch.element.reshape(-1, LANES) < 0, 0.0, np.concatenate(eigenvalues))


def rest_positions(model: Model) -> np.ndarray:
    """As `State.x`, at rest."""
    n = model.n_vertices
    x = np.zeros((n + len(PADDING), 4))
    for part in model.parts:
        body = part.body
        x[part.start : part.stop, :3] = (body.vertices if body.rest_vertices is None else body.rest_vertices) - model.origin
    x[:n, 3] = np.where(model.fixed, 0.0, model.h**2 / model.mass)
    x[n:, :3] = PADDING
    return x


def _largest_eigenvalues(gradients, lanes: np.ndarray) -> np.ndarray:
    """Power iteration on W^1/2 H W^1/2, W = h^2 M^-1; H times a direction is the difference of two gradients.

    lanes: (packs, corners, 4, LANES) position [m] and W of each corner. Returns (packs, LANES).
    """
    x, w = lanes[:, :, :3], np.sqrt(lanes[:, :, 3:])
    size = np.abs(x - x[:, :1]).max((1, 2), keepdims=True)
    size[size == 0] = 1.0  # a single vertex
    number = np.arange(x.shape[1] * 3).reshape(1, -1, 3, 1)
    direction = np.broadcast_to(np.sin(1.0 + 2.0 * number**2), x.shape) * (w > 0)
    ends = np.zeros((2, *lanes.shape))
    value = np.zeros(size.shape)
    for _ in range(POWER_STEPS):
        length = np.sqrt((direction**2).sum((1, 2), keepdims=True))
        direction = direction / np.where(length > 0, length, 1.0)
        step = DIFFERENCE * size / np.maximum(np.abs(w * direction).max((1, 2), keepdims=True), 1e-300)
        for slopes, sign in zip(ends, (-1, 1), strict=True):
            at = lanes.copy()
            at[:, :, :3] += sign * step * w * direction
            gradients(at.reshape(len(at), -1), slopes.reshape(len(at), -1))
        direction = w * (ends[1] - ends[0])[:, :, :3] / (2 * step)
        value = np.sqrt((direction**2).sum((1, 2), keepdims=True))
    return value[:, 0, 0]


@per_energy(kernel)
def _gradients(rest, constants, material, memory, lanes, out):
    """The gradient of each element at positions of its own [N]. lanes, out: (packs, corners * 4 * LANES)."""
    for pack in range(len(rest)):
        at = lanes[pack]
        slopes_of = out[pack]
        r = rest[pack]
        m = memory[pack]
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
        for lane in range(LANES):
            _, slopes = gradient(corners_of(at, lane, CORNERS), numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS))
            put_corners(slopes_of, lane, slopes)
