"""Edges along which cloths may tear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..topology.components import label_components

Array = np.ndarray

NO_PAIRS = np.zeros((0, 2), np.int64)


@dataclass(frozen=True)
class TearingEdges:
    """Edges along which cloths may tear.

    joints: the copies at both ends, of the first face and of the second, (e, 2, 2): [face, end]. never: pairs of copies that
    stay together, (k, 2). length: at rest [m], (e,). body: number of each one's, (e,). angle: between the edges at rest of
    the faces at each copy [rad], (n,). border: the copies at both ends of each edge of one face, (b, 2). faces: numbers of
    both faces at each, (e, 2). held: faces that an edge which may not tear joins to another, (f,) bool.
    """

    joints: Array
    never: Array
    length: Array
    body: Array
    angle: Array
    border: Array
    faces: Array
    held: Array

    def __len__(self) -> int:
        return len(self.length)

    def weld(self, broken: Array, bound: Array = NO_PAIRS) -> Array:
        """Return the row of each copy's vertex where these edges, (e,) bool, are broken: (n,). bound: pairs of copies that
        stay together, (k, 2)."""
        whole = self.joints[~broken].transpose(0, 2, 1).reshape(-1, 2)
        return label_components(np.concatenate([self.never, bound, whole]), len(self.angle))

    def lips(self, broken: Array) -> Array:
        """Return the copies at both ends of each edge of one face, in both directions, where these edges, (e,) bool, are
        broken: (m, 2)."""
        one_way = np.concatenate([self.border, self.joints[broken].reshape(-1, 2)])
        return np.concatenate([one_way, one_way[:, ::-1]])


def of_bodies(edges: Sequence[TearingEdges | None], starts: Sequence[int], n: int) -> TearingEdges | None:
    """The edges of all bodies as one, None where none may tear. starts: first row of each. n: rows of the model."""
    if all(one is None for one in edges):
        return None
    of = [(k, start, one) for k, (start, one) in enumerate(zip(starts, edges, strict=True)) if one is not None]
    angle = np.zeros(n)
    for _, start, one in of:
        angle[start : start + len(one.angle)] = one.angle
    first = np.cumsum([0, *(len(one.held) for *_, one in of)])
    return TearingEdges(
        joints=np.concatenate([one.joints + start for _, start, one in of]),
        never=np.concatenate([one.never + start for _, start, one in of]),
        length=np.concatenate([one.length for *_, one in of]),
        body=np.repeat([k for k, *_ in of], [len(one) for *_, one in of]),
        angle=angle,
        border=np.concatenate([one.border + start for _, start, one in of]),
        faces=np.concatenate([one.faces + number for (*_, one), number in zip(of, first[:-1], strict=True)]),
        held=np.concatenate([one.held for *_, one in of]),
    )
