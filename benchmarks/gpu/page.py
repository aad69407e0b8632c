"""Page of a GPU check's results."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from benchmarks import machine
from benchmarks.device import cells
from benchmarks.gpu.checks import Check

#: Bound on the deviation of a kernel's numbers in last digits of its inputs: fused multiplications are no errors, nor are
#: sums with cancellation.
DIGITS = 100.0
#: Kernels on the page, of which most differ or take most.
SHOWN = 20


def failures(check: Check) -> list[str]:
    """Return the failures of a scene, a sentence each."""
    sentences = [check.error] if check.error else []
    sentences += [
        f"{name} is {one['off']:.1e} off, {one['digits']:.0f} last digits"
        for name, one in check.kernels.items()
        if one["digits"] > DIGITS
    ]
    if check.intersections > 0:
        sentences.append(f"{check.intersections} intersections in {check.frames} frames")
    if check.frames and 2 * check.on_cpu > check.frames:
        sentences.append(f"the CPU did {check.on_cpu} of {check.frames} frames")
    return sentences


def line(check: Check) -> str:
    """Return the progress line of a scene."""
    wrong = failures(check)
    return f"{check.name}: {'; '.join(wrong) if wrong else f'{len(check.kernels)} kernels, {check.seconds:.0f} s'}"


def text(found: dict[str, Any], checks: list[Check]) -> str:
    """Return the text of the page. found: as in `gpu.json`."""
    device, wrong = found["device"], [(one.name, failures(one)) for one in checks if failures(one)]
    parts = [f"# {device['name']}, driver {found['driver']}", "", found["machine"].replace("\n", "  \n"), ""]
    copies = found.get("copies", 0) / 1e9
    parts += [f"{found['minutes']:.1f} minutes; copies {copies:.0f} GB/s, reads and writes together.", ""]
    parts += [f"{len(checks)} scenes, {len(checks) - len(wrong)} without fault.", ""]
    parts += [f"- **{name}**: {'; '.join(why)}" for name, why in wrong]
    parts += [f"- {name}: no time was left" for name in found["left_out"]]
    parts += ["", "## Kernels beside their serial twin", "", kernels(checks), "", "## Scenes", "", scenes(checks), ""]
    if found["times"]:
        rows = found["times"]
        parts += ["## Times", "", machine.table(list(rows[0]), [cells(row) for row in rows]), ""]
    for name, times in found["profiles"].items():
        parts += [f"## Kernels of {name}", "", profile(times), ""]
    return "\n".join(parts)


def kernels(checks: list[Check]) -> str:
    """Return the kernels with the largest deviations, over all scenes."""
    worst: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    for check in checks:
        for name, one in check.kernels.items():
            row = worst[name]
            row[0] += one["launches"]
            row[1:] = [max(was, one[key]) for was, key in zip(row[1:], ("digits", "off", "choices"))]
    listed = sorted(worst.items(), key=lambda item: (-item[1][1], -item[1][3]))[:SHOWN]
    rows = [[name, str(int(n)), f"{digits:.1f}", f"{off:.1e}", f"{off_by:.1e}"] for name, (n, digits, off, off_by) in listed]
    same = sum(not any(row[1:]) for row in worst.values())
    head = ["kernel", "launches", "last digits off", "of the largest number", "integers that differ, share"]
    return f"{len(worst)} kernels, of which {same} have the twin's bits.\n\n{machine.table(head, rows)}"


def scenes(checks: list[Check]) -> str:
    rows = []
    for one in checks:
        counted = "-" if one.intersections < 0 else str(one.intersections)
        rows.append([one.name, str(len(one.kernels)), str(one.frames), str(one.on_cpu), f"{1e3 * one.apart:.1e}", counted])
    head = ["scene", "kernels", "frames", "by the CPU", "from the twin [mm]", "intersections"]
    return machine.table(head, rows)


def profile(times: dict[str, list[float]]) -> str:
    """Return the kernels by their share of a frame's time."""
    whole = sum(seconds for _, seconds in times.values())
    count = sum(int(launches) for launches, _ in times.values())
    listed = sorted(times.items(), key=lambda item: -item[1][1])[:SHOWN]
    rows = [
        [name, str(int(n)), f"{1e6 * seconds / n:.1f}", f"{1e3 * seconds:.2f}", f"{100 * seconds / whole:.0f}"]
        for name, (n, seconds) in listed
    ]
    head = ["kernel", "launches", "us a launch", "ms a frame", "%"]
    return f"{count} launches, {1e3 * whole:.1f} ms with an event after each.\n\n{machine.table(head, rows)}"
