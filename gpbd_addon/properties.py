"""What is stored in the .blend file: `object.gpbd`, `scene.gpbd`, `material.gpbd_card`; on the WindowManager, a bake.

Values are SI. A property `NAME_shown` is the same value in the unit of `display_units`, for panels only.
Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from typing import Any

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

from ..solver.scene import catalog
from ..solver.scene.presets import list_presets
from . import energy_choices
from .display_units import display_unit
from .scene_properties import GPBD_PG_scene
from .user_folder import user_cards_folder

# Nothing of a body may be animated: it is read once, at the first frame of a bake, and a key would silently do nothing.
OWN: dict[str, Any] = {"options": set(), "override": {"LIBRARY_OVERRIDABLE"}}


def number(name: str, label: str, unit: str, default: float, low: float, high: float, description: str) -> dict[str, Any]:
    """The annotations of a value in SI units and, where it is shown in another, of its twin for panels."""
    text = f"{description} [{unit}]" if unit else description
    soft = min(high, 100 * default) if default > 0 else min(high, 1.0)
    shown = display_unit(unit)
    precision = shown.decimals if shown.scale == 1 else 6
    own = FloatProperty(
        name=label, description=text, default=default, min=low, max=high, soft_max=soft, step=10, precision=precision, **OWN
    )
    if shown.scale == 1:
        return {name: own}
    scale = shown.scale

    def get(self: Any) -> float:
        return getattr(self, name) / scale

    def set_(self: Any, value: float) -> None:
        setattr(self, name, value * scale)

    twin = FloatProperty(
        name=label,
        description=f"{description} [{shown.label}]",
        min=low / scale,
        max=min(high / scale, 1e30),
        soft_max=soft / scale,
        step=10,
        precision=shown.decimals,
        options={"SKIP_SAVE"},
        get=get,
        set=set_,
    )
    return {name: own, f"{name}_shown": twin}


def _above(low: float, default: float) -> float:
    """The smallest value that a field takes where `low` itself is impossible."""
    return low + 1e-6 * (default - low)


def _energy_group(energy: catalog.Energy) -> type:
    """The PropertyGroup of an energy, made from its catalogue entry."""
    used = energy.name in energy_choices.DEFAULTS
    fields: dict[str, Any] = {
        "use": BoolProperty(
            name=energy.label, description=f"Whether the material has it ({energy.name})", default=used, **OWN
        )
    }
    for p in energy.parameters.values():
        low = _above(p.low, p.default) if p.low_open else p.low
        fields |= number(p.name, p.label, p.unit, p.default, low, p.high, p.description)
    content = {"__annotations__": fields, "__module__": __name__, "__doc__": f"Parameters of the energy {energy.name}"}
    return type(f"GPBD_PG_{energy.name}", (bpy.types.PropertyGroup,), content)


ENERGY_GROUPS: dict[str, type] = {name: _energy_group(energy) for name, energy in catalog.energies().items()}


def _choice(label: str, description: str, kind: str, place: str) -> Any:
    """An enum that uses one energy of a place: a view of the energies' own `use`, which keeps its meaning in saved files."""
    names = energy_choices.offered(kind, place)
    items = [(name, catalog.energies()[name].label, f"{catalog.energies()[name].label} ({name})") for name in names]
    items += [
        (energy_choices.NONE, "None", "Nothing of this kind"),
        (energy_choices.SEVERAL, "Several", "More than one at once, as the card has it; choosing this changes nothing"),
    ]

    def get(self: Any) -> int:
        used = [number for number, name in enumerate(names) if getattr(self, name).use]
        if len(used) == 1:
            return used[0]
        return len(names) + (1 if used else 0)

    def set_(self: Any, value: int) -> None:
        if items[value][0] != energy_choices.SEVERAL:
            for number, name in enumerate(names):
                getattr(self, name).use = number == value

    return EnumProperty(name=label, description=description, items=items, get=get, set=set_, options={"SKIP_SAVE"})


class _Materials:
    """The material of a body; a mixin, because its annotations are generated."""

    __annotations__ = {
        **number("density_area", "Weight", "kg/m^2", 0.15, 1e-4, 100.0, "Mass of a square metre of cloth"),
        **number("density_volume", "Density", "kg/m^3", 1000.0, 0.01, 1e5, "Mass of a cubic metre"),
        **number("material_thickness", "Thickness", "m", 5e-4, 1e-6, 1.0, "How thick the cloth is"),
        **number("mass", "Mass", "kg", 1.0, 1e-6, 1e6, "Mass of the whole body"),
        **number("thickness", "Thickness", "m", 0.0, 0.0, 1.0, "Distance kept from others; 0 takes the material's"),
        **{name: PointerProperty(type=group, override={"LIBRARY_OVERRIDABLE"}) for name, group in ENERGY_GROUPS.items()},
    }


class GPBD_PG_object(_Materials, bpy.types.PropertyGroup):
    """What the simulation knows about an object"""

    body_type: EnumProperty(
        name="Type",
        items=[
            ("NONE", "None", "Not simulated by GPBD"),
            ("CLOTH", "Cloth", "A sheet: fabric, leather, paper"),
            ("SOFT_BODY", "Soft Body", "A solid that fills the closed mesh: rubber, jelly, flesh"),
            ("RIGID", "Rigid Body", "A closed mesh that keeps its shape and has mass: a ball, a crate"),
        ],
        **OWN,
    )
    uuid: StringProperty(name="Identity", description="Names the cache of this body", **OWN)
    preset: StringProperty(name="Card", description="The card that the material was taken from", **OWN)
    preset_grade: StringProperty(name="Grade", description="How far the card's numbers can be trusted", **OWN)
    preset_source: StringProperty(name="Source", description="Where the card's numbers come from", **OWN)
    preset_category: StringProperty(name="Category", description="Where the card stands in the menu", **OWN)
    preset_values: StringProperty(name="Values", description="The material as the card has it, to notice changes", **OWN)
    pin_group: StringProperty(
        name="Pin Group",
        description="Vertex group whose vertices follow the animation; the weight is the hold, 0 to 1",
        **OWN,
    )
    self_contact: BoolProperty(
        name="Self-Contact",
        description="The body does not pass through itself; costs about as much again as the rest",
        **OWN,
    )
    contact_collection: PointerProperty(
        name="Touches",
        description="Only the bodies and colliders of this collection are touched; empty: all. Two objects touch if "
        "both say so",
        type=bpy.types.Collection,
        options=set(),
    )
    no_contact_group: StringProperty(
        name="Without Contact",
        description="Vertex group whose vertices touch nothing, where their weight is 0.5 or more",
        **OWN,
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
    stretch_model: _choice("Stretch", "How the cloth answers stretch and shear", "fabric", energy_choices.STRETCH)
    bend_model: _choice("Bend", "How the cloth answers bending", "fabric", energy_choices.BEND)
    solid_model: _choice("Model", "How the solid answers a deformation", "solid", energy_choices.SOLID)
    uv_map: StringProperty(
        name="Warp along U", description="UV map whose U axis is the warp; empty: the warp is along the X axis", **OWN
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
        name="Contact",
        description="What of the soft body touches others",
        items=[
            ("TETRAHEDRA", "Tetrahedra", "The skin of the tetrahedra: fewest faces; a lattice stands off by up to a cell"),
            ("MESH", "Mesh", "The mesh that is seen; each of its faces is searched for contact"),
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


CLASSES = (*ENERGY_GROUPS.values(), GPBD_PG_object, GPBD_PG_scene)


def energies_of(settings: Any) -> list[str]:
    """The names of the energies that a body's material is made of, stretch before bend; empty for no body."""
    return [name for name in energy_choices.possible(settings.body_type) if getattr(settings, name).use]


def is_shown_scaled(group: Any, name: str) -> bool:
    """Whether a value has a twin in another unit for the panels."""
    return f"{name}_shown" in group.bl_rna.properties


def _fabric_cards(self: Any, context: Any, typed: str) -> list[str]:
    return [card.name for card in list_presets("fabric", user_cards_folder()) if not card.error]


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    ob: Any = bpy.types.Object
    scene: Any = bpy.types.Scene
    manager: Any = bpy.types.WindowManager
    material: Any = bpy.types.Material
    material.gpbd_card = StringProperty(
        name="Card",
        description="Fabric card of the faces of GPBD cloth that have this material; empty: the fabric of the body. "
        "Thickness and friction stay those of the body",
        search=_fabric_cards,
        options=set(),
    )
    ob.gpbd = PointerProperty(type=GPBD_PG_object, override={"LIBRARY_OVERRIDABLE"})
    scene.gpbd = PointerProperty(type=GPBD_PG_scene)
    manager.gpbd_progress = FloatProperty(name="GPBD Progress", min=0, max=1, options={"SKIP_SAVE"})
    manager.gpbd_status = StringProperty(name="GPBD Status", options={"SKIP_SAVE"})


def unregister() -> None:
    owners: list[tuple[Any, str]] = [
        (bpy.types.WindowManager, "gpbd_status"),
        (bpy.types.WindowManager, "gpbd_progress"),
        (bpy.types.Scene, "gpbd"),
        (bpy.types.Object, "gpbd"),
        (bpy.types.Material, "gpbd_card"),
    ]
    for owner, name in owners:
        delattr(owner, name)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
