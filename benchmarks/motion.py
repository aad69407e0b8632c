"""Error of motion against an independent code, and against its own fine solution: `python -m benchmarks.motion`.

A sheet of springs falls from horizontal, hung by two corners, and swings: an ordinary differential equation, which SciPy's
DOP853 (Dormand and Prince, explicit, order 8) solves. It is chaotic after it has fallen taut for the second time: from there
on two tolerances of DOP853 part too. Then comparisons with our fine solution: a sheet's swing after ten periods, with
constant substeps and with substeps that change in every frame, a jelly's first bounce, and the spectrum of a flag's end; and
the conservation of free bodies' spin.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import without_contact
from tests.scenes.motion import bounce, flag, heights, heights_by_dop853, spectrum, spin, swing

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
#: Settings of the fine solution for scenes without an independent code: of sheets, with the global step, and of solids.
FINE: dict[str, Any] = {"substeps": 120, "iterations": 2}
FINE_SOLID: dict[str, Any] = {"substeps": 240, "iterations": 6}
#: Young's moduli of the jelly [Pa].
MODULI = (3e4, 1e5, 3e5)
#: Bands of the flag's spectrum [Hz].
BANDS = ((0.5, 1.5), (1.5, 3.0), (3.0, 6.0), (6.0, 12.1))
FINE_FLAG: dict[str, Any] = {"substeps": 96, "iterations": 2}
FLAGS: dict[str, tuple[str, dict[str, Any]]] = {
    "fine": ("draft", FINE_FLAG),
    "fine, started 1 mm beside": ("draft", FINE_FLAG | {"nudge": 1e-3}),
    **OURS,
}


def in_bands(frequency: Array, density: Array) -> list[str]:
    """Root mean square of the motion in each band [mm]."""
    inside = [(frequency >= low) & (frequency < high) for low, high in BANDS]
    return [f"{1e3 * np.sqrt(density[which].sum() * frequency[1]):.1f}" for which in inside]


def flags(path: Path | None) -> list[list[str]]:
    """Rows of the flag's table; the spectra go into a CSV file, if there is one."""
    spectra = {label: spectrum(flag(quality, **more)) for label, (quality, more) in FLAGS.items()}
    if path:
        with path.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(("integration", "frequency", "density"))
            out.writerows([label, f, p] for label, both in spectra.items() for f, p in zip(*both, strict=True))
    return [[label, *in_bands(*both)] for label, both in spectra.items()]


def off(z: Array, wanted: Array) -> str:
    """Root mean square in millimetres."""
    return f"{1e3 * np.sqrt(np.mean((z - wanted) ** 2)):.1f}"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="motion", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[16, 32], help="quads along a side of the falling sheet")
    parser.add_argument("--frames", type=int, default=FRAMES, help="of the falling sheet, of 1/24 s")
    parts = ["fall", "swing", "bounce", "spin", "flag"]
    parser.add_argument("--parts", nargs="+", default=parts, choices=parts, help="what to measure")
    parser.add_argument("--tolerances", type=float, nargs=2, default=[1e-6, 1e-8], help="of DOP853: ours go by the second")
    parser.add_argument("--csv", type=Path, help="file for the flag's spectra, for plots")
    parser.add_argument("--peers", action="store_true", help="ignored")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    print(machine.describe())
    for n in options.n if "fall" in options.parts else ():
        arrays = without_contact.s1(n)
        rough, wanted = (heights_by_dop853(arrays, options.frames, tolerance) for tolerance in options.tolerances)
        motions = {f"DOP853 at {options.tolerances[0]:g}": rough}
        for label, (quality, settings) in OURS.items():
            motions[label] = heights(arrays, options.frames, quality, **settings)
        first = [(label, off(z[:DETERMINED], wanted[:DETERMINED]), off(z, wanted)) for label, z in motions.items()]
        print(machine.table((f"falling sheet, n = {n}", f"rms [mm], {DETERMINED} frames", "all"), [list(r) for r in first]))
    if "swing" in options.parts:
        fine = swing("draft", **FINE)
        rows = [
            [label, *(f"{swing(quality, changes, **more) / fine:.3f}" for changes in (False, True))]
            for label, (quality, more) in OURS.items()
        ]
        print(machine.table(("swing after ten, over the fine one", "equal substeps", "change in each frame"), rows))
    if "bounce" in options.parts:
        cases = [(young, on) for young in MODULI for on in ("plane", "collider")]
        high = {young: bounce("draft", young, **FINE_SOLID) for young in MODULI}
        rows = [["fine [mm]", *(f"{1e3 * high[young]:.0f}" for young, _ in cases)]]
        for label, (quality, more) in OURS.items():
            rows.append([label, *(f"{bounce(quality, *case, **more) / high[case[0]]:.2f}" for case in cases)])
        print(machine.table(("first bounce, over the fine one", *(f"{young:g} Pa, {on}" for young, on in cases)), rows))
    if "spin" in options.parts:
        rows = [
            [label, *(f"{spin(kind, quality, **more):.2%}" for kind in ("sheet", "solid", "rigid"))]
            for label, (quality, more) in OURS.items()
        ]
        print(machine.table(("spin lost in 200 frames", "sheet", "solid", "rigid"), rows))
    if "flag" in options.parts:
        heads = (f"{low:g} to {high:g} Hz" for low, high in BANDS)
        print(machine.table(("flag's end, rms [mm]", *heads), flags(options.csv)))


if __name__ == "__main__":
    main()
