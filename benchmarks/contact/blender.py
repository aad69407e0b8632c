"""Blender's Cloth with its own collisions and self-collision, on scenes of one sheet that starts unstrained."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.cloth import BlenderCloth, time_scale

#: Half a side of the mesh that represents an infinite plane [m].
GROUND = 5.0


class BlenderContact(BlenderCloth):
    """The sheet of a scene with its mesh colliders and planes, in SI units as `BlenderCloth`; it starts at rest.

    distance: distance of the sheet from colliders and from itself [m].
    """

    def __init__(self, scene: Any, quality: int, frames: int, distance: float, step: float = 1 / 24):
        import bpy

        self.bpy = bpy
        scale = time_scale(step, quality)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.scene = bpy.context.scene
        self.scene.render.fps, self.scene.render.fps_base = 24, 24 * step
        self.scene.frame_start, self.scene.frame_end = 1, frames + 2
        body = scene.bodies[0]
        self.ob = self._object("sheet", body.vertices, body.triangles)
        for collider in scene.colliders:
            if hasattr(collider, "normal"):
                corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * GROUND
                ob = self._object(collider.name, corners, [[0, 1, 2], [0, 2, 3]])
            else:
                ob = self._object(collider.name, np.asarray(collider.vertices), collider.triangles)
            ob.modifiers.new("collision", "COLLISION")
            ob.collision.thickness_outer = ob.collision.thickness_inner = 0.001
        cloth = self.ob.modifiers.new("cloth", "CLOTH")
        arrays = SimpleNamespace(rest=np.asarray(body.vertices), elements=np.asarray(body.triangles), start=body.vertices)
        self.ob.vertex_groups.new(name="pins")
        self._set(cloth.settings, arrays, quality, scale)
        collision = cloth.collision_settings
        collision.use_collision = collision.use_self_collision = True
        collision.distance_min = collision.self_distance_min = max(0.001, distance)
        cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, frames + 2
        self.scene.frame_set(1)

    def _object(self, name: str, vertices: Any, triangles: Any) -> Any:
        mesh = self.bpy.data.meshes.new(name)
        mesh.from_pydata(np.asarray(vertices, float).tolist(), [], np.asarray(triangles).tolist())
        ob = self.bpy.data.objects.new(name, mesh)
        self.scene.collection.objects.link(ob)
        return ob
