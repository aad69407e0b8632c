#!/usr/bin/env python3
"""Renders the perversion of a tendril, straight, slack and slacker, into docs/pictures/perversion.jpg, with Blender as a
module: `python -m tools.perversion_picture`."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from demo import extension, pictures, stage
from solver import Settings, Simulation
from tests.scenes.tendril import RADIUS, tendril

PATH = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "perversion.jpg"
#: Shares of the way of the ends that are shown, from above; distance between the cords [m]; last distance of the ends over
#: the length; time to get there [s].
SHOWN, APART, NEAR, SLOW = (0.03, 0.5, 1.0), 0.11, 0.32, 8.0


def main() -> None:
    extension.enable()
    run = Simulation(tendril(SLOW, NEAR), Settings.quality("draft", damping=1.0, threads=1))
    last = round(24 * SLOW)
    wanted = {round(share * last) for share in SHOWN[:-1]} | {last + 24}
    shapes = [frame.positions["cord"] for frame in run.frames(1, last + 24) if frame.number in wanted]
    scene = stage.empty_file(1, cache_folder="")
    for k, x in enumerate(shapes):
        _tube(scene, x.astype(float) - [x[:, 0].mean(), 0, APART * (k - 1)])
    stage.camera(scene, (0.0, -1.3, 0.3), (0.0, 0.0, -0.005), lens=42)
    scene.render.resolution_x, scene.render.resolution_y = 1600, 600
    scene.display.render_aa = "8"
    pictures.frame(scene, 1, PATH)


def _tube(scene: bpy.types.Scene, x: np.ndarray) -> None:
    data = bpy.data.curves.new("Cord", "CURVE")
    data.dimensions, data.bevel_depth, data.bevel_resolution = "3D", 2 * RADIUS, 6
    data.materials.append(stage.material("Cord", (0.75, 0.1, 0.04), roughness=0.4))
    spline = data.splines.new("NURBS")
    spline.points.add(len(x) - 1)
    spline.use_endpoint_u, spline.order_u = True, 3
    for point, place in zip(spline.points, x, strict=True):
        point.co = (*place, 1.0)
    stage.add(scene, "Cord", data)


if __name__ == "__main__":
    main()
