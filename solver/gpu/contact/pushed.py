"""Which vertices contacts push in the last substep of a frame, on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cpu import f32
from ...device.uncounted import inline

ZERO = f32(0)


class PushedBy(NamedTuple):
    """pairs: 1 of vertices that pairs push, (n,); planes: what infinite planes push with, (n, planes) [N]."""

    pairs: Any
    planes: Any


@inline
def is_pushed_by(pushed, v):
    """Whether contacts push a vertex."""
    found = pushed.pairs[v] > 0
    for k in range(pushed.planes.shape[1]):
        found = found or pushed.planes[v, k] > ZERO
    return found
