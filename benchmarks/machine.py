"""The machine of a benchmark, timing, and printing: `python -m benchmarks.machine`.

Machines are noisy: every benchmark prints mean, median and slowest of its times, ratios to a baseline of the same run, and
the load of the machine before and after.
"""

from __future__ import annotations

import contextlib
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Heading of the column written by `spread`.
SPREAD = "mean / median / slowest"


def keep_kernels() -> None:
    """Compile kernels into a folder of their own, kept between runs, unless NUMBA_CACHE_DIR is set."""
    from solver.device import jit

    if "NUMBA_CACHE_DIR" not in os.environ:
        jit.set_cache_folder(Path(tempfile.gettempdir()) / "gpbd-benchmark-kernels")


def processor() -> str:
    """Return the processor's name, if the system has it."""
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


@contextlib.contextmanager
def measuring() -> Iterator[None]:
    """Print head and foot of a benchmark: the machine, and its load before and after."""
    keep_kernels()
    before = load()
    print(describe(), flush=True)
    yield
    print(f"Load average (1 / 5 min): {before} before, {load()} after.")


@dataclass
class Times:
    """Wall time, and processor time of all threads, of each frame [s]."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def take(self, function: Callable[[], Any]) -> Any:
        """Return the function's result, timed as one more frame."""
        began, began_processor = time.perf_counter(), time.process_time()
        done = function()
        self.processor.append(time.process_time() - began_processor)
        self.wall.append(time.perf_counter() - began)
        return done

    def counted(self) -> Times:
        """Without the first frame, which may compile, where there are others."""
        first = 1 if len(self.wall) > 1 else 0
        return Times(self.wall[first:], self.processor[first:])

    def cells(self) -> list[str]:
        """Both in milliseconds, as `spread` writes them."""
        return [spread(self.wall), spread(self.processor)]


class Clock:
    """Wrapper of a function of a module, or of an object, that sums its processor time.

    seconds: so far; may be reset to 0.
    """

    def __init__(self, owner: Any, name: str) -> None:
        self.seconds, self._function = 0.0, getattr(owner, name)
        self._place = owner, name
        setattr(owner, name, self)

    def put_back(self) -> None:
        """Restore the function."""
        setattr(*self._place, self._function)

    def __call__(self, *arguments: Any) -> Any:
        began = time.process_time()
        done = self._function(*arguments)
        self.seconds += time.process_time() - began
        return done


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


def spread(times: Sequence[float], unit: float = 1e3) -> str:
    """Mean, median and slowest of some times [s], in a unit of which so many are a second; no times are a dash."""
    if not len(times):
        return "-"
    return " / ".join(figures(unit * value) for value in (statistics.fmean(times), median(times), max(times)))


def figures(value: float) -> str:
    """Return three figures, or all before the point."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table that also reads well as plain text."""
    cells = [list(header), *map(list, rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def main() -> None:
    with measuring():
        pass


if __name__ == "__main__":
    main()
