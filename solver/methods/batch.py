"""Quantities of one batch of elements: energy, gradient, second derivative, strains at the start of a substep."""

from __future__ import annotations

import numpy as np

from ..device.loops_cpu import add_up, sweep_clusters
from ..model.model import ElementBatch
from .visits import potential as visits

Array = np.ndarray


def add_gradient(batch: ElementBatch, strains: Array, x: Array, out: Array) -> float:
    """Add the energy's gradient [N] at x to `out`, (n, 3 or more), and return the energy [J]."""
    return add_up(visits.add_gradient, batch.energy, batch.colours, batch.clusters, _arguments(batch, strains, x, out))


def set_strains(batch: ElementBatch, strains: Array, x: Array) -> None:
    """Take the strains at x as those of the substep's start, which damping compares with."""
    add_up(
        visits.set_strains, batch.energy, batch.colours, batch.clusters, visits.Strains(batch.index, batch.rest, strains, x)
    )


def begin_strains(batch: ElementBatch, strains: Array, x: Array) -> None:
    """Set the strains where a substep starts at x, if anything reads them; plastic ones flow."""
    if hasattr(batch.energy, "flow_at_start"):
        flow(batch, strains, x)
    elif batch.damped:
        set_strains(batch, strains, x)


def flow(batch: ElementBatch, strains: Array, x: Array) -> None:
    """Let a plastic energy flow where a substep starts at x; its plastic numbers are among the strains."""
    add_up(visits.flow, batch.energy, batch.colours, batch.clusters, _arguments(batch, strains, x, x))


def add_hessian_times(batch: ElementBatch, strains: Array, x: Array, directions: Array, exact: int, out: Array) -> None:
    """Add the second derivative at x times `directions`, (n, 4), to `out` [N], (n, 3 or more).

    exact: 1 for the true derivative, 0 for one that is positive. Raises: NotImplementedError if the energy has none.
    """
    args = visits.Directions(_arguments(batch, strains, x, out), directions, x.dtype.type(exact), batch.rest)
    sweep_clusters(visits.add_hessian_times, batch.energy, batch.colours, batch.clusters, args)


def add_diagonal_blocks(batch: ElementBatch, strains: Array, x: Array, out: Array) -> None:
    """Add each vertex's own 3x3 block of the positive second derivative [N/m] to `out`, (n, 6): 00, 01, 02, 11, 12, 22."""
    args = visits.Directions(_arguments(batch, strains, x, out), x, x.dtype.type(0), batch.rest)
    add_up(visits.add_diagonal_blocks, batch.energy, batch.colours, batch.clusters, args)


def _arguments(batch: ElementBatch, strains: Array, x: Array, out: Array) -> visits.Elements:
    return visits.Elements(batch.index, batch.rest, batch.constants, batch.material, strains, x, out)
