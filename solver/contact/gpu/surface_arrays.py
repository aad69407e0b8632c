"""Contact surfaces on a device: particles, their elements in the order of a tree, and the elements of each particle.

Points, triangles and edges are one list of elements. Each searches for partners: points for triangles, triangles for points,
edges for edges. A pair of two bodies is thus found from both sides, and a vertex sums over the lists of its own elements in
their order, without atomics or sorting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...device.cuda.array import Array
from ...device.cuda.device import SerialDevice
from ...device.uncounted import inline
from ..broad_phase.tied_pairs import TieTable
from ..broad_phase.tree import morton_order
from ..surfaces.surfaces import Surfaces, SurfaceTable

#: Children of a node, as a power of two, and the nodes of the highest level, at most.
BITS, MOST_TOPS = 3, 64
#: Kinds of elements, in the order of the list.
POINT, TRIANGLE, EDGE = 0, 1, 2


class Elements(NamedTuple):
    """corners: particles of each, -1 for none, (e, 3) int32; unused places have none. ids: particle, triangle
    or edge of `Surfaces`, (e,). first: the place at which triangles, and edges, begin, (2,). tops: nodes of the highest
    level that each kind begins and ends with, (kinds, 2). levels: first node of each level in `boxes`, elements first, (l,).
    boxes: of elements and nodes at two times, see `contact.broad_phase.tree.TreeTable`, (nodes, 12) [m].
    """

    corners: Array
    ids: Array
    first: Array
    tops: Array
    levels: Array
    boxes: Array


class ElementTree:
    """Elements of several kinds in one list, and room for the boxes of a tree over it. elements: see there; sizes: of its
    levels. corners, ids, kind: of the elements, on the host."""

    def __init__(self, device: SerialDevice, kinds: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        """kinds: of each its elements, (k, corners) int32, and their order, (k,), see `ordered`."""
        up, shift = device.upload, 0
        while sum(len(part) >> shift for part, _ in kinds) > MOST_TOPS:
            shift += BITS
        step = 1 << shift
        firsts = np.cumsum([0, *(-(-len(part) // step) * step for part, _ in kinds)])
        corners, ids = np.full((firsts[-1], 3), -1, np.int32), np.full(firsts[-1], -1, np.int32)
        self.kind = np.repeat(np.arange(len(kinds)), np.diff(firsts))
        for (part, order), first in zip(kinds, firsts, strict=False):
            corners[first : first + len(part), : part.shape[1]] = part[order]
            ids[first : first + len(part)] = part[order, 0] if part.shape[1] == 1 else order
        self.corners, self.ids = corners, ids
        self.sizes = [firsts[-1] >> level for level in range(0, shift + 1, BITS)]
        tops = np.stack([firsts[:-1] >> shift, firsts[1:] >> shift], 1)
        levels = np.cumsum([0, *self.sizes])
        boxes = device.empty((int(levels[-1]), 12), np.float32)
        self.elements = Elements(
            up(corners), up(ids), up(firsts[1:3], np.int32), up(tops, np.int32), up(levels[:-1], np.int32), boxes
        )


class SurfaceArrays:
    """Arrays of one `Surfaces` on a device.

    n, count: particles of bodies, and all. table: `SurfaceTable` of the device. ties: likewise; `start` in it has the start
    positions of all objects. elements: see there; sizes: of its levels. solid: of rigid bodies and colliders, (count,) bool.
    thickness: the larger of a particle's distances to bodies and to colliders [m], (count,). at_first, at: elements of each
    particle of a body, (n + 1,), (m,). ids, kind: of the elements, on the host.
    """

    def __init__(self, device: SerialDevice, surfaces: Surfaces, ties: TieTable, solid: np.ndarray) -> None:
        s, up = surfaces, device.upload
        self.n, self.count, self.device = s.n, s.count, device
        fields: dict[str, Any] = s.table._asdict()
        for name, value in fields.items():
            fields[name] = np.int32(value) if name in ("n", "bodies") else up(value)
        self.table = SurfaceTable(**fields)
        of_device: Any = up(ties.bound), up(ties.distance, np.float32), up(ties.start, np.float32)
        self.ties = TieTable(*of_device)
        self.solid = up(solid)
        self.thickness = up(np.maximum(s.distance, s.half), np.float32)
        positions = np.concatenate([s.rest[: s.n], ties.start[s.n :]])
        both = (s.points, s.body_points), (s.triangles, s.body_triangles), (s.edges, s.body_edges)
        tree = ElementTree(device, [(part, ordered(part, corners, s.owner, positions)) for part, corners in both])
        self.elements, self.sizes, self.ids, self.kind = tree.elements, tree.sizes, tree.ids, tree.kind
        flat = tree.corners.ravel()
        corners = np.flatnonzero((flat >= 0) & (flat < s.n))
        corners = corners[np.argsort(flat[corners], kind="stable")]
        self.at = up(corners // 3, np.int32)
        self.at_first = up(np.concatenate([[0], np.cumsum(np.bincount(flat[corners], minlength=s.n))]), np.int32)


def ordered(elements: np.ndarray, of_bodies: int, owner: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the order of elements in the tree, that of the CPU: object by object, along a space-filling curve.

    of_bodies: number of elements of bodies, which come first.
    """
    parts = []
    for first, last in ((0, of_bodies), (of_bodies, len(elements))):
        part = elements[first:last]
        along = morton_order(positions[part].mean(1).astype(np.float64)) if len(part) else np.zeros(0, np.int32)
        parts.append(first + along[np.argsort(owner[part[along, 0]], kind="stable")])
    return np.concatenate(parts).astype(np.int32)


@inline
def kind_of(elements, i):
    """POINT, TRIANGLE or EDGE."""
    return POINT if i < elements.first[0] else TRIANGLE if i < elements.first[1] else EDGE


@inline
def pair_of(elements, i, k):
    """Symmetric description of a pair: whether it is a point and a triangle, its corners, the ids of both elements.

    A point comes before a triangle; of two edges, the first in the tree.
    """
    corners, ids = elements.corners, elements.ids
    kind = kind_of(elements, i)
    turned = kind == TRIANGLE or (kind == EDGE and k < i)
    a = k if turned else i
    b = i if turned else k
    vertex = kind != EDGE
    c1 = corners[b, 0] if vertex else corners[a, 1]
    c2 = corners[b, 1] if vertex else corners[b, 0]
    c3 = corners[b, 2] if vertex else corners[b, 1]
    return vertex, (corners[a, 0], c1, c2, c3), (ids[a], ids[b])
