"""Number of edges that pass through triangles at a frame's end, counted on a device: if it is zero, the host need not
search.

Triangles, those of bodies and of colliders apart, are in a tree of boxes; each edge traverses it (`contact/candidates.py`).
The test of an edge and a triangle is the function of the host's search (`report/intersections.py`), on the same positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...contact.broad_phase.tree import apart
from ...contact.gpu.surface_arrays import Elements, ElementTree, ordered
from ...contact.gpu.tree_search import BIG, Boxes, next_node, refit
from ...contact.intersections.edge_triangle import pierces
from ...contact.surfaces.surfaces import Surfaces
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.primitives import Tree
from ...device.uncounted import inline
from ..intersections import IntersectionSearch

#: Kinds of triangles in the tree.
OF_BODIES, OF_COLLIDERS = 0, 1
#: Memory of a triangle, with its share of the boxes above it, of an edge and of a particle [B].
TRIANGLE_BYTES, EDGE_BYTES, PARTICLE_BYTES = 4 * 4 + 12 * 4 * 8 // 7, 3 * 4, 6 * 4


class Placed(NamedTuple):
    """x: of bodies [m], (n + 4, 4); n: how many they have. poses: of collider vertices, (poses * rows, 3) [m], the last at
    the frame's end; rows: of one. places: of all particles, (count, 4) [m]."""

    x: Array
    n: np.int32
    poses: Array
    rows: np.int32
    places: Array


class Crossing(NamedTuple):
    """Arguments of counting. edges: their ends, (e, 2) int32. n: particles of bodies. triangles: in a tree, those of bodies
    first. x: positions [m], (count, 4). owner, rules: see `Surfaces`. counts: triangles that each edge passes through, (e,)
    int32.
    """

    edges: Array
    n: np.int32
    triangles: Elements
    x: Array
    owner: Array
    rules: Array
    counts: Array


@body
def put(i, args):
    """Set the position of a particle at the frame's end."""
    if i < args.n:
        for k in range(3):
            args.places[i, k] = args.x[i, k]
    else:
        row = args.poses.shape[0] - args.rows + (i - args.n)
        for k in range(3):
            args.places[i, k] = args.poses[row, k]


@body
def count_pierced(i, args):
    """Count the triangles that an edge passes through: of bodies, and for an edge of a body, of colliders too.

    In double precision as on the host, see `pierces`; few pairs have boxes that meet and no common corner. A position that
    is not a number leaves a box empty, which meets nothing: a diverged simulation does not compare all with all.
    """
    e, x, crossed = args.triangles, args.x, 0
    a, b = args.edges[i, 0], args.edges[i, 1]
    low = (
        min(min(BIG, x[a, 0]), x[b, 0]), min(min(BIG, x[a, 1]), x[b, 1]), min(min(BIG, x[a, 2]), x[b, 2]),
    )  # fmt: skip
    high = (
        max(max(-BIG, x[a, 0]), x[b, 0]), max(max(-BIG, x[a, 1]), x[b, 1]), max(max(-BIG, x[a, 2]), x[b, 2]),
    )  # fmt: skip
    top = e.levels.shape[0] - 1
    level, k = top, e.tops[OF_BODIES, 0]
    stop = e.tops[OF_COLLIDERS, 1] if a < args.n else e.tops[OF_BODIES, 1]
    while level < top or k < stop:
        down = False
        if not apart(e.boxes, e.levels[level] + k, low, high):
            if level > 0:
                down = True
            elif passes_through(args, i, k):
                crossed += 1
        level, k = next_node(level, k, top, down)
    args.counts[i] = crossed


@inline
def passes_through(args, edge, triangle):
    """Return whether an edge passes through a triangle without a common corner, of an object that counts."""
    edges, corners, owner = args.edges, args.triangles.corners, args.owner
    for c in range(3):
        p = corners[triangle, c]
        if p < 0 or p == edges[edge, 0] or p == edges[edge, 1]:
            return False
    a, b = edges[edge, 0], edges[edge, 1]
    i, j, k = corners[triangle, 0], corners[triangle, 1], corners[triangle, 2]
    return args.rules[owner[a], owner[i]] and pierces(args.x, a, b, i, j, k)


def needed_memory(search: IntersectionSearch) -> int:
    """Return the device memory of counting [B]."""
    if search.world is None:
        return 0
    s, _ = search.world
    return TRIANGLE_BYTES * len(s.triangles) + EDGE_BYTES * len(s.edges) + PARTICLE_BYTES * s.count


class DeviceIntersections:
    """Counts of one world on a device: `launch` after the last substep of a frame, `count` when the frame is done."""

    def __init__(self, device: SerialDevice, surfaces: Surfaces, start: np.ndarray) -> None:
        """surfaces, start: of `IntersectionSearch.world`."""
        s, up, of_bodies = surfaces, device.upload, surfaces.body_triangles
        self._device, self._n, self._count = device, np.int32(s.n), s.count
        self._total: Array | None = None
        if not of_bodies:
            return  # colliders do not count with one another
        self._places, thickness = device.zeros((s.count, 4), np.float32), device.zeros(s.count, np.float32)
        order = ordered(s.triangles, of_bodies, s.owner, start)
        tree = ElementTree(
            device, [(s.triangles[:of_bodies], order[:of_bodies]), (s.triangles[of_bodies:], order[of_bodies:] - of_bodies)]
        )
        edges = s.edges[ordered(s.edges, s.body_edges, s.owner, start)]
        counts = device.zeros(len(edges), np.int32)
        self._sizes = tree.sizes
        self._boxes = Boxes(tree.elements, self._places, self._places, self._places, thickness, np.float32(0))
        self._given = Crossing(
            up(edges, np.int32), self._n, tree.elements, self._places, up(s.owner), up(s.rules), counts
        )  # fmt: skip
        self._sum = Tree(device, len(edges), np.int32)
        self._total = device.zeros(1, np.int32)

    def launch(self, x: Array, poses: Array, rows: int) -> None:
        """Launch alone, which a graph can repeat. x: of bodies at the frame's end [m], (n + 4, 4). poses: of collider
        vertices, (poses * rows, 3) [m], the last at the frame's end; rows: of one."""
        if self._total is None:
            return
        device, arguments = self._device, self._given
        device.launch(put, self._count, Placed(x, self._n, poses, np.int32(rows), self._places))
        refit(device, self._boxes, self._sizes)
        device.launch(count_pierced, len(arguments.counts), arguments)
        self._total = self._sum.sum(arguments.counts)

    def count(self) -> int:
        """Return the number of intersecting pairs of the last launch; a download of four bytes."""
        return 0 if self._total is None else int(self._device.download(self._total)[0])
