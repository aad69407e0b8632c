"""Picture of a stress scene's last frame, by Blender's Workbench; needs bpy and no graphics card."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from demo import pictures, stage
from tests.scenes.intersections import skins

Array = np.ndarray
#: From where the camera looks, and how many radii of the scene it is away.
DIRECTION, AWAY = np.array([0.55, -0.8, 0.35]), 4.2


def draw(scene: Any, bodies: Sequence[Array], colliders: Sequence[Array], path: Path) -> None:
    """Render surfaces into a PNG file. bodies, colliders: their vertices [m]; closed colliders around all are left out."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    stage.look(bpy.context.scene)
    triangles, _, moves = skins(scene)
    around = np.concatenate(bodies)
    low, high = around.min(0), around.max(0)
    for k, (x, t, moving) in enumerate(zip([*bodies, *colliders], triangles, moves, strict=True)):
        if not moving and scene.colliders[k - len(bodies)].name.startswith("wall"):
            continue
        mesh = bpy.data.meshes.new(f"surface {k}")
        mesh.from_pydata(x.tolist(), [], t.tolist())
        colour = colorsys.hsv_to_rgb(0.05 + 0.618 * k % 1.0, 0.5, 0.8) if moving else stage.FLOOR
        mesh.materials.append(stage.material(f"colour {k}", colour))
        stage.add(bpy.context.scene, f"surface {k}", mesh)
    middle, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))
    place = middle + AWAY * radius * DIRECTION / np.linalg.norm(DIRECTION)
    stage.camera(bpy.context.scene, place.tolist(), middle.tolist())
    pictures.frame(bpy.context.scene, 1, path)
