"""Bring the caches that the bodies play into the file's own cache folder."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, StringProperty

from ..bake import collecting, overview
from ..bake.collect_job import CollectJob
from ..bake.stepped_job import CANCELLED
from ..translations import tr
from .modal_job import ModalJob


class GPBD_OT_collect_caches(ModalJob, bpy.types.Operator):
    """Bring caches into the cache folder of this file. Versions in a temporary folder move; of the folder of another file, the playing version is copied"""  # noqa: E501

    bl_idname = "gpbd.collect_caches"
    bl_label = "Collect Caches"

    file: StringProperty(
        name="File", description="File whose folder gets the caches; empty: the open file", options={"HIDDEN", "SKIP_SAVE"}
    )
    before: StringProperty(
        name="Before", description="The file that it was until now, whose caches are copied", options={"HIDDEN", "SKIP_SAVE"}
    )
    is_copy: BoolProperty(name="Copy", description="Go on playing what is here", options={"HIDDEN", "SKIP_SAVE"})

    hint = "Esc: stop, move nothing"

    def _make(self, context):
        return CollectJob(context.scene, self.file or None, self.before, self.is_copy, everything=not self.file)

    def _refuse(self, job, error):
        overview.look(bpy.context.scene)
        return super()._refuse(job, error)

    def _tell(self, context, job):
        overview.look(context.scene)
        stopped = job.state == CANCELLED
        sentences = [collecting.summary(job.brought)] if job.brought or not stopped else []
        sentences += ["Stopped; press Collect Caches to go on."] if stopped else []
        self.report({"INFO"}, " ".join(map(tr, sentences)))
        return {"FINISHED"}
