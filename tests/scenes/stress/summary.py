"""Summary of a stress scene's run, and its failures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Tolerances on limits, at rest and in motion [1]; rms speed below which a scene is at rest [m/s].
AT_REST, IN_MOTION, RESTING = 0.002, 0.01, 0.01
#: Share of the energy by which the sum may rise over its start, and rms speed of bodies at rest [m/s].
RISE, STILL = 0.01, 0.001
#: Stretch of cloth without loads but weight and contact, beyond which it has failed [1].
DRAWN = 0.2
#: Frames at the end, whose greatest rms speed counts.
LAST = 6


def summary(lines: Sequence[dict]) -> dict:
    """Numbers of one run. lines: of `run.frames_of`, the last one missing if the run was stopped."""
    head, frames = lines[0], [line for line in lines[1:] if "frame" in line]
    end = lines[-1] if "end" in lines[-1] else {"end": "stopped", "memory": None, "warnings": []}
    numbers = {key: head[key] for key in ("kind", "quality", "seed", "n", "vertices")} | {"end": end["end"]}
    if not frames:
        return numbers | {"frames": 0, "wanted": head["frames"], "failures": [end["end"]]}
    limited = [line for line in frames if line["beyond"] is not None]
    cpu = np.array([line["cpu"] for line in frames])
    numbers |= {
        "frames": len(frames),
        "wanted": head["frames"],
        "with_hits": sum(line["counted"] > 0 for line in frames),
        "most_hits": max(line["counted"] for line in frames),
        "first_hit": next((line["frame"] for line in frames if line["counted"]), None),
        "differs": sum(line["counted"] != line["told"] for line in frames),
        "unresolved": sum(line["unresolved"] for line in frames),
        "stretch": max(line["stretch"] for line in frames),
        "beyond_moving": max((line["beyond"] for line in limited if line["speed"] > RESTING), default=None),
        "beyond_resting": max((line["beyond"] for line in limited if line["speed"] <= RESTING), default=None),
        **energy_rise([head, *frames], head["still_after"], head["lift"], hard=bool(head["limits"])),
        "speed": max(line["speed"] for line in frames[-LAST:]),
        "cpu": [float(cpu.mean()), float(np.median(cpu)), float(cpu.max())],
        "wall": [float(f([line["wall"] for line in frames])) for f in (np.mean, np.median, np.max)],
        "redone": sum(line["substeps"] > head["substeps"] for line in frames),
        "memory": end.get("memory"),
        "warnings": end["warnings"],
    }
    return numbers | {"failures": failures(numbers, head)}


def energy_rise(lines: Sequence[dict], still_after: int | None, lift: float, hard: bool) -> dict[str, float | None]:
    """Return the rise of the energy above its minimum since nothing drives the scene: `rise` [J], and `energy_rise`, over
    the available energy then [1].

    That is no less than `lift`, the work that lifts all of it by the contact distance [J]: contact lets resting surfaces lie
    anywhere within that distance, and a scene at rest has no other energy.

    hard: whether limits have no compliance: their stored energy is no energy of the scene, so kinetic energy and that of
    gravity are compared with the start only, which they must not exceed.
    """
    if still_after is None or len(lines) < still_after + 2:
        return {"rise": None, "energy_rise": None}
    lines = lines[still_after:]
    moving = np.array([line["kinetic"] + line["gravity"] for line in lines])
    total = moving if hard else moving + [line["elastic"] for line in lines]
    before = np.full(len(total), total[0]) if hard else np.minimum.accumulate(total)
    had = max(total[0] - min(line["gravity"] for line in lines), lift)
    rise = float(np.max(total - before))
    return {"rise": rise, "energy_rise": rise / had}


def failures(found: dict, head: dict) -> list[str]:
    """Return the failures of a run, in words. head: the first line of the run."""
    rest_from = head["rest_from"]

    def over(key: str, bound: float) -> bool:
        return found[key] is not None and found[key] > bound

    checks = {
        "intersections": found["with_hits"] > 0,
        "report": found["differs"] > 0,
        "unresolved": found["unresolved"] > 0,
        "stretch": head["is_slack"] and found["stretch"] > DRAWN,
        "limit": over("beyond_moving", IN_MOTION) or over("beyond_resting", AT_REST),
        "energy": over("energy_rise", RISE),
        "rest": rest_from is not None and found["frames"] >= rest_from and found["speed"] > STILL,
        found["end"]: found["end"] != "done",
    }
    return [name for name, failed in checks.items() if failed]
