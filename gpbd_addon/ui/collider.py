"""What a collider collides with: the rest is in Blender's own Collision panel."""

from __future__ import annotations

import bpy

from .collisions import draw_choice
from .gpbd import GpbdPanel


class PHYSICS_PT_gpbd_collider(GpbdPanel, bpy.types.Panel):
    bl_label = "GPBD Collider"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        if ob is None or ob.type != "MESH" or ob.gpbd.body_type != "NONE":
            return False
        return ob.collision is not None and ob.collision.use

    def draw(self, context):
        draw_choice(self.layout.column(), context.object)
