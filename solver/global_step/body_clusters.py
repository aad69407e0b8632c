"""Body clusters: touching rigid bodies of the global step, and the springs of each cluster.

Bodies on a sheet transmit all of their load, and friction couples them to the bodies above. The contacts of these bodies
with each other, with colliders and planes are therefore springs of the same system, and those of the bodies above too, ring
by ring. Each cluster has one small matrix, eliminated as that of a single body is (`body_matrices`).
Bodies that the sheet touches come last in their cluster.
"""

from __future__ import annotations

import numpy as np

from ..contact.constraints.coupled import CoupledContacts
from ..model.rigid_motion import RigidMotion
from ..steering import MOST_CLUSTERED
from ..topology.components import label_components
from .body_balance import TWIST

Array = np.ndarray


def joined_contacts(contacts: CoupledContacts, touched: Array, rigid: RigidMotion, may: Array) -> Array:
    """Contacts between rigid bodies alone that join the system, (k,): those of `touched` bodies, (t,), and of their
    neighbours, ring by ring, until a cluster would have more than MOST_CLUSTERED bodies. may: which bodies may, (b,)
    bool."""
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
        fits &= np.append(size <= MOST_CLUSTERED, True)[bodies].all(1)
        is_full = (size[grown] > MOST_CLUSTERED).any()
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
    first body of each cluster, touched: its first that a sheet touches, (g + 1,). cluster: of each body, (m,); place: of
    each body of the model in `bodies`, -1 for none, (b,)."""

    def __init__(self, touched: Array, pairs: Array, count: int) -> None:
        """touched: bodies that the sheet touches, (t,). pairs: bodies that contacts join, (k, 2). count: of all bodies."""
        used, is_touched = np.zeros((2, count), bool)
        used[touched] = is_touched[touched] = used[pairs] = True
        label = label_components(pairs, count)
        self.bodies = np.flatnonzero(used)
        self.bodies = self.bodies[np.lexsort((self.bodies, is_touched[self.bodies], label[self.bodies]))]
        _, first, size = np.unique(label[self.bodies], return_index=True, return_counts=True)
        self.first = np.append(first, len(self.bodies))
        self.touched = self.first[1:] - np.add.reduceat(is_touched[self.bodies], first)
        self.place = np.full(count, -1)
        self.place[self.bodies] = np.arange(len(self.bodies))
        self.cluster = np.repeat(np.arange(len(first)), size)
        #: Where the numbers of each cluster's matrix begin, (g + 1,).
        self.begins = np.append(0, np.cumsum((TWIST * size) ** 2))

    def reach(self, ends: Array) -> Array:
        """The first body that each one's springs join it with, or itself, (m,). ends: bodies of springs, places, -1 for
        none, (c, 2)."""
        label, both = np.arange(len(self.bodies)), ends[(ends >= 0).all(1)]
        np.minimum.at(label, both.max(1), both.min(1))
        return label
