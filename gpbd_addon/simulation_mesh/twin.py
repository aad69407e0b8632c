"""A simulation mesh as an object: made for a garment, bound anew, and taken away again.

Nothing of the garment is lost: its motion is switched off and noted, with its former state, as JSON in its properties.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...solver.counted import counted
from ...solver.errors import SceneError
from ..identifiers import ANCHOR_ATTRIBUTE, REST_ATTRIBUTE
from ..read import evaluated_mesh, modifier
from . import anchors, attributes, follow, remesh, sheet
from . import source as garment
from .source import Surface, areas

#: Faces of a simulation mesh whose edges are chosen, and between which lengths these are [m].
FACES = 5000
SHORTEST, LONGEST = 0.004, 0.06
#: Modifiers that a simulation mesh can copy from the garment: they depend on names and on their own settings only.
PORTABLE = {"ARMATURE", "LATTICE", "CURVE"}


@dataclass(frozen=True)
class Made:
    """edge: length of its edges [m]. vertices: of the simulation mesh; garment: of the garment. distance: the largest
    from the sheet of the garment to it [m]. thickness: of thick parts [m]. trims: loose parts that only follow.
    sentences: on problems."""

    twin: Any
    edge: float
    vertices: int
    garment: int
    distance: float
    thickness: float
    trims: int
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        parts = [
            f"{self.vertices} vertices for {self.garment}",
            f"edges of {1e3 * self.edge:.3g} mm",
            f"at most {1e3 * self.distance:.2g} mm from the garment",
        ]
        parts += [f"{1e3 * self.thickness:.2g} mm thick"] if self.thickness else []
        parts += [counted(self.trims, "loose part follows", "loose parts follow")] if self.trims else []
        return f"{self.twin.name}: {', '.join(parts)}"


def of(ob: bpy.types.Object) -> bpy.types.Object | None:
    """The simulation mesh of a garment that is in its file; None for none."""
    twin = ob.gpbd.simulation_mesh
    return twin if twin is not None and twin.users_collection else None


def garment_of(twin: bpy.types.Object) -> bpy.types.Object | None:
    """The garment that a simulation mesh was made for, its parent; None for none."""
    parent = twin.parent
    return parent if parent is not None and parent.gpbd.simulation_mesh == twin else None


def either(ob: bpy.types.Object) -> tuple[bpy.types.Object | None, bpy.types.Object | None]:
    """The garment and its simulation mesh of an object that is one of them, None for one that is gone; None and None of
    another."""
    if ob is None:
        return None, None
    if ob.gpbd.before_simulation_mesh:
        return ob, of(ob)
    garment = garment_of(ob) if ob.type == "MESH" else None
    return (garment, ob) if garment is not None else (None, None)


def making(ob: bpy.types.Object, scene: bpy.types.Scene, edge: float, quads: bool, one_sheet: bool) -> remesh.Pieces[Made]:
    """Make the simulation mesh, which the garment then follows; it is no body yet. edge: length of its edges [m], 0 to
    choose one. Until its last piece nothing of the scene is changed.

    Raises: SceneError if there is no sheet in it.
    """
    sentences = [_not_portable(ob, md) for md in garment.moving(ob) if md.type not in PORTABLE]
    with garment.read(ob, scene) as source:
        area = areas(source.x, source.triangles).sum()
        if not area:
            raise SceneError(f"{ob.name}: has no faces; wanted a garment. Give it faces, or choose another object.")
        middle = sheet.find(source.x, source.triangles, edge or _edge(area), one_sheet)
        edge = edge or _edge(areas(middle.x, middle.triangles).sum())
        made = yield from remesh.remeshing(scene, middle.x, middle.triangles, edge, quads)
        yield 1.0
        twin = _object(ob, made, np.linalg.inv(source.linear))
        attributes.take_over(ob, source, Surface(source.x, source.triangles[middle.of]), middle.of, twin)
        anchors.write_rest(twin)
        detail = garment.first_detail(ob)
        ob.gpbd.simulation_mesh = twin
        _switch_over(ob, twin)
        follow.make(ob, twin, detail)
        distance, reach = anchors.bind(ob, source, middle, twin, edge)
        ob.gpbd.anchor_reach = reach / _scale(source)
    if made.irregular and quads:
        sentences.append(
            f"{twin.name}: {made.irregular} of its parts could not be made of quads, and fold more stiffly. "
            "Choose another edge length."
        )
    return Made(
        twin,
        edge,
        len(twin.data.vertices),
        len(middle.vertex),
        distance,
        middle.thickness,
        len(middle.trims),
        tuple(sentences),
    )


def bind(ob: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Tie the garment anew to its simulation mesh, as it now is. Raises: SceneError without one."""
    twin = of(ob)
    if twin is None:
        raise SceneError(
            f"{ob.name}: its simulation mesh is gone. Remove it with Remove Simulation Mesh, and make it again."
        )
    md = follow.find(ob)
    with garment.read(ob, scene, () if md is None else (md.name,)) as source:
        if REST_ATTRIBUTE not in twin.data.attributes:  # another tool has made its mesh anew
            anchors.write_rest(twin)
        edge = _edge_of(twin, source.linear)
        middle = sheet.find(source.x, source.triangles, edge)
        _, reach = anchors.bind(ob, source, middle, twin, edge)
        ob.gpbd.anchor_reach = reach / _scale(source)
    if md is None:
        md = follow.make(ob, twin, garment.first_detail(ob))
    md.show_viewport = md.show_render = True


def unbound(ob: bpy.types.Object) -> str:
    """Return why a garment does not follow its simulation mesh as it should, as words; "" where it does."""
    twin, md = of(ob), follow.find(ob)
    if twin is None:
        return "its simulation mesh is gone"
    if md is None or not (md.show_viewport and md.show_render):
        return "its modifier that follows the simulation mesh is gone or off"
    if REST_ATTRIBUTE not in twin.data.attributes:
        return "its simulation mesh has another mesh than it was bound to"
    count = anchors.stale(ob, evaluated_mesh.local_positions(ob.data)) if ob.mode != "EDIT" else 0
    forms = (
        "vertex is new, or moved away from where it was bound",
        "vertices are new, or moved away from where they were bound",
    )
    return counted(count, *forms) if count else ""


def remove(ob: bpy.types.Object) -> None:
    """Restore the garment, and remove the simulation mesh unless another object follows it."""
    before = noted_state(ob)
    follow.remove(ob)
    if ANCHOR_ATTRIBUTE in ob.data.attributes:
        ob.data.attributes.remove(ob.data.attributes[ANCHOR_ATTRIBUTE])
    for name, (viewport, render) in before.get("modifiers", {}).items():
        md = ob.modifiers.get(name)
        if md is not None:
            md.show_viewport, md.show_render = viewport, render
    if before.get("collision") and ob.collision is not None:
        ob.collision.use = True
    twin = ob.gpbd.simulation_mesh
    for name in ("simulation_mesh", "before_simulation_mesh", "anchor_reach"):
        ob.gpbd.property_unset(name)
    if twin is not None and not any(one.gpbd.simulation_mesh == twin for one in bpy.data.objects):
        mesh = twin.data
        bpy.data.objects.remove(twin)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)


def note(ob: bpy.types.Object, **more: Any) -> None:
    """Add to the noted former state of the garment. more: JSON values."""
    ob.gpbd.before_simulation_mesh = json.dumps(noted_state(ob) | more)


def noted_state(ob: bpy.types.Object) -> dict[str, Any]:
    """Return the noted state of the garment before it had a simulation mesh."""
    return json.loads(ob.gpbd.before_simulation_mesh or "{}")  # type: ignore[no-any-return]


def _edge(area: float) -> float:
    """Length of edges [m] for a sheet of this area [m^2], of two digits."""
    return float(f"{min(max((area / FACES) ** 0.5, SHORTEST), LONGEST):.1e}")


def _edge_of(twin: bpy.types.Object, linear: np.ndarray) -> float:
    """Length of the edges of a simulation mesh [m], from the area of its faces at rest."""
    t = evaluated_mesh.triangles(twin.data)
    return float((areas(anchors.rest_of(twin) @ linear.T, t).sum() / max(len(twin.data.polygons), 1)) ** 0.5)


def _scale(source: garment.Source) -> float:
    """Metres of a unit of object space, about."""
    return float(abs(np.linalg.det(source.linear)) ** (1 / 3))


def _object(ob: bpy.types.Object, made: remesh.Remeshed, to_local: np.ndarray) -> bpy.types.Object:
    """A child of the garment, where it is, in its collections, as a wire that is not rendered."""
    mesh = bpy.data.meshes.new(f"{ob.name} Simulation")
    faces = made.faces if np.linalg.det(to_local) > 0 else [face[::-1] for face in made.faces]
    mesh.from_pydata((made.x @ to_local.T).tolist(), [], faces)
    mesh.update()
    twin = bpy.data.objects.new(f"{ob.name} Simulation", mesh)
    for collection in ob.users_collection:
        collection.objects.link(twin)
    twin.parent = ob
    twin.display_type, twin.hide_render = "WIRE", True
    return twin


def _switch_over(ob: bpy.types.Object, twin: bpy.types.Object) -> None:
    """Switch the garment's moving modifiers and collision off; copy the portable modifiers to the simulation mesh."""
    moved, ours = garment.moving(ob), modifier.find(ob)
    off = {}
    for md in [*moved, *([ours] if ours is not None else [])]:
        if md in moved and md.type in PORTABLE:
            _copy_modifier(md, twin)
        off[md.name] = [md.show_viewport, md.show_render]
        md.show_viewport = md.show_render = False
    collides = ob.collision is not None and ob.collision.use
    if collides:
        ob.collision.use = False
    note(ob, modifiers=off, collision=collides)


def _copy_modifier(md: bpy.types.Modifier, twin: bpy.types.Object) -> None:
    made = twin.modifiers.new(md.name, md.type)
    for prop in md.bl_rna.properties:
        if not prop.is_readonly and prop.identifier not in ("name", "rna_type"):
            setattr(made, prop.identifier, getattr(md, prop.identifier))


def _not_portable(ob: bpy.types.Object, md: bpy.types.Modifier) -> str:
    return (
        f"{ob.name}: '{md.name}' moves it and cannot be taken over: its simulation mesh stays as it is at rest. "
        "Give the simulation mesh such a modifier of its own."
    )
