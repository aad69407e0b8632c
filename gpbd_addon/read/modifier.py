"""Our Mesh Cache modifier in the stack of a body: found, and switched off while the mesh below it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...solver.errors import SceneError
from ..body_kinds import BODY_KINDS

#: Modifiers that move vertices as an animation does; after ours they would move the simulated mesh a second time.
ANIMATION = {
    "ARMATURE", "HOOK", "LATTICE", "CURVE", "MESH_DEFORM", "SURFACE_DEFORM", "MESH_CACHE", "MESH_SEQUENCE_CACHE",
}  # fmt: skip
CACHE_SUFFIX = ".pc2"
#: Modifiers that add detail to the simulated mesh: ours is placed before the first of them. Others that make vertices
#: (mirror, array, geometry nodes ...) make the simulated mesh.
DETAIL = {
    "SUBSURF", "MULTIRES", "SOLIDIFY", "BEVEL", "WIREFRAME", "EDGE_SPLIT", "BUILD", "EXPLODE", "MASK", "PARTICLE_INSTANCE",
}  # fmt: skip


def find(ob: bpy.types.Object) -> bpy.types.Modifier | None:
    """Our modifier of an object, also when the user renamed it; None if there is none."""
    caches = [md for md in ob.modifiers if md.type == "MESH_CACHE"]
    names = {kind.label for kind in BODY_KINDS.values()}
    named = [md for md in caches if md.name.rstrip("0123456789").rstrip(".") in names]
    ours = named or [md for md in caches if md.filepath and md.filepath == ob.gpbd.cache_file]
    return ours[0] if ours else None


def named(scene: bpy.types.Scene, object_name: str, name: str) -> Any:
    """Return a modifier that can be changed or removed, by the names of its object and its own; None if there is none."""
    ob = scene.objects.get(object_name)
    return ob.modifiers.get(name) if ob is not None and ob.is_editable else None


def filepath(ob: bpy.types.Object) -> str:
    """Return the file that our modifier plays, as Blender stores it; "" before the first bake."""
    mesh_cache = find(ob)
    return mesh_cache.filepath if mesh_cache is not None and mesh_cache.filepath.endswith(CACHE_SUFFIX) else ""


def check_editable(ob: bpy.types.Object) -> None:
    """Raises: SceneError. Blender takes edits of linked objects without a word, and forgets them."""
    if ob.type != "MESH":
        raise SceneError(f"{ob.name_full}: is a {ob.type.lower()} object; wanted a mesh. Convert it with Object > Convert.")
    if not ob.is_editable:
        raise SceneError(
            f"{ob.name_full}: is linked from a library and cannot be edited. "
            "Make it local with Object > Relations > Make Local, or bake it in its own file."
        )


def misplaced(ob: bpy.types.Object) -> dict[str, str]:
    """Return the modifiers on the wrong side of ours: name -> a sentence. Not inside of `switched_off`, which hides it."""
    stack = list(ob.modifiers)
    ours = find(ob)
    after = stack[stack.index(ours) + 1 :] if ours is not None else []
    return {
        md.name: f"{ob.name}: the modifier '{md.name}' stands after '{ours.name}' and moves the simulated mesh a second "
        f"time. Move it before '{ours.name}'."
        for md in after
        if md.type in ANIMATION and (md.show_viewport or md.show_render)
    }


def all_misplaced(bodies: Iterable[bpy.types.Object]) -> list[str]:
    """The sentences of all of them."""
    return [sentence for ob in bodies for sentence in misplaced(ob).values()]


@contextmanager
def switched_off(bodies: Iterable[bpy.types.Object]) -> Iterator[list[tuple[str, str]]]:
    """Evaluate bodies below our modifier inside this context; yields the argument of `show`.

    At the end objects are found again by their identity: undo makes references invalid, and names can be changed.
    """
    shown = []
    for ob in bodies:
        stack = list(ob.modifiers)
        ours = find(ob)
        if ours is not None:
            shown += [(ob.gpbd.uuid, md.name) for md in stack[stack.index(ours) :] if md.show_viewport]
    try:
        show(shown, False)
        yield shown
    finally:
        show(shown, True)


def show(modifiers: Iterable[tuple[str, str]], on: bool) -> None:
    """Switch modifiers, each named by the identity of its body and its name, on or off in the viewport."""
    bodies = {ob.gpbd.uuid: ob for ob in bpy.data.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
    for identity, name in modifiers:
        mesh_cache = bodies[identity].modifiers.get(name) if identity in bodies else None
        if mesh_cache is not None:
            mesh_cache.show_viewport = on
