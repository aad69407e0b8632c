"""A fabric from its pattern and yarns: rest, samples, table, checks; samples are kept until the table is written."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import PresetError
from ..scene.fabric_table import FabricTable
from .checks import Found, check_table, held_out, warp_first
from .fit import OfAxes, OfPairs, fit, turned, with_twist
from .patch import Patch, as_arrays, make_patch
from .pattern import Pattern, check_fit, read_pattern
from .plan import CURVATURE, SHEAR, Chain, Plan
from .processes import Samplers
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

    pattern, yarns: warp, weft. patch: at rest. plan: weft and courses along its first axis. table: warp and wales along it.
    density [kg/m^2], thickness [m]. failed: states without a sample. found: results of the table's checks. recomputed: files
    of kept samples that were damaged, or of another fabric. seconds: of this process and its waiting.
    """

    pattern: Pattern
    yarns: tuple[Yarn, Yarn]
    patch: Patch
    plan: Plan
    table: FabricTable
    density: float
    thickness: float
    failed: tuple[str, ...]
    found: Found
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
        ask = _Asker(samplers, samples)
        reach = ask("reach", [(0,), (2,)])
        at_rest, _ = sample(patch, patch.q, (0.0, 0.0, 0.0, 0.0, 0.0))
        bend = CURVATURE / max(yarn.radius for yarn in yarns)
        both = not pattern.mirrored or abs(float(at_rest.slopes[1])) > SKEWED
        heights = ask("height", [(0, 0.5 * reach[0]), (2, 0.5 * reach[1])])
        plan = Plan((float(reach[0]), SHEAR, float(reach[1]), bend, bend), both, (heights[0], heights[1]))
        axes, pairs, failed = _samples(ask, plan, at_rest, tell)
        bends = [(side * plan.reach[3] / 3.0, turn * math.pi / 4.0, plan.heights) for side in (1, -1) for turn in (1, -1)]
        twisted = [(l, psi) for (l, *_), (psi, good) in zip(bends, ask("bend", bends), strict=True) if good]
        table = fit(plan, axes, pairs, pattern.name)
        if twisted:
            table = with_twist(table, twisted)
        checks = check_table(table, plan, _weight(patch, yarns, pattern))
        checks = held_out(checks, table, plan, ask)
    thick = float(np.ptp(patch.q[:, 2])) + 2.0 * max(yarn.radius for yarn in yarns)
    return Fabric(
        pattern, yarns, patch, plan, turned(table), _weight(patch, yarns, pattern), thick, tuple(failed), warp_first(checks),
        () if samples is None else tuple(samples.damaged), time.perf_counter() - begun, _spacing(pattern, patch),
    )  # fmt: skip


def rest_of(pattern: Pattern, yarns: tuple[Yarn, Yarn], seed: int = 0) -> Patch:
    """The patch at rest. Raises: PresetError if it does not come to rest."""
    drawn = make_patch(pattern, yarns)
    rods = drawn.given.rods
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


class _Asker:
    """Client of samplers, which keeps their results."""

    def __init__(self, samplers: Samplers, kept: SampleStore | None) -> None:
        self.samplers, self.kept = samplers, kept
        self.told: Tell = lambda what, share: None

    def __call__(self, method: str, questions: list[tuple[Any, ...]]) -> list[Any]:
        answers = [None if self.kept is None else self.kept.read(method, question) for question in questions]
        missing = [n for n, answer in enumerate(answers) if answer is None]
        done = len(questions) - len(missing)

        def take(number: int, answer: Any) -> None:
            nonlocal done
            done += 1
            if self.kept is not None:
                self.kept.write(method, questions[missing[number]], answer)
            self.told(method, done / len(questions))

        for n, answer in zip(missing, self.samplers.ask(method, [questions[n] for n in missing], take), strict=True):
            answers[n] = answer
        return answers


def _samples(ask: _Asker, plan: Plan, at_rest: Sample, tell: Tell) -> tuple[OfAxes, OfPairs, list[str]]:
    axes: OfAxes = {(k, 0.0): _at_heights(at_rest, plan.heights) for k in range(5)}
    pairs: OfPairs = {}
    places: dict[tuple[int, float], np.ndarray] = {}
    failed = []
    ask.told = lambda what, share: tell("axes sampled", 0.02 + 0.13 * share)
    alone = plan.axis_chains()
    for chain, answer in zip(
        alone, ask("chain", [([], c.axis, list(c.strains), plan.heights, None) for c in alone]), strict=True
    ):
        for n, strain in enumerate(chain.strains):
            axes[chain.axis, strain] = _sample(answer, n, plan.heights)
            places[chain.axis, strain] = answer["q"][n]
            failed += _failed(chain, strain, answer, n)
    ask.told = lambda what, share: tell("pairs sampled", 0.15 + 0.6 * share)
    both = plan.pair_chains()
    questions = [(list(c.beside), c.axis, list(c.strains), plan.heights, places[c.beside]) for c in both if c.beside]
    for chain, answer in zip(both, ask("chain", questions), strict=True):
        for n, strain in enumerate(chain.strains):
            if chain.beside:
                two = sorted([chain.beside, (chain.axis, strain)])
                pairs[f"{two[0][0]}{two[1][0]}", two[0][1], two[1][1]] = _sample(answer, n, plan.heights)
                failed += _failed(chain, strain, answer, n)
    ask.told = lambda what, share: tell("checked", 0.75 + 0.25 * share)
    return axes, pairs, failed


def _sample(answer: dict[str, np.ndarray], n: int, heights: tuple[float, float]) -> Sample:
    return _at_heights(Sample(float(answer["energy"][n]), answer["slopes"][n], bool(answer["good"][n])), heights)


def _at_heights(found: Sample, heights: tuple[float, float]) -> Sample:
    """Convert slopes by curvature: the stretches at these heights are constant, not those in the middle."""
    slopes = found.slopes.copy()
    slopes[3] += heights[0] * slopes[0]
    slopes[4] += heights[1] * slopes[2]
    return found._replace(slopes=slopes)


def _failed(chain: Chain, strain: float, answer: dict[str, np.ndarray], n: int) -> list[str]:
    names = ("sx", "sa", "sy", "lx", "ly")
    state = [f"{name} {value:.4g}" for name, value in zip(names, chain.state(strain), strict=True) if value != 0.0]
    return [] if answer["good"][n] else [", ".join(state)]


def _digest(patch: Patch) -> bytes:
    digest = hashlib.sha256(str(VERSION).encode())
    for part in (patch.q, *patch.given.rods, np.array([patch.given.width, patch.given.height, patch.tolerance])):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.digest()


def _weight(patch: Patch, yarns: tuple[Yarn, Yarn], pattern: Pattern) -> float:
    rods = patch.given.rods
    of_weft = rods.period[:, 0] == 1 if pattern.kind == "weave" else np.zeros(len(rods.whole), bool)
    tex = np.where(of_weft, yarns[1].linear_density, yarns[0].linear_density)
    return float((tex * rods.whole).sum() / patch.area)


def _spacing(pattern: Pattern, patch: Patch) -> dict[str, float]:
    """Yarns, or wales and courses, per metre of the relaxed fabric."""
    across, along = len(pattern.rows[0]) / patch.given.width, len(pattern.rows) / patch.given.height
    names = ("ends", "picks") if pattern.kind == "weave" else ("wales", "courses")
    return {names[0]: across, names[1]: along}
