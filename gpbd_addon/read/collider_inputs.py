"""All that bodies collide with and that is not simulated: objects with Blender's Collision physics and the instances that
these show, those that instances of collections show, and bodies that play their cache.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.scene import Collider, checks
from ..identifiers import ATTRIBUTES_MODIFIER
from . import collision_objects, contact_choice, evaluated_mesh, taking_part

Array = np.ndarray


@dataclass(frozen=True)
class Found:
    """A mesh that Blender shows of a collider at a frame; one collider may have many. name: of the collider in the
    simulation. ob: the object that has its settings. there: what is shown, evaluated, and matrix: where it is, object
    space -> world space in metres, (4, 4). own: whether it is the mesh of that object, which its vertex groups are of."""

    name: str
    ob: Any
    there: Any
    matrix: Array
    own: bool = True


@dataclass
class Colliders:
    """colliders: at a frame. numbers: name -> what is read at every frame. corners: vertices of each one's faces, one after
    the other. warnings: of those left out. shown_by: object -> the names of what instances show of it."""

    colliders: list[Collider] = field(default_factory=list)
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    corners: dict[str, Array] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    shown_by: dict[str, list[str]] = field(default_factory=dict)


def read(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, baked: Container[str] | None = None
) -> Colliders:
    """Those of the depsgraph's frame. scale: metres of a Blender unit. baked: of `taking_part.passive`.

    Raises: SceneError.
    """
    all_of_them = Colliders()
    for name, whole in _joined(_found(scene, depsgraph, scale, baked, all_of_them.warnings)).items():
        all_of_them.colliders.append(_collider(name, whole, scale))
        all_of_them.numbers[name] = _numbers(whole.ob, scale)
        all_of_them.corners[name] = whole.corners
        if name != whole.ob.name_full:
            all_of_them.shown_by.setdefault(whole.ob.name_full, []).append(name)
    all_of_them.warnings += taking_part.left_out(scene, baked)
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
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, before: dict[str, Array], frame: int,
    baked: Container[str] | None = None,
) -> Frame:  # fmt: skip
    """Colliders at the depsgraph's frame. before: name -> vertices of its faces, one after the other, at the frame before.
    baked: of `taking_part.passive`.

    Raises: SceneError if one is gone, or has no faces left.
    """
    here = Frame()
    whole = _joined((found for found in _found(scene, depsgraph, scale, baked) if found.name in before), faces=False)
    other = {name for name, one in whole.items() if not np.array_equal(one.corners, before[name])}
    anew = _joined(found for found in _found(scene, depsgraph, scale, baked) if found.name in other) if other else {}
    for name, one in anew.items():
        here.changed[name], here.corners[name] = _collider(name, one, scale), one.corners
    for name in before:
        if name not in whole:
            raise SceneError(f"{name}: is no longer in the scene at frame {frame}. The frames before are kept; bake again.")
        here.numbers[name] = _numbers(whole[name].ob, scale)
        here.vertices[name] = checks.vertices(f"{name} at frame {frame}", "vertices", whole[name].vertices)
    return here


def _found(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, baked: Container[str] | None,
    warnings: list[str] | None = None,
) -> Iterator[Found]:  # fmt: skip
    """Each as long as it is looked at: what instances show is gone with the next. warnings: of what is left out, where that
    is asked for."""
    bodies, passive = taking_part.all_bodies(scene), taking_part.passive(scene, baked)
    plain = collision_objects.find(scene, [*taking_part.simulated(scene), *passive])
    colliders: list[bpy.types.Object] = []
    for ob in sorted([*plain, *passive], key=lambda ob: ob.name_full):
        there = ob.evaluated_get(depsgraph)
        if there.is_evaluated:
            colliders += [ob] if ob in plain else []
            yield Found(ob.name_full, ob, there, evaluated_mesh.world_matrix(there, scale))
        elif ob not in bodies and warnings is not None:
            warnings.append(f"{ob.name_full}: is disabled in the viewport, so bodies do not touch it.")
    # a scene may show a million instances of grass: they are gone through only where some can be colliders
    showing = [ob for ob in scene.objects if _may_show_instances(ob)]
    if warnings is not None or any(ob.instance_type == "COLLECTION" or ob in colliders for ob in showing):
        yield from _instances(depsgraph, scale, {ob.name_full for ob in colliders}, warnings) if showing else ()


def _may_show_instances(ob: Any) -> bool:
    if ob.instance_type == "COLLECTION":
        return ob.instance_collection is not None
    return ob.instance_type != "NONE" or any(
        md.type == "NODES" and md.show_viewport and md.name != ATTRIBUTES_MODIFIER for md in ob.modifiers
    )


def _instances(
    depsgraph: bpy.types.Depsgraph, scale: float, colliders: Container[str], warnings: list[str] | None
) -> Iterator[Found]:
    """colliders: full names of those all of whose instances are part of them."""
    unused: dict[str, str] = {}
    for instance in depsgraph.object_instances:
        if not instance.is_instance or instance.object.type != "MESH" or instance.particle_system is not None:
            continue
        parent: Any = instance.parent.original
        ob: Any = instance.object.original
        if parent.name_full in colliders:
            name, ob = parent.name_full, parent
        elif not (collision_objects.may_be_used(ob) or (ob.gpbd.body_type != "NONE" and taking_part.plays(ob))):
            continue
        elif parent.instance_type == "COLLECTION":
            name = f"{parent.name_full} > {ob.name_full}"
        else:
            if parent.gpbd.body_type == "NONE":
                unused[parent.name_full] = ob.name_full
            continue
        own = instance.object.data == ob.evaluated_get(depsgraph).data
        yield Found(name, ob, instance.object, evaluated_mesh.in_metres(name, np.array(instance.matrix_world), scale), own)
    if warnings is not None:
        warnings += [
            f"{parent}: shows '{shown}', a collider, at places where bodies do not touch it. Give '{parent}' Collision too."
            for parent, shown in unused.items()
        ]


@dataclass
class _Whole:
    """All that is shown of one collider. ob: that has its settings. vertices: [m], (n, 3). corners: of its faces, one after
    the other. triangles (t, 3) and untouched, (n,) bool, where they were asked for."""

    ob: Any
    vertices: Array
    corners: Array
    triangles: Array | None = None
    untouched: Array | None = None


def _joined(all_found: Iterable[Found], faces: bool = True) -> dict[str, _Whole]:
    """By name, in the order of the first of each. faces: whether triangles and what is untouched are read."""
    parts: dict[str, list[_Whole]] = {}
    for found in all_found:
        parts.setdefault(found.name, []).append(_part(found, faces))
    return {name: own[0] if len(own) == 1 else _sum(own) for name, own in parts.items()}


def _part(found: Found, faces: bool) -> _Whole:
    there, matrix = found.there, found.matrix
    own = _Whole(found.ob, evaluated_mesh.positions_at(there, matrix), evaluated_mesh.face_corners(there.data))
    if faces:
        own.triangles = evaluated_mesh.triangles_at(there, matrix)
        own.untouched = contact_choice.untouched(found.ob, there) if found.own else None
    return own


def _sum(parts: list[_Whole]) -> _Whole:
    """Of the parts of one collider, one after the other."""
    counts = [len(part.vertices) for part in parts]
    starts = np.cumsum([0, *counts[:-1]])
    whole = _Whole(
        parts[0].ob,
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.corners + start for part, start in zip(parts, starts, strict=True)]),
    )
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True) if part.triangles is not None]
    if triangles:
        whole.triangles = np.concatenate(triangles)
    if any(part.untouched is not None for part in parts):
        none = [np.zeros(count, bool) for count in counts]
        rows = [own if part.untouched is None else part.untouched for part, own in zip(parts, none, strict=True)]
        whole.untouched = np.concatenate(rows)
    return whole


def _collider(name: str, whole: _Whole, scale: float) -> Collider:
    ob = whole.ob
    assert whole.triangles is not None
    if not len(whole.triangles):
        raise SceneError(f"{name}: the collider has no faces. Give it some or switch its Collision physics off.")
    own = collision_objects.settings(ob, scale) if collision_objects.may_be_used(ob) else _numbers(ob, scale)
    return Collider(
        name,
        whole.vertices,
        whole.triangles,
        touches=contact_choice.touches(ob.gpbd),
        without_contact=() if whole.untouched is None else np.flatnonzero(whole.untouched),
        side=ob.gpbd.collider_side.lower(),
        **own,
    )


def _numbers(ob: Any, scale: float) -> dict[str, Any]:
    """What is read at every frame; of a body that plays its cache what it is to others when it is simulated."""
    if collision_objects.may_be_used(ob):
        return collision_objects.numbers(ob, scale)
    return {"friction": ob.gpbd.friction, "thickness": ob.gpbd.thickness, "enabled": True}
