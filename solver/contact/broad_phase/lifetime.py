"""Lifetime of neighbour lists in substeps, and thickness of the skin that particles may leave their paths by."""

from __future__ import annotations

import math

import numpy as np

from ...device.cpu import f32
from ...device.uncounted import uncounted_kernel
from ...steering import (
    LIST_MOTION,
    LONGEST_LIFETIME,
    QUIET_LIST_MOTION,
    SKIN_SHARE,
    SLIGHT,
)
from ..surfaces.surfaces import Surfaces

Array = np.ndarray
ONE = f32(1)


def skins(surfaces: Surfaces, start: Array, touching: Array, dtype: np.dtype) -> tuple[Array, float]:
    """Skin of each particle [m], (count,), of colliders the largest of the bodies'; and the bodies' median edge [m].

    start: positions that bodies and colliders begin with [m], (count, 3). touching: half of the kept distance [m], (count,).
    """
    s = surfaces
    skin = np.zeros(s.count)
    mine = s.edges[: s.body_edges]
    lengths = np.linalg.norm(start[mine[:, 0]] - start[mine[:, 1]], axis=1)
    median = float(np.median(lengths)) if len(lengths) else float(touching.max(initial=0)) or 1.0
    for number in range(len(s.rules)):
        of_object = s.owner == number
        edges = lengths[s.owner[mine[:, 0]] == number]
        skin[of_object] = SKIN_SHARE * float(np.median(edges)) if len(edges) else 0.0
    skin[s.n :] = skin[: s.n].max(initial=0)
    skin[skin == 0] = skin.max(initial=0) or SKIN_SHARE * median
    return skin.astype(dtype), median


def _substeps_within(distance: float, steps: Array) -> Array:
    """Substeps in which each particle moves no further than a distance [m], at most `LONGEST_LIFETIME`, (k,) int64."""
    lengths = np.linalg.norm(steps, axis=-1).astype(float, copy=False)
    return (distance / np.maximum(lengths, distance / LONGEST_LIFETIME)).astype("int64", copy=False)


def lifetimes(steps: Array, median_edge: float, most: int, falling: bool) -> Array:
    """Lifetime of a list at each particle in substeps: shorter for large relative motion, (k,) int64. steps: relative to the
    mean motion [m], (k, 3). most: whether most particles fall. falling: whether each does; paths of falling and resting
    particles soon diverge.
    """
    quiet = _substeps_within(QUIET_LIST_MOTION * median_edge, steps)
    moving = np.minimum(most, _substeps_within(LIST_MOTION * median_edge, steps))
    return np.maximum(1, moving if falling else np.maximum(quiet, moving))


def renewed_ends(steps: Array, mean: Array, median_edge: float, begun: Array, age: int, last_age: Array) -> None:
    """The age at which new paths end, of lists of an age in substeps: after as long as a particle is quiet, or twice the
    lifetime of its last path. Smooth motion leaves a path after a similar time; motion scattered by contact leaves it at
    once.

    steps: of particles, mean: of all [m], (count, 3), (3,). begun: age at which their last paths began, (count,). Written:
    last_age (count,) int64.
    """
    distance = begun.dtype.type(QUIET_LIST_MOTION * median_edge)
    find_renewed_ends(steps, mean, distance, begun, begun.dtype.type(age), last_age)


@uncounted_kernel
def find_renewed_ends(steps, mean, distance, begun, age, last_age):
    """See `renewed_ends`. distance: that a quiet particle moves at most [m]."""
    least = distance / LONGEST_LIFETIME
    for i in range(len(last_age)):
        x, y, z = steps[i, 0] - mean[0], steps[i, 1] - mean[1], steps[i, 2] - mean[2]
        quiet = np.int64(distance / max(math.sqrt(x * x + y * y + z * z), least))
        last_age[i] = np.int64(age) + max(quiet, np.int64(2 * max(ONE, age - begun[i])))


def common_lifetime(lifetimes_of_particles: Array) -> int:
    """The lifetime of lists of which all but a few particles have as long a one; these get new paths before.

    lifetimes_of_particles: of each particle, (k,) int64.
    """
    if not len(lifetimes_of_particles):
        return LONGEST_LIFETIME
    shorter = np.cumsum(np.bincount(lifetimes_of_particles, minlength=1))
    return int(np.count_nonzero(shorter <= SLIGHT * len(lifetimes_of_particles)))
