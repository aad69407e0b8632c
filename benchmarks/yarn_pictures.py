"""Pictures of fabrics made of yarns: `python -m benchmarks.yarn_pictures FOLDER [NAME ...]` (needs Matplotlib).

`yarn_patches.png` has the relaxed yarns of each fabric, seen from the face and along the weft; `yarn_responses.png` the
tension along both directions, the shear force and the bending moments of its table. docs/guide/yarn_fabrics.md shows both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from solver.scene.fabric_table import FabricTable, read_table
from solver.scene.presets import FOLDER
from solver.yarn.compute import read, rest_of
from solver.yarn.cylinder import SIDE, cylinder, images
from solver.yarn.fit import slope
from solver.yarn.patch import Patch

#: Pixels of a picture's side, repeats at least this many radii across, points between two vertices.
SIZE, ACROSS, BETWEEN = 260, 34.0, 4
LIGHT = np.array([-0.4, 0.5, 0.77])
COLOURS = np.array([[0.83, 0.45, 0.33], [0.36, 0.53, 0.71]])


def points_of(patch: Patch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points along all yarns of as many repeats as fill the picture, their radii, and 0 or 1 for the colour."""
    rods, pattern = patch.problem.rods, patch.problem
    motions = np.empty((SIDE * SIDE, 5))
    images(cylinder(0.0, 0.0, 0.0), pattern.width, pattern.height, motions)
    x = patch.q[:, :3]
    ends = x[rods.after] + motions[rods.image_after, 2:]
    share = (np.arange(BETWEEN) / BETWEEN)[None, :, None]
    line = (x[:, None] * (1 - share) + ends[:, None] * share).reshape(-1, 3)
    radius = np.repeat(rods.radius, BETWEEN)
    weave = len(np.unique(rods.period[:, 0])) > 1
    kind = np.repeat(rods.period[rods.yarn, 0] if weave else rods.yarn % 2, BETWEEN)
    wide = ACROSS * rods.radius.max()
    shifts = [
        (i * pattern.width, j * pattern.height, 0.0)
        for i in range(-2, int(wide / pattern.width) + 3)
        for j in range(-2, int(wide / pattern.height) + 3)
    ]
    all_points = np.concatenate([line + shift for shift in shifts])
    return all_points, np.tile(radius, len(shifts)), np.tile(kind, len(shifts))


def drawn(points: np.ndarray, radius: np.ndarray, kind: np.ndarray, axes: tuple[int, int, int], wide: float) -> np.ndarray:
    """Spheres in an orthographic view: a colour each pixel. axes: to the right, up, to the eye."""
    scale = SIZE / wide
    picture, depth = np.ones((SIZE, SIZE, 3)), np.full((SIZE, SIZE), -np.inf)
    right, up, eye = (points[:, axis] for axis in axes)
    middle = 0.5 * wide if axes[1] == 2 else 0.0
    for x, y, z, r, k in zip(right * scale, (up + middle) * scale, eye * scale, radius * scale, kind, strict=True):
        x0, x1, y0, y1 = int(x - r), int(x + r) + 1, int(y - r), int(y + r) + 1
        if x1 < 0 or y1 < 0 or x0 >= SIZE or y0 >= SIZE:
            continue
        gx, gy = np.meshgrid(np.arange(max(x0, 0), min(x1 + 1, SIZE)), np.arange(max(y0, 0), min(y1 + 1, SIZE)))
        nx, ny = (gx - x) / r, (gy - y) / r
        inside = 1.0 - nx * nx - ny * ny
        height = z + r * np.sqrt(np.maximum(inside, 0.0))
        nearer = (inside > 0.0) & (height > depth[gy, gx])
        depth[gy[nearer], gx[nearer]] = height[nearer]
        bright = 0.35 + 0.65 * np.maximum(0.0, nx * LIGHT[0] + ny * LIGHT[1] + np.sqrt(np.maximum(inside, 0.0)) * LIGHT[2])
        picture[gy[nearer], gx[nearer]] = COLOURS[int(k)] * bright[nearer][:, None]
    return picture[::-1]


def patches(names: list[str], path: Path) -> None:
    figure, axes = plt.subplots(2, len(names), figsize=(1.7 * len(names), 3.4), squeeze=False)
    for name, (face, side) in zip(names, axes.T, strict=True):
        patch = rest_of(*read(name))
        points, radius, kind = points_of(patch)
        wide = ACROSS * float(radius.max())
        face.imshow(drawn(points, radius, kind, (0, 1, 2), wide))
        inside = (points[:, 1] > 0.0) & (points[:, 1] < patch.problem.height)
        side.imshow(
            drawn(points[inside] * (1, -1, 1), radius[inside], kind[inside], (0, 2, 1), wide)[SIZE // 4 : -SIZE // 4]
        )
        face.set_title(name.replace("_", " "), fontsize=7)
        for one in (face, side):
            one.axis("off")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def responses(names: list[str], path: Path) -> None:
    figure, axes = plt.subplots(3, len(names), figsize=(1.9 * len(names), 5.0), squeeze=False)
    for name, (tension, shear, moment) in zip(names, axes.T, strict=True):
        table = read_table(FOLDER / "fabrics" / "data" / f"{name}.npz")
        for k, l, label in ((0, 3, "warp, wales"), (2, 4, "weft, courses")):
            _line(tension, table, k, (0.0, 1.0), label, 100.0)
            _line(moment, table, l, (-1.0, 1.0), label, 1.0)
        _line(shear, table, 1, (0.0, 1.0), "", 1.0)
        tension.set_title(name.replace("_", " "), fontsize=7)
        tension.set_yscale("symlog", linthresh=10.0)
        tension.set_xlabel("stretch, %", fontsize=6)
        shear.set_xlabel("sine of the shear angle", fontsize=6)
        moment.set_xlabel("curvature, 1/m", fontsize=6)
        for one in (tension, shear, moment):
            one.tick_params(labelsize=5)
            one.grid(True, linewidth=0.3)
    for one, label in zip(axes[:, 0], ("tension, N/m", "shear force, N/m", "moment, N"), strict=True):
        one.set_ylabel(label, fontsize=6)
    axes[0, 0].legend(fontsize=5)
    figure.tight_layout(pad=0.4)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _line(axes: plt.Axes, table: FabricTable, k: int, span: tuple[float, float], label: str, times: float) -> None:
    t = np.linspace(span[0], span[1], 300) * table.curves[k].knots[-1]
    axes.plot(times * t, slope(table.curves[k], t), linewidth=0.9, label=label)


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names_of_patterns = sorted(path.stem for path in (FOLDER / "patterns").glob("*.toml"))
    patches(names or names_of_patterns, folder / "yarn_patches.png")
    responses(names or names_of_patterns, folder / "yarn_responses.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
