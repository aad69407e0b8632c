"""Check and time a GPU in eight minutes, without interaction: `python3 dev.py gpu`.

Launches of every kernel and whole scenes beside the serial twin's; intersections by ipctk; times of a frame beside one core
of the CPU; the time of each kernel within a frame's graph. Results are written to `out/gpu/gpu.json` and, to be read, to
`out/gpu/gpu.md`. A part that the time limit leaves out says so. Returns 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import device, machine
from benchmarks.gpu import page
from benchmarks.gpu.checks import Check, all_checks
from solver.device.cuda.probe import probe

#: Share of the time for checks; the rest is for times.
CHECKS = 0.6
#: Scenes whose kernels are timed one by one.
PROFILED: tuple[device.Row, ...] = (device.ROWS[5], device.ROWS[6], device.ROWS[7])
#: Frames of these: the third is a graph, and contact comes later.
PROFILED_FRAMES = 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=8.0, help="that all of it may take, about")
    parser.add_argument("--out", type=Path, default=machine.ROOT / "out" / "gpu", help="folder of gpu.json and gpu.md")
    options = parser.parse_args()
    began = time.monotonic()
    until = began + 60 * options.minutes
    devices = probe()
    if not devices.usable:
        print(f"No GPU: {devices.why or devices.devices[0].why}")
        return 1
    machine.keep_kernels()
    results: dict[str, Any] = {"machine": machine.describe(), "device": asdict(devices.usable[0]), "driver": devices.driver}
    results |= {"times": [], "profiles": {}, "left_out": []}
    options.out.mkdir(parents=True, exist_ok=True)
    checks: list[Check] = []
    for one in all_checks(began + CHECKS * (until - began)):
        checks.append(one)
        print(f"{time.monotonic() - began:4.0f} s  {page.line(one)}", flush=True)
    results["checks"] = [asdict(one) for one in checks]
    results["copies"] = rate = device.copy_rate(device.simulation("S1", 8, {}, "cuda")._on_device.device)

    def time_row(row: device.Row) -> None:
        results["times"].append(device.measure(*row, "cuda", rate))

    parts = [(f"{row[0]} {row[1]}, kernels", lambda row=row: results["profiles"].update(profiled(row))) for row in PROFILED]
    parts += [(f"{row[0]} {row[1]}, time", lambda row=row: time_row(row)) for row in (*device.ROWS, *device.LARGE)]
    try:
        for name, do in parts:
            if time.monotonic() > until:
                results["left_out"].append(name)
                continue
            do()
            print(f"{time.monotonic() - began:4.0f} s  {name}", flush=True)
    finally:
        results["minutes"] = (time.monotonic() - began) / 60
        (options.out / "gpu.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        text = page.text(results, checks)
        (options.out / "gpu.md").write_text(text, encoding="utf-8")
    print(text)
    return int(any(page.failures(one) for one in checks))


def profiled(row: device.Row) -> dict[str, Any]:
    """Launches and seconds of each kernel of a frame's substeps."""
    from benchmarks.gpu.checked_device import ProfiledDevice

    scene, n, settings = row
    simulated = device.simulation(scene, n, settings, "cuda")
    simulated._on_device.device = ProfiledDevice()
    for _ in range(PROFILED_FRAMES):
        simulated.advance_frame()
    return {f"{scene} {n}, {settings['method']}": simulated._on_device.device.times}


if __name__ == "__main__":
    sys.exit(main())
