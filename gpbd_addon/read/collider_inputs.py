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
    """colliders: at a frame. corners: vertices of each one's faces, one after the other. warnings: of those left out.
    shown_by: object -> the names of what instances show of it."""

    colliders: list[Collider] = field(default_factory=list)
    corners: dict[str, Array] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    shown_by: dict[str, list[str]] = field(default_factory=dict)


def read(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float) -> Colliders:
    """Those of the depsgraph's frame. scale: metres of a Blender unit. Raises: SceneError."""
    all_of_them = Colliders()
    for found in _found(scene, depsgraph, scale, all_of_them.warnings):
        all_of_them.colliders.append(_collider(found, scale))
        all_of_them.corners[found.name] = evaluated_mesh.face_corners(found.there.data)
        if found.name != found.ob.name_full:
            all_of_them.shown_by.setdefault(found.ob.name_full, []).append(found.name)
    all_of_them.warnings += taking_part.left_out(scene)
    return all_of_them


def poses(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, known: list[Collider], corners: dict[str, Array],
    frame: int,
) -> dict[str, Array]:  # fmt: skip
    """Name -> vertices [m], (n, 3), of all that are known. Raises: SceneError if one is gone or is another mesh."""
    firsts = {collider.name: len(collider.vertices) for collider in known}
    found = {}
    for one in _found(scene, depsgraph, scale, []):
        if one.name in firsts:
            vertices = evaluated_mesh.positions_at(one.there, one.matrix)
            _check_mesh(one, len(vertices), firsts[one.name], corners[one.name], frame)
            found[one.name] = checks.vertices(f"{one.name} at frame {frame}", "vertices", vertices)
    for collider in known:
        if collider.name not in found:
            raise SceneError(
                f"{collider.name}: is no longer in the scene at frame {frame}. The frames before are kept; bake again."
            )
    return {collider.name: found[collider.name] for collider in known}


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
        collides = ob.collision is not None and ob.collision.use
        if not (collides or (ob.gpbd.body_type != "NONE" and taking_part.plays(ob))):
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
    own = collision_objects.settings(ob, scale) if ob.collision is not None and ob.collision.use else _as_body(ob)
    return Collider(
        found.name,
        evaluated_mesh.positions_at(there, found.matrix),
        evaluated_mesh.triangles_at(there, found.matrix),
        touches=contact_choice.touches(ob.gpbd),
        without_contact=() if untouched is None else np.flatnonzero(untouched),
        side=ob.gpbd.collider_side.lower(),
        **own,
    )


def _as_body(ob: Any) -> dict[str, Any]:
    """Of a body that plays its cache: what it is to others when it is simulated."""
    return {"friction": ob.gpbd.friction, "thickness": ob.gpbd.thickness}


def _check_mesh(found: Found, vertices: int, at_first: int, corners: Array, frame: int) -> None:
    if vertices != at_first:
        raise SceneError(
            f"{found.name}: the collider has {vertices} vertices at frame {frame}, {at_first} at the first frame. "
            "Keep the number: switch off the modifier that changes it, or its Collision physics."
        )
    now = evaluated_mesh.face_corners(found.there.data)
    if not np.array_equal(now, corners):
        raise SceneError(
            f"{found.name}: the collider's faces join other vertices at frame {frame} than at the first frame. Keep them: "
            "switch off the modifier that makes them anew, or its Collision physics."
        )
