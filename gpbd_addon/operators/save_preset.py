"""Keeps a body's material as a preset of the user's own."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...solver.errors import GpbdError, PresetError
from ...solver.scene.presets import write_preset
from .. import messages
from ..read import body_material
from ..translations import tr
from ..user_folder import user_presets_folder

CATEGORY = "My Presets"


def save_preset(ob: bpy.types.Object, name: str, overwrite: bool = False) -> Path:
    """Write the material of `ob` as a preset of the user's; the body then has that preset.

    Raises: PresetError if the name is empty or taken (and not `overwrite`), or if the file cannot be written;
    MaterialError if a value is impossible.
    """
    name = name.strip()
    stem = re.sub(r"[^\w-]+", "_", name.lower()).strip("_")
    if not stem:
        raise PresetError(f"{ob.name}: the preset's name is '{name}'; wanted letters or digits. Type a name.")
    material = body_material.material_of(ob).changed(name=name, category=CATEGORY)
    path = user_presets_folder() / f"{stem}.toml"
    write_preset(path, material, overwrite=overwrite)
    body_material.write_material(ob, material)
    return path


class GPBD_OT_save_preset(bpy.types.Operator):
    """Save the material of the active object as a preset of your own"""

    bl_idname = "gpbd.save_preset"
    bl_label = "Save as Preset"
    bl_options = {"REGISTER", "INTERNAL"}

    name: StringProperty(name="Name", options={"SKIP_SAVE"})
    overwrite: BoolProperty(name="Replace", description="Replace your preset of this name", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.gpbd.body_type != "NONE"

    def invoke(self, context, event):
        self.name = self.name or f"My {context.object.gpbd.preset or 'Material'}"
        return context.window_manager.invoke_props_dialog(self, confirm_text="Save")

    def execute(self, context):
        try:
            path = save_preset(context.object, self.name, self.overwrite)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, tr(f"Saved as {path}"))
        return {"FINISHED"}
