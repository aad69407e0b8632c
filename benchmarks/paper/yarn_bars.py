"""Square sheets of published fabrics between bars, at rest, against references:
`python -m benchmarks.paper.yarn_bars free|clamped FOLDER [--fabric NAME ...] [--n N ...] [--pull SHARE ...]`.
FOLDER has the published tables, NAME.json, and homogeneous_curves.json; no part of the project. Single precision, a thread.

free: the bars are as narrow as a homogeneous sheet is that is free sideways, so that all of it should be as that one. Strain
sideways in the middle third, and tension of the bars' middle third, beside those of homogeneous_curves.json, and beyond its
pulls of the table. Where a sheet has less energy in two bands, their strains and their tension too; and the least and the
largest strain along the pull that the sheet has.
clamped: the bars keep their length. Force over the side, beside those of homogeneous sheets free sideways and not, and, of
fabrics that lie flat, of the same sheet held in its plane, found by L-BFGS in double precision from the same table (needs
SciPy); strain sideways in the middle third, there and here; how far both ends of the middle line have rolled to the face.
Both start as narrow in the middle as the homogeneous sheet that is free.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from solver import Material
from solver.energies.hylc import density
from solver.scene.published_fabric import read_published
from tests.scenes.bars import SIDE, between_bars, grid, separated, uniaxial

Array = np.ndarray

FABRICS = ("satin1", "basket1", "rib1", "honey1", "stock1")
#: Fabrics without a curling moment.
FLAT = ("satin1", "basket1", "rib1")
DEFAULT_PULLS = {"free": (0.1, 0.2, 0.3, 0.4), "clamped": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}
#: Steps of L-BFGS at most.
STEPS = 2000
#: Strains of bands that differ by more are two.
APART = 0.01


class Plane:
    """A sheet of n x n quads held in its plane, with linear triangles."""

    def __init__(self, material: Material, n: int):
        self.material, self.n = material, n
        self.flat, self.triangles = grid(n, n)
        a, b, c = (self.flat[self.triangles[:, k], :2] for k in range(3))
        inverse = np.linalg.inv(np.stack([b - a, c - a], 2))
        self.slopes = np.concatenate([-inverse.sum(1, keepdims=True), inverse], 1)  # of the corners' shape functions
        self.area = 0.5 * (SIDE / n) ** 2

    def energy(self, x: Array) -> tuple[float, Array]:
        """[J], and its gradient, (n, 2) [N]. x: [m], (n, 2)."""
        F = np.einsum("tci,tcj->tij", x[self.triangles], self.slopes)
        u, v = F[:, :, 0], F[:, :, 1]
        a, b = np.linalg.norm(u, axis=1), np.linalg.norm(v, axis=1)
        u, v = u / a[:, None], v / b[:, None]
        sine = (u * v).sum(1)
        s = np.zeros((len(F), 6))
        s[:, 0], s[:, 1], s[:, 2] = a - 1, sine, b - 1
        psi, by = density(self.material.table, s)
        along_u = by[:, :1] * u + by[:, 1:2] * (v - sine[:, None] * u) / a[:, None]
        along_v = by[:, 2:3] * v + by[:, 1:2] * (u - sine[:, None] * v) / b[:, None]
        corners = self.area * (along_u[:, None] * self.slopes[:, :, :1] + along_v[:, None] * self.slopes[:, :, 1:])
        gradient = np.zeros_like(x)
        np.add.at(gradient, self.triangles, corners)
        return self.area * float(psi.sum()), gradient

    def clamped(self, axis: int, pull: float, inside: float) -> tuple[float, float]:
        """Force over the side [N/m], and strain sideways in the middle third of the middle line. inside: as there."""
        from scipy.optimize import minimize

        start = self.flat[:, :2].copy()
        start[:, axis] *= 1 + pull
        start[:, 1 - axis] *= 1 + inside * (1 - (self.flat[:, axis] / (SIDE / 2)) ** 2)
        free = np.abs(self.flat[:, axis]) < SIDE / 2 - 1e-9

        def of_free(z: Array) -> tuple[float, Array]:
            x = start.copy()
            x[free] = z.reshape(-1, 2)
            energy, gradient = self.energy(x)
            return 1e3 * energy, 1e3 * gradient[free].ravel()

        options = {"maxiter": STEPS, "maxfun": 2 * STEPS, "ftol": 1e-13, "gtol": 1e-6, "maxcor": 30}
        x = start.copy()
        x[free] = minimize(of_free, start[free].ravel(), jac=True, method="L-BFGS-B", options=options).x.reshape(-1, 2)
        high = self.flat[:, axis] > SIDE / 2 - 1e-9
        n, lines = self.n, x.reshape(self.n + 1, self.n + 1, 2)
        middle = lines[:, n // 2] if axis == 0 else lines[n // 2]
        lengths = np.linalg.norm(np.diff(middle[n // 3 : n - n // 3 + 1], axis=0), axis=1)
        return float(self.energy(x)[1][high, axis].sum() / SIDE), float(lengths.mean() / (SIDE / n) - 1)


def free(folder: Path, fabric: str, n: int, pulls: list[float], axis: int) -> list[str]:
    material = read_published(folder / f"{fabric}.json")
    curves = json.loads((folder / "homogeneous_curves.json").read_text())[fabric]["XY"[axis]]
    rows, wanted = [], []
    for pull in pulls:
        published, alone = curves.get(f"{pull:g}"), uniaxial(material, pull, axis)
        wanted.append((published["tension_N_per_m"], published["lateral_strain"]) if published else (alone[0], alone[2]))
    sideways = [one[1] for one in wanted]
    measured = between_bars(material, n, axis, pulls, sideways, [0.5 * one for one in sideways])
    for pull, one, (tension, across) in zip(pulls, measured, wanted, strict=True):
        banded, low, high = separated(material, pull, axis)
        bands = f"{low:.1%} and {high:.1%} at {banded:.3f}" if high - low > APART else "-"
        rows.append(
            f"| {fabric} | {'XY'[axis]} | {pull:.0%} | {n} | {one.sideways:+.2%} | {across:+.2%} | {one.tension:.3f} | "
            f"{tension:.3f} | {one.tension / tension - 1:+.1%} | {bands} | {one.along.min():.1%} to {one.along.max():.1%} | "
            f"{one.frames} |"
        )
    return rows


def clamped(folder: Path, fabric: str, n: int, pulls: list[float], axis: int) -> list[str]:
    material = read_published(folder / f"{fabric}.json")
    rows, homogeneous = [], [uniaxial(material, pull, axis) for pull in pulls]
    measured = between_bars(material, n, axis, pulls, [0.0] * len(pulls), [one[2] for one in homogeneous])
    for pull, one, (loose, held, sideways) in zip(pulls, measured, homogeneous, strict=True):
        plane = "- | - | -"
        if fabric in FLAT and n <= 24:
            force, across = Plane(material, n).clamped(axis, pull, sideways)
            plane = f"{force:.3f} | {one.force / force - 1:+.1%} | {across:+.1%}"
        rows.append(
            f"| {fabric} | {'XY'[axis]} | {pull:.0%} | {n} | {one.force:.3f} | {loose:.3f} | {held:.3f} | {plane} | "
            f"{one.sideways:+.1%} | {1e3 * one.rolled[0]:+.1f}, {1e3 * one.rolled[1]:+.1f} | {one.frames} |"
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=DEFAULT_PULLS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fabric", nargs="+", default=list(FABRICS), choices=FABRICS)
    parser.add_argument("--n", type=int, nargs="+", default=[24])
    parser.add_argument("--pull", type=float, nargs="+", default=None)
    options = parser.parse_args()
    pulls = options.pull or list(DEFAULT_PULLS[options.what])
    rows = free if options.what == "free" else clamped
    began = time.process_time()
    for n in options.n:
        for fabric in options.fabric:
            for axis in (0, 1):
                print(*rows(options.folder, fabric, n, pulls, axis), sep="\n", flush=True)
    print(f"{time.process_time() - began:.0f} s of a processor")


if __name__ == "__main__":
    main()
