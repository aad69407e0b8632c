"""What a user may trust a frame by: residual, stretch, volume, energy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .device.cpu import kernel
from .model import Model
from .state import State

#: Farther from the scene's middle than this [m], a vertex has been thrown out by an unstable simulation.
FAR = 1e7


@dataclass(frozen=True)
class Report:
    """Quality of one frame, over all bodies.

    residual: force that backward Euler is left with at the end of the last substep, over the elastic force at its
    prediction, both as root mean squares over vertices free of pins and contact. max_stretch, mean_stretch: extension of
    the edges of cloth and tetrahedra over their rest length (compression counts as 0). volume_change: of the soft body
    that changed most, signed. kinetic_energy, elastic_energy: J. contacts: that push in the last substep. pairs: candidates
    for contact. deepest: largest shortfall of a kept distance in the last substep [m]. held_back: vertices that the last
    substep held back, for they would have gone through something. intersections: edges that pass through triangles.
    unresolved: pairs that the frame's substeps could not keep apart. seconds: wall time of the frame.
    """

    residual: float = 0.0
    max_stretch: float = 0.0
    mean_stretch: float = 0.0
    volume_change: float = 0.0
    kinetic_energy: float = 0.0
    elastic_energy: float = 0.0
    contacts: int = 0
    pairs: int = 0
    deepest: float = 0.0
    held_back: int = 0
    intersections: int = 0
    unresolved: int = 0
    iterations: int = 0
    seconds: float = 0.0


def residual(model: Model, state: State, in_contact: np.ndarray | None = None) -> tuple[float, float]:
    """Relative residual of backward Euler at the state, and the elastic energy [J]. See `Report`.

    in_contact: vertices to leave out, (n,) bool: their contact force is not part of the energies.
    """
    at_prediction = np.zeros(state.x.shape, state.x.dtype)
    at_state = np.zeros(state.x.shape, state.x.dtype)
    energy = 0.0
    for block, memory in zip(model.blocks, state.memories, strict=True):
        arrays = (0, block.packs, block.index, block.rest, block.constants, block.material, memory)
        block.energy.add_gradient(*arrays, state.x_pred, at_prediction)
        energy += block.energy.add_gradient(*arrays, state.x, at_state)
    skip = np.zeros(model.n_vertices, bool) if in_contact is None else in_contact
    left, start, weight = _norms(state.x, state.x_pred, at_state, at_prediction, skip)
    # A body in free fall has no elastic force to compare with: the weight's millionth keeps noise from looking large.
    return left / max(start, 1e-3 * weight, 1e-30), energy


@kernel
def _norms(x, x_pred, at_state, at_prediction, skip):
    left = 0.0
    start = 0.0
    weight = 0.0
    for i in range(len(skip)):
        if x[i, 3] <= 0 or skip[i]:
            continue
        for k in range(3):
            r = (x[i, k] - x_pred[i, k]) / x[i, 3] + at_state[i, k]
            left += r * r
            start += at_prediction[i, k] * at_prediction[i, k]
        # 1 / w = m / h^2: the force that moves the vertex by a thousandth of a millimetre in a substep
        weight += (1e-6 / x[i, 3]) ** 2
    return math.sqrt(left), math.sqrt(start), math.sqrt(weight)


@kernel
def stretch(x, edges, lengths):
    """Largest and mean extension of edges over their rest length."""
    largest = 0.0
    total = 0.0
    for e in range(len(edges)):
        a = edges[e, 0]
        b = edges[e, 1]
        square = 0.0
        for k in range(3):
            d = x[a, k] - x[b, k]
            square += d * d
        extension = max(math.sqrt(square) / lengths[e] - 1.0, 0.0)
        largest = max(largest, extension)
        total += extension
    return largest, total / max(len(edges), 1)


@kernel
def volumes(x, tetrahedra, owner, count):
    """Volume of each body [m^3], (count,)."""
    total = np.zeros(count)
    for t in range(len(tetrahedra)):
        e = np.empty((3, 3))
        for j in range(3):
            for k in range(3):
                e[j, k] = x[tetrahedra[t, j + 1], k] - x[tetrahedra[t, 0], k]
        total[owner[t]] += (
            e[0, 0] * (e[1, 1] * e[2, 2] - e[1, 2] * e[2, 1])
            - e[0, 1] * (e[1, 0] * e[2, 2] - e[1, 2] * e[2, 0])
            + e[0, 2] * (e[1, 0] * e[2, 1] - e[1, 1] * e[2, 0])
        ) / 6.0
    return total


@kernel
def kinetic_energy(x, v, count, h):
    """J; mass = h^2 / x[:, 3], fixed vertices left out."""
    total = 0.0
    for i in range(count):
        if x[i, 3] > 0:
            total += 0.5 * h * h / x[i, 3] * (v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
    return total


@kernel
def first_not_finite(x, count):
    """Index of the first vertex that is not finite, or too far away to be meant, or -1."""
    for i in range(count):
        # Not math.isfinite: with fast-math flags it is compiled away.
        if not (abs(x[i, 0]) < FAR and abs(x[i, 1]) < FAR and abs(x[i, 2]) < FAR):
            return i
    return -1


def volume_change(model: Model, state: State) -> float:
    """(V - V_rest) / V_rest of the soft body that changed most; 0 without soft bodies."""
    if not len(model.tetrahedra):
        return 0.0
    now = volumes(state.x, model.tetrahedra, model.tetrahedron_body, len(model.body_volumes))
    solid = model.body_volumes > 0
    change = now[solid] / model.body_volumes[solid] - 1.0
    return float(change[np.argmax(np.abs(change))])
