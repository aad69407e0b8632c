"""Model with changed rest shapes: of meshes with animated rest shapes, and of cloths and ropes that shrink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..scene import Cloth
from ..topology.tethers import find_tethers
from .batches import with_groups
from .bodies.deformable import element_scale, shrunk_lengths
from .element_group import ElementGroup
from .model import BodyPart, Model

Array = np.ndarray

#: Rest vertices [m], (n, 3), and shrink, (n,) or None.
Rest = tuple[Array, Array | None]


def with_rests(model: Model, rests: Mapping[str, Rest]) -> Model:
    """Return the model with these rest shapes of cloths and ropes, by name. Elements, masses and directions in the cloth
    stay: its threads move with it. model: as built."""
    parts = {part.start: part for part in model.parts if part.body.name in rests}
    batches = []
    for batch in model.batches:
        groups = [_moved(batch.energy.ELEMENT, group, parts, rests) for group in batch.groups]
        changed = any(a is not b for a, b in zip(groups, batch.groups, strict=True))
        batches.append(with_groups(batch, groups) if changed else batch)
    lengths = model.edge_lengths.copy()
    for part in parts.values():
        mine = (model.edges[:, 0] >= part.start) & (model.edges[:, 0] < part.stop)
        lengths[mine] = shrunk_lengths(*rests[part.body.name], model.edges[mine] - part.start)
    return replace(model, batches=batches, edge_lengths=lengths)


def _moved(noun: str, group: ElementGroup, parts: Mapping[int, BodyPart], rests: Mapping[str, Rest]) -> ElementGroup:
    """Return the group with the rest shape of its cloth, or itself if it belongs to none of these. noun: its kind
    of element."""
    part = parts.get(group.first_vertex)
    if part is None or group.rest_positions is not part.body.rest:
        return group
    rest, shrink = rests[part.body.name]
    axes, fraction = group.axes, group.fraction
    if rest is not part.body.rest:
        if axes is not None:
            axes = moved_axes(group.rest_positions, rest, group.elements, axes)
        if noun == "tether":
            fraction = _tether_lengths(part, group, rest)
    scale = element_scale(shrink, group.elements)
    return replace(group, rest_positions=rest, axes=axes, fraction=fraction, scale=scale)


def moved_axes(before: Array, after: Array, elements: Array, axes: Array) -> Array:
    """Return the unit vectors of warp and weft after a motion of the elements, (k, 2, 3): the warp moves with the material,
    the weft stays at right angles to it.

    before, after: positions [m], (n, 3). elements: (k, corners), whose first three span the plane; of quadrilaterals the
    diagonals do. axes: (k, 2, 3).
    """
    frames = [_frames(x, elements) for x in (before, after)]
    along = np.linalg.solve(np.swapaxes(frames[0], 1, 2), axes[:, 0, :, None])[:, :, 0]  # of the sides, and of the normal
    normal = frames[1][:, 2]
    warp = along[:, :1] * frames[1][:, 0] + along[:, 1:2] * frames[1][:, 1]
    warp /= np.linalg.norm(warp, axis=1, keepdims=True)
    return np.stack([warp, np.cross(normal, warp)], 1)


def _frames(x: Array, elements: Array) -> Array:
    """Two sides of each element, or both diagonals of a quadrilateral, and the normal of their plane, (k, 3, 3)."""
    e = elements
    is_quadrilateral = (e[:, 3] >= 0)[:, None] if e.shape[1] == 4 else np.zeros((len(e), 1), bool)
    last = e[:, 3] if e.shape[1] == 4 else e[:, 2]
    one = np.where(is_quadrilateral, x[e[:, 2]] - x[e[:, 0]], x[e[:, 1]] - x[e[:, 0]])
    two = np.where(is_quadrilateral, x[last] - x[e[:, 1]], x[e[:, 2]] - x[e[:, 0]])
    normal = np.cross(one, two)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return np.stack([one, two, normal], 1)


def _tether_lengths(part: BodyPart, group: ElementGroup, rest: Array) -> Array:
    """Distances along the sheet of the same pairs of a vertex and a pin [m], (k,). A replaced pair is scaled by the mean
    ratio of its body's other pairs."""
    body = part.body
    assert isinstance(body, Cloth)
    pairs, lengths = find_tethers(body.name, rest, body.triangles, np.unique(group.elements[:, 1]))
    count = len(rest)
    known, wanted = pairs[:, 0].astype(np.int64) * count + pairs[:, 1], group.elements[:, 0].astype(np.int64) * count
    wanted = wanted + group.elements[:, 1]
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
    is_known = known[place] == wanted
    ratio = lengths[place[is_known]].sum() / group.fraction[is_known].sum() if is_known.any() else 1.0
    return np.where(is_known, lengths[place], ratio * group.fraction)
