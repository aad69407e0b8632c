"""Table of the kinds of bodies. The rest of the add-on reads it, so that a new kind is written in three files:

- here, as a `BodyKind` at the end of `BODY_KINDS`;
- `read/body_input.py`: how its mesh becomes the solver's body (`BodyInput.build`, `BodyInput.identity`);
- `properties/object_properties.py`, if it has properties of its own. `ui/body.py` draws each by Blender's own row, and needs
  an entry of `DRAWN` only where that is not enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class BodyKind:
    """name: as panels call it. description: tooltip of the choice; summary: ends "Simulate the
    active object as ...".

    rows: properties of `object.gpbd` that it has, beside those of pins and collisions, in the order of the panel *Body*.
    pins: whether vertices of it can be pinned.
    collision_rows: those of the panel *Collisions* that not every kind has. self_contact: whether a new one collides with
    itself. automatic_thickness: note under a collision distance of 0. material: kind of its material in the solver, and
    preset: name of its first preset; None where it has no material. sheet: whether the vertices of its mesh are simulated,
    as a sheet, which the global step can solve for. line: whether the edges of its mesh are simulated, which need no faces.
    attached: whether vertices of it can be attached to other objects.
    """

    name: str
    description: str
    summary: str
    icon: Any
    rows: tuple[str, ...]
    collision_rows: tuple[str, ...] = ()
    pins: bool = False
    self_contact: bool = False
    automatic_thickness: str = "0 is automatic"
    material: str | None = None
    preset: str | None = None
    sheet: bool = False
    line: bool = False
    attached: bool = False

    @property
    def is_filled(self) -> bool:
        """Return whether tetrahedra fill its mesh."""
        return "tet_method" in self.rows

    @property
    def label(self) -> str:
        """As it is called among other things of Blender, and the name of its modifier."""
        return f"GPBD {self.name}"


#: Of a sheet and of a solid; Blender's own modifiers for them have the same types. Of a rope.
SHEET, SOLID, ROPE = "CLOTH", "SOFT_BODY", "ROPE"
#: `object.gpbd.body_type` -> kind; .blend files keep the number of the entry, so a new one comes last.
BODY_KINDS = {
    "CLOTH": BodyKind(
        name="Cloth",
        description="A sheet: fabric, leather, paper",
        summary="a sheet of fabric, leather or paper",
        icon="MOD_CLOTH",
        rows=("follow_share", "uv_map", "initial_velocity"),
        pins=True,
        collision_rows=("self_contact", "layer"),
        self_contact=True,
        material="fabric",
        preset="cotton",
        sheet=True,
        attached=True,
    ),
    "SOFT_BODY": BodyKind(
        name="Soft Body",
        description="A solid that fills the closed mesh: rubber, jelly, flesh",
        summary="an elastic solid",
        icon="MOD_SOFT",
        rows=("follow_share", "tet_method", "tet_resolution", "initial_velocity"),
        pins=True,
        collision_rows=("self_contact", "contact_surface", "layer"),
        material="solid",
        preset="jelly",
    ),
    "RIGID": BodyKind(
        name="Rigid Body",
        description="A closed mesh that keeps its shape and has mass: a ball, a crate",
        summary="a body that keeps its shape and has mass",
        icon="RIGID_BODY",
        rows=("mass_by", "initial_velocity", "initial_spin"),
        automatic_thickness="0 is 1 mm",
    ),
    "ROPE": BodyKind(
        name="Rope",
        description="The edges of the mesh, each with a thickness: ropes, cables, nets",
        summary="ropes along the edges of its mesh",
        icon="CURVE_DATA",
        rows=(
            "rope_radius",
            "shrink_min",
            "rope_is_straight",
            "rope_roll",
            "turn_start",
            "turn_end",
            "initial_velocity",
        ),
        pins=True,
        collision_rows=("self_contact",),
        self_contact=True,
        automatic_thickness="0 is none beyond the radius",
        material="rope",
        preset="hemp_rope",
        line=True,
        attached=True,
    ),
    "SHAPE": BodyKind(
        name="Shape Matching",
        description="Any mesh as it is, open, thin or in pieces: it wobbles and returns to its shape",
        summary="a mesh that wobbles and returns to its shape",
        icon="MOD_MESHDEFORM",
        rows=("follow_share", "flexibility", "cluster_size", "initial_velocity"),
        pins=True,
        collision_rows=("self_contact", "layer"),
        material="shape",
        preset="jiggle",
        attached=True,
    ),
}


def material_of(body_type: str) -> str | None:
    """The kind of material of `object.gpbd.body_type`; None for no body and for bodies without material."""
    return BODY_KINDS[body_type].material if body_type in BODY_KINDS else None
