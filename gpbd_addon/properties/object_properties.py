"""What is stored in the .blend file of a body: `object.gpbd`.

Values are SI. A property `NAME_shown` is the same value in the unit of `display_units`, for panels only.
Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..body_kinds import BODY_KINDS
from . import energy_choices
from .energy_groups import ENERGY_GROUPS, choice_property
from .number import OWN, number_property
from .shape_properties import ShapeProperties


class _Materials:
    """The material of a body; a mixin, because its annotations are generated."""

    __annotations__ = {
        **number_property("density_area", "Weight", "kg/m^2", 0.15, 1e-4, 100.0, "Mass of a square metre of cloth"),
        **number_property("density_volume", "Density", "kg/m^3", 1000.0, 0.01, 1e5, "Mass of a cubic metre"),
        **number_property("material_thickness", "Fabric Thickness", "m", 5e-4, 1e-6, 1.0, "How thick the cloth is"),
        **number_property("mass", "Mass", "kg", 1.0, 1e-6, 1e6, "Mass of the whole body"),
        **number_property("thickness", "Collision Distance", "m", 0.0, 0.0, 1.0, "Gap kept to others; 0 is automatic"),
        **{name: PointerProperty(type=group, override={"LIBRARY_OVERRIDABLE"}) for name, group in ENERGY_GROUPS.items()},
    }


class GPBD_PG_object(_Materials, ShapeProperties, bpy.types.PropertyGroup):
    """What the simulation knows about an object"""

    body_type: EnumProperty(
        name="Type",
        items=[
            ("NONE", "None", "Not simulated by GPBD"),
            *((name, kind.name, kind.description) for name, kind in BODY_KINDS.items()),
        ],
        **OWN,
    )
    uuid: StringProperty(name="Identity", description="Names the cache of this body", **OWN)
    preset: StringProperty(name="Preset", description="The preset that the material was taken from", **OWN)
    preset_grade: StringProperty(name="Grade", description="How far the preset's numbers can be trusted", **OWN)
    preset_source: StringProperty(name="Source", description="Where the preset's numbers come from", **OWN)
    preset_category: StringProperty(name="Category", description="Where the preset stands in the menu", **OWN)
    fabric_table: StringProperty(name="Table", description="Of a fabric made of yarns: its table, as text", **OWN)
    preset_values: StringProperty(name="Values", description="The material as the preset has it, to notice changes", **OWN)
    pin_group: StringProperty(
        name="Pin Group",
        description="Vertex group whose vertices follow the animation; the weight is the hold, 0 to 1",
        **OWN,
    )
    self_contact: BoolProperty(
        name="Self Collisions",
        description="The body does not pass through itself; off for a new soft body",
        default=True,
        **OWN,
    )
    contact_collection: PointerProperty(
        name="Collision Collection",
        description="The body collides only with bodies and colliders of this collection; empty: with all. Two "
        "objects collide if both say so",
        type=bpy.types.Collection,
        options=set(),
    )
    no_contact_group: StringProperty(
        name="No Collision Group",
        description="Vertex group whose vertices collide with nothing, where their weight is 0.5 or more",
        **OWN,
    )
    collider_side: EnumProperty(
        name="Side",
        description="Where bodies belong that start inside this collider, if it is closed",
        items=[
            ("AUTOMATIC", "Automatic", "Inside if all of the body starts there, outside if only a part of it does"),
            ("OUTSIDE", "Outside", "What starts inside is moved out"),
            ("INSIDE", "Inside", "A body of which any part starts inside belongs inside, and stays there"),
        ],
        **OWN,
    )
    clearance: FloatProperty(
        name="Clearance",
        description="Of a collider: how near a body started to it at the last bake or check [m]; negative if none was near",
        default=-1.0,
        options=set(),
    )
    layer: IntProperty(
        name="Layer",
        description="Garments worn over one another: where they start through each other, the higher layer comes out on "
        "the side that the faces of the lower one look to. 0: no layer",
        default=0,
        min=0,
        soft_max=9,
        **OWN,
    )
    friction: FloatProperty(
        name="Friction",
        description="Coulomb coefficient against other objects",
        default=0.4,
        min=0,
        soft_max=1,
        max=10,
        **OWN,
    )
    stretch_model: choice_property("Stretch", "How the cloth answers stretch and shear", "fabric", energy_choices.STRETCH)
    bend_model: choice_property("Bend", "How the cloth answers bending", "fabric", energy_choices.BEND)
    solid_model: choice_property("Model", "How the solid answers a deformation", "solid", energy_choices.SOLID)
    uv_map: StringProperty(
        name="Fabric UV Map", description="UV map whose U axis is the warp; empty: the warp is along the X axis", **OWN
    )
    tet_method: EnumProperty(
        name="Fill",
        description="How the mesh is filled with tetrahedra",
        items=[
            ("TETWILD", "Tetrahedra", "Follows the surface closely. Wants a closed mesh"),
            ("LATTICE", "Lattice", "A regular lattice around the mesh: any mesh, also an open one"),
        ],
        **OWN,
    )
    tet_resolution: FloatProperty(
        name="Resolution",
        description="Edge length of the tetrahedra, as a share of the size (bounding-box diagonal) of the object",
        default=0.1,
        min=0.02,
        max=0.5,
        subtype="FACTOR",
        precision=3,
        **OWN,
    )
    contact_surface: EnumProperty(
        name="Collision Surface",
        description="What of the soft body collides",
        items=[
            ("TETRAHEDRA", "Tetrahedra", "The skin of the tetrahedra: fewest faces; a lattice stands off by up to a cell"),
            ("MESH", "Mesh", "The mesh that is seen; each of its faces is searched for collisions"),
        ],
        **OWN,
    )
    mass_by: EnumProperty(
        name="Mass by",
        description="What the mass of the rigid body follows from",
        items=[
            ("DENSITY", "Density", "The volume of the mesh times a density"),
            ("MASS", "Mass", "A mass; the mesh says how it is spread"),
        ],
        **OWN,
    )
    initial_spin: FloatVectorProperty(
        name="Spin", description="Angular velocity at the first frame [rad/s], world axes", size=3, subtype="XYZ", **OWN
    )
    initial_velocity: FloatVectorProperty(
        name="Velocity", description="Velocity at the first frame [m/s], world axes", size=3, subtype="XYZ", **OWN
    )
    cache_file: StringProperty(
        name="Cache",
        description="The file that the last bake wrote",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        override={"LIBRARY_OVERRIDABLE"},
    )
    cache_info: StringProperty(name="State", description="What the last bake did", **OWN)
    start_elements: StringProperty(name="Start", description="Size of the mesh that the start shape was made for", **OWN)
    heat_map: BoolProperty(name="Heat Map", description="Whether the mesh shows how far the cloth is stretched", **OWN)
    contact_map: BoolProperty(name="Contact Map", description="Whether the mesh shows how near it is to others", **OWN)
    colour_before: StringProperty(name="Colour", description="The colour attribute that a map stands for", **OWN)
