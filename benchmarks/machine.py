"""The machine that a benchmark runs on, how it takes time, and how it prints: `python -m benchmarks.machine`.

Machines are noisy: every benchmark prints medians, ratios to a baseline of the same run, and the load of the machine.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def keep_kernels() -> None:
    """Kernels are compiled into a folder of their own, kept between runs, unless NUMBA_CACHE_DIR says where."""
    from solver.device import jit

    if "NUMBA_CACHE_DIR" not in os.environ:
        jit.set_cache_folder(Path(tempfile.gettempdir()) / "gpbd-benchmark-kernels")


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:  # not Linux
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def vectors() -> str:
    """The widest vectors that LLVM finds on this processor."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    widest = (("avx512f", "AVX-512, 16 float32"), ("avx2", "AVX2, 8 float32"), ("neon", "NEON, 4 float32"))
    return next((text for key, text in widest if features.get(key)), "none known")


def load() -> str:
    """Load averages of 1 and 5 minutes; above 0 before a benchmark starts means that it shares the machine."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return " / ".join(f"{value:.2f}" for value in os.getloadavg()[:2])


def describe() -> str:
    """Two lines for the head of a benchmark."""
    import numba
    import numpy

    return (
        f"{processor()}, {os.cpu_count()} cores, vectors: {vectors()}; load average (1 / 5 min) {load()}\n"
        f"Python {platform.python_version()}, NumPy {numpy.__version__}, Numba {numba.__version__}, {platform.system()}"
    )


def seconds(function: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Times of several calls [s], after one that is not counted. `time.thread_time` does not see other programs."""
    function()
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return times


def median(times: Sequence[float]) -> float:
    return statistics.median(times)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table that also reads well as plain text."""
    cells = [list(header), *map(list, rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def main() -> None:
    print(describe())


if __name__ == "__main__":
    main()
