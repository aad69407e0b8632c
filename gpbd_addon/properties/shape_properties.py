"""Shape properties of a cloth, by the names of Blender's Cloth where it has them: rest shape, shrink, pressure, sewing; and
its attachments. A rope has shrink and attachments. A mixin.

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
        name="Rest Shape Key", description="Shape key of the unstretched shape; empty: the mesh at the first frame", **OWN
    )
    use_dynamic_mesh: BoolProperty(
        name="Dynamic Mesh",
        description="The mesh below the GPBD modifier is the unstretched shape at every frame, not only at the first",
        default=False,
        **OWN,
    )
    shrink_min: FloatProperty(
        name="Shrink",
        description=(
            "Share by which a cloth is smaller, or a rope shorter, than its mesh; below 0 it is larger. With a group: where "
            "the weight is 0"
        ),
        default=0.0,
        min=-10.0,
        soft_min=-1.0,
        max=0.95,
        **KEYED,
    )
    shrink_max: FloatProperty(
        name="Max Shrink",
        description="Share by which the cloth is smaller, or the rope shorter, where the weight of the group is 1",
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
        description="Excess pressure inside, at any volume [Pa]; below 0 it pulls the faces inwards",
        default=0.0,
        soft_min=-1e4,
        soft_max=1e4,
        **KEYED,
    )
    use_pressure_volume: BoolProperty(
        name="Custom Volume",
        description="Set the volume at which a gas balances Ambient Pressure. Off: the volume at the first frame",
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
        description="Pressure around the cloth [Pa]; 100000 for air. A gas inside balances it at the target volume",
        default=1000.0,
        min=0.0,
        soft_max=1e5,
        **KEYED,
    )
    fluid_density: FloatProperty(
        name="Fluid Density",
        description="Density of a fluid inside, whose pressure grows with depth [kg/m³]; below 0: of a fluid around it",
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
        description="Largest pull of a meter of open seam [N/m]; 0: no limit",
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
        name="Attachments", description="Objects that the cloth is attached to", type=GPBD_PG_attachment, **OWN
    )
