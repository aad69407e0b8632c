"""Excess length of a hung sheet over that by its material, where sweeps alone carry its weight to the pins.

Of a chain of masses m and springs k with r = h^2 k / m, N Gauss-Seidel sweeps from the prediction leave the share rho^N of
the error of a wave of stiffness q^2 k, with rho = 1 - 2 (1 + r q^2) / (1 + 2 r). At rest under gravity, the sweeps
remove in each substep the displacement that gravity adds. The chain then has the length of one with springs softer by the
factor

    (1 + r q^2 rho^N) / (1 - rho^N) < 1 + (1 + 2 r) / (2 N)

for any q. With N above r, the load reaches the pins in full; below, the added strain at the pins is independent of k. With n
edges of length l below, n m g / (k l) times r / N is

    n g h^2 / (l N)

Sheets pinned at points alone have more where the load is gathered.
"""

from __future__ import annotations

import numpy as np

from ..model.model import BodyPart, Model
from ..steering import MOST_ADDED
from ..topology.hops import hops_from


def added_strain(model: Model, part: BodyPart) -> float:
    """The strain at a sheet's pins that sweeps alone would add to that of its material, hung at rest [1]; 0 without pins."""
    pinned = np.concatenate([part.pinned, part.attached])
    mine = (model.edges[:, 0] >= part.start) & (model.edges[:, 0] < part.stop)
    if not len(pinned) or not mine.any():
        return 0.0
    rows = hops_from(pinned - part.start, model.edges[mine] - part.start, part.stop - part.start).max()
    gravity = abs(part.body.resolved_response.gravity) * float(np.linalg.norm(model.scene.gravity))
    edge = float(np.median(model.edge_lengths[mine]))
    return float(rows) * gravity * model.h**2 / (edge * model.settings.iterations)


def short_of_load(model: Model) -> list[str]:
    """A sentence for each sheet that sweeps alone would stretch; none where the method is no sweep, or sweeps continue to a
    tolerance."""
    settings = model.settings
    if settings.method == "newton" or settings.quasi_static or settings.tolerance is not None:
        return []
    sentences = []
    for part in model.parts:
        strain = added_strain(model, part) if part.kind.is_sheet else 0.0
        if strain > MOST_ADDED:
            sentences.append(
                f"{part.body.name}: {settings.iterations} iterations in each of {settings.substeps} substeps cannot carry "
                f"its weight: hung, it stretches by another {strain:.2g} of its length, by more while it falls. "
                "Set Keep Length to 4 (global_iterations), or raise Substeps."
            )
    return sentences
