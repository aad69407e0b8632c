"""Colliders: objects with Blender's Collision physics and the instances that they show, those shown by instances of
collections, and bodies that play their cache."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.scene import Collider, checks
from ..identifiers import ATTRIBUTES_MODIFIER
from . import collision_objects, contact_choice, evaluated_mesh, object_names, taking_part

Array = np.ndarray


@dataclass(frozen=True)
class Found:
    """A mesh shown for a collider at a frame; one collider may have many. name: of the collider in the simulation. ob: the
    object with its settings. there: the shown object, evaluated, and matrix: object space -> world space in metres, (4, 4).
    is_own: whether it is the mesh of `ob`, so that vertex groups apply.
    """

    name: str
    ob: Any
    there: Any
    matrix: Array
    is_own: bool = True


@dataclass
class Colliders:
    """Colliders at a frame. numbers: name -> values read at every frame. corners: vertices of each one's faces, one after
    the other. warnings: of those left out. shown_by: object -> the names of colliders that it instances."""

    colliders: list[Collider] = field(default_factory=list)
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    corners: dict[str, Array] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    shown_by: dict[str, list[str]] = field(default_factory=dict)


def read(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, baked: Container[str] | None = None
) -> Colliders:
    """Read the colliders of the depsgraph's frame. scale: metres of a Blender unit. baked: of `taking_part.passive`.

    Raises: SceneError.
    """
    all_of_them = Colliders()
    for name, whole in _joined(_found(scene, depsgraph, scale, baked, object_names.now, all_of_them.warnings)).items():
        all_of_them.colliders.append(_collider(name, whole, scale, object_names.now))
        all_of_them.numbers[name] = _numbers(whole.ob, scale)
        all_of_them.corners[name] = whole.corners
        if name != whole.ob.name_full:
            all_of_them.shown_by.setdefault(whole.ob.name_full, []).append(name)
    all_of_them.warnings += taking_part.left_out(scene, baked)
    return all_of_them


@dataclass
class Frame:
    """Colliders at one frame. vertices: name -> [m], (n, 3). numbers: name -> values read at every frame. changed: colliders
    with another mesh than before, and corners: of these."""

    vertices: dict[str, Array] = field(default_factory=dict)
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: dict[str, Collider] = field(default_factory=dict)
    corners: dict[str, Array] = field(default_factory=dict)


def at_frame(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, before: dict[str, Array], frame: int,
    baked: Container[str] | None = None, called: object_names.Called = object_names.now,
) -> Frame:  # fmt: skip
    """Read colliders at the depsgraph's frame. before: name -> vertices of its faces, one after the other, at the frame
    before. baked: of `taking_part.passive`. called: gives names of objects.

    Raises: SceneError if one is gone, or has no faces left.
    """
    here = Frame()
    meshes = partial(_found, scene, depsgraph, scale, baked, called)
    whole = _joined((one for one in meshes() if one.name in before), faces=False)
    other = {name for name, one in whole.items() if not np.array_equal(one.corners, before[name])}
    anew = _joined(one for one in meshes() if one.name in other) if other else {}
    for name, one in anew.items():
        here.changed[name], here.corners[name] = _collider(name, one, scale, called), one.corners
    for name in before:
        if name not in whole:
            raise SceneError(f"{name}: is no longer in the scene at frame {frame}. The frames before are kept; bake again.")
        here.numbers[name] = _numbers(whole[name].ob, scale)
        here.vertices[name] = checks.vertices(f"{name} at frame {frame}", "vertices", whole[name].vertices)
    return here


def _found(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float, baked: Container[str] | None,
    called: object_names.Called, warnings: list[str] | None = None,
) -> Iterator[Found]:  # fmt: skip
    """Yield each mesh; one is valid until the next, because instances are temporary. warnings: list to which left-out
    objects are added, or None."""
    bodies, passive = taking_part.all_bodies(scene), taking_part.passive(scene, baked)
    plain = collision_objects.find(scene, [*taking_part.simulated(scene), *passive])
    colliders: list[bpy.types.Object] = []
    for ob in sorted([*plain, *passive], key=called):
        there = ob.evaluated_get(depsgraph)
        if there.is_evaluated:
            colliders += [ob] if ob in plain else []
            yield Found(called(ob), ob, there, evaluated_mesh.world_matrix(there, scale))
        elif ob not in bodies and warnings is not None:
            warnings.append(f"{ob.name_full}: is disabled in the viewport, so bodies do not touch it.")
    # a scene may show a million instances of grass: iterate over them only if some can be colliders
    showing = [ob for ob in scene.objects if _may_show_instances(ob)]
    if warnings is not None or any(ob.instance_type == "COLLECTION" or ob in colliders for ob in showing):
        of_colliders = {ob.name_full for ob in colliders}
        yield from _instances(depsgraph, scale, of_colliders, called, warnings) if showing else ()


def _may_show_instances(ob: bpy.types.Object) -> bool:
    if ob.instance_type == "COLLECTION":
        return ob.instance_collection is not None
    return ob.instance_type != "NONE" or any(
        md.type == "NODES" and md.show_viewport and md.name != ATTRIBUTES_MODIFIER for md in ob.modifiers
    )


def _instances(
    depsgraph: bpy.types.Depsgraph,
    scale: float,
    colliders: Container[str],
    called: object_names.Called,
    warnings: list[str] | None,
) -> Iterator[Found]:
    """Yield the instances of colliders. colliders: full names of those all of whose instances are part of them."""
    unused: dict[str, str] = {}
    for instance in depsgraph.object_instances:
        if not instance.is_instance or instance.object.type != "MESH" or instance.particle_system is not None:
            continue
        parent: Any = instance.parent.original
        ob: Any = instance.object.original
        if parent.name_full in colliders:
            name, ob = called(parent), parent
        elif not (collision_objects.may_be_used(ob) or (ob.gpbd.body_type != "NONE" and taking_part.plays(ob))):
            continue
        elif parent.instance_type == "COLLECTION":
            name = f"{called(parent)} > {called(ob)}"
        else:
            if parent.gpbd.body_type == "NONE":
                unused[parent.name_full] = ob.name_full
            continue
        is_own = instance.object.data == ob.evaluated_get(depsgraph).data
        yield Found(
            name, ob, instance.object, evaluated_mesh.in_metres(name, np.array(instance.matrix_world), scale), is_own
        )
    if warnings is not None:
        warnings += [
            f"{parent}: shows '{shown}', a collider, at places where bodies do not touch it. Give '{parent}' Collision too."
            for parent, shown in unused.items()
        ]


@dataclass
class _Whole:
    """All meshes of one collider. ob: with its settings. vertices: [m], (n, 3). corners: of its faces, one after the other.
    triangles (t, 3) and untouched, (n,) bool, if required."""

    ob: Any
    vertices: Array
    corners: Array
    triangles: Array | None = None
    untouched: Array | None = None


def _joined(all_found: Iterable[Found], faces: bool = True) -> dict[str, _Whole]:
    """Join meshes by name, in the order of the first of each. faces: whether triangles and untouched vertices are read."""
    parts: dict[str, list[_Whole]] = {}
    for mesh in all_found:
        parts.setdefault(mesh.name, []).append(_part(mesh, faces))
    return {name: own_parts[0] if len(own_parts) == 1 else _sum(own_parts) for name, own_parts in parts.items()}


def _part(shown: Found, faces: bool) -> _Whole:
    there, matrix = shown.there, shown.matrix
    whole = _Whole(shown.ob, evaluated_mesh.positions_at(there, matrix), evaluated_mesh.face_corners(there.data))
    if faces:
        whole.triangles = evaluated_mesh.triangles_at(there, matrix)
        whole.untouched = contact_choice.untouched(shown.ob, there) if shown.is_own else None
    return whole


def _sum(parts: list[_Whole]) -> _Whole:
    """Join the parts of one collider, one after the other."""
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
        rows = [empty if part.untouched is None else part.untouched for part, empty in zip(parts, none, strict=True)]
        whole.untouched = np.concatenate(rows)
    return whole


def _collider(name: str, whole: _Whole, scale: float, called: object_names.Called) -> Collider:
    ob = whole.ob
    assert whole.triangles is not None
    if not len(whole.triangles):
        raise SceneError(f"{name}: the collider has no faces. Give it some or switch its Collision physics off.")
    fields = collision_objects.settings(ob, scale) if collision_objects.may_be_used(ob) else _numbers(ob, scale)
    return Collider(
        name,
        whole.vertices,
        whole.triangles,
        touches=contact_choice.touches(ob.gpbd, called),
        without_contact=contact_choice.without_contact(whole.untouched),
        side=ob.gpbd.collider_side.lower(),
        **fields,
    )


def _numbers(ob: bpy.types.Object, scale: float) -> dict[str, Any]:
    """Return the values read at every frame; for a body that plays its cache those of the simulated body."""
    if collision_objects.may_be_used(ob):
        return collision_objects.numbers(ob, scale)
    return {"friction": ob.gpbd.friction, "thickness": ob.gpbd.thickness, "enabled": True}
