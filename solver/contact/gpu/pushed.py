"""Vertices with contact forces in the last substep of a frame, on a device."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.uncounted import inline

ZERO = f32(0)


class PushedBy(NamedTuple):
    """Contact forces on vertices. pairs: 1 for vertices of pairs with force, (n,); planes: forces of infinite planes, (n,
    planes) [N]."""

    pairs: Array
    planes: Array


@inline
def is_pushed_by(pushed, v):
    """Return whether a vertex has contact forces."""
    pushed_here = pushed.pairs[v] > 0
    for k in range(pushed.planes.shape[1]):
        pushed_here = pushed_here or pushed.planes[v, k] > ZERO
    return pushed_here
