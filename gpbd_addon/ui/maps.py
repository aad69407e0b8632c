"""Maps painted on a body: a group or attribute for each number, and its factor at weight 1."""

from __future__ import annotations

import bpy

from ..body_kinds import material_of
from ..properties.map_properties import LABELS, LOW
from .gpbd import GpbdSubPanel
from .group_row import draw_group
from .label_width import label_share
from .value_row import draw_value

#: What only a sheet has.
OF_SHEETS = ("shear", "bending")
#: What another panel has.
ELSEWHERE = ("pin_strength", "tear_strength")


class PHYSICS_PT_gpbd_maps(GpbdSubPanel, bpy.types.Panel):
    bl_label = "Vertex Groups"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and material_of(context.object.gpbd.body_type) is not None

    def draw(self, context):
        ob = context.object
        maps, fabric = ob.gpbd.maps, material_of(ob.gpbd.body_type) == "fabric"
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        share = label_share(maps, *(f"{name}_{part}" for name in LABELS for part in ("group", "high")))
        for name in LABELS:
            if name in ELSEWHERE or (not fabric and name in OF_SHEETS):
                continue
            column = layout.column(align=True)
            draw_group(column, context, maps, f"{name}_group", share)
            if getattr(maps, f"{name}_group"):
                draw_value(column, maps, f"{name}_high", "", share=share)
                if getattr(maps, f"{name}_low") != LOW:  # of an older file, or a script
                    draw_value(column, maps, f"{name}_low", "", share=share)
