"""Properties of a body: fabric map, speed at the start; of a soft body its filling, of a rigid one its mass, of a rope its
radius, length and turns."""

from __future__ import annotations

import bpy

from ..bake import curve_playback
from ..body_kinds import BODY_KINDS
from ..identifiers import ROPE_CURVE, ROPE_SURFACE
from ..maps import warp_lines
from ..read import following, line
from .gpbd import GpbdSubPanel
from .label_width import label_share, number_share
from .paragraph import draw_paragraph
from .shape import draw_shrink
from .value_row import draw_field, draw_number, draw_value, draw_vector, labelled


class PHYSICS_PT_gpbd_body(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Body"

    def draw(self, context):
        layout, ob = self.layout, context.object
        settings = ob.gpbd
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        for row in BODY_KINDS[settings.body_type].rows:
            if row in VECTORS:
                draw_vector(layout.column(), settings, row)
            elif row in DRAWN:
                DRAWN[row](column, ob)
            else:
                draw_field(column, settings, row)
        problem = warp_lines.problem(ob) if settings.warp_lines else ""
        if problem:
            draw_paragraph(layout, context, problem, "ERROR")


def _draw_mass(column: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    column.row().prop(ob.gpbd, "mass_by", expand=True)
    by_density = ob.gpbd.mass_by == "DENSITY"
    name, unit, shown = ("density_volume", "kg/m^3", "kg/m³") if by_density else ("mass", "kg", "kg")
    draw_value(column, ob.gpbd, name, unit, share=number_share(shown))


def _draw_follow(column: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    draw_number(column, ob.gpbd, "follow_share", label_share(ob.gpbd, "follow_share", "uv_map"), slider=True)
    if following.follows(ob):
        share = label_share(ob.gpbd, "follow_share", "uv_map")
        labelled(column, ob.gpbd, "follow_object", share).prop(ob.gpbd, "follow_object", text="")
        followed, _ = following.target(ob)
        if followed is not None and followed.type == "ARMATURE":
            field = labelled(column, ob.gpbd, "follow_bone", share)
            field.prop_search(ob.gpbd, "follow_bone", followed.data, "bones", text="")


def _draw_radius(column: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    if ob.modifiers.get(ROPE_CURVE) is not None:
        column.label(text="Radius: see modifier GPBD Rope Curve", icon="INFO")
    elif line.own_radius(ob.data) is None:
        draw_value(column, ob.gpbd, "rope_radius", "m")
    else:
        column.label(text="The mesh has its own radius", icon="INFO")
    row = column.row(align=True)
    if ob.modifiers.get(ROPE_SURFACE) is None:
        row.operator("gpbd.show_rope", icon="MESH_CYLINDER")
    if ob.modifiers.get(ROPE_CURVE) is not None and curve_playback.find(ob) is None:
        row.operator("gpbd.play_on_curve", icon="CURVE_BEZCURVE")


def _draw_shrink(column: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    share = label_share(ob.gpbd, "shrink_min", "shrink_max", "vertex_group_shrink")
    draw_shrink(column, bpy.context, ob.gpbd, share)


def _draw_roll(column: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    if line.is_flat(ob):
        draw_field(column, ob.gpbd, "rope_roll")


def _draw_turn(column: bpy.types.UILayout, ob: bpy.types.Object, name: str) -> None:
    draw_number(column, ob.gpbd, name, label_share(ob.gpbd, "turn_start", "turn_end"))


def _draw_uv_map(column: bpy.types.UILayout, ob: bpy.types.Object) -> None:
    row = labelled(column, ob.gpbd, "uv_map", label_share(ob.gpbd, "follow_share", "uv_map"))
    row.prop_search(ob.gpbd, "uv_map", ob.data, "uv_layers", icon="GROUP_UVS", text="")
    row.operator("gpbd.warp_lines", text="", icon="ORIENTATION_LOCAL", depress=ob.gpbd.warp_lines)


#: Row of `BodyKind.rows` -> what draws it, where Blender's own row is not enough; and those of three numbers.
DRAWN = {
    "mass_by": _draw_mass,
    "follow_share": _draw_follow,
    "uv_map": _draw_uv_map,
    "cluster_size": lambda column, ob: draw_value(column, ob.gpbd, "cluster_size", "m"),
    "rope_radius": _draw_radius,
    "shrink_min": _draw_shrink,
    "rope_roll": _draw_roll,
    "turn_start": lambda column, ob: _draw_turn(column, ob, "turn_start"),
    "turn_end": lambda column, ob: _draw_turn(column, ob, "turn_end"),
}
VECTORS = ("initial_velocity", "initial_spin")
