"""Bake anew from the current frame on, with the settings of now; the frames before are taken over."""

from __future__ import annotations

import bpy

from ..bake import overview
from ..translations import tr
from .bake import ModalBake


class GPBD_OT_bake_from_here(ModalBake, bpy.types.Operator):
    """Bake a new version from the checkpoint at or before the current frame. Settings may have changed"""

    bl_idname = "gpbd.bake_from_here"
    bl_label = "Bake from Here"
    bl_options = {"UNDO"}

    resume = True
    from_here = True

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        version = overview.of(context.scene).resumable
        if version is None or context.scene.frame_current < version.checkpoints[0]:
            cls.poll_message_set(
                "There is nothing to resume. Bake first."
                if version is None
                else tr(f"The first checkpoint is after frame {version.checkpoints[0]}. Go there or to a later frame.")
            )
            return False
        return True
