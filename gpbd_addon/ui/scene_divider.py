"""Divider between the panels of one body and those that all bodies of the scene share."""

from __future__ import annotations

import bpy

from .gpbd import GpbdSubPanel


class PHYSICS_PT_gpbd_scene(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Scene"
    bl_options = {"HIDE_HEADER"}

    def draw(self, context):
        self.layout.separator(type="LINE")
        self.layout.label(text="All Bodies of the Scene", icon="SCENE_DATA")
