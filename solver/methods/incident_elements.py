"""Incident elements of each vertex in a sweep of `pbng`, laid out in the order in which they are read.

Vertices of one colour stand in packs of 16, one chunk of neighbours after the other. The elements at a pack's vertices stand
in rows, one element for each of the 16, with a copy of its corners' indices and rest data, so that a sweep reads one stream:
four copies of a tetrahedron are 228 bytes. Gathering the rest data from a single row of each element reads less, but took
a third more time, in and out of the cache: the sweep is bound by instructions, and half of them move numbers. For a GPU all
vertices are one chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.cpu import LANES
from ..model.model import PADDING, ElementBatch, Model
from ..topology.clusters import bisect
from ..topology.vertex_colours import colour_vertices

Array = np.ndarray

#: Vertices that are swept colour by colour before the next ones are, so that their positions stay in the cache (at most
#: 512 KiB). Threads meet after each colour of each chunk: with chunks of 4096 two on a busy machine took twice the time.
CHUNK = 32768


@dataclass
class VertexPacks:
    """Moving vertices in packs of one colour.

    vertices: (packs, 16) int32, padding vertices where a pack is not full. colours: first pack of each colour of each
    chunk, and the end. place: of each vertex, pack * 16 + lane, -1 for those that do not move, (n_vertices,).
    """

    vertices: Array
    colours: Array
    place: Array


@dataclass
class IncidentElements:
    """Rows of one batch for all packs; arrays with lanes innermost, as in `ElementBatch`.

    rows: first row of each pack and the end, (packs + 1,). index: (rows, corners * 16). rest: (rows, numbers * 16). corner:
    the visiting vertex's place in the element, (rows, 16) int8; the number of corners where there is no element. material:
    (rows,). source: element of the batch, as pack * 16 + lane, (rows, 16).
    """

    rows: Array
    index: Array
    rest: Array
    corner: Array
    material: Array
    source: Array


def make_packs(model: Model) -> VertexPacks:
    """VertexPacks of all vertices that move, by chunk, colour, body and how many elements they have."""
    n = model.n_vertices
    elements = [_elements(batch) for batch in model.batches]
    colour = colour_vertices([np.minimum(e, n) for e in elements], n)
    valence = sum((np.bincount(e[e < n], minlength=n) for e in elements), np.zeros(n, np.int64))
    body = np.repeat(np.arange(len(model.parts)), [part.stop - part.start for part in model.parts])
    near = bisect(model.x_start, 4 * LANES)  # neighbours together
    chunk = bisect(model.x_start, CHUNK if model.settings.device == "cpu" else model.n_vertices)
    colour = chunk * (int(colour.max()) + 1) + colour
    moving = np.flatnonzero(~model.fixed)
    order = moving[np.lexsort((near[moving], valence[moving], body[moving], colour[moving]))]
    counts = np.unique(colour[order], return_counts=True)[1]
    packs = -(-counts // LANES)
    vertices = np.full(packs.sum() * LANES, n, np.int32)
    starts = LANES * (np.cumsum(packs) - packs)
    before = np.cumsum(counts) - counts
    vertices[np.arange(len(order)) + np.repeat(starts - before, counts)] = order
    place = np.full(n, -1, np.int64)
    place[vertices[vertices < n]] = np.flatnonzero(vertices < n)
    return VertexPacks(vertices.reshape(-1, LANES), np.concatenate([[0], np.cumsum(packs)]), place)


def make_incident_elements(model: Model, batch: ElementBatch, packs: VertexPacks) -> IncidentElements:
    """The rows of one batch."""
    elements = _elements(batch)
    corners = elements.shape[1]
    source, corner = np.nonzero(elements < model.n_vertices)
    place = packs.place[elements[source, corner]]
    source, corner, place = source[place >= 0], corner[place >= 0], place[place >= 0]
    order = np.lexsort((source, place, batch.material[source // LANES], place // LANES))
    source, corner, place = source[order], corner[order], place[order]
    pack, material = place // LANES, batch.material[source // LANES]
    # The how-manieth visit of its vertex with this material each is.
    new = np.concatenate([[True], (np.diff(place) != 0) | (np.diff(material) != 0)])[: len(place)]
    first = np.flatnonzero(new)
    rank = np.arange(len(place)) - np.repeat(first, np.diff(np.append(first, len(place))))
    # Rows of each pack and material: as many as its busiest vertex has incident.
    kinds = int(batch.material.max()) + 1
    needed = np.zeros(len(packs.vertices) * kinds, np.int64)
    np.maximum.at(needed, pack * kinds + material, rank + 1)
    starts = np.cumsum(needed) - needed
    total = int(needed.sum())
    at = starts[pack * kinds + material] + rank, place % LANES
    incident = IncidentElements(
        rows=np.concatenate([[0], np.cumsum(needed.reshape(-1, kinds).sum(1))]),
        index=np.empty((total, corners * LANES), np.int32),
        rest=np.empty((total, batch.rest.shape[1]), batch.rest.dtype),
        corner=np.full((total, LANES), corners, np.int8),
        material=np.repeat(np.tile(np.arange(kinds), len(needed) // kinds), needed).astype(np.int32),
        source=np.zeros((total, LANES), np.int64),
    )
    incident.corner[at], incident.source[at] = corner, source
    fill = (model.n_vertices + np.arange(corners) % len(PADDING)).astype(np.int32)
    empty = incident.corner == corners
    for number in range(corners):
        lanes = elements[:, number][incident.source]
        incident.index[:, number * LANES : (number + 1) * LANES] = np.where(empty, fill[number], lanes)
    copy_numbers(batch.rest, incident.source, incident.rest)
    return incident


def copy_numbers(numbers: Array, source: Array, out: Array) -> None:
    """Copy numbers of a batch's elements, (packs, k * 16), to rows, (rows, k * 16)."""
    pack, lane = source // LANES, source % LANES
    for k in range(out.shape[1] // LANES):
        out[:, k * LANES : (k + 1) * LANES] = numbers[pack, k * LANES + lane]


def _elements(batch: ElementBatch) -> Array:
    """Vertices of each lane's element, (packs * 16, corners)."""
    return batch.index.reshape(batch.packs, -1, LANES).transpose(0, 2, 1).reshape(batch.packs * LANES, -1)
