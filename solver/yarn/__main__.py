"""`python -m solver.yarn PATTERN --yarn WARP[,WEFT] --out FILE.toml`: the command `gpbd fabric compute`, without Blender."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ..errors import GpbdError
from .preset import compute_preset
from .stored_samples import damage_sentence


def main(argv: list[str]) -> int:
    """The exit code: 0, or 1 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m solver.yarn", description="Computes a fabric from its yarns.")
    parser.add_argument("pattern", metavar="PATTERN", help="a pattern's name, or its .toml file")
    parser.add_argument("--yarn", default="", metavar="WARP[,WEFT]", help="yarns instead of the pattern's own")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE.toml", help="the preset to write")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes; all cores")
    parser.add_argument("--overwrite", action="store_true", help="replace the preset of this name")
    options = parser.parse_args(argv)
    try:
        fabric = compute_preset(options.pattern, options.yarn, options.out, options.workers, overwrite=options.overwrite)
    except GpbdError as error:
        print(error, file=sys.stderr)
        return 1
    if fabric.recomputed:
        print(damage_sentence(fabric.recomputed), file=sys.stderr)
    for state in fabric.failed:
        print(f"No sample at {state}: the yarns did not come to rest.", file=sys.stderr)
    print(f"{options.out}: {1e3 * fabric.density:.0f} g/m^2, {fabric.seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
