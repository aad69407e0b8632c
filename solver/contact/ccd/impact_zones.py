"""Impact zones: particles that the levels of the clamp could not keep apart, each zone moved as one.

The start of a substep has no intersections, so particles with one common displacement stay apart. A zone
begins with the corners of the pairs that still fail, pins among them, and takes in all that it then hits, until no pair
fails. Only colliders go where they are driven all the same: a pair between two of them and a squeezed body may stay.
Source: rigid impact zones, Provot 1997, "Collision and self-collision handling in cloth model dedicated to design garments";
Bridson, Fedkiw and Anderson 2002, "Robust treatment of collisions, contact and friction for cloth animation".
"""

from __future__ import annotations

import numpy as np

from ...device.uncounted import uncounted_kernel
from ..surfaces.motion import SubstepMotion

Array = np.ndarray


@uncounted_kernel
def join(links, zone):
    """Put both ends of each link, (k, 2), in one zone; return how many particles and zones that changes.

    Read and written: zone (count,) int32, the first particle of each one's zone, -1 for none.
    """
    changed = 0
    for link in range(len(links)):
        root = -1
        for end in range(2):
            i = links[link, end]
            if zone[i] < 0:
                zone[i] = i
                changed += 1
            while zone[i] != i:
                i = zone[i]
            if end == 0:
                root = i
            elif i != root:
                zone[max(i, root)] = min(i, root)
                changed += 1
    for i in range(len(zone)):
        if zone[i] >= 0:
            zone[i] = zone[zone[i]]  # a root comes before its particles, so it has been set
    return changed


class ImpactZones:
    """The zones of one substep. zone: see `join`. members: particles in one, ascending, (m,)."""

    def __init__(self, count: int, n: int, on_planes: bool) -> None:
        """n: particles of bodies, which come first. on_planes: whether there are planes, which a zone must not enter."""
        self._n, self._on_planes = n, on_planes
        self.zone = np.full(count, -1, "int32")
        self._halted = np.zeros(count, bool)  # zones that stay where they are
        self._pairs: list[Array] = []

    @property
    def members(self) -> Array:
        return np.flatnonzero(self.zone >= 0)

    def take(self, corners: Array) -> int:
        """Take in the corners of pairs, (k, 4), of bodies; return how many particles and zones that changes."""
        is_particle = corners < self._n
        some = is_particle.any(1)
        corners, is_particle = corners[some], is_particle[some]
        first = corners[np.arange(len(corners), dtype="int64"), is_particle.argmax(1)]
        chain = np.where(is_particle, corners, first[:, None])
        self._pairs.append(corners)
        return self.link(np.concatenate([chain[:, k : k + 2] for k in range(3)]))

    def link(self, links: Array) -> int:
        """Put both ends of each link, (k, 2), in one zone; return how many particles and zones that changes."""
        return int(join(links, self.zone)) if len(links) else 0

    def of_boards(self, boards: Array) -> Array:
        """Return links of all vertices of stiff sheets that are in a zone, (k, 2). `boards`: see `clamp_boards`."""
        links = [np.empty((0, 2), "int64")]
        for start, stop in boards.tolist():
            if (self.zone[start:stop] >= 0).any():
                indices = np.arange(start, stop, dtype="int64")
                links.append(np.stack([indices[:-1], indices[1:]], 1))
        return np.concatenate(links)

    def halt(self, corners: Array) -> int:
        """Leave the zones of pairs, (k, 4), where they are; return how many were not so before."""
        mine = self.zone[corners[corners < self._n]]
        mine = np.unique(mine[mine >= 0])
        new = int(np.count_nonzero(~self._halted[mine]))
        self._halted[mine] = True
        return new

    def with_pins(self, x0: Array) -> Array:
        """Members of the zones in which there are pins, (m,). x0: h^2/m in the last column, (count, 4)."""
        members, pinned = self.members, np.zeros_like(self._halted)
        pinned[self.zone[members[x0[members, 3] == 0]]] = True
        return members[pinned[self.zone[members]]]

    def displacements(self, wanted: SubstepMotion, mass: Array) -> Array:
        """Return the displacement of each member [m], (m, 3), one in a zone: the mean of the colliders that it fails with,
        or else of its pins, or else of its mass; none where it is to stay.

        wanted: the motion of the substep before anything was clamped. mass: of each particle, over h^2, 0 for those that no
        force moves, (count,).
        """
        x0, x1 = wanted
        moved = x1[:, :3].astype("float64", copy=False) - x0[:, :3]
        members = self.members
        roots = np.unique(self.zone[members])
        number = np.searchsorted(roots, self.zone[members])
        halted = self._halted[roots]
        np.bitwise_or.at(halted, number, self._halted[members])  # of members joined since
        mean, done = np.zeros((len(roots), 3), "float64"), halted.copy()
        corners = np.concatenate(self._pairs)
        pair, column = (corners >= self._n).nonzero()
        first = corners[pair][np.arange(len(pair), dtype="int64"), (corners[pair] < self._n).argmax(1)]
        driven = np.searchsorted(roots, self.zone[first]), corners[pair, column]
        ways = [
            (*driven, np.full(len(pair), 1.0, "float64")),
            (number, members, np.where(x0[members, 3] == 0, 1.0, 0.0)),
        ]
        if not self._on_planes:
            ways.append((number, members, mass[members]))
        for of, particles, weight in ways:
            total, sums = np.zeros(len(roots), "float64"), np.zeros((len(roots), 3), "float64")
            np.add.at(total, of, weight)
            np.add.at(sums, of, weight[:, None] * moved[particles])
            new = ~done & (total > 0)
            mean[new] = sums[new] / total[new, None]
            done |= new
        return mean[number].astype(x0.dtype, copy=False)
