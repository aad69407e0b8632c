"""Cost of a hanging sheet's frame against the mesh size, on one thread and several: `python -m benchmarks.growth`.

Linear systems a substep, microseconds a vertex and frame, and the contraction of a random residual by an iteration of
conjugate gradients; beside them the stretch and the error of the motion, because times mean nothing without (`drape`). The
time on eight threads is extrapolated from those of one and several by Amdahl's law; on a machine with other load it means
nothing.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import numpy as np

from benchmarks import drape, machine
from tests.scenes import without_contact

Array = np.ndarray
MANY = 8
#: Iterations between which the residual is looked at.
FIRST, LAST = 2, 10
FIELDS = (
    "n",
    "material",
    "threads",
    f"ms a frame: {machine.SPREAD}",
    "of processor",
    "us a vertex",
    "systems a substep",
    "left by an iteration",
    "mean stretch",
    "max stretch",
    "centre's error [mm]",
    "times as fast",
    f"by {MANY} threads",
)


class Systems(machine.Clock):
    """Counts the linear systems that are solved, and keeps the last one."""

    def __init__(self) -> None:
        from solver.global_step import sheet_system

        super().__init__(sheet_system, "deflated_conjugate_gradients")
        self.count, self._last = 0, ()

    def __call__(self, *arguments: Any) -> Any:
        self.count, self._last = self.count + 1, arguments
        return super().__call__(*arguments)

    def contraction(self) -> float:
        """Return the factor by which an iteration reduces a random residual in the last system."""
        matrix, factors, coarse_space, *_, residual, x = self._last
        start = np.random.default_rng(1).standard_normal(residual.shape) * matrix[5][:, None]
        residuals = []
        for count in (FIRST, LAST):
            residual[:], x[:] = start, 0
            work = np.zeros((3, *residual.shape), residual.dtype)
            self._function(matrix, factors, coarse_space, False, count, 0.0, work, residual, x)
            residuals.append(np.linalg.norm(residual))
        return float((residuals[1] / residuals[0]) ** (1 / (LAST - FIRST)))


def measure(n: int, material: str, options: argparse.Namespace) -> list[list[str]]:
    """A row for each number of threads."""
    arrays, frames = without_contact.SCENES[options.scene](n), options.frames
    wanted, rows, alone = drape.heights(options.scene, n, frames, material), [], 0.0
    for threads in options.threads:
        systems = Systems()
        settings = {"substeps": options.substeps, "iterations": 1, "threads": threads}
        measured = drape.ours(arrays, "draft", frames, material, **settings)
        systems.put_back()
        _, _, *times, mean, largest, _, error, _ = drape.row("", n, arrays, measured, wanted)
        wall = statistics.fmean(measured[1].counted().wall)
        alone = alone or wall * threads
        serial = min(1.0, max(0.0, (wall * threads / alone - 1) / (threads - 1))) if threads > 1 else 1.0
        fast = [f"{alone / wall:.2f}", f"{1 / (serial + (1 - serial) / MANY):.2f}"] if threads > 1 else ["1.00", "-"]
        each = [f"{1e6 * wall / len(arrays.start):.1f}", f"{systems.count / frames / options.substeps:.2f}"]
        quality = [f"{systems.contraction():.2f}", mean, largest, error]
        rows.append([str(n), material, str(threads), *times, *each, *quality, *fast])
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="growth", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[64, 128, 256, 512], help="quads along a side")
    parser.add_argument("--frames", type=int, default=12, help="frames of 1/24 s")
    parser.add_argument("--substeps", type=int, default=8)
    parser.add_argument("--scene", choices=("S1", "S1h"), default="S1", help="hung by two corners, or by a side")
    parser.add_argument("--material", nargs="+", default=["springs", "membrane"], help="springs, membrane, or cards")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="one first: the others are compared with it")
    parser.add_argument("--peers", action="store_true", help="`drape` compares with these: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        rows = [row for n in options.n for material in options.material for row in measure(n, material, options)]
        print(machine.table(FIELDS, rows))


if __name__ == "__main__":
    main()
