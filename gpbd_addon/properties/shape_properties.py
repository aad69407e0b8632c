"""Shape properties of a cloth, by the names of Blender's Cloth where it has them: rest shape, shrink, pressure, sewing; and
its attachments. A mixin.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import Any

from bpy.props import BoolProperty, CollectionProperty, FloatProperty, StringProperty

from .attachment import GPBD_PG_attachment
from .group_names import suggested
from .number import OWN

#: Of numbers that are read at every frame of a bake.
KEYED: dict[str, Any] = {"options": {"ANIMATABLE"}, "override": {"LIBRARY_OVERRIDABLE"}}


class ShapeProperties:
    """Rest shape, shrink, pressure, sewing and attachments of `object.gpbd`."""

    rest_shape_key: StringProperty(
        name="Rest Shape Key", description="Shape key that is unstretched; empty: the mesh at the first frame is", **OWN
    )
    use_dynamic_mesh: BoolProperty(
        name="Dynamic Mesh",
        description="The mesh below the GPBD modifier is the unstretched shape at every frame, not the first alone",
        default=False,
        **OWN,
    )
    shrink_min: FloatProperty(
        name="Shrink",
        description="Share by which the cloth is smaller than its mesh, with a group where its weight is 0; below 0 larger",
        default=0.0,
        min=-10.0,
        soft_min=-1.0,
        max=0.95,
        **KEYED,
    )
    shrink_max: FloatProperty(
        name="Max Shrink",
        description="Share by which the cloth is smaller where the weight of the group is 1",
        default=0.0,
        min=-10.0,
        soft_min=-1.0,
        max=0.95,
        **KEYED,
    )
    vertex_group_shrink: StringProperty(
        name="Shrink Group",
        description="Vertex group or float attribute from Shrink (0) to Max Shrink (1)",
        search=suggested,
        **OWN,
    )
    use_pressure: BoolProperty(
        name="Pressure",
        description="Pressure inside, which pushes the faces outwards along their normals",
        default=False,
        **OWN,
    )
    uniform_pressure_force: FloatProperty(
        name="Pressure",
        description="Pressure inside over that outside, at any volume [Pa]; less than 0 sucks in",
        default=0.0,
        soft_min=-1e4,
        soft_max=1e4,
        **KEYED,
    )
    use_pressure_volume: BoolProperty(
        name="Custom Volume",
        description="The volume at which Ambient Pressure is balanced is a number, not that at the first frame",
        default=False,
        **OWN,
    )
    target_volume: FloatProperty(
        name="Target Volume",
        description="Volume at which a gas inside balances the ambient pressure [m³]; 0: no gas",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=4,
        **KEYED,
    )
    pressure_factor: FloatProperty(
        name="Ambient Pressure",
        description="Pressure around the cloth, which a gas inside balances at the target volume [Pa]; air has 100000",
        default=1000.0,
        min=0.0,
        soft_max=1e5,
        **KEYED,
    )
    fluid_density: FloatProperty(
        name="Fluid Density",
        description="Of a fluid inside, whose weight adds to the pressure downwards [kg/m³]; less than 0: of one around it",
        default=0.0,
        soft_min=-2000.0,
        soft_max=2000.0,
        **KEYED,
    )
    vertex_group_pressure: StringProperty(
        name="Pressure Group",
        description="Vertex group or float attribute: share of the pressure; faces with a weight of 0 enclose nothing",
        search=suggested,
        **OWN,
    )
    use_sewing_springs: BoolProperty(
        name="Sewing",
        description="Edges without faces pull their ends together and hold them",
        default=False,
        **OWN,
    )
    sewing_force_max: FloatProperty(
        name="Max Sewing Force",
        description="Most that a meter of open seam pulls by [N/m]; 0: any",
        default=0.0,
        min=0.0,
        soft_max=1000.0,
        **OWN,
    )
    seam_strength: FloatProperty(
        name="Seam Strength",
        description="Pull per meter of closed seam at which its stitches break [N/m]; 0: never",
        default=0.0,
        min=0.0,
        soft_max=10000.0,
        **OWN,
    )
    vertex_group_sewing: StringProperty(
        name="Sewing Group",
        description="Vertex group or float attribute, read every frame: share of the sewing force; 0 opens the seam",
        search=suggested,
        **OWN,
    )
    sewing_strength: FloatProperty(
        name="Strength",
        description="Share of the sewing force of all seams; 0 opens them",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        **KEYED,
    )
    attachments: CollectionProperty(
        name="Attachments", description="What the cloth is attached to", type=GPBD_PG_attachment, **OWN
    )
