"""Play, or delete, bakes of a file that was never saved."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...solver.errors import GpbdError
from .. import messages
from ..bake import overview, recovery
from ..translations import tr
from .modal_job import poll_job

PLAY, DELETE = "PLAY", "DELETE"
WIDTH = 520  # pixels of the dialog
#: Most bakes that are listed one below the other; more are a menu, which scrolls where the window is low.
EXPANDED = 12

#: What the dialog lists, as Blender keeps no text of such items.
_items: list[tuple[str, str, str]] = []


def _look() -> dict[str, recovery.Left]:
    bakes = {str(one.newest): one for one in recovery.left()}
    _items[:] = [(path, str(one), path) for path, one in bakes.items()]
    return bakes


def _listed(operator, context):
    """Return the listed bakes; a dialog calls this at every redraw, and has searched once as it was opened."""
    if bpy.app.background:
        _look()
    return _items


class GPBD_OT_recover_bake(bpy.types.Operator):
    """List the bakes of files that were never saved, and play one of them"""

    bl_idname = "gpbd.recover_bake"
    bl_label = "Recover Bake"
    bl_options = {"REGISTER", "UNDO"}

    bake: EnumProperty(name="Bake", items=_listed)
    what: EnumProperty(
        name="Do",
        items=[
            (PLAY, "Play", "Play it on its body, or on the active body if that body is gone"),
            (DELETE, "Delete", "All versions of it, with checkpoints"),
        ],
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def invoke(self, context, event):
        if not _look():
            self.report({"INFO"}, "The temporary folder has no bakes.")
            return {"CANCELLED"}
        self.bake = _items[0][0]
        return context.window_manager.invoke_props_dialog(self, width=WIDTH, confirm_text="OK")

    def draw(self, context):
        column = self.layout.column()
        column.prop(self, "bake", expand=len(_items) <= EXPANDED)
        row = self.layout.row()
        row.prop(self, "what", expand=True)

    def execute(self, context):
        bakes = _look()
        if not bakes:
            self.report({"INFO"}, "The temporary folder has no bakes.")
            return {"CANCELLED"}
        bake = bakes.get(self.bake) or next(iter(bakes.values()))
        try:
            if self.what == DELETE:
                recovery.delete(bake)
                sentence = f"Deleted {bake}."
            else:
                ob = recovery.play(bake, context.object)
                sentence = f"{ob.name} plays it. Save the file: it goes with it."
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        overview.look(context.scene)
        self.report({"INFO"}, tr(sentence))
        return {"FINISHED"}
