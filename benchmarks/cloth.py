"""A hanging sheet of 16,641 vertices: our cloth on one and two threads beside Blender's own: `python -m benchmarks.cloth`.

The measurements of `benchmarks.drape`, for a larger sheet, with its arguments. Blender's Cloth runs as a module without a
window, frame by frame.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np

from tests.scenes import materials, without_contact

FALL = 12  # frames of the free fall
GRAVITY = 9.81


class BlenderCloth:
    """Blender's Cloth modifier on the sheet, in SI units.

    The modifier takes a thousandth of the gravity, and a frame is 1 / sqrt(1000) s whatever the frame rate. So its time
    scale is sqrt(1000) steps, and a spring of K N/m is the setting K l / 1000, because Blender divides it by the mean
    length l of the springs. The time is checked against a free fall (`time_scale`).
    """

    def __init__(self, arrays: without_contact.SceneArrays, quality: int, frames: int, scale: float | None = None):
        import bpy

        self.bpy = bpy
        scale = time_scale(arrays.step, quality) if scale is None else scale
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = self.scene = bpy.context.scene
        scene.render.fps, scene.render.fps_base = 24, 24 * arrays.step
        scene.frame_start, scene.frame_end = 1, frames + 2
        mesh = bpy.data.meshes.new("sheet")
        mesh.from_pydata(arrays.start.tolist(), [], arrays.elements.tolist())
        self.ob = bpy.data.objects.new("sheet", mesh)
        scene.collection.objects.link(self.ob)
        self.ob.vertex_groups.new(name="pins").add(arrays.pins.tolist(), 1.0, "REPLACE")
        cloth = self.ob.modifiers.new("cloth", "CLOTH")
        self._set(cloth.settings, arrays, quality, scale)
        cloth.collision_settings.use_collision = cloth.collision_settings.use_self_collision = False
        cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, frames + 2
        scene.frame_set(1)

    @staticmethod
    def _set(settings: Any, arrays: without_contact.SceneArrays, quality: int, scale: float) -> None:
        area = np.ptp(arrays.rest[:, 0]) * np.ptp(arrays.rest[:, 1])
        corners = arrays.rest[arrays.elements]
        length = np.linalg.norm(corners - np.roll(corners, 1, 1), axis=2).mean()
        settings.quality = quality
        settings.time_scale = scale
        settings.mass = materials.FABRIC["density"] * area / len(arrays.start)
        settings.vertex_group_mass, settings.pin_stiffness = "pins", 1.0
        stiffness = materials.FABRIC["young"] * length / 1000
        settings.tension_stiffness = settings.compression_stiffness = settings.shear_stiffness = stiffness
        settings.tension_damping = settings.compression_damping = settings.shear_damping = settings.bending_damping = 0
        settings.bending_stiffness = 0.01
        settings.air_damping = 0

    def step(self) -> None:
        self.scene.frame_set(self.scene.frame_current + 1)

    def positions(self) -> np.ndarray:
        mesh = self.ob.evaluated_get(self.bpy.context.evaluated_depsgraph_get()).data
        x = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.attributes["position"].data.foreach_get("vector", x)
        return x.reshape(-1, 3).astype(float)


def time_scale(step: float, quality: int) -> float:
    """Return the time scale at which a loose sheet falls with g in frames of `step` seconds.

    At some time scales Blender's loop takes a step more a frame than its quality, and so advances too much time: the fall is
    then a fifth too far at quality 10. A change of some millionths corrects that.
    """
    loose = dataclasses.replace(without_contact.s1(2), pins=np.zeros(0, int), step=step)
    for nudge in range(20):
        scale = 1000**0.5 * step * (1 + 1e-5 * nudge)
        sheet = BlenderCloth(loose, quality, FALL + 2, scale)
        for _ in range(FALL):
            sheet.step()
        time = FALL * step
        wanted = -0.5 * GRAVITY * time * (time + step / quality)  # backward Euler
        if abs(sheet.positions()[:, 2].mean() / wanted - 1) < 3e-3:
            return scale
    raise SystemExit(f"cloth: no time scale lets Blender's Cloth fall freely at quality {quality}; nothing to compare with.")


def main(argv: list[str] | None = None) -> None:
    from benchmarks import drape

    drape.main(["--n", "128", "--frames", "12", "--threads", "1", "2", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    main()
