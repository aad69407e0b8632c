"""Ropes that part: the tension of the segments on both sides of each point at which they may, and where they break."""

from __future__ import annotations

import numpy as np

from ..global_step.membrane import rows_of
from ..model.model import ElementBatch, Model
from ..model.state import State
from ..report.tension import is_measured, tensions_of
from ..scene import Rope
from ..topology.components import label_components
from ..topology.edges import pair_keys

Array = np.ndarray


class Parting:
    """Points of ropes that may part, of all bodies of a model.

    Of each piece of rope the most loaded one breaks in a substep: the pull is gone from the others by the next one.
    """

    def __init__(self, model: Model) -> None:
        assert model.tearing is not None
        segments: list[Array] = []
        sides: list[Array] = []
        points: list[Array] = []
        edge_of = np.full(model.n_vertices, -1)
        for number, part in enumerate(model.parts):
            if isinstance(part.body, Rope) and part.body.tearing is not None:
                copies = part.body.edges.astype(np.int64) + part.start
                edge_of[copies] = (sum(len(one) for one in segments) + np.arange(len(copies)))[:, None]
                segments.append(copies)
                mine = np.flatnonzero(model.tearing.body == number)
                points.append(mine)
                sides.append(model.tearing.joints[mine, :, 0])
        self._points = np.concatenate([np.zeros(0, np.int64), *points])
        self._segments = model.weld[np.concatenate([np.zeros((0, 2), np.int64), *segments])]
        self._sides = edge_of[np.concatenate([np.zeros((0, 2), np.int64), *sides])]
        self._parts = [(batch, *_places(batch, self._segments)) for batch in model.batches if is_measured(batch)]
        self._held = model.fixed[model.weld[model.tearing.joints[self._points, 0, 0]]]
        self._piece = label_components(self._segments, model.n_vertices)

    def breaks(self, state: State, strength: Array) -> list[int]:
        """The numbers of the points that break now. strength: of all edges that may tear, of these points in N, (e,)."""
        if not len(self._points):
            return []
        tension = np.zeros(len(self._segments))
        for batch, places, there in self._parts:
            tension += np.where(there, tensions_of(batch, state).ravel()[places], 0.0)
        ratio = tension[self._sides].mean(1) / strength[self._points]
        over = np.flatnonzero((ratio >= 1) & ~state.broken[self._points] & ~self._held)
        piece = self._piece[self._segments[self._sides[over, 0], 0]]
        order = np.lexsort((over, -ratio[over], piece))
        _, first = np.unique(piece[order], return_index=True)
        return self._points[over[order[first]]].tolist()


def _places(batch: ElementBatch, segments: Array) -> tuple[Array, Array]:
    """Lane of each segment in a batch, pack * 16 + lane, and whether it has one, both (s,). segments: their rows, (s, 2)."""
    ends = rows_of(batch.index, 2)
    used, wanted = np.flatnonzero(batch.element >= 0), pair_keys(segments[:, 0], segments[:, 1])
    known = pair_keys(ends[used, 0], ends[used, 1])
    order = np.argsort(known)
    at = order[np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)]
    return used[at], known[at] == wanted
