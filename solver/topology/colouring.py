"""Colours: groups of elements that share no vertex, so that a sweep may update a whole group at once."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel


def colour_elements(elements: np.ndarray, n_vertices: int) -> np.ndarray:
    """Colour of each element, (n,) int32, by the greedy rule in the given order: the first one free at all its corners.

    elements: vertex indices, (n, k); those from n_vertices on (padding) may be shared.
    """
    if len(elements) == 0:
        return np.zeros(0, np.int32)
    valence = int(np.bincount(elements.ravel(), minlength=n_vertices)[:n_vertices].max())
    most = elements.shape[1] * (valence - 1) + 1
    used = np.zeros((n_vertices, (most + 63) // 64), np.uint64)
    return _greedy(np.ascontiguousarray(elements, np.int32), used)


@kernel
def _greedy(elements, used):
    colours = np.empty(len(elements), np.int32)
    one = np.uint64(1)
    full = ~np.uint64(0)
    for e in range(len(elements)):
        for word in range(used.shape[1]):
            used_bits = np.uint64(0)
            for k in range(elements.shape[1]):
                if elements[e, k] < len(used):
                    used_bits |= used[elements[e, k], word]
            if used_bits == full:
                continue
            bit = np.uint64(0)
            while (used_bits >> bit) & one:
                bit += one
            colours[e] = np.int32(64 * word) + np.int32(bit)
            for k in range(elements.shape[1]):
                if elements[e, k] < len(used):
                    used[elements[e, k], word] |= one << bit
            break
    return colours
