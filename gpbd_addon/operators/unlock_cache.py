"""Take locks away that another machine has left in the cache folder."""

from __future__ import annotations

import bpy

from ...solver.cache.lock import holder
from ...solver.errors import CacheError
from .. import messages
from ..bake import overview, trash
from ..translations import tr
from .modal_job import poll_job


class GPBD_OT_unlock_cache(bpy.types.Operator):
    """Remove the lock of a bake that has ended on another machine"""

    bl_idname = "gpbd.unlock_cache"
    bl_label = "Unlock"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return poll_job(cls, context)

    def invoke(self, context, event):
        asking = overview.look(context.scene).of_other_machines
        if not asking:
            return self.execute(context)
        held = next(iter(asking.values()))
        text = f"Locked by {held}, last heard of {held.age} ago. If that bake still runs, its frames and yours would mix."
        return context.window_manager.invoke_confirm(
            self, event, title="Unlock the cache?", message=tr(text), confirm_text="Unlock", icon="WARNING"
        )

    def execute(self, context):
        left = []
        for path in overview.look(context.scene).of_other_machines:
            held = holder(path)
            if held is not None and held.living is None:
                left.append(path)
        try:
            gone = trash.delete_files(left)
        except CacheError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        overview.look(context.scene)
        self.report({"INFO"}, "Unlocked." if gone else "No other machine has locked these caches.")
        return {"FINISHED"}
