"""Stitches at the start of a substep on a device: a thread a stitch (`stepping/stitches.py`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import SerialDevice
from ...device.cuda.uploads import Uploads
from ...energies import sewing
from ...mathlib.vec3 import dot, sub
from ...model.gpu.state_arrays import StateArrays
from ...model.model import Model
from ...scene import ShapeInputs
from ..stitches import of_stitches

ZERO = f32(0)


class Stitches(NamedTuple):
    """Arguments of a batch of stitches: corners, strains as in `gpbd_sweeps.Elements`. numbers: of each lane weight,
    length at which it is closed [m], -1 for filling, and the remaining share of an open one, (packs * 16, 3). x: (n + 4,
    4)."""

    corners: Array
    strains: Array
    numbers: Array
    x: Array


@body
def set_stitches(i, args):
    """Set the strains of a stitch at substep start: length, weight, and target length."""
    weight, near, remaining = args.numbers[i, 0], args.numbers[i, 1], args.numbers[i, 2]
    if near >= ZERO:
        pack, lane = i // LANES, i % LANES
        a, b = args.corners[pack, lane], args.corners[pack, LANES + lane]
        edge = sub((args.x[b, 0], args.x[b, 1], args.x[b, 2]), (args.x[a, 0], args.x[a, 1], args.x[a, 2]))
        length: Any = math.sqrt(dot(edge, edge))
        wanted = length
        pulled = args.strains[pack, LANES + lane] > ZERO
        if pulled:
            wanted = min(args.strains[pack, 2 * LANES + lane], length)
        closed = length <= near or (pulled and wanted == ZERO)
        args.strains[pack, lane] = length
        args.strains[pack, LANES + lane] = weight
        args.strains[pack, 2 * LANES + lane] = length if weight <= ZERO else ZERO if closed else remaining * wanted


class DeviceStitches:
    """The stitches of a model on a device."""

    def __init__(self, device: SerialDevice, model: Model, state: StateArrays, uploads: Uploads) -> None:
        self.device, self._model, self._state, self._uploads = device, model, state, uploads
        self._batches = [batch for batch in state.batches if batch.host.energy is sewing]
        self._numbers: Array

    def begin_frame(self, shapes: Mapping[str, ShapeInputs]) -> None:
        """shapes: of the cloths in the frame."""
        for batch in self._batches:
            numbers, element = np.stack(of_stitches(self._model, shapes)[:3], 1), batch.host.element
            lanes = np.where((element >= 0)[:, None], numbers[element], [0.0, -1.0, 0.0])
            self._numbers = self._uploads.take("stitches", lanes)

    def set(self) -> None:
        """Set the stitches at a substep's start."""
        for batch in self._batches:
            arguments = Stitches(batch.corners, batch.strains, self._numbers, self._state.x)
            self.device.launch(set_stitches, batch.threads, arguments)
