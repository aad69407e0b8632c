"""How near motion is to that of a code that is not ours, and to its own fine solution: `python -m benchmarks.motion`.

A sheet of springs falls from horizontal, hung by two corners, and swings: an ordinary differential equation, which SciPy's
DOP853 (Dormand and Prince, explicit, order 8) solves. It is chaotic once it has fallen taut for the second time: from there
on two tolerances of DOP853 part too. Then a sheet's swing after ten times to and fro, the spin of free bodies, and the
spectrum of a flag's end.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import without_contact
from tests.scenes.motion import flag, heights, heights_by_dop853, spin, swing

Array = np.ndarray
#: Frames in which the sheet's motion is determined, and all that are compared.
DETERMINED, FRAMES = 34, 60
#: Label -> quality, settings beside it.
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "Draft": ("draft", {}),
    "Production": ("production", {}),
    "Draft, backward Euler": ("draft", {"integrator": "bdf1"}),
    "Production, backward Euler": ("production", {"integrator": "bdf1"}),
}
#: Stands for the fine solution of what no other code solves here.
FINE: dict[str, Any] = {"substeps": 120, "iterations": 2}


#: Bands of the flag's spectrum [Hz].
BANDS = ((0.5, 1.5), (1.5, 3.0), (3.0, 6.0), (6.0, 12.0))


def in_bands(frequency: Array, amplitude: Array) -> list[str]:
    """Root of the sum of squares in each band [mm]."""
    inside = [(frequency >= low) & (frequency < high) for low, high in BANDS]
    return [f"{1e3 * np.sqrt((amplitude[which] ** 2).sum()):.0f}" for which in inside]


def off(z: Array, wanted: Array) -> str:
    """Root mean square in millimetres."""
    return f"{1e3 * np.sqrt(np.mean((z - wanted) ** 2)):.1f}"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="motion", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[16, 32], help="quads along a side of the falling sheet")
    parser.add_argument("--frames", type=int, default=FRAMES, help="of the falling sheet, of 1/24 s")
    parser.add_argument("--parts", nargs="+", default=["fall", "swing", "spin", "flag"], help="what to measure")
    parser.add_argument("--peers", action="store_true", help="ignored")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    print(machine.describe())
    for n in options.n if "fall" in options.parts else ():
        arrays = without_contact.s1(n)
        rough, wanted = (heights_by_dop853(arrays, options.frames, tolerance) for tolerance in (1e-6, 1e-8))
        found = {"DOP853 at 1e-6": rough}
        for label, (quality, settings) in OURS.items():
            found[label] = heights(arrays, options.frames, quality, **settings)
        first = [(label, off(z[:DETERMINED], wanted[:DETERMINED]), off(z, wanted)) for label, z in found.items()]
        print(machine.table((f"falling sheet, n = {n}", f"rms [mm], {DETERMINED} frames", "all"), [list(r) for r in first]))
    if "swing" in options.parts:
        fine = swing("draft", **FINE)
        rows = [[label, f"{swing(quality, **more) / fine:.3f}"] for label, (quality, more) in OURS.items()]
        print(machine.table(("swing after ten", "over the fine one"), rows))
    if "spin" in options.parts:
        rows = [
            [label, *(f"{spin(kind, quality, **more):.2%}" for kind in ("sheet", "solid", "rigid"))]
            for label, (quality, more) in OURS.items()
        ]
        print(machine.table(("spin lost in 200 frames", "sheet", "solid", "rigid"), rows))
    if "flag" in options.parts:
        runs = {"fine": ("draft", {"substeps": 96, "iterations": 2})} | OURS
        rows = [[label, *in_bands(*flag(quality, **more))] for label, (quality, more) in runs.items()]
        print(machine.table(("flag's end [mm]", *(f"{low:g} to {high:g} Hz" for low, high in BANDS)), rows))


if __name__ == "__main__":
    main()
