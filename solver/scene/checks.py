"""Checks of single values that a user gives; `owner` names the object in the message."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import SceneError

Array = np.ndarray


def vertices(owner: str, values: Any) -> Array:
    """Finite positions [m], (n, 3) with n > 0, float64. Raises: SceneError."""
    x = np.array(values, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != 3 or len(x) == 0:
        raise SceneError(f"{owner}: vertices have shape {x.shape}; wanted (n, 3) with n > 0. Give it a mesh with vertices.")
    bad = np.flatnonzero(~np.isfinite(x).all(1))
    if len(bad):
        raise SceneError(
            f"{owner}: {len(bad)} vertices are not finite (first: vertex {bad[0]} at {x[bad[0]].tolist()}). "
            "Remove or move them, then bake again."
        )
    return x


def elements(owner: str, noun: str, values: Any, corners: int, n_vertices: int) -> Array:
    """Numbers of vertices that exist, (n, corners) with n > 0, int32. Raises: SceneError."""
    e = np.array(values, dtype=np.int64)
    if e.size == 0:
        raise SceneError(f"{owner}: no {noun}; wanted at least one. Give it a mesh with faces.")
    if e.ndim != 2 or e.shape[1] != corners:
        raise SceneError(f"{owner}: {noun} have shape {e.shape}; wanted (n, {corners}).")
    bad = np.flatnonzero((e < 0).any(1) | (e >= n_vertices).any(1))
    if len(bad):
        raise SceneError(
            f"{owner}: {noun}[{bad[0]}] = {e[bad[0]].tolist()} names a vertex outside 0..{n_vertices - 1}. Rebuild the mesh."
        )
    return e.astype(np.int32)


def numbers(owner: str, what: str, values: Any, n_vertices: int) -> Array:
    """Numbers of vertices that exist, each once and sorted, int64. Raises: SceneError."""
    found = np.unique(np.array(values, dtype=np.int64).ravel())
    bad = found[(found < 0) | (found >= n_vertices)]
    if len(bad):
        raise SceneError(f"{owner}: {what} names vertex {bad[0]}; wanted 0..{n_vertices - 1}. Name vertices that exist.")
    return found


def positive(
    owner: str,
    what: str,
    value: float,
    unit: str,
    zero: bool = False,
    where: str = "in the settings of this object",
    error: type[SceneError] = SceneError,
) -> float:
    """A finite number above zero, or from zero on. where: the user changes it. Raises: SceneError, or the class given."""
    value = float(value)
    if not np.isfinite(value) or value < 0 or (value == 0 and not zero):
        wanted, found = "zero or more" if zero else "more than zero", f"{value:g} {unit}".rstrip()
        raise error(f"{owner}: {what} is {found}; wanted {wanted}. Change it {where}.")
    return value
