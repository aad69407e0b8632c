"""Fabrics made of yarns, as sheets: `python -m benchmarks.yarn_fabrics [NAME ...] [--pictures FOLDER]`.

A free square as wide as 50 of its thicknesses, without gravity, after a second: the distance of its ends (U) and its sides
(V) from the sheet's own middle line, to the face (+) or the back, in parts of its side; the same of a piece three times as
long along U. A strip of 10 x 5 cm between jaws, pulled along warp or wales and along weft or courses by 20 %, or half of its
table's range: force and narrowing at its middle. Cusick's drapemeter, on a ring with edges of 15 mm. --pictures writes the
square and the drape as <name>_curl.png and <name>_drape.png, and all pictures of the folder on one sheet, yarn_sheets.png
(needs Matplotlib). docs/guide/yarn_fabrics.md has the numbers.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np

import solver
from solver.scene import presets
from tests.scenes import textile

#: Side of the square in thicknesses, and its cells; cells used on each side of the middle; frames of motion, and damping
#: [1/s].
THICKNESSES, CELLS, NEAR, FRAMES, DAMPING = 50.0, 14, 2, 24, 8.0
#: Strip between jaws, cells along and across, largest stretch, frames.
LENGTH, WIDTH, ALONG, ACROSS, PULL, HELD = 0.1, 0.05, 16, 8, 0.2, 24
EDGE = 0.015
#: Fabrics beside each other in the picture of all.
COLUMNS = 5


def curl(material: solver.Material, long: int = 1) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Return the distance of the ends, where U begins and ends, from the line across the middle of U, and of the sides of V
    from that along the middle of V: along the normal at the sheet's middle, of vertices near it, over the square's side.
    Positions and triangles. long: times as long along U as along V.
    """
    side = THICKNESSES * material.thickness
    flat, cells = textile.quads(long * CELLS, CELLS, side / CELLS, side / CELLS)
    middle = np.flatnonzero(np.linalg.norm(flat - [long * side / 2, side / 2, 0], axis=1) < 1.1 * side / CELLS)
    uneven = flat + np.random.default_rng(0).uniform(-1e-3, 1e-3, flat.shape) * side / CELLS * [0, 0, 1]
    uneven[middle] = flat[middle]
    body = solver.Cloth("sheet", uneven, textile.halves(cells), material, solver.Pins(middle), flat[:, :2], flat,
                        self_contact=False)  # fmt: skip
    settings = solver.Settings.quality("production", damping=DAMPING, threads=1)
    simulation = solver.Simulation(solver.Scene([body], gravity=(0, 0, 0)), settings)
    for _ in range(FRAMES):
        x = simulation.advance_frame().positions["sheet"]
    z = x[:, 2].reshape(long * CELLS + 1, CELLS + 1)
    u, v = long * CELLS // 2, CELLS // 2
    rows, columns = slice(u - NEAR, u + NEAR + 1), slice(v - NEAR, v + NEAR + 1)
    up = 0.5 * (z[0] + z[-1])[columns] - z[u, columns]
    across = 0.5 * (z[:, 0] + z[:, -1])[rows] - z[rows, v]
    return float(up.mean() / side), float(across.mean() / side), x, body.triangles


def pull(material: solver.Material, weft: bool) -> tuple[float, float, float]:
    """Stretch, force over the width [N/m], and change of the width at the middle over the width."""
    table = material.table
    assert table is not None
    stretch = min(PULL, 0.5 * float(table.curves[2 if weft else 0].knots[-1]))
    flat, cells = textile.quads(ALONG, ACROSS, LENGTH / ALONG, WIDTH / ACROSS)
    share = flat[:, :1] / LENGTH
    ends = np.flatnonzero((share < 1e-6) | (share > 1 - 1e-6))
    pulled = flat + share * [stretch * LENGTH, 0.0, 0.0]
    uv = textile.fabric_axes(flat, math.pi / 2 if weft else 0.0)
    body = solver.Cloth("strip", pulled, textile.halves(cells), material, solver.Pins(ends), uv, flat, self_contact=False)
    settings = solver.Settings.quality("production", dtype="float64", damping=DAMPING, threads=1)
    simulation = solver.Simulation(solver.Scene([body], gravity=(0, 0, 0)), settings)
    for _ in range(HELD):
        x = simulation.advance_frame().positions["strip"]
    force = textile._forces(simulation)[np.flatnonzero(share[:, 0] > 1 - 1e-6), 0].sum() / WIDTH
    across = x[np.abs(share[:, 0] - 0.5) < 1e-6, 1]
    return stretch, float(force), float(np.ptp(across)) / WIDTH - 1.0


def picture(x: np.ndarray, triangles: np.ndarray, path: Path) -> None:
    """A sheet seen from above and aside: its face light, its back dark."""
    from matplotlib import pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    corners = x[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    bright = 0.5 + 0.5 * (normal / np.linalg.norm(normal, axis=1)[:, None]) @ [0.3, -0.4, 0.866]
    figure = plt.figure(figsize=(2.6, 2.2))
    axes = figure.add_subplot(projection="3d")
    axes.add_collection3d(
        Poly3DCollection(corners, facecolors=plt.cm.copper(bright), edgecolors="#00000030", linewidths=0.2)
    )
    centre, half = 0.5 * (x.max(0) + x.min(0)), 0.5 * np.ptp(x, axis=0).max()
    axes.set(xlim=centre[0] + [-half, half], ylim=centre[1] + [-half, half], zlim=centre[2] + [-half, half])
    axes.view_init(28, -65)
    axes.set_box_aspect((1, 1, 1), zoom=1.2)
    axes.set_axis_off()
    figure.savefig(path, dpi=90, bbox_inches="tight", pad_inches=0.0)
    plt.close(figure)


def sheet(folder: Path) -> None:
    """Draw all fabrics whose pictures are in a folder, in rows of five: the free square, below it the drape."""
    from matplotlib import pyplot as plt

    names = sorted(path.name.removesuffix("_curl.png") for path in folder.glob("*_curl.png"))
    rows = math.ceil(len(names) / COLUMNS)
    figure, axes = plt.subplots(2 * rows, COLUMNS, figsize=(2.2 * COLUMNS, 3.0 * rows), squeeze=False)
    for one in axes.ravel():
        one.axis("off")
    for n, name in enumerate(names):
        for k, kind in enumerate(("curl", "drape")):
            axes[2 * (n // COLUMNS) + k, n % COLUMNS].imshow(plt.imread(folder / f"{name}_{kind}.png"))
        axes[2 * (n // COLUMNS), n % COLUMNS].set_title(name.replace("_", " "), fontsize=8)
    figure.tight_layout(pad=0.2)
    figure.savefig(folder / "yarn_sheets.png", dpi=100)
    plt.close(figure)


def main(names: list[str], pictures: Path | None) -> None:
    listed = presets.list_presets("fabric")
    fabrics = {preset.path.stem: preset.path for preset in listed if preset.category.startswith("Yarn-level")}
    unknown = [name for name in names if name not in fabrics]
    if unknown:
        raise SystemExit(f"{unknown[0]}: is no fabric made of yarns; wanted some of {', '.join(fabrics)}")
    for name in names or fabrics:
        material = presets.read_preset(fabrics[name])
        begun = time.process_time()
        up, across, x, triangles = curl(material)
        ends, sides, *_ = curl(material, 3)
        warp, weft = pull(material, False), pull(material, True)
        hung = textile.drape(material, EDGE, mesh="rings")
        if pictures is not None:
            picture(x, triangles, pictures / f"{name}_curl.png")
            picture(hung.positions, hung.triangles, pictures / f"{name}_drape.png")
        print(
            f"{name}: ends {100 * up:+.1f}, sides {100 * across:+.1f} % of the square, {100 * ends:+.1f}, "
            f"{100 * sides:+.1f} of the long piece; pulled {100 * warp[0]:.1f}, {100 * weft[0]:.1f} %: "
            f"{warp[1]:.3g}, {weft[1]:.3g} N/m, {100 * warp[2]:+.1f}, {100 * weft[2]:+.1f} %; "
            f"drape {100 * hung.coefficient:.0f} %, {hung.nodes} nodes, {hung.frames} frames; "
            f"{time.process_time() - begun:.0f} s",
            flush=True,
        )
    if pictures is not None:
        sheet(pictures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    main(options.names, options.pictures)
