"""Stitches at the start of a substep: how long they are, by what weight they pull, and which of them are closed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..device.cpu import LANES
from ..energies import sewing
from ..model.model import Model
from ..model.state import State
from ..scene import ShapeInputs

#: Of the distance that the cloth keeps from itself: a shorter stitch is closed. Half: surfaces that meet at less look like
#: one, and a closed seam stretched that far under a load is not taken for an open one.
CLOSED = 0.5


def set_stitches(model: Model, state: State, shapes: Mapping[str, ShapeInputs]) -> None:
    """Written: the numbers that stitches keep of the substep's start. The length that one is to have falls by a share of it
    in each substep, whatever holds the stitch open; a closed one opens only by a weight of 0, or breaks for good.

    shapes: of the cloths of these names in the frame.
    """
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        if batch.energy is not sewing:
            continue
        weight, near, remaining, breaking = of_stitches(model, shapes)
        real = np.flatnonzero(batch.element >= 0)
        element, pack, lane = batch.element[real], real // LANES, real % LANES
        a, b = (state.x[batch.index[pack, end * LANES + lane], :3].astype(float) for end in range(2))
        length = np.linalg.norm(b - a, axis=1)
        pulled = strains[pack, LANES + lane] > 0
        before = strains[pack, 2 * LANES + lane]
        broken = (before >= sewing.UNPICKED) | (pulled & (before == 0) & (length >= breaking[element]))
        wanted = np.where(pulled, np.minimum(before, length), length)
        closed = (length <= near[element]) | (pulled & (wanted == 0))
        wanted = np.where(closed, 0.0, remaining[element] * wanted)
        strains[pack, lane] = length
        strains[pack, LANES + lane] = weight[element]
        held = np.where(weight[element] > 0, wanted, length)
        strains[pack, 2 * LANES + lane] = np.where(broken, sewing.UNPICKED, held)


def of_stitches(model: Model, shapes: Mapping[str, ShapeInputs]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return of the stitches of all cloths, (k,): weights, lengths at which they are closed [m], the share of the length
    that an open one is to have which is left after a substep, and lengths at which closed ones break [m]."""
    rows: list[tuple[np.ndarray, ...]] = [(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0))]
    for number, part in enumerate(model.parts):
        made = part.body.sewing
        if made is not None:
            weight_now = shapes[part.body.name].sewing_weight if part.body.name in shapes else None
            numbers = made.weight if weight_now is None else weight_now, CLOSED * model.body_thickness[number]
            remaining = np.exp(-model.h / made.closing_time)
            longest = np.inf if made.strength is None else made.strength / made.holding_stiffness
            rows.append(tuple(np.broadcast_to(value, len(made.edges)) for value in (*numbers, remaining, longest)))
    weight, near, remaining, breaking = (np.concatenate(values) for values in zip(*rows, strict=True))
    return weight, near, remaining, breaking
