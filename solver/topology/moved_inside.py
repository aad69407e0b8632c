"""Tetrahedra that go along with the surface that is embedded in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .edges import unique_edges
from .embedding import embed

Array = np.ndarray

#: Weight of smoothness against meeting the surface exactly; small, so that the surface decides wherever it says something.
SMOOTHNESS = 1e-3
#: Conjugate gradient iterations, and the share of the residual at which they end.
MOST_ITERATIONS, ENOUGH = 400, 1e-6


def move_inside(surface: Array, start: Array, x: Array, tetrahedra: Array) -> Array:
    """Positions [m], (k, 3), of tetrahedra whose embedded surface has moved from `surface` to `start`, both (n, 3) [m].

    x: rest positions (k, 3). The best affine map of the surface, and on top of it the smoothest displacement that brings
    each surface point to its place: least squares, by conjugate gradients.
    """
    owner, weights = embed(surface, x, tetrahedra)
    corners, edges = tetrahedra[owner], unique_edges(tetrahedra)
    affine = np.linalg.lstsq(np.c_[surface, np.ones(len(surface))], start, rcond=None)[0]
    moved = np.c_[x, np.ones(len(x))] @ affine

    def gather(u: Array) -> Array:
        return np.einsum("mk,mkj->mj", weights, u[corners])

    def scatter(r: Array) -> Array:
        return _sum(corners.ravel(), (weights[:, :, None] * r[:, None]).reshape(-1, 3), len(x))

    def normal(u: Array) -> Array:
        pull = SMOOTHNESS * (u[edges[:, 0]] - u[edges[:, 1]])
        return scatter(gather(u)) + _sum(edges[:, 0], pull, len(x)) - _sum(edges[:, 1], pull, len(x))

    return moved + _solve(normal, scatter(start - gather(moved)))


def _sum(index: Array, values: Array, n: int) -> Array:
    return np.stack([np.bincount(index, values[:, k], n) for k in range(3)], axis=1)


def _solve(matrix: Callable[[Array], Array], b: Array) -> Array:
    """u with matrix(u) = b, by conjugate gradients from zero."""
    u, r = np.zeros_like(b), b.copy()
    p, square = r.copy(), float((r * r).sum())
    enough = square * ENOUGH**2
    for _ in range(MOST_ITERATIONS):
        if square <= enough:
            break
        q = matrix(p)
        step = square / float((p * q).sum())
        u += step * p
        r -= step * q
        square, before = float((r * r).sum()), square
        p = r + square / before * p
    return u
