"""A fabric from its pattern and yarns: rest, samples, table, checks; samples are kept until the table is written."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import PresetError
from ..scene.fabric_table import FabricTable
from .checks import Comparison, check_table, held_out, warp_first
from .fit import OfAxes, OfPairs, fit, turned, with_twist
from .patch import Patch, as_arrays, make_patch
from .pattern import Pattern, check_fit, read_pattern
from .plan import CURVATURE, SHEAR, Chain, Plan
from .processes import Samplers, Task
from .rest import relax
from .samples import Sample, sample
from .stored_samples import SampleStore
from .yarn import Yarn, read_yarn

#: Increased by any change that changes samples.
VERSION = 2
#: Tension that a shear to one side may make at rest [N/m], before both sides are sampled and averaged.
SKEWED = 0.01

Tell = Callable[[str, float], None]


@dataclass(frozen=True)
class Fabric:
    """A computed fabric.

    pattern, yarns: warp, weft. patch: at rest. plan: weft and courses along its first axis. table: warp and wales along
    it. density [kg/m^2], thickness [m]. failed: states without a sample. comparison: results of the table's checks.
    recomputed: files of kept samples that were damaged, or of another fabric. seconds: of this process and its waiting.
    """

    pattern: Pattern
    yarns: tuple[Yarn, Yarn]
    patch: Patch
    plan: Plan
    table: FabricTable
    density: float
    thickness: float
    failed: tuple[str, ...]
    comparison: Comparison
    recomputed: tuple[str, ...] = ()
    seconds: float = 0.0
    spacing: dict[str, float] = field(default_factory=dict)


def compute(
    pattern: Pattern,
    yarns: tuple[Yarn, Yarn],
    workers: int = 1,
    kept: Path | None = None,
    tell: Tell = lambda what, share: None,
    seed: int = 0,
) -> Fabric:
    """Compute the fabric of a pattern and its yarns (warp, weft; a knit takes the first).

    workers: processes; the table has the same bytes for any number. kept: a folder for samples, so that a stopped run is
    resumed; None for nowhere. tell: called with the progress, and the share done.
    Raises: PresetError if the yarns do not fit the pattern, the fabric does not come to rest, or samples cannot be kept.
    """
    begun = time.perf_counter()
    check_fit(pattern.name, pattern, yarns)
    patch = rest_of(pattern, yarns, seed)
    tell("relaxed", 0.02)
    samples = None if kept is None else SampleStore(kept, _digest(patch), len(patch.q))
    with Samplers(as_arrays(patch), workers) as samplers:
        sampler = StoredSampler(samplers, samples)
        reach = sampler("reach", [(0,), (2,)])
        at_rest, _ = sample(patch, patch.q, (0.0, 0.0, 0.0, 0.0, 0.0))
        bend = CURVATURE / max(yarn.radius for yarn in yarns)
        both = not pattern.mirrored or abs(float(at_rest.slopes[1])) > SKEWED
        heights = sampler("height", [(0, 0.5 * reach[0]), (2, 0.5 * reach[1])])
        plan = Plan((float(reach[0]), SHEAR, float(reach[1]), bend, bend), both, (heights[0], heights[1]))
        axes, pairs, failed = _samples(sampler, plan, at_rest, tell)
        bends = [(side * plan.reach[3] / 3.0, turn * math.pi / 4.0, plan.heights) for side in (1, -1) for turn in (1, -1)]
        twisted = [(l, psi) for (l, *_), (psi, good) in zip(bends, sampler("bend", bends), strict=True) if good]
        table = fit(plan, axes, pairs, pattern.name)
        if twisted:
            table = with_twist(table, twisted)
        checks = check_table(table, plan, _weight(patch, yarns, pattern))
        checks = held_out(checks, table, plan, sampler)
    thick = float(np.ptp(patch.q[:, 2])) + 2.0 * max(yarn.radius for yarn in yarns)
    return Fabric(
        pattern, yarns, patch, plan, turned(table), _weight(patch, yarns, pattern), thick, tuple(failed), warp_first(checks),
        () if samples is None else tuple(samples.damaged), time.perf_counter() - begun, _spacing(pattern, patch),
    )  # fmt: skip


def rest_of(pattern: Pattern, yarns: tuple[Yarn, Yarn], seed: int = 0) -> Patch:
    """The patch at rest. Raises: PresetError if it does not come to rest."""
    drawn = make_patch(pattern, yarns)
    rods = drawn.problem.rods
    share = np.where(rods.period[rods.yarn, 0] == 1, yarns[1].set, yarns[0].set)
    patch, settled = relax(drawn, share if pattern.kind == "weave" else np.full(len(share), yarns[0].set),
                           free=pattern.kind == "knit", seed=seed)  # fmt: skip
    if not settled:
        raise PresetError(
            f"{pattern.name}: the yarns do not come to rest. Take more yarn a stitch, wider spacing or a thinner yarn."
        )
    return patch


def read(pattern: str, yarns: str = "") -> tuple[Pattern, tuple[Yarn, Yarn]]:
    """Read a pattern by name or file, and its yarns, or those named `WARP` or `WARP,WEFT` instead. Raises: PresetError."""
    drawn = read_pattern(pattern)
    names = [name.strip() for name in yarns.split(",")] if yarns else list(drawn.yarns)
    if not 1 <= len(names) <= (2 if drawn.kind == "weave" else 1):
        raise PresetError(f"Yarns {yarns}: {len(names)} of them; wanted WARP or WARP,WEFT of a weave, one of a knit.")
    both = [read_yarn(name) for name in names]
    return drawn, (both[0], both[-1])


class StoredSampler:
    """Client of samplers, which keeps their results."""

    def __init__(self, samplers: Samplers, kept: SampleStore | None) -> None:
        self.samplers, self.kept = samplers, kept
        self.on_progress: Tell = lambda what, share: None

    def __call__(self, method: str, tasks: Sequence[Task]) -> list[Any]:
        results = [None if self.kept is None else self.kept.read(method, arguments) for arguments in tasks]
        missing = [n for n, result in enumerate(results) if result is None]
        done = len(tasks) - len(missing)

        def take(number: int, result: Any) -> None:
            nonlocal done
            done += 1
            if self.kept is not None:
                self.kept.write(method, tasks[missing[number]], result)
            self.on_progress(method, done / len(tasks))

        for n, result in zip(missing, self.samplers.results(method, [tasks[n] for n in missing], take), strict=True):
            results[n] = result
        return results


def _samples(sampler: StoredSampler, plan: Plan, at_rest: Sample, tell: Tell) -> tuple[OfAxes, OfPairs, list[str]]:
    axes: OfAxes = {(k, 0.0): _at_heights(at_rest, plan.heights) for k in range(5)}
    pairs: OfPairs = {}
    places: dict[tuple[int, float], np.ndarray] = {}
    failed = []
    sampler.on_progress = lambda what, share: tell("axes sampled", 0.02 + 0.13 * share)
    alone = plan.axis_chains()
    for chain, result in zip(
        alone, sampler("chain", [([], c.axis, list(c.strains), plan.heights, None) for c in alone]), strict=True
    ):
        for n, strain in enumerate(chain.strains):
            axes[chain.axis, strain] = _sample(result, n, plan.heights)
            places[chain.axis, strain] = result["q"][n]
            failed += _failed(chain, strain, result, n)
    sampler.on_progress = lambda what, share: tell("pairs sampled", 0.15 + 0.6 * share)
    both = plan.pair_chains()
    tasks = [(list(c.beside), c.axis, list(c.strains), plan.heights, places[c.beside]) for c in both if c.beside]
    for chain, result in zip(both, sampler("chain", tasks), strict=True):
        for n, strain in enumerate(chain.strains):
            if chain.beside:
                two = sorted([chain.beside, (chain.axis, strain)])
                pairs[f"{two[0][0]}{two[1][0]}", two[0][1], two[1][1]] = _sample(result, n, plan.heights)
                failed += _failed(chain, strain, result, n)
    sampler.on_progress = lambda what, share: tell("checked", 0.75 + 0.25 * share)
    return axes, pairs, failed


def _sample(result: dict[str, np.ndarray], n: int, heights: tuple[float, float]) -> Sample:
    return _at_heights(Sample(float(result["energy"][n]), result["slopes"][n], bool(result["good"][n])), heights)


def _at_heights(at_zero: Sample, heights: tuple[float, float]) -> Sample:
    """Convert slopes by curvature: the stretches at these heights are constant, not those in the middle."""
    slopes = at_zero.slopes.copy()
    slopes[3] += heights[0] * slopes[0]
    slopes[4] += heights[1] * slopes[2]
    return at_zero._replace(slopes=slopes)


def _failed(chain: Chain, strain: float, result: dict[str, np.ndarray], n: int) -> list[str]:
    names = ("sx", "sa", "sy", "lx", "ly")
    state = [f"{name} {value:.4g}" for name, value in zip(names, chain.state(strain), strict=True) if value != 0.0]
    return [] if result["good"][n] else [", ".join(state)]


def _digest(patch: Patch) -> bytes:
    digest = hashlib.sha256(str(VERSION).encode())
    for part in (patch.q, *patch.problem.rods, np.array([patch.problem.width, patch.problem.height, patch.tolerance])):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.digest()


def _weight(patch: Patch, yarns: tuple[Yarn, Yarn], pattern: Pattern) -> float:
    rods = patch.problem.rods
    of_weft = rods.period[:, 0] == 1 if pattern.kind == "weave" else np.zeros(len(rods.whole), bool)
    tex = np.where(of_weft, yarns[1].linear_density, yarns[0].linear_density)
    return float((tex * rods.whole).sum() / patch.area)


def _spacing(pattern: Pattern, patch: Patch) -> dict[str, float]:
    """Yarns, or wales and courses, per metre of the relaxed fabric."""
    across, along = len(pattern.rows[0]) / patch.problem.width, len(pattern.rows) / patch.problem.height
    names = ("ends", "picks") if pattern.kind == "weave" else ("wales", "courses")
    return {names[0]: across, names[1]: along}
