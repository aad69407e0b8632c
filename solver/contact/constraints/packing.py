"""Packing of contacts for projection: packs of 16 that move no vertex in common, colours of packs that move none either.

A pack is projected in lanes, and threads share the packs of a colour. The order follows from the contacts alone, so it is
the same for any number of threads.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES
from ...device.uncounted import uncounted_kernel

Array = np.ndarray

#: Colours that a mask of 64 bits distinguishes; contacts that find none begin with new masks.
COLOURS = 64
#: Packs that a thread takes at once, about half a microsecond of work. Colours of fewer than two such clusters are swept by
#: one thread, one after the other: a barrier costs more.
CLUSTER = 4


class Packing(NamedTuple):
    """place: of each contact, pack * 16 + lane, (k,). filled: contacts of each pack, (packs,): those of its first lanes.
    colours: first cluster of each colour and the end. clusters: first pack of each cluster and the end."""

    place: Array
    filled: Array
    colours: Array
    clusters: Array


def packed(chosen: Array, corners: Array, x0: Array) -> Packing:
    """Packs of contacts, by greedy colouring in their order.

    chosen: candidate pair of each contact, (k,). corners: particles of the candidates, (pairs, 4). x0: (count, 4), with 0 in
    the last column where no force moves a particle.
    """
    count, left, sizes = len(chosen), len(chosen), np.zeros(0, "int64")
    colour = np.full(count, -1, "int64")
    while left:
        used, more = np.zeros(len(x0), "uint64"), np.zeros(COLOURS, "int64")
        left = colour_contacts(chosen, corners, x0, len(sizes), used, colour, more)
        sizes = np.concatenate([sizes, more])
    packs = -(-sizes // LANES)
    order = np.argsort(packs < 2 * CLUSTER, kind="stable")  # large colours first
    first = np.zeros(len(sizes), "int64")
    first[order] = np.cumsum(packs[order]) - packs[order]
    place = np.empty(count, "int64")
    place_contacts(colour, first * LANES, place)
    filled = np.full(int(packs.sum()), LANES, "int64")
    last = packs > 0
    filled[(first + packs - 1)[last]] = (sizes - (packs - 1) * LANES)[last]
    return Packing(place, filled, *_clusters(packs[order]))


def _clusters(packs: Array) -> tuple[Array, Array]:
    """Colours and clusters, see `Packing`, of colours of so many packs, large ones first."""
    ends = [0, *np.cumsum(packs).tolist()]
    large = int(np.count_nonzero(packs >= 2 * CLUSTER))
    of_colours = [list(range(ends[k], ends[k + 1], CLUSTER)) for k in range(large)]
    if ends[-1] > ends[large]:
        of_colours.append([ends[large]])
    colours = [0, *itertools.accumulate(map(len, of_colours))]
    clusters = [*itertools.chain.from_iterable(of_colours), ends[-1]]
    return np.asarray(colours, "int64"), np.asarray(clusters, "int64")


@uncounted_kernel
def colour_contacts(chosen, corners, x0, base, used, colour, sizes):
    """Give each contact that has no colour the first one, from `base` on, that no contact has which moves a vertex of its.

    used: zeros, masks of the colours at each particle, (count,) uint64. Written: used, colour (k,), sizes (64,). Returns how
    many contacts have found none.
    """
    left, one = 0, np.uint64(1)
    for c in range(len(chosen)):
        if colour[c] >= 0:
            continue
        i, j, k, m = corners[chosen[c], 0], corners[chosen[c], 1], corners[chosen[c], 2], corners[chosen[c], 3]
        taken = used[i] | used[j] | used[k] | used[m]
        number = 0
        while number < COLOURS and (taken >> np.uint64(number)) & one:
            number += 1
        if number == COLOURS:
            left += 1
            continue
        colour[c] = base + number
        sizes[number] += 1
        for q in range(4):
            if x0[corners[chosen[c], q], 3] > 0:
                used[corners[chosen[c], q]] |= one << np.uint64(number)
    return left


@uncounted_kernel
def place_contacts(colour, free, place):
    """Place contacts, in their order. free: first place of each colour; counts on. Written: free, place (k,)."""
    for c in range(len(colour)):
        place[c] = free[colour[c]]
        free[colour[c]] += 1
