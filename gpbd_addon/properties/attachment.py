"""One attachment of a cloth to another object: an item of `object.gpbd.attachments`.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

import bpy
from bpy.props import FloatProperty, PointerProperty, StringProperty

from .group_names import suggested
from .number import OWN


def _is_mesh(self: bpy.types.bpy_struct, ob: bpy.types.Object) -> bool:
    return ob.type == "MESH" and ob != self.id_data


class GPBD_PG_attachment(bpy.types.PropertyGroup):
    """Attachment of a cloth to an object"""

    target: PointerProperty(
        name="Object",
        description="Object whose surface the vertices follow. Another GPBD body is tied to the cloth, and feels the pull",
        type=bpy.types.Object,
        poll=_is_mesh,
        options=set(),
    )
    vertex_group: StringProperty(
        name="Vertices",
        description="Vertex group or float attribute: vertices with a weight of 0.5 or more; empty: all within the distance",
        search=suggested,
        **OWN,
    )
    distance: FloatProperty(
        name="Distance",
        description="Largest distance of attached vertices from the surface at the first frame",
        default=0.01,
        min=0.0,
        soft_max=1.0,
        precision=4,
        subtype="DISTANCE",
        **OWN,
    )
