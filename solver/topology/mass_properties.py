"""Volume, centre and inertia of the solid in a closed surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import TopologyError
from .edges import half_edges, pair_keys
from .outward import outward_winding

Array = np.ndarray

#: Least volume, as a share of the cube of the surface's size: less is a flat thing, whose inertia is rounding.
FLAT = 1e-9


@dataclass(frozen=True)
class MassProperties:
    """Mass properties at density 1: volume [m^3], centre [m] (3,), inertia about the centre [m^5] (3,), axes: its principal
    directions as columns of a rotation, (3, 3)."""

    volume: float
    centre: Array
    inertia: Array
    axes: Array


def mass_properties(name: str, x: Array, triangles: Array) -> MassProperties:
    """Return the mass properties within a closed surface of any winding; a part inside another with opposite winding is a
    cavity.

    x: [m], (n, 3). triangles: (t, 3). name: the body, for messages.
    Raises: TopologyError if the surface has a border or encloses nothing.
    Source: the integrals over tetrahedra from one point to each triangle, as in Tonon 2004, "Explicit exact formulas for the
    3-D tetrahedron inertia tensor".
    """
    tail, head, _ = half_edges(triangles)
    keys, counts = np.unique(pair_keys(tail, head), return_counts=True)
    if (counts % 2).any():
        first = np.flatnonzero(np.isin(pair_keys(tail, head), keys[counts % 2 == 1]))[0]
        raise TopologyError(
            f"{name}: the surface is open: {int((counts % 2).sum())} edges have a face on one side only (first: between "
            f"vertices {tail[first]} and {head[first]}); wanted a closed surface, whose volume gives the mass. "
            "Fill the holes."
        )
    middle = x[triangles].reshape(-1, 3).mean(0)
    a, b, c = (x[outward_winding(x, triangles)[:, k]] - middle for k in range(3))
    six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(six_volumes.sum() / 6)
    size = float(np.ptp(x[triangles].reshape(-1, 3), axis=0).max())
    if not volume > FLAT * size**3:
        raise TopologyError(
            f"{name}: the surface encloses {volume:.3g} m^3; wanted more than nothing. Give it a body with some thickness."
        )
    total = a + b + c
    centre = (six_volumes[:, None] * total).sum(0) / 24 / volume
    second = sum(np.einsum("t,ti,tj->ij", six_volumes, p, p) for p in (a, b, c, total)) / 120
    second -= volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    values, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
    if np.linalg.det(axes) < 0:
        axes[:, 2] = -axes[:, 2]
    return MassProperties(volume, middle + centre, values, axes)
