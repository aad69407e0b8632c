"""The trees of a world, and the searches for pairs of elements whose particles have new paths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...device.threads import each
from ...steering import ACTIVATION, SLIGHT
from ..surfaces.surfaces import Surfaces
from .candidates import PairRows
from .pair_limit import PairLimit
from .predicted_paths import MovingBoxes, PredictedPaths, SweptBoxes, add_swept, path_boxes
from .query import ALL, OTHERS, WITHIN, Forecast
from .search import Search
from .smooth_windows import SmoothWindows
from .tree import Tree

Array = np.ndarray


class PairSearch:
    """Search for the pairs of elements.

    Trees of bodies and of colliders stand apart, each of points, edges and triangles: bodies are searched for among each
    other in a frame that moves with them. Boxes are of two ages: what moves alike stays apart, however far it goes.
    """

    def __init__(self, surfaces: Surfaces, start: Array, dtype: np.dtype, limit: PairLimit, windows: SmoothWindows) -> None:
        """start: positions that bodies and colliders begin with [m], (count, 3)."""
        s = self._surfaces = surfaces
        self.dtype, positions = dtype, start.copy()
        positions[: s.n] = s.rest[: s.n]
        body = s.points[: s.body_points], s.edges[: s.body_edges], s.triangles[: s.body_triangles]
        other = s.points[s.body_points :], s.edges[s.body_edges :], s.triangles[s.body_triangles :]
        self.trees = [[Tree(e, s.owner, positions, dtype, windows.cells(e)) for e in both] for both in (body, other)]
        self.search = Search(s.table, windows.table, limit)
        self._boxes = MovingBoxes(*np.empty((4, s.count, 3), dtype))
        self._everything = np.ones(s.count, bool)
        self._still = np.zeros(3, dtype), False
        self.fitted, self._frame, self._ages = False, self._still, (dtype.type(0), dtype.type(0))

    def forget_boxes(self) -> None:
        """Make the next search fit all boxes, which no longer are those of the paths."""
        self.fitted = False

    def trees_at(self, positions: Array, which: Array) -> list[list[Tree]]:
        """The trees of edges and triangles, of bodies and of colliders, fitted to positions.

        positions: (count, 3) [m]. which: (count,) bool, particles whose elements are fresh.
        """
        for trees in self.trees:
            for tree in trees[1:]:
                tree.fit(positions, positions, which)
        self.forget_boxes()
        return [trees[1:] for trees in self.trees]

    def find(
        self, moved: Array, paths: PredictedPaths, forecast: Forecast, growth: Array, lifetime: int,
        swept: SweptBoxes | None, mean_motion: Callable[[], tuple[Array, bool]],
    ) -> tuple[list[PairRows], list[PairRows]]:  # fmt: skip
        """Pairs of points and triangles, and of edges, of which an element has a particle that moved, (count,) bool.

        growth: what boxes are grown by [m], (count,). lifetime: substeps that the boxes of what did not move hold for.
        swept: boxes to be held as well, for this substep only; None for none. mean_motion: step of the bodies' particles in
        the mean [m], (3,), and whether most fall.
        """
        (points, edges, triangles), (far_points, far_edges, far_triangles) = self.trees
        # The boxes of what did not move hold for as long as the lists.
        partly, age = self.fitted and np.count_nonzero(moved) < SLIGHT * len(moved), forecast.age
        if partly:
            self._fit(moved, moved, paths, self._frame, growth, age, swept, self.trees)
        else:
            self._ages = age, age.dtype.type(lifetime)
            self._fit(self._everything, moved, paths, mean_motion(), growth, age, swept, self.trees[:1])
        vertex = self._both(points, triangles, forecast)
        edge = self.search(WITHIN, False, edges, edges, forecast)
        if len(far_points):
            if not partly:
                self._fit(self._everything, moved, paths, self._still, growth, age, swept, self.trees)
            s = self._surfaces
            vertex += _numbered(self._both(points, far_triangles, forecast), 0, s.body_triangles)
            vertex += self._both(far_points, triangles, forecast)
            edge += _numbered(self.search(ALL, False, edges, far_edges, forecast), 0, s.body_edges)
            edge += _numbered(_turned(self.search(OTHERS, False, far_edges, edges, forecast)), 0, s.body_edges)
        self.fitted = True
        return vertex, edge

    def _both(self, one: Tree, other: Tree, forecast: Forecast) -> list[PairRows]:
        """Pairs of points and triangles."""
        return [*self.search(ALL, True, one, other, forecast), *self.search(OTHERS, True, other, one, forecast)]

    def _fit(self, which, moved, paths, frame, growth, age, swept, sets) -> None:
        """Fit trees to the boxes of the paths of `which`; elements of what moved are fresh."""
        path_boxes(paths, *self._ages, *frame, growth, which, self._boxes)
        if swept is not None:
            add_swept(swept, growth, age, paths.fall, *frame, self._boxes)
        self._frame = frame
        fitted = [tree for trees in sets for tree in trees]
        each(len(fitted), len(moved), lambda number: fitted[number].fit_moving(self._boxes, moved, which is moved))


def box_growth(skin: Array, touching: Array, still: Array, pull) -> Array:
    """Return the growth of boxes [m], (count,): skin, half of the kept distance, and gravity's pull beside particles without
    it.

    touching: half of the kept distance [m], still: whether no force moves a particle, (count,). pull: at a prediction [m].
    """
    growth = skin + touching * skin.dtype.type(ACTIVATION)
    growth[still] += pull
    return growth


def _numbered(parts: list[PairRows], first: int, second: int) -> list[PairRows]:
    """Add to the numbers of the first and of the second elements, in place."""
    for part in parts:
        part.ids[:, 0] += first
        part.ids[:, 1] += second
    return parts


def _turned(parts: list[PairRows]) -> list[PairRows]:
    """Pairs of edges found from the collider's side, turned so that the body comes first."""
    return [PairRows(part.corners[:, [2, 3, 0, 1]], part.ids[:, ::-1].copy(), part.values) for part in parts]
