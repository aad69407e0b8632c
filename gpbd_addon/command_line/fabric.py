"""`gpbd fabric compute`: a fabric's table from a pattern and its yarns, as a preset of the user's."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..user_folder import user_presets_folder
from . import arguments
from .output import DONE, Output

#: Share of the work after which progress is reported again.
TOLD = 0.1


def add(command: Any) -> None:
    sub = command("fabric", run, "Compute a fabric from a pattern and its yarns.", file=False)
    sub.add_argument("action", choices=["compute"], help="what to do")
    sub.add_argument("pattern", metavar="PATTERN", type=arguments.path, help="a pattern's name, or its .toml file")
    sub.add_argument("--yarn", default="", metavar="WARP[,WEFT]", help="yarns instead of the pattern's own")
    sub.add_argument(
        "--out", required=True, type=arguments.path, metavar="NAME", help="the preset's name, or a .toml file to write"
    )
    sub.add_argument("--workers", type=arguments.count, metavar="N", help="processes; all cores where none is given")
    sub.add_argument("--overwrite", action="store_true", help="replace your preset of this name")


def run(options: argparse.Namespace, out: Output) -> int:
    from ...solver.yarn import stored_samples
    from ...solver.yarn.preset import compute_preset  # loads Numba

    reported = 0.0

    def tell(what: str, share: float) -> None:
        nonlocal reported
        if share >= reported + TOLD or share == 1.0:
            reported = share
            out.say("progress", f"{share:4.0%} {what}", share=share)

    named = options.out.endswith(".toml")
    file = Path(options.out) if named else user_presets_folder() / "fabrics" / f"{options.out}.toml"
    workers = options.workers or os.cpu_count() or 1
    fabric = compute_preset(options.pattern, options.yarn, file, workers, tell, overwrite=options.overwrite)
    if fabric.recomputed:
        out.say("warning", f"{options.pattern}: {stored_samples.damage_sentence(fabric.recomputed)}")
    for state in fabric.failed:
        out.say("warning", f"{options.pattern}: no sample at {state}; the yarns did not come to rest. The rest is kept.")
    errors, comparison = [100.0 * error for error in fabric.comparison.errors], fabric.comparison
    text = (
        f"{file}: {fabric.pattern.name}, {1e3 * fabric.density:.0f} g/m^2, held-out yarns within {errors[0]:.2g}, "
        f"{errors[1]:.2g}, {errors[2]:.2g} % (one, two, three strains; medians), {fabric.seconds:.1f} s"
    )
    out.say(
        "fabric",
        text + ("" if not fabric.failed else f"; INCOMPLETE, {len(fabric.failed)} samples are missing"),
        file=str(file),
        name=fabric.pattern.name,
        density=fabric.density,
        complete=not fabric.failed,
        missing=list(fabric.failed),
        held_out=list(comparison.errors),
        bending=list(comparison.bending),
        seconds=fabric.seconds,
    )
    return DONE
