"""Colours of vertices: groups that share no element, so that a sweep may move a whole group at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..device.cpu import kernel

Array = np.ndarray


def colour_vertices(elements: Sequence[Array], n_vertices: int) -> Array:
    """Return the colour of each vertex, (n_vertices,) int32, by the greedy rule in the given order: the first without a
    neighbour.

    elements: arrays of vertex indices, (n, k) each with its own k; vertices from n_vertices on are shared and left out.
    """
    owners, vertices, count = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for group in elements:
        vertices.append(group.ravel().astype(np.int64))
        owners.append(np.repeat(np.arange(count, count + len(group)), group.shape[1]))
        count += len(group)
    owner, vertex = np.concatenate(owners), np.concatenate(vertices)
    real = vertex < n_vertices
    owner, vertex = owner[real], vertex[real]
    order = np.argsort(vertex, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=n_vertices))])
    words = 1
    while True:
        colours = _greedy(first, owner[order], np.zeros((count, words), np.uint64))
        if colours[-1] >= 0:
            return colours[:-1]
        words *= 2


@kernel
def _greedy(first, incident, used):
    """Colour of the vertices, and -1 behind them if the words of `used` do not hold so many colours, else 0."""
    n = len(first) - 1
    colours = np.zeros(n + 1, np.int32)
    one = np.uint64(1)
    full = ~np.uint64(0)
    for v in range(n):
        has_room = False
        for word in range(used.shape[1]):
            used_bits = np.uint64(0)
            for k in range(first[v], first[v + 1]):
                used_bits |= used[incident[k], word]
            if used_bits == full:
                continue
            bit = np.uint64(0)
            while (used_bits >> bit) & one:
                bit += one
            colours[v] = np.int32(64 * word) + np.int32(bit)
            for k in range(first[v], first[v + 1]):
                used[incident[k], word] |= one << bit
            has_room = True
            break
        if not has_room:
            colours[n] = -1
            return colours
    return colours
