"""All that bodies collide with and that is not simulated: objects with Blender's Collision physics, those that instances of
collections show, and bodies that play their cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.scene import Collider, checks
from . import collision_objects, contact_choice, evaluated_mesh, taking_part

Array = np.ndarray


@dataclass(frozen=True)
class Found:
    """What Blender shows of a collider at a frame. name: in the simulation. ob: the object itself, there: evaluated, and
    matrix: where it is, object space -> world space in metres, (4, 4)."""

    name: str
    ob: Any
    there: Any
    matrix: Array


@dataclass
class Colliders:
    """colliders: at a frame. numbers: name -> what is read at every frame. corners: vertices of each one's faces, one after
    the other. warnings: of those left out. shown_by: object -> the names of what instances show of it."""

    colliders: list[Collider] = field(default_factory=list)
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    corners: dict[str, Array] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    shown_by: dict[str, list[str]] = field(default_factory=dict)


def read(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float) -> Colliders:
    """Those of the depsgraph's frame. scale: metres of a Blender unit. Raises: SceneError."""
    all_of_them = Colliders()
    for found in _found(scene, depsgraph, scale, all_of_them.warnings):
        all_of_them.colliders.append(_collider(found, scale))
        all_of_them.numbers[found.name] = _numbers(found.ob, scale)
        all_of_them.corners[found.name] = evaluated_mesh.face_corners(found.there.data)
        if found.name != found.ob.name_full:
            all_of_them.shown_by.setdefault(found.ob.name_full, []).append(found.name)
    all_of_them.warnings += taking_part.left_out(scene)
    return all_of_them


@dataclass
class Frame:
    """vertices: name -> [m], (n, 3). numbers: name -> what is read at every frame. changed: those that are other meshes than
    before, and corners: of these."""

    vertices: dict[str, Array] = field(default_factory=dict)
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: dict[str, Collider] = field(default_factory=dict)
    corners: dict[str, Array] = field(default_factory=dict)


def at_frame(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, before: dict[str, Array], frame: int
) -> Frame:
    """Colliders at the depsgraph's frame. before: name -> vertices of its faces, one after the other, at the frame before.

    Raises: SceneError if one is gone, or has no faces left.
    """
    here, there = Frame(), {}
    for found in _found(scene, depsgraph, scale, []):
        name = found.name
        if name not in before:
            continue
        corners = evaluated_mesh.face_corners(found.there.data)
        if not np.array_equal(corners, before[name]):
            here.changed[name], here.corners[name] = _collider(found, scale), corners
        here.numbers[name] = _numbers(found.ob, scale)
        vertices = evaluated_mesh.positions_at(found.there, found.matrix)
        there[name] = checks.vertices(f"{name} at frame {frame}", "vertices", vertices)
    for name in before:
        if name not in there:
            raise SceneError(f"{name}: is no longer in the scene at frame {frame}. The frames before are kept; bake again.")
        here.vertices[name] = there[name]
    return here


def _found(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, warnings: list[str]) -> Iterator[Found]:
    """Each as long as it is looked at: what instances show is gone with the next."""
    bodies, passive = taking_part.all_bodies(scene), taking_part.passive(scene)
    plain = collision_objects.find(scene, [*taking_part.simulated(scene), *passive])
    for ob in sorted([*plain, *passive], key=lambda ob: ob.name_full):
        there = ob.evaluated_get(depsgraph)
        if there.is_evaluated:
            yield Found(ob.name_full, ob, there, evaluated_mesh.world_matrix(there, scale))
        elif ob not in bodies:
            warnings.append(f"{ob.name_full}: is disabled in the viewport, so bodies do not touch it.")
    if any(ob.instance_type == "COLLECTION" and ob.instance_collection is not None for ob in scene.objects):
        yield from _instances(depsgraph, scale)


def _instances(depsgraph: bpy.types.Depsgraph, scale: float) -> Iterator[Found]:
    count: dict[str, int] = {}
    for instance in depsgraph.object_instances:
        if not instance.is_instance or instance.parent.instance_type != "COLLECTION" or instance.object.type != "MESH":
            continue
        ob: Any = instance.object.original
        if not (collision_objects.may_be_used(ob) or (ob.gpbd.body_type != "NONE" and taking_part.plays(ob))):
            continue
        name = f"{instance.parent.original.name_full} > {ob.name_full}"
        count[name] = count.get(name, 0) + 1
        name += f" {count[name]}" if count[name] > 1 else ""
        yield Found(name, ob, instance.object, evaluated_mesh.in_metres(name, np.array(instance.matrix_world), scale))


def _collider(found: Found, scale: float) -> Collider:
    ob, there = found.ob, found.there
    if not len(there.data.polygons):
        raise SceneError(f"{found.name}: the collider has no faces. Give it some or switch its Collision physics off.")
    untouched = contact_choice.untouched(ob, there)
    own = collision_objects.settings(ob, scale) if collision_objects.may_be_used(ob) else _numbers(ob, scale)
    return Collider(
        found.name,
        evaluated_mesh.positions_at(there, found.matrix),
        evaluated_mesh.triangles_at(there, found.matrix),
        touches=contact_choice.touches(ob.gpbd),
        without_contact=() if untouched is None else np.flatnonzero(untouched),
        side=ob.gpbd.collider_side.lower(),
        **own,
    )


def _numbers(ob: Any, scale: float) -> dict[str, Any]:
    """What is read at every frame; of a body that plays its cache what it is to others when it is simulated."""
    if collision_objects.may_be_used(ob):
        return collision_objects.numbers(ob, scale)
    return {"friction": ob.gpbd.friction, "thickness": ob.gpbd.thickness, "enabled": True}
