"""A rope that may part, with each element at the copies of its vertices that belong to its own segments.

A map from copies to the points that they are at now (`model/torn.py`) says where elements are, however often it has parted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import SceneError
from ...scene import Rope
from ...topology.edges import pair_keys
from ...topology.strands import find_strands, joints_of
from ..element_group import ElementGroup
from ..tearing_edges import TearingEdges

Array = np.ndarray


class PartedRope:
    """Copies of the vertices of one rope, and the points at which it may part: between two segments of a strand."""

    def __init__(self, body: Rope) -> None:
        """Raises: SceneError if two segments share a copy where they may part."""
        self._n, self._edges = len(body.vertices), body.edges
        whole = body.whole_edges
        keys = pair_keys(whole[:, 0], whole[:, 1])
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        self._whole = whole
        joints = [joints_of(strand) for strand in find_strands(whole, self._n)]
        self._joints = np.concatenate(joints) if joints else np.zeros((0, 3), np.int64)
        self._sides = np.stack([self.at(self._joints[:, [k, k + 1]])[:, 1 - k] for k in range(2)], 1)
        shared = np.flatnonzero(self._sides[:, 0] == self._sides[:, 1])
        if len(shared):
            raise SceneError(
                f"{body.name}: {len(shared)} of its vertices are of two segments (first: {self._joints[shared[0], 1]}); a "
                "rope that may part has a copy for each. Split its edges, or switch Tearing off."
            )

    def at(self, ends: Array) -> Array:
        """The copies of both whole vertices of segments, (k, 2), in the order given."""
        number = self._order[np.searchsorted(self._keys, pair_keys(ends[:, 0], ends[:, 1]))]
        copies = self._edges[number].astype(np.int64)
        return np.where((self._whole[number] == ends).all(1)[:, None], copies, copies[:, ::-1])

    def points(self) -> TearingEdges:
        """The points at which it may part, as edges between both sides."""
        count = len(self._joints)
        whole = np.zeros(self._n, np.int64)
        whole[self._edges] = self._whole
        parts = np.zeros(self._n, bool)
        parts[self._joints[:, 1]] = True
        stays = np.flatnonzero(~parts[whole])
        return TearingEdges(
            joints=np.repeat(self._sides[:, :, None], 2, axis=2),
            never=np.stack([whole[stays], stays], 1),
            length=np.ones(count),
            body=np.zeros(count, np.int64),
            angle=np.zeros(self._n),
            border=np.zeros((0, 2), np.int64),
            faces=np.zeros((count, 2), np.int64),
            held=np.zeros(1, bool),
        )

    def apart(self, group: ElementGroup) -> ElementGroup:
        """The group with its elements at copies, and the points that they span."""
        corners = group.elements.astype(np.int64)
        first = self.at(corners[:, :2])
        if corners.shape[1] == 2:
            return replace(group, elements=first.astype(np.int32))
        copies = np.column_stack([first, self.at(corners[:, 1:])[:, 1]])
        number = np.full(self._n, -1)
        number[self._joints[:, 1]] = np.arange(len(self._joints))
        return replace(group, elements=copies.astype(np.int32), across=number[corners[:, 1:2]])
