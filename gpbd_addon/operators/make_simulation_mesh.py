"""Makes a simple simulation mesh for a dense, thick garment, which then follows it."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty

from ...solver.errors import SceneError
from .. import messages
from ..bake import playback
from ..bake.simulation_mesh_job import SimulationMeshJob
from ..bake.stepped_job import CANCELLED
from ..body_kinds import BODY_KINDS, SHEET
from ..properties import copied
from ..read import following
from ..simulation_mesh import gpbd_keys, twin
from .add_body import add_body, check
from .modal_job import ModalJob


def become_body(made: twin.Made, ob: bpy.types.Object) -> list[str]:
    """Make the simulation mesh a GPBD cloth, with the settings of a garment that was one; return messages for the user."""
    was = ob.gpbd.body_type
    followed, bone = following.target(ob) if was == SHEET else (None, "")
    sentences = list(made.sentences)
    add_body(made.twin, SHEET)
    twin.note(ob, body_type=was)
    if was == SHEET:
        missing = copied.copy(ob, made.twin)
        made.twin.gpbd.follow_object, made.twin.gpbd.follow_bone = followed, bone
        gpbd_keys.move(ob, made.twin)
        ob.gpbd.body_type = "NONE"
        sentences += [f"{made.twin.name}: has no {name}, which stays with {ob.name}. Make it there." for name in missing]
    playback.ensure(made.twin)
    return sentences


def check_free(ob: bpy.types.Object) -> None:
    """Raises: SceneError if it can have no simulation mesh now."""
    check(ob)
    if any(twin.either(ob)):
        raise SceneError(f"{ob.name}: has a simulation mesh, or is one. Press Remove Simulation Mesh first.")
    if ob.gpbd.body_type not in ("NONE", SHEET):
        kind = BODY_KINDS[ob.gpbd.body_type].label
        raise SceneError(f"{ob.name}: is a {kind}; wanted a cloth, or no body. Remove it from the simulation first.")
    if not ob.data.is_editable:
        raise SceneError(
            f"{ob.name}: its mesh is linked from a library. Make it local with Object > Relations > Make Local."
        )


class GPBD_OT_make_simulation_mesh(ModalJob, bpy.types.Operator):
    """Simulate a simple sheet in place of this garment, which follows it with its thickness and trims. Undo, or Remove Simulation Mesh, puts all back"""  # noqa: E501

    bl_idname = "gpbd.make_simulation_mesh"
    bl_label = "Make Simulation Mesh"
    bl_options = {"REGISTER", "UNDO"}  # Adjust Last Operation makes another, without progress

    hint = "Esc: stop, change nothing"
    takes_events = True  # the garment is not edited meanwhile

    edge: FloatProperty(
        name="Edge Length [m]",
        description="Edge length of the simulation mesh [m]; 0 makes about 5000 faces",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        precision=4,
        step=0.1,
        options={"SKIP_SAVE"},
    )
    quads: BoolProperty(name="Quads", description="Faces of four corners, which fold alike in all directions", default=True)
    one_sheet: BoolProperty(
        name="Thick Parts Are One Sheet",
        description="Outer and inner layer become one sheet between them. Off: both are simulated, as of a pillow",
        default=True,
    )

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH" and super().poll(context)

    def _make(self, context):
        check_free(context.object)
        return SimulationMeshJob(context.scene, context.object, self.edge, self.quads, self.one_sheet)

    def _tell(self, context, job):
        if job.state == CANCELLED:
            self.report({"INFO"}, "Stopped; nothing was changed")
            return {"CANCELLED"}
        made, ob = job.made, context.scene.objects[job.garment]
        self.edge = made.edge
        for text in become_body(made, ob):
            messages.report(self, "WARNING", text)
        ob.select_set(False)
        made.twin.select_set(True)
        context.view_layer.objects.active = made.twin
        self.report({"INFO"}, str(made))
        return {"FINISHED"}
