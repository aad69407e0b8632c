"""The simulation mesh of a garment: made, bound again, taken away."""

from __future__ import annotations

import bpy

from ..body_kinds import BODY_KINDS
from ..simulation_mesh import twin
from .gpbd import GpbdSubPanel


def draw(layout: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    """Draw the actions on the simulation mesh of a garment, a simulation mesh, or another mesh."""
    garment, its_mesh = twin.either(ob)
    if garment is None:
        layout.operator("gpbd.make_simulation_mesh", icon="MOD_REMESH")
        return
    text = f"Followed by {garment.name}" if its_mesh == ob else f"Follows {its_mesh.name}" if its_mesh else "It is gone"
    layout.label(text=text, icon="MOD_MESHDEFORM")
    row = layout.row(align=True)
    row.operator("gpbd.bind_simulation_mesh", icon="FILE_REFRESH")
    row.operator("gpbd.remove_simulation_mesh", text="Remove", icon="X")


class PHYSICS_PT_gpbd_simulation_mesh(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Simulation Mesh"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and BODY_KINDS[context.object.gpbd.body_type].sheet

    def draw(self, context):
        draw(self.layout.column(), context.object)
