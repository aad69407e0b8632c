"""Clusters of shape-matched bodies, and the targets of their vertices.

One cluster has all vertices; the others have those around a point of a grid, with weights that fall with the distance. The
weights of a vertex add up to 1. The rest shape of a cluster is moved to the centre of mass of its vertices, and turned by R,
the rotation nearest to

    A = sum_i m_i x_i q_i^T

with x and q from the means. To a share it is deformed by G = (A + e R) (Q + e 1)^-1, Q = sum_i m_i q_i q_i^T, scaled to keep
the volume: e, a small part of Q, lets directions in which a flat cluster has no extent turn with R. A vertex's target is the
weighted mean of its places in its clusters. Momentum is kept: of a cluster the sum of m_i t_i is that of m_i x_i. In the fit
fixed vertices weigh so much more than others that a body hangs from its pins, and is led by them.
Source: Mueller, Heidelberger, Teschner, Gross 2005, "Meshless deformations based on shape matching", eq. 3 to 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.cpu import kernel
from ..elements import target_spring
from ..energies import shape_matching
from ..mathlib import mat3, polar
from ..scene import ShapeMatched
from ..topology.extents import has_rotation
from .model import PADDING, Model

Array = np.ndarray

#: Reach of a cluster's weights, in spacings of the grid: every vertex is within 0.87 of a point.
REACH = 1.5
#: e over a third of the trace of Q.
FLAT = 1e-3
#: A cluster with less of its volume is not deformed linearly: an inverted one comes back.
INVERTED = 0.1
#: Mass of a fixed vertex in the fit, over its own.
HELD = 1e3


@dataclass
class ShapeClusters:
    """Clusters of all shape-matched bodies, one after the other.

    first: first entry of each cluster, and the end, (c + 1,). vertex: row of each entry, (k,); weight: share of the vertex's
    target, (k,); rest: rest position [m], (k, 3). part: number of each cluster's body, (c,). before: targets at the
    substep's start [m], (n, 3).
    """

    first: Array
    vertex: Array
    weight: Array
    rest: Array
    part: Array
    before: Array

    def begin(self, model: Model, x: Array) -> None:
        """Take the targets at x, (n, 4) [m], as those of the substep's start."""
        self.before = self.targets(model, x)

    def targets(self, model: Model, x: Array) -> Array:
        """Return the targets of all rows where the bodies are at x, (n, 4) [m]: (n, 3), zero of other bodies' rows."""
        linear = np.zeros(len(model.parts))
        for number, part in enumerate(model.parts):
            if isinstance(part.body, ShapeMatched):
                linear[number] = part.body.material.energies[shape_matching.NAME]["linear"]
        out = np.zeros((len(x), 3))
        mass = np.ones(len(x))
        mass[: model.n_vertices] = np.where(model.fixed, HELD, 1.0) * model.mass
        fit_clusters(x, self.first, self.vertex, self.weight, self.rest, linear[self.part], mass, out)
        return out

    def store(self, model: Model, x: Array, x0: Array, strains: list[Array]) -> None:
        """Write the targets of all elements where the bodies are at x. x, x0: (n, 4) [m], x0 at the substep's start.
        Written: strains, of each batch."""
        after = self.targets(model, x)
        for number, batch in enumerate(model.batches):
            if batch.energy is shape_matching:
                share = batch.constants[batch.material, 1].astype(float)[:, None, None]
                rows = batch.index.reshape(batch.packs, -1)
                target = target_spring.damped_target(self.before[rows], after[rows], x0[rows, :3], share)
                strains[number][:] = target.transpose(0, 2, 1).reshape(batch.packs, -1)


def shape_clusters(model: Model) -> ShapeClusters | None:
    """Return the clusters of a model; None without shape-matched bodies."""
    made = [
        (number, _clusters_of(part.body, model.mass[part.start : part.stop]), part.start)
        for number, part in enumerate(model.parts)
        if isinstance(part.body, ShapeMatched)
    ]
    if not made:
        return None
    counts, _, weight, rest = (np.concatenate(arrays) for arrays in zip(*(arrays for _, arrays, _ in made), strict=True))
    return ShapeClusters(
        first=np.concatenate([[0], np.cumsum(counts)]),
        vertex=np.concatenate([arrays[1] + start for _, arrays, start in made]),
        weight=weight,
        rest=rest,
        part=np.repeat([number for number, *_ in made], [len(arrays[0]) for _, arrays, _ in made]),
        before=np.zeros((len(model.x_start) + len(PADDING), 3)),
    )


def _clusters_of(body: ShapeMatched, mass: Array) -> tuple[Array, Array, Array, Array]:
    """Return the number of vertices of each cluster, and `vertex`, `weight` and `rest` of `ShapeClusters`, of one body.
    mass: [kg], (n,)."""
    size = float(np.linalg.norm(np.ptp(body.rest, axis=0))) / 3 if body.cluster_size is None else body.cluster_size
    weights = [one for one in _weights(body.rest, size) if has_rotation(body.rest, mass * one)] if body.flexibility else []
    local = np.sum(weights, axis=0) if weights else np.zeros(len(mass))
    share = np.where(local > 0, body.flexibility / np.where(local > 0, local, 1.0), 0.0)
    weights = [np.where(local > 0, 1.0 - body.flexibility, 1.0), *(share * one for one in weights)]
    weights = [one for one in weights if one.any()]
    of = [np.flatnonzero(one) for one in weights]
    vertex, share = np.concatenate(of), np.concatenate([one[rows] for one, rows in zip(weights, of, strict=True)])
    return np.array([len(rows) for rows in of]), vertex, share, body.rest[vertex]


def _weights(rest: Array, size: float) -> list[Array]:
    """Return the weight of each vertex in each cluster, (n,), not normalised. rest: [m], (n, 3). size: spacing of the grid
    [m]. The grid fills the box of the rest shape, so it is the same for any mesh of it."""
    low, extent = rest.min(0), np.ptp(rest, axis=0)
    count = np.maximum(np.rint(extent / size).astype(int), 1)
    spacing = np.where(extent > 0, extent / count, size)
    place = (rest - low) / spacing - 0.5
    rows = []
    cells = np.unique(np.clip(np.rint(place[:, None] + _around()), 0, count - 1).astype(int).reshape(-1, 3), axis=0)
    for cell in cells:
        square = ((place - cell) ** 2).sum(1) / REACH**2
        rows.append(np.maximum(1.0 - square, 0.0) ** 2)
    return rows


def _around() -> Array:
    """Return the offsets of a cell's neighbours and its own, (27, 3)."""
    return np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), -1).reshape(-1, 3)


@kernel
def fit_clusters(x, first, vertex, weight, rest, linear, mass, out):
    """Add to `out`, (n, 3), the weighted places of the clusters' vertices. Arrays as in `ShapeClusters`; linear: share of
    deformation of each cluster, (c,); mass: in the fit, of each row, (n,)."""
    for c in range(len(first) - 1):
        total, cx, cy, cz, rx, ry, rz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(first[c], first[c + 1]):
            v = vertex[k]
            m = mass[v] * weight[k]
            total += m
            cx += m * x[v, 0]
            cy += m * x[v, 1]
            cz += m * x[v, 2]
            rx += m * rest[k, 0]
            ry += m * rest[k, 1]
            rz += m * rest[k, 2]
        cx, cy, cz, rx, ry, rz = cx / total, cy / total, cz / total, rx / total, ry / total, rz / total
        zero = 0.0 * cx
        A = ((zero, zero, zero), (zero, zero, zero), (zero, zero, zero))
        Q = A
        for k in range(first[c], first[c + 1]):
            v = vertex[k]
            m = mass[v] * weight[k] / total
            q = (rest[k, 0] - rx, rest[k, 1] - ry, rest[k, 2] - rz)
            A = mat3.add(A, mat3.outer((m * (x[v, 0] - cx), m * (x[v, 1] - cy), m * (x[v, 2] - cz)), q))
            Q = mat3.add(Q, mat3.outer((m * q[0], m * q[1], m * q[2]), q))
        R = polar.rotation(A, mat3.gram(A))
        T = R
        if linear[c] > 0:
            e = FLAT * (Q[0][0] + Q[1][1] + Q[2][2]) / 3.0
            Q = ((Q[0][0] + e, Q[0][1], Q[0][2]), (Q[1][0], Q[1][1] + e, Q[1][2]), (Q[2][0], Q[2][1], Q[2][2] + e))
            inverse = mat3.scale(1.0 / mat3.det(Q), mat3.cofactor(Q))  # Q is symmetric
            G = mat3.times(mat3.add(A, mat3.scale(e, R)), inverse)
            volume = mat3.det(G)
            if volume > INVERTED:
                G = mat3.scale(volume ** (-1.0 / 3.0), G)
                T = mat3.add(mat3.scale(1.0 - linear[c], R), mat3.scale(linear[c], G))
        for k in range(first[c], first[c + 1]):
            v = vertex[k]
            t = mat3.times_vector(T, (rest[k, 0] - rx, rest[k, 1] - ry, rest[k, 2] - rz))
            out[v, 0] += weight[k] * (cx + t[0])
            out[v, 1] += weight[k] * (cy + t[1])
            out[v, 2] += weight[k] * (cz + t[2])
