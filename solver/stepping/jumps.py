"""Driven motions in one frame so large that they can only be a mistake: a jumping collider or pin ejects bodies in its
path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .poses import Poses

Array = np.ndarray

#: Sizes of the bodies that something may be driven in a frame, beside them. A ball at 50 m/s on a handkerchief stays
#: below, at 24 frames a second.
MOST_SIZES = 10.0


def _lengths(vectors: Array) -> Array:
    return np.linalg.norm(vectors, axis=1)


class Jumps:
    """Warnings of the first jump of each collider and of each body's pins."""

    def __init__(self, start: Array, bodies: Sequence[str], colliders: Mapping[str, int]) -> None:
        """start: where the vertices of all bodies are at first [m], (n, 3). bodies: names, in the order of their pins.
        colliders: vertices of each collider mesh, in their order."""
        self._bodies, self._colliders = bodies, colliders
        self._size = float(np.linalg.norm(np.ptp(start, axis=0)))
        self._told: set[str] = set()

    def between(self, before: Poses, after: Poses, drift: Array, frame: int) -> list[str]:
        """Warnings of a frame. drift: how far the bodies go in it by themselves [m], (3,)."""
        sentences = []
        for what, motion in self._motions(before, after):
            if what in self._told or not len(motion):
                continue
            furthest = float(np.minimum(_lengths(motion), _lengths(motion - drift)).max())
            if furthest > MOST_SIZES * self._size:
                self._told.add(what)
                sentences.append(
                    f"Frame {frame}: {what} jump {furthest:.3g} m from the frame before, {furthest / self._size:.2g} times "
                    f"the size of the bodies ({self._size:.3g} m); wanted less than {MOST_SIZES:g} times, for they throw "
                    "what they meet. Animate them over more frames, or let them jump before the first frame."
                )
        return sentences

    def _motions(self, before: Poses, after: Poses) -> Iterator[tuple[str, Array]]:
        """Iterate over driven objects, and their motion in the frame [m], (k, 3)."""
        for name, old, new in zip(self._bodies, before.pins, after.pins, strict=True):
            yield f"the pins of '{name}'", new - old
        moved, first = after.collider_vertices - before.collider_vertices, 0
        for name, count in self._colliders.items():
            yield f"the vertices of collider '{name}'", moved[first : first + count]
            first += count
