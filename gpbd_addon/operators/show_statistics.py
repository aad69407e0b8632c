"""The statistics of a bake in the Graph Editor."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty

from ...solver.cache.pc2 import read_header
from ...solver.counted import counted
from ...solver.errors import CacheError, GpbdError
from .. import messages
from ..bake import cache_path, frame_reports, overview, playback
from ..bake.statistics import STATISTICS
from ..maps import statistics_curves
from ..read import modifier
from ..translations import tr


def has_statistics(context: bpy.types.Context) -> bool:
    """Return whether the active object is a body that was baked with reports."""
    ob = context.object
    if ob is None or ob.gpbd.body_type == "NONE":
        return False
    return cache_path.of(ob) in overview.of(context.scene).reports


def reports_of(ob: bpy.types.Object) -> frame_reports.Reports:
    """Raises: CacheError if there are none: files can have gone since the disk was looked at."""
    reports = frame_reports.read(cache_path.of(ob))
    if reports is None:
        raise CacheError(f"{ob.name}: has no cache; wanted a baked GPBD body. Bake it first.")
    return reports


class GPBD_OT_show_statistics(bpy.types.Operator):
    """Key the statistics of the last bake as custom properties of the active object, for the Graph Editor"""

    bl_idname = "gpbd.show_statistics"
    bl_label = "Show Statistics"
    bl_options = {"REGISTER", "UNDO"}

    remove: BoolProperty(name="Remove", description="Take the curves and properties away", options={"SKIP_SAVE"})

    @classmethod
    def description(cls, context, properties):
        return tr("Take the statistics out of the Graph Editor" if properties.remove else cls.__doc__ or "")

    @classmethod
    def poll(cls, context):
        return has_statistics(context) and not context.window_manager.gpbd_status

    def execute(self, context):
        ob = context.object
        try:
            modifier.check_editable(ob)
            reports = reports_of(ob)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        if self.remove:
            count = statistics_curves.remove(ob)
            self.report({"INFO"}, tr(counted(count, "curve removed", "curves removed")))
            return {"FINISHED"}
        cache_modifier, path = modifier.find(ob), cache_path.of(ob)
        assert cache_modifier is not None and path is not None  # it has a cache, which that plays
        names = [name for name in reports.names() if name in STATISTICS]
        frames = statistics_curves.make(ob, reports, names, *playback.keys(cache_modifier, read_header(path).samples))
        self.report(
            {"INFO"}, tr(f"{ob.name}: statistics of {counted(frames, 'frame', 'frames')}; see them in the Graph Editor")
        )
        return {"FINISHED"}
