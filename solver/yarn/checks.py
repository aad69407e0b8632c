"""Validation of a fabric's table: against yarns at states outside its samples, and as the cloth that it models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..scene.fabric_table import FabricTable
from ..scene.textile_units import KES_TENSILE_LOAD, bending_length
from .fit import energy, slope, value
from .plan import PAIRS, Plan
from .processes import Task

#: States of yarns that the table is held against: of each axis, of each pair, of each triple; steps from rest to each.
OF_AXES, OF_PAIRS, OF_TRIPLES, STEPS = 4, 4, 3, 4
TRIPLES = ((0, 1, 2), (0, 2, 3), (0, 2, 4), (0, 1, 3), (1, 2, 4))
#: Share of the range of bending in which they are.
BENT = 0.66
SEED = 1
#: Stretch of the pull test.
PULL = 0.2


@dataclass(frozen=True)
class Comparison:
    """errors: medians of |table - yarns| / |yarns| of energies at held-out states, of one, two and three strains; compared:
    how many of them. monotone: whether tension grows with stretch along x and y.

    bending: even part along x and y [N m]. moment: of the flat sheet about both [N]; positive: the sheet wants to bend away
    from +z, as its edges do. extension: along x and y at 490 N/m, KES-F's load [1]; NaN beyond the table. shear [N/m]: the
    force per width over the sine of the angle, at 0.14 (8 degrees). pull: force along x and along y at 20 % [N/m], sides
    free, and contraction: of the other direction then. drape_length [m]: Peirce's bending length.
    """

    bending: tuple[float, float] = (0.0, 0.0)
    moment: tuple[float, float] = (0.0, 0.0)
    extension: tuple[float, float] = (0.0, 0.0)
    shear: float = 0.0
    pull: tuple[float, float] = (0.0, 0.0)
    contraction: tuple[float, float] = (0.0, 0.0)
    drape_length: float = 0.0
    monotone: bool = False
    errors: tuple[float, float, float] = (0.0, 0.0, 0.0)
    compared: tuple[int, int, int] = (0, 0, 0)


def check_table(table: FabricTable, plan: Plan, density: float) -> Comparison:
    """Check the table alone."""
    l = plan.reach[3] / 3.0
    bending = [float(value(c, l) + value(c, -l)) / l**2 for c in table.curves[3:]]
    pulls = [_pull(table, plan, k) for k in (0, 2)]
    return Comparison(
        bending=(bending[0], bending[1]),
        moment=(float(slope(table.curves[3], 0.0)), float(slope(table.curves[4], 0.0))),
        extension=(_extension(table, 0), _extension(table, 2)),
        shear=float(slope(table.curves[1], 0.14)) / 0.14,
        pull=(pulls[0][0], pulls[1][0]),
        contraction=(pulls[0][1], pulls[1][1]),
        drape_length=bending_length(max(0.0, 0.5 * (bending[0] + bending[1])), density),
        monotone=_monotone(table, plan),
    )


def held_out(
    comparison: Comparison, table: FabricTable, plan: Plan, sampler: Callable[[str, Sequence[Task]], list[Any]]
) -> Comparison:
    """Add errors at random states, to which the yarns are deformed in a straight line from rest."""
    random = np.random.default_rng(SEED)
    alone: list[tuple[int, ...]] = [(k,) for k in range(5)]
    both: list[tuple[int, ...]] = [tuple(map(int, pair)) for pair in PAIRS]
    triples: list[tuple[int, ...]] = [*TRIPLES]
    kinds = [alone * OF_AXES, both * OF_PAIRS, triples * OF_TRIPLES]
    errors, compared = [], []
    for group in kinds:
        states = np.array([_state(plan, axes, random) for axes in group])
        mirrored = states * np.array([1.0, -1.0, 1.0, 1.0, 1.0])
        here = sampler("straight", [(state.tolist(), STEPS) for state in states])
        there = sampler("straight", [(state.tolist(), STEPS) for state in mirrored]) if plan.both_sides else here
        good = np.array([a[1] and b[1] for a, b in zip(here, there, strict=True)])
        yarns = np.array([0.5 * (a[0] + b[0]) for a, b in zip(here, there, strict=True)])
        off = np.abs(energy(table, states) - yarns) / np.maximum(np.abs(yarns), 1e-12)
        errors.append(float(np.median(off[good])) if good.any() else float("nan"))
        compared.append(int(good.sum()))
    return replace(comparison, errors=(errors[0], errors[1], errors[2]), compared=(compared[0], compared[1], compared[2]))


def warp_first(comparison: Comparison) -> Comparison:
    """Return the checks with warp and wales first in each pair, as in the table of a preset."""
    pairs = ("bending", "moment", "extension", "pull", "contraction")
    return replace(comparison, **{name: getattr(comparison, name)[::-1] for name in pairs})


def _state(plan: Plan, axes: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    state = np.zeros(5)
    for k in axes:
        least = 0.0 if k in (0, 2) else -1.0
        state[k] = random.uniform(least, 1.0) * plan.reach[k] * (BENT if k > 2 else 1.0)
    if axes == (0, 2) and random.uniform() < 0.5:  # contracted, beyond where the parabola of no tension still acts
        stretched = 2 * int(random.uniform() < 0.5)
        state[stretched] = max(state[stretched], plan.reach[stretched] / 6.0)
        state[2 - stretched] *= -0.5
    return state


def _extension(table: FabricTable, k: int) -> float:
    """Stretch at KES-F's load, the other direction kept as it is."""
    t = np.linspace(0.0, table.curves[k].knots[-1], 2000)
    tension = slope(table.curves[k], t)
    above = np.flatnonzero(tension >= KES_TENSILE_LOAD)
    return float(t[above[0]]) if len(above) else float("nan")


def _monotone(table: FabricTable, plan: Plan) -> bool:
    for k in (0, 2):
        t = np.linspace(0.0, plan.reach[k], 400)
        tension = slope(table.curves[k], t)
        if np.diff(tension).min() < -1e-3 * np.abs(tension).max():
            return False
    return True


def _pull(table: FabricTable, plan: Plan, k: int) -> tuple[float, float]:
    """Force and the other direction's strain at 20 % along axis k, the sides free: the least energy over them."""
    other = 2 - k
    across = np.linspace(-0.6 * plan.reach[other], 0.0, 601)

    def least(stretch: float) -> tuple[float, float]:
        states = np.zeros((len(across), 5))
        states[:, k], states[:, other] = stretch, across
        psi = energy(table, states)
        return float(psi.min()), float(across[np.argmin(psi)])

    step = 0.002
    return (least(PULL + step)[0] - least(PULL - step)[0]) / (2.0 * step), least(PULL)[1]
