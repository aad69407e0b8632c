"""Makes GPBD bodies of objects with Blender's own Cloth or Soft Body."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ...solver.counted import counted
from ...solver.errors import GpbdError, SceneError
from .. import messages
from ..bake import playback
from ..convert import conversion, reading, report
from ..convert.conversion import Line
from ..read import scene_input
from ..translations import tr
from .add_body import add_body, check
from .selection import chosen


def convert(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> tuple[dict[str, list[Line]], list[str]]:
    """Convert the objects that can be; return reports on their settings, and why others were left out."""
    modifiers, left_out = [], []
    for ob in objects:
        md = reading.modifier_of(ob)
        try:
            if md is None:
                raise SceneError(f"{ob.name_full}: has no Cloth or Soft Body of Blender's. Use Add to Selected for it.")
            check(ob)
            modifiers.append(md)
        except GpbdError as error:
            left_out.append(str(error))
    sources = _read(scene, modifiers, left_out)
    done: dict[str, list[Line]] = {}
    for kind in reading.CONVERTED:
        with reading.fresh(kind) as begin:
            for md, source in sources:
                if md.type == kind:
                    done[md.id_data.name] = _convert(scene, md, source, begin)
    return done, left_out


def _read(scene: bpy.types.Scene, modifiers: list[Any], left_out: list[str]) -> list[tuple[Any, Any]]:
    sources = []
    with reading.below(modifiers):
        depsgraph = scene_input.depsgraph_of(scene, scene_input.view_layer_of(scene))
        for md in modifiers:
            try:
                sources.append((md, reading.read(md, depsgraph, scene)))
            except GpbdError as error:
                left_out.append(str(error))
    return sources


def _convert(scene: bpy.types.Scene, md: bpy.types.Modifier, source: Any, begin: Any) -> list[Line]:
    """Ours takes the place after the old modifier, which stays, switched off. Blender lets nothing that makes geometry, as
    attributes do, come before a Soft Body."""
    ob = md.id_data
    add_body(ob, source.kind)
    lines = conversion.convert(md, source, begin, scene)
    stack = ob.modifiers
    ours, old = stack.find(playback.ensure(ob).name), stack.find(md.name)
    stack.move(ours, old + 1 if ours > old else old)
    md.show_viewport = md.show_render = False
    return lines


class GPBD_OT_convert_from_blender(bpy.types.Operator):
    """Make GPBD bodies of the selected objects with Blender's Cloth or Soft Body. A text lists the new value of each setting"""  # noqa: E501

    bl_idname = "gpbd.convert_from_blender"
    bl_label = "Convert from Blender Cloth / Soft Body"
    bl_options = {"REGISTER", "UNDO"}

    object_name: StringProperty(name="Object", description="The only one; empty: all selected", options={"SKIP_SAVE"})

    def execute(self, context):
        objects = [context.scene.objects[self.object_name]] if self.object_name else chosen(context)
        movers = [ob for ob in objects if reading.modifier_of(ob) is not None]
        if not movers:
            messages.report(self, "ERROR", "Nothing selected has a Cloth or Soft Body of Blender's. Select what has one.")
            return {"CANCELLED"}
        done, left_out = convert(context.scene, movers)
        if not done:
            messages.report(self, "ERROR", left_out[0])
            return {"CANCELLED"}
        written = bpy.data.texts.new(report.TEXT_NAME)
        written.write(report.text(done, left_out))
        mapped, lost = report.counts(line for lines in done.values() for line in lines)
        bodies, properties = counted(len(done), "body", "bodies"), counted(mapped, "property", "properties")
        summary = f"{bodies} converted, with {properties} mapped and {lost} without counterpart"
        more = f"; {counted(len(left_out), 'object', 'objects')} left out" if left_out else ""
        self.report({"WARNING"} if left_out else {"INFO"}, tr(f"{summary}{more}. The text '{written.name}' has all"))
        return {"FINISHED"}
