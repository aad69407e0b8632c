"""Positions within a frame on a device: a thread a vertex, on the straight path from a substep's start to its end
(`stepping/adaptive_substeps.py`, `_sample`)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import SerialDevice
from ...model.gpu.state_arrays import StateArrays
from ...model.model import Model


class Sample(NamedTuple):
    """Arguments of a sample. x, x0: as in `State`. back: share of the path back from the end. out: (n, 3)."""

    x: Array
    x0: Array
    back: np.float32
    out: Array


@body
def take(i, args):
    """Store the sampled position of a vertex."""
    for k in range(3):
        args.out[i, k] = args.x[i, k] + args.back * (args.x0[i, k] - args.x[i, k])


class Samples:
    """Samples of a frame, without the one at its end."""

    def __init__(self, device: SerialDevice, model: Model, state: StateArrays) -> None:
        settings = model.settings
        self.device, self._state, self._n = device, state, model.n_vertices
        due = [k * settings.substeps / settings.samples for k in range(1, settings.samples)]
        self._due = [(math.ceil(time) - 1, math.ceil(time) - time) for time in due]
        self._kept = device.zeros((len(due), self._n, 3), np.float32)

    def take(self, step: int) -> None:
        """Take the samples within a substep, after it."""
        for number, (substep, back) in enumerate(self._due):
            if substep == step:
                arguments = Sample(self._state.x, self._state.x0, np.float32(back), self._kept[number])
                self.device.launch(take, self._n, arguments)

    def positions(self) -> list[np.ndarray]:
        """Return all samples, (n, 3) each."""
        return list(self.device.download(self._kept)) if self._due else []
