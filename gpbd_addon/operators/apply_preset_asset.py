"""Sets the material of the selected bodies from a preset in the asset shelf."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...solver.scene.presets import list_presets
from .. import messages
from ..body_kinds import material_of
from ..read import preset_facts
from ..user_folder import user_presets_folder

#: How Blender names libraries of assets to an operator.
LIBRARIES = [(name, name.title(), "") for name in ("ALL", "LOCAL", "ESSENTIALS", "CUSTOM")]


class GPBD_OT_apply_preset_asset(bpy.types.Operator):
    """Set the material of all selected bodies of its kind from this preset"""

    bl_idname = "gpbd.apply_preset_asset"
    bl_label = "Apply Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    asset_library_type: EnumProperty(name="Library Type", items=LIBRARIES, options={"SKIP_SAVE"})
    asset_library_identifier: StringProperty(name="Library", options={"SKIP_SAVE"})
    relative_asset_identifier: StringProperty(name="Asset", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return context.object is not None and material_of(context.object.gpbd.body_type) is not None

    def execute(self, context):
        name = self.relative_asset_identifier.replace("\\", "/").rpartition("/Material/")[2]
        kind = material_of(context.object.gpbd.body_type)
        named = [preset for preset in list_presets(None, user_presets_folder()) if preset.name == name]
        fits = [preset for preset in named if preset.kind == kind]
        if not fits:
            problem = (
                f"is a {named[0].kind}; wanted a {kind}" if named else "is no preset any more; wanted one that is there"
            )
            messages.report(
                self, "ERROR", f"{name}: {problem}. Choose another, or make the library again in the presets' popover."
            )
            return {"CANCELLED"}
        operators: Any = bpy.ops
        done = operators.gpbd.apply_preset(path=str(fits[-1].path), selected=True)
        if done == {"FINISHED"}:
            self.report({"INFO"}, f"{name}: {preset_facts.facts(fits[-1])[0]}")
        return done
