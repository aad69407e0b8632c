"""The meshlets of a world, and the searches for pairs of elements whose particles have new paths."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ...steering import ACTIVATION, SLIGHT
from ..surfaces.surfaces import Surfaces
from .candidates import PairRows
from .meshlet_tree import MeshletTree
from .pair_limit import PairLimit
from .predicted_paths import MovingBoxes, PredictedPaths, SweptBoxes, add_swept, path_boxes
from .query import Forecast
from .search import Search
from .smooth_windows import SmoothWindows
from .tree import Tree

Array = np.ndarray


class PairSearch:
    """Search for the pairs of elements. Bodies and colliders have separate trees. Boxes bound two times, in a frame that
    moves with the bodies: common motion does not enlarge them.
    """

    def __init__(self, surfaces: Surfaces, start: Array, dtype: np.dtype, limit: PairLimit, windows: SmoothWindows) -> None:
        """start: positions that bodies and colliders begin with [m], (count, 3)."""
        s = self._surfaces = surfaces
        self.dtype, positions = dtype, start.copy()
        positions[: s.n] = s.rest[: s.n]
        self._positions = positions
        elements, ends = (s.points, s.edges, s.triangles), (s.body_points, s.body_edges, s.body_triangles)
        body = [e[:end] for e, end in zip(elements, ends, strict=True)]
        other = [e[end:] for e, end in zip(elements, ends, strict=True)]
        self._bodies, self._colliders = (
            MeshletTree(parts, first, s.owner, positions, dtype, [windows.cells(e) for e in parts])
            for parts, first in ((body, (0, 0, 0)), (other, ends))
        )
        self.search = Search(s.table, windows.table, limit)
        self._boxes = MovingBoxes(*np.empty((4, s.count, 3), dtype))
        self._everything = np.ones(s.count, bool)
        self.fitted, self._frame = False, (np.zeros(3, dtype), False)
        self._ages = dtype.type(0), dtype.type(0)

    def forget_boxes(self) -> None:
        """Make the next search fit all boxes, which no longer are those of the paths."""
        self.fitted = False

    @cached_property
    def _trees(self) -> list[list[Tree]]:
        """Trees of edges and triangles, of bodies and of colliders."""
        s = self._surfaces
        body = s.edges[: s.body_edges], s.triangles[: s.body_triangles]
        other = s.edges[s.body_edges :], s.triangles[s.body_triangles :]
        return [[Tree(e, s.owner, self._positions, self.dtype) for e in both] for both in (body, other)]

    def trees_at(self, positions: Array, which: Array) -> list[list[Tree]]:
        """The trees of edges and triangles, of bodies and of colliders, fitted to positions.

        positions: (count, 3) [m]. which: (count,) bool, particles whose elements are fresh.
        """
        for trees in self._trees:
            for tree in trees:
                tree.fit(positions, positions, which)
        return self._trees

    def find(
        self, moved: Array, paths: PredictedPaths, forecast: Forecast, growth: Array, lifetime: int,
        swept: SweptBoxes | None, mean_motion: Callable[[], tuple[Array, bool]],
    ) -> list[list[PairRows]]:  # fmt: skip
        """Pairs of points and triangles, and of edges, of which an element has a particle that moved, (count,) bool.

        growth: enlargement of boxes [m], (count,). lifetime: of the boxes of particles that did not move, in substeps.
        swept: additional boxes of this substep only; None for none. mean_motion: mean step of the bodies' particles [m],
        (3,), and whether most fall.
        """
        # Boxes of particles that did not move are valid as long as the lists.
        partly, age = self.fitted and int(np.count_nonzero(moved)) < SLIGHT * len(moved), forecast.age
        if not partly:
            self._ages, self._frame = (age, age.dtype.type(lifetime)), mean_motion()
        path_boxes(paths, *self._ages, *self._frame, growth, moved if partly else self._everything, self._boxes)
        if swept is not None:
            add_swept(swept, growth, age, paths.fall, *self._frame, self._boxes)
        for tree in (self._bodies, self._colliders):
            tree.fit(self._boxes, moved, partly)
        self.fitted = True
        pairs_of_sides = (self.search(self._bodies, other, forecast) for other in (self._bodies, self._colliders))
        return [mine + others for mine, others in zip(*pairs_of_sides, strict=True)]


def box_growth(skin: Array, touching: Array, still: Array, pull) -> Array:
    """Return the growth of boxes [m], (count,): skin, half of the kept distance, and gravity's pull beside particles without
    it.

    touching: half of the kept distance [m], still: whether no force moves a particle, (count,). pull: at a prediction [m].
    """
    growth = skin + touching * skin.dtype.type(ACTIVATION)
    growth[still] += pull
    return growth
