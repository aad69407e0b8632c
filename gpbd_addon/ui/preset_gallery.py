"""The presets as pictures: a click sets the material of the active body.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...solver.counted import counted
from ...solver.scene.presets import Preset, list_presets
from ..body_kinds import material_of
from ..identifiers import GALLERY
from ..read import preset_facts
from ..translations import tr
from ..user_folder import user_presets_folder
from . import preset_pictures
from .paragraph import draw_paragraph

#: Sizes of the picture in the popover and of those in the choice [widths of a button].
LARGE, SMALL = 8.0, 5.0
#: Of the popover [widths of a button], and of a button [pixels].
WIDTH, UNIT = 18, 20
NOTHING = ("", "Nothing found", "", "QUESTION", 0)

_items: list[tuple] = []  # Blender keeps no reference to the texts of items that are made anew


def shown(kind: str | None, typed: str) -> list[Preset]:
    """Return the presets of a kind that match the typed text."""
    return [preset for preset in list_presets(kind, user_presets_folder()) if preset_facts.matches(preset, typed)]


def _listed(manager: Any, context: Any) -> list[tuple]:
    ob = context.object if context is not None else None
    presets = shown(material_of(ob.gpbd.body_type), manager.gpbd_preset_search) if ob is not None else []
    _items[:] = [
        (str(preset.path), preset.name, "; ".join(preset_facts.facts(preset)[:-1]), preset_pictures.icon(preset), k)
        for k, preset in enumerate(presets)
    ]
    return _items or [NOTHING]


def _current(manager: bpy.types.WindowManager) -> int:
    """The item of the active body's preset."""
    listed = _listed(manager, bpy.context)
    ob: Any = bpy.context.object
    return next((item[4] for item in listed if ob is not None and item[1] == ob.gpbd.preset), 0)


def _choose(manager: bpy.types.WindowManager, number: int) -> None:
    path = next((item[0] for item in _listed(manager, bpy.context) if item[4] == number), "")
    operators: Any = bpy.ops
    if path and operators.gpbd.apply_preset.poll():
        operators.gpbd.apply_preset("EXEC_DEFAULT", True, path=path)


class GPBD_PT_preset_gallery(bpy.types.Panel):
    """Material presets as pictures of how they drape, with their numbers"""

    bl_label = "Presets"
    bl_idname = GALLERY
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = WIDTH

    @classmethod
    def poll(cls, context):
        return context.object is not None and material_of(context.object.gpbd.body_type) is not None

    def draw(self, context):
        layout, manager, ob = self.layout, context.window_manager, context.object
        layout.prop(manager, "gpbd_preset_search", text="", icon="VIEWZOOM")
        layout.template_icon_view(manager, "gpbd_preset_gallery", show_labels=True, scale=LARGE, scale_popup=SMALL)
        presets = shown(material_of(ob.gpbd.body_type), manager.gpbd_preset_search)
        chosen = next((preset for preset in presets if preset.name == ob.gpbd.preset), None)
        many = tr(counted(len(presets), "preset", "presets"))
        layout.label(text=many if chosen is None else f"{chosen.name} ({chosen.category})")
        for text in preset_facts.facts(chosen) if chosen is not None else ():
            draw_paragraph(layout, context, text, width=UNIT * WIDTH)
        layout.operator("gpbd.make_preset_library", icon="ASSET_MANAGER")


def register() -> None:
    manager: Any = bpy.types.WindowManager
    manager.gpbd_preset_search = StringProperty(
        name="Search",
        description="Words of names, categories, grades or other names of presets",
        options={"SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )
    manager.gpbd_preset_gallery = EnumProperty(
        name="Preset", description="Set the material of the active body", items=_listed, get=_current, set=_choose,
        options={"SKIP_SAVE"},
    )  # fmt: skip


def unregister() -> None:
    manager: Any = bpy.types.WindowManager
    del manager.gpbd_preset_gallery, manager.gpbd_preset_search
    preset_pictures.remove()
    _items.clear()
