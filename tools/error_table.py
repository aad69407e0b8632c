"""The error that reports estimate beside the true one: `python -m tools.error_table --cases 100`.

The cases are those of `tests/scenes/error_cases.py`; the last lines count how many estimates are within a factor.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from tests.scenes import error_cases

#: Factors that estimates are counted within.
FACTORS = (1.25, 2.0, 3.0, 10.0, 30.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100, help="how many are drawn")
    ratios = []
    print("| case | true [mm] | estimate [mm] | ratio |\n|---|---|---|---|")
    for case, estimate, true in error_cases.table(parser.parse_args().cases):
        ratios.append(error_cases.ratio(estimate, true))
        print(f"| {case.called} | {1e3 * true:.3g} | {1e3 * estimate:.3g} | {ratios[-1]:.2f} |", flush=True)
    all_ratios = np.array(ratios)
    for factor in FACTORS:
        within = ((all_ratios < factor) & (all_ratios > 1 / factor)).mean()
        print(f"within a factor of {factor:g}: {within:.0%}")
    print(f"smallest ratio {all_ratios.min():.3f}, largest {all_ratios.max():.3f}")


if __name__ == "__main__":
    main()
