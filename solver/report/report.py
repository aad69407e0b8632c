"""What a user may trust a frame by: residual, stretch, volume, energy, momentum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.cpu import kernel
from ..model.model import Model
from ..model.state import State
from . import residual
from .location import Location

#: Farther from the scene's middle than this [m], a vertex has been thrown out by an unstable simulation.
FAR = 1e7


Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Report:
    """Quality of one frame, over all bodies.

    residual: force that the integrator's balance M (x - x_pred) / h^2 + grad U is left with at the end of the last substep,
    over that at its prediction, which is the elastic force there; both as root mean squares over vertices free of pins and
    contact, and what contacts push with added to the latter. A quasi-static solve has no inertia in it, but gravity, and
    starts from the last pose with the pins in their new places. residual_of_start: the same force over that at the
    substep's start, the last pose with the pins in their new places. Both are 0 where there is no force at all but that of
    rounded positions (`residual.py`).
    converged: false if `Settings.tolerance` was asked for and a substep of the frame ended above it.
    max_stretch, mean_stretch: extension of the edges of cloth and tetrahedra over their rest length (compression counts as
    0). volume_change: of the soft body that changed most, signed. kinetic_energy, elastic_energy, gravity_energy (0 at the
    world's origin): J. momentum: kg m/s; angular_momentum: kg m^2/s about the world's origin; both as (x, y, z), without
    pinned vertices.
    contacts: that push in the last substep. pairs: candidates for contact. deepest: largest shortfall of a kept distance in
    the last substep [m]. clamped: vertices that the last substep clamped (CCD), for they would have gone through something.
    intersections: edges that pass through triangles at the frame's end; intersection_locations: where. unresolved: pairs
    that the frame's substeps could not keep apart, because something was pinched; unresolved_locations: where.
    asleep: bodies that sleep at the frame's end.
    clamped_pins: pinned vertices that contact keeps from their targets at the frame's end, for they would have passed
    through something. substeps: of the frame, more than asked for where surfaces stalled.
    iterations: sweeps of the frame. seconds: wall time of the frame.
    """

    residual: float = 0.0
    residual_of_start: float = 0.0
    converged: bool = True
    max_stretch: float = 0.0
    mean_stretch: float = 0.0
    volume_change: float = 0.0
    kinetic_energy: float = 0.0
    elastic_energy: float = 0.0
    gravity_energy: float = 0.0
    momentum: Vector = (0.0, 0.0, 0.0)
    angular_momentum: Vector = (0.0, 0.0, 0.0)
    contacts: int = 0
    pairs: int = 0
    deepest: float = 0.0
    clamped: int = 0
    intersections: int = 0
    intersection_locations: tuple[Location, ...] = ()
    unresolved: int = 0
    unresolved_locations: tuple[Location, ...] = ()
    asleep: int = 0
    clamped_pins: int = 0
    substeps: int = 0
    iterations: int = 0
    seconds: float = 0.0

    @property
    def energy(self) -> float:
        """Kinetic, elastic and gravity's [J]."""
        return self.kinetic_energy + self.elastic_energy + self.gravity_energy


@dataclass(frozen=True)
class Balance:
    """residual, residual_of_start, elastic_energy [J]: see `Report`."""

    residual: float
    residual_of_start: float
    elastic_energy: float


def balance(model: Model, state: State, in_contact: np.ndarray | None = None) -> Balance:
    """How far the state is from what its integrator asks for.

    in_contact: vertices that contacts push, (n,) bool.
    """
    pushed = np.zeros(model.n_vertices, bool) if in_contact is None else in_contact
    scale = residual.residual_scale(model, state)
    left, energy = residual.force_at(model, state, state.x, state.correction)
    start = np.where(state.x[:, 3:] > 0, state.x0, state.x)
    start[:, 3] = state.x[:, 3]
    of_start, _ = residual.force_at(model, state, start, start - state.x_pred)
    relative = scale.relative
    return Balance(relative(left, scale.at_prediction, pushed), relative(left, of_start, pushed), energy)


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


def motion(model: Model, state: State) -> tuple[float, Vector, Vector]:
    """Kinetic energy [J], momentum [kg m/s] and angular momentum [kg m^2/s] about the world's origin, without pins."""
    m = np.where(model.fixed, 0.0, model.mass)[:, None]
    v = state.v[: model.n_vertices].astype(float)
    x = state.x[: model.n_vertices, :3] + model.origin
    energy, momentum, angular = float(0.5 * (m * v * v).sum()), (m * v).sum(0), np.cross(x, m * v).sum(0)
    r = state.rigid
    if r is not None:
        p = r.mass[:, None] * r.velocity
        energy, momentum = energy + r.kinetic_energy(), momentum + p.sum(0)
        angular = angular + (np.cross(r.centre + model.origin, p) + r.spin).sum(0)
    return energy, _vector(momentum), _vector(angular)


def _vector(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])


def gravity_energy(model: Model, state: State, gravity: np.ndarray) -> float:
    """J, 0 at the world's origin, without pins. gravity: (3,) m/s^2."""
    m = np.where(model.fixed, 0.0, model.mass)
    energy = -float(m @ ((state.x[: model.n_vertices, :3] + model.origin) @ gravity))
    r = state.rigid
    return energy if r is None else energy - float(r.mass @ ((r.centre + model.origin) @ gravity))


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
