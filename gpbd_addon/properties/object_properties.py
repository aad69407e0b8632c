"""Properties of a body in the .blend file: `object.gpbd`.

Values are SI. A property `NAME_shown` is the same value in the unit of `display_units`, and `NAME_mm` in millimetres, for
panels only.
Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from collections.abc import Callable

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..body_kinds import BODY_KINDS
from . import energy_choices
from .effector_weights import GPBD_PG_effector_weights
from .energy_groups import ENERGY_GROUPS, choice_property
from .goal_properties import GoalProperties
from .grab import GPBD_PG_grab
from .group_names import suggested
from .map_properties import GPBD_PG_maps
from .number import KEYED, OWN, number_property, velocity_property
from .shape_properties import ShapeProperties
from .tearing_properties import TearingProperties

#: Called with an object whose attributes were switched on or off.
attribute_watchers: list[Callable[[bpy.types.Object], None]] = []


def _attributes_changed(settings, context):
    for watcher in attribute_watchers:
        watcher(settings.id_data)


class _Materials:
    """Numbers with units, those of the material among them; a mixin, because its annotations are generated."""

    __annotations__ = {
        **velocity_property("initial_velocity", "Velocity", "Velocity at the first frame, world axes", keyed=False),
        **number_property("density_area", "Weight", "kg/m^2", 0.15, 1e-4, 1e5, "Mass of a square meter of cloth"),
        **number_property("density_volume", "Density", "kg/m^3", 1000.0, 0.01, 1e5, "Mass of a cubic meter"),
        **number_property(
            "material_thickness", "Fabric Thickness", "m", 5e-4, 1e-6, 1.0, "Thickness of the cloth", thin=True
        ),
        **number_property("rope_radius", "Radius", "m", 0.006, 1e-5, 10.0, "Half of the rope's thickness", thin=True),
        **number_property(
            "cluster_size",
            "Cluster Size",
            "m",
            0.0,
            0.0,
            1e3,
            "Size of the parts that return to their shape by themselves; 0 is a third of the body's",
            keyed=False,
        ),
        **number_property("mass", "Mass", "kg", 1.0, 1e-6, 1e6, "Mass of the whole body", keyed=False),
        **number_property(
            "thickness", "Collision Distance", "m", 0.0, 0.0, 1.0, "Gap kept to others; 0 is automatic", thin=True
        ),
        **number_property(
            "self_thickness",
            "Self Distance",
            "m",
            0.0,
            0.0,
            1.0,
            "Gap of the body from itself; half of it counts towards other bodies. 0 is as Collision Distance",
            thin=True,
        ),
        **number_property(
            "outer_thickness",
            "Thickness",
            "m",
            1e-3,
            0.0,
            1.0,
            "Distance kept from the collider, beside a body's own",
            thin=True,
        ),
        **number_property(
            "pin_damping",
            "Pin Damping",
            "s",
            0.0,
            0.0,
            10.0,
            "Damping of soft pins over their stiffness",
        ),
        **{name: PointerProperty(type=group, override={"LIBRARY_OVERRIDABLE"}) for name, group in ENERGY_GROUPS.items()},
    }


class GPBD_PG_object(_Materials, ShapeProperties, GoalProperties, TearingProperties, bpy.types.PropertyGroup):
    """Settings of the simulation of an object"""

    body_type: EnumProperty(
        name="Type",
        items=[
            ("NONE", "None", "Not simulated by GPBD"),
            *((name, kind.name, kind.description) for name, kind in BODY_KINDS.items()),
        ],
        **OWN,
    )
    muted: BoolProperty(
        name="Mute",
        description="The body keeps its settings and is not simulated. Where it plays a cache, others collide with it",
        **OWN,
    )
    grabs: CollectionProperty(name="Grabs", description="Recorded grabs of live play", type=GPBD_PG_grab, **OWN)
    uuid: StringProperty(name="Identity", description="Names the cache of this body", **OWN)
    preset: StringProperty(name="Preset", description="The preset that the material was taken from", **OWN)
    preset_grade: StringProperty(name="Grade", description="Reliability of the preset's numbers", **OWN)
    preset_source: StringProperty(name="Source", description="Where the preset's numbers come from", **OWN)
    preset_category: StringProperty(name="Category", description="Where the preset stands in the menu", **OWN)
    fabric_table: StringProperty(name="Table", description="Table of a fabric made of yarns, as text", **OWN)
    preset_values: StringProperty(name="Values", description="The material as the preset has it, to notice changes", **OWN)
    pin_group: StringProperty(
        name="Pin Group",
        description="Vertex group whose vertices follow the animation; the weight is the hold, 0 to 1",
        search=suggested,
        **OWN,
    )
    pin_hold: FloatProperty(
        name="Pin Hold",
        description=("Factor of the weights of the group: 0 releases, 1 holds. Key it to release and catch"),
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        **KEYED,
    )
    pin_frequency: FloatProperty(
        name="Pin Stiffness",
        description=(
            "Frequency at which a soft pin of weight 0.5 swings about its target [Hz], at any mass. The stiffness"
            " grows with its square"
        ),
        default=5.0,
        min=0.01,
        soft_max=50.0,
        max=1000.0,
        step=10,
        **KEYED,
    )
    pin_strength: FloatProperty(
        name="Pin Strength",
        description="Pull at which a hook, a connected patch of pinned vertices, lets go for good [N]; 0: never",
        default=0.0,
        min=0.0,
        soft_max=1000.0,
        max=1e9,
        step=10,
        **KEYED,
    )
    follow_share: FloatProperty(
        name="Follow Parent",
        description=(
            "Share of the parent's velocity that the body takes along. At 1 it feels none of the parent's "
            "acceleration, as if the parent stood still"
        ),
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        **KEYED,
    )
    follow_object: PointerProperty(
        name="Follow", description="Object to follow in place of the parent", type=bpy.types.Object, **OWN
    )
    follow_bone: StringProperty(name="Bone", description="Bone that is followed, of an armature; empty: its object", **OWN)
    maps: PointerProperty(type=GPBD_PG_maps, override={"LIBRARY_OVERRIDABLE"})
    object_contact: BoolProperty(
        name="Object Collisions",
        description="The body collides with other bodies and with colliders",
        default=True,
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
        **OWN,
    )
    no_contact_group: StringProperty(
        name="No Collision Group",
        description="Vertex group whose vertices collide with nothing, where their weight is 0.5 or more",
        search=suggested,
        **OWN,
    )
    collider_side: EnumProperty(
        name="Side",
        description="Side for bodies that start inside this collider, if it is closed",
        items=[
            ("AUTOMATIC", "Automatic", "Inside if all of the body starts there, outside if only a part of it does"),
            ("OUTSIDE", "Outside", "Vertices that start inside are moved out"),
            ("INSIDE", "Inside", "A body of which any part starts inside belongs inside, and stays there"),
        ],
        **OWN,
    )
    own_thickness: BoolProperty(
        name="Own Thickness",
        description="The collider keeps the distance below in place of Thickness Outer, which is 0.001 units at least",
        **KEYED,
    )
    clearance: FloatProperty(
        name="Clearance",
        description="Of a collider: how near a body started to it at the last bake or check [m]; negative if none was near",
        default=-1.0,
        options=set(),
    )
    layer: IntProperty(
        name="Garment Layer",
        description=(
            "Order of garments worn over one another. If they start through each other, the "
            "higher layer comes out on the front side of the lower one's faces. 0: no layer"
        ),
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
        **KEYED,
    )
    stretch_model: choice_property("Stretch", "Material model for stretch and shear", "fabric", energy_choices.STRETCH)
    bend_model: choice_property("Bend", "Material model for bending", "fabric", energy_choices.BEND)
    solid_model: choice_property("Model", "Material model of the solid", "solid", energy_choices.SOLID)
    rope_stretch_model: choice_property("Stretch", "Material model for tension", "rope", energy_choices.STRETCH)
    rope_bend_model: choice_property("Bend", "Material model for bending and twist", "rope", energy_choices.BEND)
    shape_model: choice_property("Model", "Model of the return to the rest shape", "shape", energy_choices.SHAPE)
    flexibility: FloatProperty(
        name="Flexibility",
        description="0: the body returns to its shape as a whole. 1: only part by part, so that it bends softly",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        **OWN,
    )
    rope_is_straight: BoolProperty(
        name="Straight at Rest",
        description="The rope wants to be straight. Off: it wants the shape of its mesh, as a phone cord or a wire",
        default=True,
        **OWN,
    )
    rope_roll: FloatProperty(
        name="Roll",
        description="Angle of the width of a flat rope, a strap or a tape, from the horizontal at its start",
        subtype="ANGLE",
        **OWN,
    )
    turn_start: FloatProperty(
        name="Turn Start",
        description="Turn about itself of the first edge of each rope, whose two vertices must be pinned",
        subtype="ANGLE",
        **KEYED,
    )
    turn_end: FloatProperty(
        name="Turn End",
        description="Turn about itself of the last edge of each rope, whose two vertices must be pinned",
        subtype="ANGLE",
        **KEYED,
    )
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
        description="Surface of the soft body that collides",
        items=[
            ("TETRAHEDRA", "Tetrahedra", "The skin of the tetrahedra: fewest faces; a lattice stands off by up to a cell"),
            ("MESH", "Mesh", "The visible mesh; each of its faces is searched for collisions"),
        ],
        **OWN,
    )
    mass_by: EnumProperty(
        name="Mass From",
        description="Number that sets the mass of the rigid body",
        items=[
            ("DENSITY", "Density", "The volume of the mesh times a density"),
            ("MASS", "Mass", "A mass; the mesh says how it is spread"),
        ],
        **OWN,
    )
    initial_spin: FloatVectorProperty(
        name="Spin per Second",
        description="Angular velocity at the first frame, world axes [rad/s]",
        size=3,
        subtype="XYZ",
        unit="ROTATION",
        step=1000,
        **OWN,
    )
    effector_weights: PointerProperty(type=GPBD_PG_effector_weights, override={"LIBRARY_OVERRIDABLE"})
    charge: FloatProperty(name="Own Charge", description="Factor of the push of Charge fields", precision=3, **KEYED)
    point_size: FloatProperty(
        name="Own Size",
        description="Distance that the vertices of the body keep from Lennard-Jones fields",
        default=0.05,
        min=0,
        soft_max=10,
        subtype="DISTANCE",
        precision=3,
        **KEYED,
    )
    own_air: BoolProperty(name="Override Air", description="The body has numbers of its own for the air", **KEYED)
    air_density: FloatProperty(
        name="Air Density",
        description="Mass of a cubic meter of the air around the body [kg/m^3]; 0 is vacuum",
        default=1.2,
        min=0,
        soft_max=10,
        max=1e4,
        **KEYED,
    )
    drag: FloatProperty(
        name="Drag",
        description="Push of the wind along its direction",
        default=1,
        min=0,
        soft_max=4,
        max=100,
        **KEYED,
    )
    lift: FloatProperty(
        name="Lift",
        description="Push of the wind across its direction",
        default=0.5,
        min=0,
        soft_max=4,
        max=100,
        **KEYED,
    )
    wind_as_air: BoolProperty(
        name="Speed of the Air",
        description=(
            "Of a Wind field: its strength is the speed of the air [m/s], which acts on GPBD "
            "cloth and soft bodies by drag and lift. Off: the same acceleration for all "
            "bodies, as for particles"
        ),
        **OWN,
    )
    cache_file: StringProperty(
        name="Cache",
        description="The file that the last bake wrote",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        override={"LIBRARY_OVERRIDABLE"},
    )
    cache_origin: StringProperty(name="Origin", description="The cache that this one was to be copied from", **OWN)
    cache_info: StringProperty(name="State", description="What the last bake did", **OWN)
    use_velocity_attribute: BoolProperty(
        name="Velocity",
        description="The mesh that is shown has its velocity as a vector attribute of the points, in units a second along "
        "the object's axes: 'velocity', or 'gpbd_velocity' with Motion Blur Samples above 1",
        default=True,
        update=_attributes_changed,
        **OWN,
    )
    use_value_attributes: BoolProperty(
        name="Stretch, Contact, Error",
        description=(
            "The next bake stores stretch, gap to other surfaces and solver error of each "
            "vertex. The shown mesh has them as attributes 'gpbd_stretch', 'gpbd_contact' and"
            " 'gpbd_error'. Ropes have their tension, 'gpbd_tension' [N], in place of the gap. "
            "Plastic materials have 'gpbd_plastic_curvature' [1/m] and 'gpbd_plastic'"
        ),
        update=_attributes_changed,
        **OWN,
    )
    start_elements: StringProperty(name="Start", description="Size of the mesh that the start shape was made for", **OWN)
    simulation_mesh: PointerProperty(
        name="Simulation Mesh",
        description="Simulation mesh that this object follows",
        type=bpy.types.Object,
        **OWN,
    )
    before_simulation_mesh: StringProperty(
        name="Before", description="Settings that Remove Simulation Mesh restores, as JSON", options=set()
    )
    anchor_reach: FloatProperty(
        name="Reach", description="Largest distance to the simulation mesh when it was bound [Blender units]", options=set()
    )
    heat_map: BoolProperty(name="Heat Map", description="Whether the mesh shows how far the cloth is stretched", **OWN)
    contact_map: BoolProperty(name="Contact Map", description="Whether the mesh shows how near it is to others", **OWN)
    warp_lines: BoolProperty(name="Warp Direction", description="Whether views show how the warp of the cloth runs", **OWN)
    colour_before: StringProperty(name="Color", description="Color attribute of a map", **OWN)
