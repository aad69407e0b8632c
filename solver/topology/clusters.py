"""Clusters: neighbouring elements that one thread sweeps in order, and colours of clusters that share no vertex.

Colouring single elements would need a barrier between threads for each of 8 to 30 colours; clusters need four to eight, keep
a thread's reads close together, and do not depend on the number of threads, so neither do the results.
"""

from __future__ import annotations

import numpy as np

from ..errors import TopologyError
from .colouring import colour_elements

Array = np.ndarray

#: Elements of each inner colour in a full cluster. A colour's last pack of 16 is half empty on average: 12 % are filling.
PER_COLOUR = 64
MOST_COLOURS = 64
#: Elements from which the number of inner colours is estimated.
SAMPLE = 2048


def cluster_elements(name: str, centres: Array, elements: Array, n_vertices: int) -> tuple[Array, Array, Array]:
    """Return the cluster of each element, its colour within the cluster, and the colour of each cluster.

    centres: of the elements at rest [m], (n, 3). elements: vertex indices, (n, k); those from n_vertices on may be shared.
    Elements of one cluster and one inner colour share no vertex; neither do clusters of one colour.
    """
    sample = elements[bisect(centres, SAMPLE) == 0]  # neighbours, so as dense as a cluster
    inner_colours = 1 + int(colour_elements(sample, n_vertices).max())
    cluster = bisect(centres, PER_COLOUR * inner_colours)
    apart, n_apart = _separated(cluster, elements, n_vertices)
    return cluster, colour_elements(apart, n_apart), _colour_clusters(name, cluster, elements, n_vertices)


def bisect(centres: Array, size: int) -> Array:
    """Halve the points at the median of their longest side until at most `size` are left: the part of each, (n,)."""
    part = np.zeros(len(centres), np.int64)
    columns = np.ascontiguousarray(centres.T)  # the extent of a column takes a fifth of the time of that of rows
    todo, count = [np.arange(len(centres))], 0
    while todo:
        rows = todo.pop()
        if len(rows) <= size:
            part[rows] = count
            count += 1
            continue
        points = [column[rows] for column in columns]
        axis = int(np.argmax([x.max() - x.min() for x in points]))
        order = rows[np.argsort(points[axis], kind="stable")]
        todo += [order[len(order) // 2 :], order[: len(order) // 2]]
    return part


def _separated(cluster: Array, elements: Array, n_vertices: int) -> tuple[Array, int]:
    """Elements renumbered so that no vertex belongs to two clusters; shared padding stays last."""
    real = elements < n_vertices
    keys = cluster[:, None] * np.int64(n_vertices) + elements
    unique_keys, place = np.unique(keys[real], return_inverse=True)
    apart = np.full(elements.shape, len(unique_keys), np.int64)
    apart[real] = place.reshape(-1)
    return apart, len(unique_keys)


def _colour_clusters(name: str, cluster: Array, elements: Array, n_vertices: int) -> Array:
    """Colour of each cluster by the greedy rule, (clusters,)."""
    used = np.zeros(n_vertices, np.uint64)
    order = np.argsort(cluster, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)
    colours = np.zeros(len(members), np.int64)
    for number, rows in enumerate(members):
        vertices = elements[rows].ravel()
        vertices = vertices[vertices < n_vertices]
        used_bits = int(np.bitwise_or.reduce(used[vertices])) if len(vertices) else 0
        colour = next((c for c in range(MOST_COLOURS) if not used_bits >> c & 1), None)
        if colour is None:
            raise TopologyError(
                f"{name}: a vertex belongs to more than {MOST_COLOURS * PER_COLOUR} elements; wanted fewer. "
                "Split the fan of faces at that vertex."
            )
        colours[number] = colour
        used[vertices] |= np.uint64(1) << np.uint64(colour)
    return colours
