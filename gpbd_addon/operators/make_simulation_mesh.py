"""Makes a simple simulation mesh for a dense, thick garment, which then follows it."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty

from ...solver.errors import GpbdError, SceneError
from .. import messages
from ..bake import playback
from ..body_kinds import BODY_KINDS, SHEET
from ..properties import copied
from ..read import following
from ..simulation_mesh import gpbd_keys, twin
from .add_body import add_body, check


def make(ob: Any, scene: bpy.types.Scene, edge: float, quads: bool, one_sheet: bool) -> tuple[twin.Made, list[str]]:
    """The simulation mesh becomes a GPBD cloth, with the settings of the garment where that was one; and what is to be told.

    Raises: GpbdError if the garment cannot have one.
    """
    check(ob)
    _check_free(ob)
    was = ob.gpbd.body_type
    followed, bone = following.target(ob) if was == SHEET else (None, "")
    made = twin.make(ob, scene, edge, quads, one_sheet)
    told = list(made.told)
    add_body(made.twin, SHEET)
    twin.note(ob, body_type=was)
    if was == SHEET:
        missing = copied.copy(ob, made.twin)
        made.twin.gpbd.follow_object, made.twin.gpbd.follow_bone = followed, bone
        gpbd_keys.move(ob, made.twin)
        ob.gpbd.body_type = "NONE"
        told += [f"{made.twin.name}: has no {name}, which stays with {ob.name}. Make it there." for name in missing]
    playback.ensure(made.twin)
    return made, told


def _check_free(ob: Any) -> None:
    if any(twin.either(ob)):
        raise SceneError(f"{ob.name}: has a simulation mesh, or is one. Press Remove Simulation Mesh first.")
    if ob.gpbd.body_type not in ("NONE", SHEET):
        kind = BODY_KINDS[ob.gpbd.body_type].label
        raise SceneError(f"{ob.name}: is a {kind}; wanted a cloth, or no body. Remove it from the simulation first.")
    if not ob.data.is_editable:
        raise SceneError(
            f"{ob.name}: its mesh is linked from a library. Make it local with Object > Relations > Make Local."
        )


class GPBD_OT_make_simulation_mesh(bpy.types.Operator):
    """Simulate a simple sheet in place of this garment, which follows it with its thickness and trims. Undo, or Remove Simulation Mesh, puts all back"""  # noqa: E501

    bl_idname = "gpbd.make_simulation_mesh"
    bl_label = "Make Simulation Mesh"
    bl_options = {"REGISTER", "UNDO"}

    edge: FloatProperty(
        name="Edge Length",
        description="Of the faces of the simulation mesh [m]; 0 takes what makes about 5000 faces",
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
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        ob = context.object
        try:
            made, told = make(ob, context.scene, self.edge, self.quads, self.one_sheet)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.edge = made.edge
        for text in told:
            messages.report(self, "WARNING", text)
        ob.select_set(False)
        made.twin.select_set(True)
        context.view_layer.objects.active = made.twin
        self.report({"INFO"}, str(made))
        return {"FINISHED"}
