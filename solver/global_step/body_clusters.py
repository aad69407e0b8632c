"""Body clusters: rigid bodies of the global step that touch each other, and what holds each cluster at once.

Bodies that touch a sheet press it with all that they carry, and friction holds them to what stands on them. So the contacts
of these bodies with each other, with colliders and planes are springs of the same system, and so are those of what stands on
them, ring by ring. Each cluster has one small dense matrix, which is eliminated as that of a single body is: with its factor
C = L L^T, what is taken from the sheet's matrix is B C^-1 B^T = W W^T with W = B L^-T, six columns for each body. Bodies
that touch the sheet come last in their cluster, so the others have no column there.
"""

from __future__ import annotations

import numpy as np

from ..contact.constraints.coupled import CoupledContacts
from ..model.rigid_motion import RigidMotion
from ..topology.components import label_components

Array = np.ndarray

#: Numbers of a twist.
TWIST = 6
#: Bodies of a cluster at most: the work of its factors grows with the cube. What stands beyond is known by the force that
#: its contacts begin with.
MOST = 16


def joined_contacts(contacts: CoupledContacts, touched: Array, rigid: RigidMotion, may: Array) -> Array:
    """The contacts that only rigid bodies feel and that join the system, (k,): those of `touched` bodies, (t,), and of what
    these touch, ring by ring, until a cluster had more than MOST bodies. may: which bodies may have such, (b,) bool."""
    count, which = len(rigid.shapes), contacts.between_bodies()
    bodies, _ = contacts.sides(which)
    bodies = np.where(np.append(~rigid.held, False)[bodies], bodies, -1)  # what sleeps does not move; of -1 the last
    pairs, inside, chosen = bodies[(bodies >= 0).all(1)], np.zeros(count, bool), np.zeros(len(which), bool)
    grown = inside.copy()
    grown[touched] = True
    while (grown != inside).any():
        within = np.append(grown, False)[bodies]
        fits = within.any(1) & (within | (bodies < 0)).all(1)
        label = label_components(pairs[grown[pairs].all(1)], count)
        size = np.bincount(label[grown], minlength=count)[label]
        fits &= np.append(size <= MOST, True)[bodies].all(1)
        is_full = (size[grown] > MOST).any()
        if is_full and chosen.any():
            break
        chosen, inside = fits, grown
        if is_full:
            break
        grown = inside.copy()
        grown[pairs[inside[pairs].any(1)]] = True
        grown &= may
    return which[chosen]


class BodyClusters:
    """Bodies in clusters, one after the other. bodies: numbers of these, (m,); touched ones last in their cluster. first:
    first body of each cluster, (g + 1,). cluster: of each body, (m,); place: of each body of the model in `bodies`, -1 for
    none, (b,)."""

    def __init__(self, touched: Array, pairs: Array, count: int) -> None:
        """touched: bodies that the sheet touches, (t,). pairs: bodies that contacts join, (k, 2). count: of all bodies."""
        used, is_touched = np.zeros((2, count), bool)
        used[touched] = is_touched[touched] = used[pairs] = True
        label = label_components(pairs, count)
        self.bodies = np.flatnonzero(used)
        self.bodies = self.bodies[np.lexsort((self.bodies, is_touched[self.bodies], label[self.bodies]))]
        _, first, size = np.unique(label[self.bodies], return_index=True, return_counts=True)
        self.first = np.append(first, len(self.bodies))
        self.place = np.full(count, -1)
        self.place[self.bodies] = np.arange(len(self.bodies))
        self._classes = [first[size == s][:, None] + np.arange(s) for s in np.unique(size)]
        self.cluster = np.repeat(np.arange(len(first)), size)
        self._row = np.zeros(len(first), int)  # among those of its size
        self._own = np.zeros(len(first), int)  # the number of its size
        for own, members in enumerate(self._classes):
            of = self.cluster[members[:, 0]]
            self._row[of], self._own[of] = np.arange(len(members)), own

    def matrices(self, stiffness: Array, tensors: Array, sides: Array, ends: Array) -> list[Array]:
        """The second derivatives by the twists of clusters of each size s, (k, 6 s, 6 s).

        stiffness: of bodies by themselves, (m, 6, 6). tensors: of springs, (c, 3, 3), sides: how their bodies move them, (c,
        2, 3, 6), ends: these bodies, places in `bodies`, (c, 2).
        """
        ends = np.where(ends < 0, ends[:, :1], ends)  # a side of nothing is of zeros
        found, cluster = [], self.cluster[ends[:, 0]]
        for own, members in enumerate(self._classes):
            number, size = members.shape
            matrix, each = np.zeros((number, size, TWIST, size, TWIST)), np.arange(size)
            matrix[:, each, :, each] = stiffness[members].transpose(1, 0, 2, 3)
            c = np.flatnonzero(self._own[cluster] == own)
            row, local = self._row[cluster[c]], ends[c] - self.first[cluster[c], None]
            pulls = np.einsum("cij,cejb->ceib", tensors[c], sides[c])
            for a in range(1 if size == 1 else 2):
                for b in range(1 if size == 1 else 2):
                    block = np.einsum("cia,cib->cab", sides[c, a], pulls[:, b])
                    np.add.at(matrix, (row, local[:, a], slice(None), local[:, b]), block)
            found.append(matrix.reshape(number, size * TWIST, size * TWIST))
        return found

    def solve(self, matrices: list[Array], push: Array) -> Array:
        """The twists, (m, 6), that forces on the bodies lead to, (m, 6)."""
        twist = np.empty_like(push)
        for members, matrix in zip(self._classes, matrices, strict=True):
            found = np.linalg.solve(matrix, push[members].reshape(len(members), -1, 1))
            twist[members] = found.reshape(*members.shape, TWIST)
        return twist

    def times(self, matrices: list[Array], twist: Array) -> tuple[Array, Array]:
        """The blocks of single bodies, (m, 6, 6), and their products with twists, (m, 6)."""
        own = np.empty((len(twist), TWIST, TWIST))
        for members, matrix in zip(self._classes, matrices, strict=True):
            size = members.shape[1]
            blocks, each = matrix.reshape(-1, size, TWIST, size, TWIST), np.arange(size)
            own[members] = blocks[:, each, :, each].transpose(1, 0, 2, 3)
        return own, np.einsum("mab,mb->ma", own, twist)

    def inverse_factors(self, matrices: list[Array], ends: Array) -> list[tuple[Array, Array, Array]]:
        """Of springs and columns of W: springs, the body of the column, and the block of L^-1, (k,), (k,), (k, 6, 6).

        ends: bodies of the springs, places, (c,)."""
        found, cluster = [], self.cluster[ends]
        for own, (members, matrix) in enumerate(zip(self._classes, matrices, strict=True)):
            size = members.shape[1]
            inverse = np.linalg.inv(np.linalg.cholesky(matrix)).reshape(-1, size, TWIST, size, TWIST)
            c = np.flatnonzero(self._own[cluster] == own)
            row, local = self._row[cluster[c]], ends[c] - self.first[cluster[c]]
            for column in range(size):
                on = local <= column
                found.append((c[on], members[row[on], column], inverse[row[on], column, :, local[on]]))
        return found
