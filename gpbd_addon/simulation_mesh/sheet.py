"""Simulated sheet of a garment: without trims, and one of the two layers of a thick part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...solver.topology.components import consistent_winding, label_components, triangle_links
from .source import Array, Surface, areas, unit_normals

#: Share of the total area below which a loose part is a trim.
TRIM = 0.02
#: Largest distance of a loose part that lies on a larger one, in edges of the simulation mesh.
ON_IT = 1.5
#: Largest thickness of a part that becomes one sheet, as a share of the square root of the area of a layer.
THICKEST = 0.05
#: Least share of a thick part's area with the other layer behind it, and the largest distance of that layer over the usual
#: one.
BACKED, UNEVEN = 0.6, 2.5
#: Cosine between the normals of two layers, at most.
OPPOSITE = -0.8
#: Distance within which vertices are welded, as a share of the median edge.
DOUBLED = 1e-4
#: Share of a layer behind itself from which it is also cut at sharp edges, and the cosine between faces at these.
OWN_BACK = 0.3
SHARP = 0.3
#: Number of passes that straighten the border of a layer.
NOTCHES = 3


@dataclass(frozen=True)
class Sheet:
    """x: welded vertices [m], (n, 3), in the middle of thick parts. triangles: of the sheet, (t, 3), of welded vertices; of:
    their numbers in the source, (t,). vertex: the welded vertex of each source vertex, (m,). layer: 1 for vertices
    of the sheet, -1 for those of other layers, 0 for trims, (n,). part: label of the loose part of each vertex, (n,). trims:
    labels. thickness: mean of thick parts [m], 0 where there are none. normals: of all vertices, outwards, (n, 3)."""

    x: Array
    triangles: Array
    of: Array
    vertex: Array
    layer: Array
    part: Array
    trims: Array
    thickness: float
    normals: Array


def find(x: Array, triangles: Array, edge: float, one_sheet: bool = True) -> Sheet:
    """The sheet in a garment. x: vertices [m], (m, 3). edge: of the simulation mesh to be made [m], see `ON_IT`.

    one_sheet: whether thick parts become one of their layers.
    """
    vertex, welded = weld(x, triangles)
    here, t = _means(x, vertex), vertex[triangles]
    whole = (t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])
    t = _outwards(here, consistent_winding(t[whole].astype(np.int32)))
    part = label_components(np.concatenate([t[:, :2], t[:, 1:]]), welded)
    size = np.bincount(part[t[:, 0]], areas(here, t), welded)
    trims = _trims(here, t, part, size, edge)
    kept = ~np.isin(part[t[:, 0]], trims)
    layer, thickness = np.zeros(welded, np.int8), np.zeros(welded)
    chosen = np.zeros(len(t), bool)
    for label in np.unique(part[t[kept, 0]]):
        of_part = np.flatnonzero(part[t[:, 0]] == label)
        take, deep = _layer(here, t[of_part], size[label]) if one_sheet else (None, None)
        if take is None or deep is None:
            chosen[of_part] = True
            continue
        layer[t[of_part]] = -1
        chosen[of_part[take]] = True
        count = np.maximum(np.bincount(t[of_part].ravel(), minlength=welded), 1)
        thickness += np.bincount(t[of_part].ravel(), np.repeat(deep, 3), welded) / count
    chosen[chosen] = one_fan(t[chosen])
    sheet = t[chosen]
    layer[sheet] = 1
    normals = _vertex_normals(here, t)
    on = np.unique(sheet)
    mean = float(thickness[on].mean()) if len(on) and thickness[on].any() else 0.0
    middle = here - np.where(layer == 1, thickness / 2, 0.0)[:, None] * normals
    return Sheet(middle, sheet, np.flatnonzero(whole)[chosen], vertex, layer, part, trims, mean, normals)


def weld(x: Array, triangles: Array) -> tuple[Array, int]:
    """Number of each vertex after welding coincident ones, (n,), and the number of welded vertices."""
    side = np.linalg.norm(x[triangles[:, 0]] - x[triangles[:, 1]], axis=1)
    step = max(2 * DOUBLED * float(np.median(side)), 1e-9) if len(side) else 1.0
    links = []
    for shift in (0.0, 0.5):  # two grids, as near vertices can be in two cells of one
        _, first, cell = np.unique(
            np.floor(x / step + shift).astype(np.int64), axis=0, return_index=True, return_inverse=True
        )
        links.append(np.stack([np.arange(len(x)), first[cell.ravel()]], 1))
    labels, number = np.unique(label_components(np.concatenate(links), len(x)), return_inverse=True)
    return number.ravel(), len(labels)


def _means(x: Array, vertex: Array) -> Array:
    count = np.bincount(vertex)
    return np.stack([np.bincount(vertex, x[:, k]) for k in range(3)], 1) / count[:, None]


def _outwards(x: Array, t: Array) -> Array:
    """Flip parts of negative volume, which is measured from their middle, also of open parts."""
    part = label_components(np.concatenate([t[:, :2], t[:, 1:]]), len(x))[t[:, 0]]
    middle = np.stack([np.bincount(part, x[t].mean(1)[:, k], len(x)) for k in range(3)], 1)
    middle = middle / np.maximum(np.bincount(part, minlength=len(x)), 1)[:, None]
    a, b, c = (x[t[:, k]] - middle[part] for k in range(3))
    volume = np.bincount(part, (a * np.cross(b, c)).sum(1), len(x))
    return np.where((volume[part] < 0)[:, None], t[:, ::-1], t)


def _trims(x: Array, t: Array, part: Array, size: Array, edge: float) -> Array:
    """Labels of loose parts that only follow: small ones, and those on larger ones."""
    labels = np.unique(part[t[:, 0]])
    labels = labels[np.argsort(-size[labels], kind="stable")]
    kept: list[int] = []
    trims: list[int] = []
    total = size[labels].sum()
    for label in labels:
        if kept and size[label] < TRIM * total:
            trims.append(label)
            continue
        if kept:
            surface = Surface(x, t[np.isin(part[t[:, 0]], kept)])
            if surface.nearest(x[np.unique(t[part[t[:, 0]] == label])])[2].max() < ON_IT * edge:
                trims.append(label)
                continue
        kept.append(label)
    return np.array(trims, int)


def _behind(x: Array, t: Array) -> tuple[Array, Array]:
    """The opposite-facing triangle behind each, -1 for none, (t,), and its distance [m], (t,)."""
    surface, normals, centre = Surface(x, t), unit_normals(x, t), x[t].mean(1)
    off = 1e-3 * np.sqrt(areas(x, t))[:, None]
    hits = [
        surface.tree.ray_cast(point, direction)
        for point, direction in zip((centre - off * normals).tolist(), (-normals).tolist(), strict=True)
    ]
    other = np.array([-1 if one[2] is None else one[2] for one in hits])
    deep = np.array([np.inf if one[3] is None else one[3] for one in hits]) + off[:, 0]
    faces_away = (normals * normals[other]).sum(1) < OPPOSITE
    other = np.where(faces_away, other, -1)
    return other, np.where(other < 0, np.inf, deep)


def _layer(x: Array, t: Array, size: float) -> tuple[Array | None, Array | None]:
    """Return the triangles of one layer of a thick part, (t,) bool, and its thickness [m]; None of a thin part."""
    other, deep = _behind(x, t)
    area = areas(x, t)
    if not (other >= 0).any():
        return None, None
    order = np.argsort(deep)
    usual = float(deep[order][np.searchsorted(np.cumsum(area[order]), 0.5 * area[other >= 0].sum())])
    backed = deep < UNEVEN * usual
    if area[backed].sum() < BACKED * size or usual > THICKEST * np.sqrt(size / 2):
        return None, None
    links, _ = triangle_links(t)
    layer = _layers(links, backed, len(t))
    same_layer = backed & (layer == layer[np.maximum(other, 0)])
    if area[same_layer].sum() > OWN_BACK * size:
        normals = unit_normals(x, t)
        blunt = (normals[links[:, 0]] * normals[links[:, 1]]).sum(1) > SHARP
        layer = _layers(links[blunt], backed, len(t))
    take = _one_side(layer, other, backed, area)
    _close(take, links, backed)
    _straighten(take, links, backed)
    return take, np.where(backed, deep, usual)


def _layers(links: Array, backed: Array, n: int) -> Array:
    """Label of the connected layer of each triangle, (t,). Triangles without another behind them are rims."""
    return label_components(links[backed[links].all(1)], n)


def _one_side(layer: Array, other: Array, backed: Array, area: Array) -> Array:
    """Select triangles of layers, the largest first, except those behind a selected layer: (t,) bool."""
    n = len(layer)
    sizes = np.bincount(layer[backed], area[backed], n)
    state = np.zeros(n, np.int8)  # of a layer: 1 taken, -1 behind one that is
    members: dict[int, Array] = {}
    order = np.argsort(layer, kind="stable")
    bounds = np.flatnonzero(np.r_[True, np.diff(layer[order]) > 0, True])
    for k in range(len(bounds) - 1):
        members[int(layer[order[bounds[k]]])] = order[bounds[k] : bounds[k + 1]]
    for label in np.argsort(-sizes, kind="stable"):
        if sizes[label] == 0:
            break
        of_label = members[int(label)]
        of_label = of_label[backed[of_label]]
        facing = np.bincount((state[layer[other[of_label]]] == 1).astype(int), area[of_label], 2)
        state[label] = -1 if facing[1] > facing[0] else 1
    return backed & (state[layer] == 1)


def _close(take: Array, links: Array, backed: Array) -> None:
    """Add triangles without another behind them that the selected layer surrounds; changes `take`."""
    loose = ~backed[links]
    island = label_components(links[loose.all(1)], len(take))
    rim = links[loose.any(1) & ~loose.all(1)]
    inside, outside = np.where(~backed[rim[:, 0]], rim[:, 0], rim[:, 1]), np.where(backed[rim[:, 0]], rim[:, 0], rim[:, 1])
    beside_other = np.zeros(len(take), bool)
    beside_other[island[inside[~take[outside]]]] = True
    beside = np.zeros(len(take), bool)
    beside[island[inside]] = True
    take |= ~backed & beside[island] & ~beside_other[island]


def _straighten(take: Array, links: Array, backed: Array) -> None:
    """Add triangles of the rim that fill a notch of the border; changes `take`."""
    for _ in range(NOTCHES):
        beside = np.bincount(links[take[links[:, 1]], 0], minlength=len(take))
        beside += np.bincount(links[take[links[:, 0]], 1], minlength=len(take))
        take |= ~backed & (beside >= 2)


def one_fan(t: Array) -> Array:
    """Selection of triangles with at most one fan at each vertex, the largest, (t,) bool."""
    keep = np.ones(len(t), bool)
    while True:
        triangles = t[keep]
        ends = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), 1)
        edges, count = np.unique(ends, axis=0, return_counts=True)
        border = np.bincount(edges[count == 1].ravel(), minlength=t.max() + 1)
        pinched = np.flatnonzero(border > 2)
        if not len(pinched):
            return keep
        numbers = np.flatnonzero(keep)
        for vertex in pinched:
            around = numbers[(triangles == vertex).any(1)]
            links, _ = triangle_links(t[around])
            fan = label_components(links, len(around))
            sizes = np.bincount(fan)
            keep[around[fan != sizes.argmax()]] = False


def _vertex_normals(x: Array, t: Array) -> Array:
    normal = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])
    of = np.stack([np.bincount(t.ravel(), np.repeat(normal[:, k], 3), len(x)) for k in range(3)], 1)
    return of / np.maximum(np.linalg.norm(of, axis=1, keepdims=True), 1e-30)
