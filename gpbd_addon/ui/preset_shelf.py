"""The presets in the asset shelf of 3D views: a click sets the material of the selected bodies, a drag that of a slot."""

from __future__ import annotations

import bpy

from ..body_kinds import material_of
from ..identifiers import ASSET_AUTHOR


class GPBD_AST_presets(bpy.types.AssetShelf):
    bl_space_type = "VIEW_3D"
    bl_activate_operator = "gpbd.apply_preset_asset"
    bl_default_preview_size = 96

    @classmethod
    def poll(cls, context):
        ob = getattr(context, "object", None)  # Blender polls before the window shows a scene
        return context.mode == "OBJECT" and ob is not None and material_of(ob.gpbd.body_type) is not None

    @classmethod
    def asset_poll(cls, asset):
        return asset.id_type == "MATERIAL" and asset.metadata.author == ASSET_AUTHOR
