"""Peak rates of this machine, and the demand of one element: `python -m benchmarks.roofline`.

Peak: multiply-adds on 16 float32 without loads; bandwidth: a triad on arrays far larger than the caches. Both on one thread.
Then the read rate of one thread and two, each of an array of its own again and again, as iterations read a matrix: the bound
on the gain by threads. An element's flops are counted in the compiled code of its `project`; its bytes are streamed data:
rest data, state read and written, memory, indices. Positions are gathered from the caches and not counted.
"""

from __future__ import annotations

import argparse
import importlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks import machine

REPEATS = 7
#: Multiply-adds on one number between its load and its store.
CHAIN = 32
#: Arrays that are read again and again [B], and how much of each is read in all.
SIZES, READ = (1 << 18, 1 << 20, 1 << 22, 10 << 20, 1 << 24, 1 << 27), 4e9
#: An instruction that computes, with the width of its vector; a fused multiply-add counts twice.
COMPUTES = re.compile(r"= (?:fadd|fsub|fmul|fdiv|frem|fneg)\b[^<%]*(?:<(\d+) x )?")
CALLS = re.compile(r"@llvm\.(sqrt|minnum|maxnum|fabs|fma|fmuladd)\.(?:v(\d+))?f")


def peak_flops() -> float:
    """Flops a second of one thread [1/s]."""
    import numba

    @numba.njit(fastmath={"contract"})
    def multiply_add(rounds, values):
        a, b = np.float32(0.9999999), np.float32(1e-7)
        for _ in range(rounds):
            for i in range(values.size // 2):
                # Two chains a number: with LLVM's interleaving enough to hide the latency of both units.
                u, v = values[i], values[values.size // 2 + i]
                for _ in range(CHAIN):
                    u = u * a + b
                    v = v * a + b
                values[i], values[values.size // 2 + i] = u, v

    values, rounds = np.ones(2048, np.float32), 1000
    best = min(machine.seconds(lambda: multiply_add(rounds, values), REPEATS, time.thread_time))
    return 2.0 * rounds * values.size * CHAIN / best


def bandwidth() -> float:
    """Bytes a second that one thread reads and writes [1/s]: a = b + s c on arrays of 128 MB."""
    import numba

    @numba.njit(fastmath=True)
    def triad(a, b, c):
        for i in range(a.size):
            a[i] = b[i] + np.float32(3.0) * c[i]

    a, b, c = (np.ones(32_000_000, np.float32) for _ in range(3))
    return 3.0 * a.nbytes / min(machine.seconds(lambda: triad(a, b, c), REPEATS, time.thread_time))


def reading(threads: int) -> list[float]:
    """Bytes a second that threads read together, of each of `SIZES` [1/s]."""
    import numba

    @numba.njit(fastmath=True, nogil=True)
    def read(times, a):
        total = np.float32(0.0)
        for _ in range(times):
            for i in range(a.size):
                total += a[i]
        return total

    rates = []
    with ThreadPoolExecutor(threads) as pool:
        for size in SIZES:
            arrays, times = [np.ones(size // 4, np.float32) for _ in range(threads)], int(READ / size)
            read(1, arrays[0])
            best = min(machine.seconds(lambda a=arrays, t=times: list(pool.map(lambda own: read(t, own), a)), 3))
            rates.append(threads * times * size / best)
    return rates


def flops(energy: str) -> int:
    """Floating-point operations of one local solve, counted in its compiled code."""
    import numba

    def tuple_of(count: int):
        return numba.types.UniTuple(numba.float32, count)

    module = importlib.import_module(f"solver.energies.{energy}")
    copy = numba.njit(error_model="numpy", fastmath=True)(module.project.py_func)
    numbers = (module.CORNERS, module.REST, module.CONSTANTS, module.START_STRAINS, module.STATE)
    corners = numba.types.UniTuple(tuple_of(3), module.CORNERS)
    signature = (corners, *map(tuple_of, numbers), numba.float32)
    copy.compile(signature)
    total, inside = 0, False
    for line in copy.inspect_llvm(signature).splitlines():
        if line.startswith("define"):
            inside = "cpython" not in line and "cfunc" not in line
        elif line.startswith("}"):
            inside = False
        elif inside and (match := COMPUTES.search(line)):
            total += int(match[1] or 1)
        elif inside and (match := CALLS.search(line)):
            total += int(match[2] or 1) * (2 if match[1].startswith("fm") else 1)
    return total


def streamed_bytes(energy: str) -> int:
    """Bytes of one element that a sweep streams in single precision."""
    module = importlib.import_module(f"solver.energies.{energy}")
    return 4 * (module.REST + 2 * module.STATE + module.START_STRAINS + module.CORNERS)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="roofline", description=__doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    parser.parse_args(argv)
    from solver.scene import catalog

    with machine.measuring():
        peak, wide = peak_flops(), bandwidth()
        print(f"one thread: {peak / 1e9:.1f} Gflop/s, {wide / 1e9:.1f} GB/s")
        pairs = zip(SIZES, reading(1), reading(2), strict=True)
        cells = [[f"{k / 2**20:g}", f"{one / 1e9:.1f}", f"{two / 1e9:.1f}", f"{two / one:.2f}"] for k, one, two in pairs]
        print(machine.table(("MiB each thread reads again and again", "GB/s, one thread", "two", "ratio"), cells))
        rows = []
        for name in catalog.energies():
            count, size = flops(name), streamed_bytes(name)
            bounds = 1e9 * count / peak, 1e9 * size / wide
            rows.append([name, str(count), str(size), f"{bounds[0]:.1f}", f"{bounds[1]:.1f}"])
        print(machine.table(("energy", "flops", "bytes", "ns by flops", "ns by bytes"), rows))


if __name__ == "__main__":
    main()
