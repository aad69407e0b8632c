"""The table of runs of stress scenes."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = (
    "| scene | vertices | quality | seeds | frames | with intersections (most) | report differs | unresolved | stretch % "
    "| beyond limit, moving / resting, points | energy rise % / mJ | rms speed mm/s "
    "| CPU s a frame: mean / median / slowest | redone | MiB | holds |\n|" + " --- |" * 16
)


def table(runs: Sequence[dict]) -> str:
    """Return a table in Markdown, a row for each scene, size and quality: the worst of its seeds."""
    groups: dict[tuple, list[dict]] = {}
    for run in runs:
        groups.setdefault((run["kind"], run["n"], run["quality"]), []).append(run)
    return "\n".join([HEAD, *(_row(*key, group) for key, group in groups.items())])


def _row(kind: str, n: int, quality: str, group: list[dict]) -> str:
    ran = [run for run in group if run["frames"]]
    failed = sorted({failure for run in group for failure in run["failures"]})
    cells = [kind.replace("_", " "), str(group[0]["vertices"]), quality, str(len(group))]
    if not ran:
        return "| " + " | ".join([*cells, *["-"] * 11, ", ".join(failed)]) + " |"

    def most(key: str, scale: float = 1.0, digits: str = ".1f") -> str:
        values = [run[key] for run in ran if run[key] is not None]
        return format(scale * max(values), digits) if values else "-"

    def seconds(k: int) -> str:
        return format(max(run["cpu"][k] for run in ran), ".2g")

    cells += [
        f"{sum(run['frames'] for run in ran)} of {sum(run['wanted'] for run in group)}",
        f"{sum(run['with_hits'] for run in ran)} ({max(run['most_hits'] for run in ran)})",
        str(sum(run["differs"] for run in ran)),
        str(sum(run["unresolved"] for run in ran)),
        most("stretch", 100),
        f"{most('beyond_moving', 100, '.2f')} / {most('beyond_resting', 100, '.2f')}",
        f"{most('energy_rise', 100, '.2g')} / {most('rise', 1000, '.2g')}",
        most("speed", 1000, ".2g"),
        f"{seconds(0)} / {seconds(1)} / {seconds(2)}",
        str(sum(run["redone"] for run in ran)),
        most("memory", 1, ".0f"),
        ", ".join(failed) or "yes",
    ]
    return "| " + " | ".join(cells) + " |"
