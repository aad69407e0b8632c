"""Test whether a few sweeps are enough for a solid.

An element responds to a displacement of its corners by the share beta / (1 + beta), with beta the largest eigenvalue of h^2
M^-1 times its Hessian (`methods/recovery/jacobi_shares.py`). The error of a substep's sweeps depends on beta over their
number (docs/notes/newton_step.md).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device.cpu import LANES
from ..methods.recovery.jacobi_shares import stiffness
from ..model.batches import some_packs
from ..model.model import ElementBatch, Model

#: Packs that are looked at, evenly among those of a material.
SAMPLE = 128


def stiffness_a_sweep(model: Model, batch: ElementBatch, packs: np.ndarray) -> float:
    """The median of beta of a material over the sweeps of a substep. packs: of the material, (k,)."""
    some = packs[:: max(1, len(packs) // SAMPLE)]
    sample = replace(some_packs(batch, some), element=batch.element.reshape(-1, LANES)[some].ravel())
    beta = stiffness(model, sample)
    return float(np.median(beta[beta > 0])) / model.settings.iterations
