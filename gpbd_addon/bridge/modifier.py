"""The Mesh Cache modifier that stands for a body in the stack and plays its cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...solver.errors import SceneError
from ..identifiers import MODIFIER_NAMES

#: Modifiers that add detail to the simulated mesh: ours stands before the first of them. Others that make vertices
#: (mirror, array, geometry nodes ...) make the mesh that is simulated.
DETAIL = {
    "SUBSURF", "MULTIRES", "SOLIDIFY", "BEVEL", "WIREFRAME", "EDGE_SPLIT", "BUILD", "EXPLODE", "MASK", "PARTICLE_INSTANCE",
}  # fmt: skip
#: Modifiers that move vertices as an animation does; after ours they would move the simulated mesh a second time.
ANIMATION = {"ARMATURE", "HOOK", "LATTICE", "CURVE", "MESH_DEFORM", "SURFACE_DEFORM"}
#: What makes the modifier play our files bit for bit; Blender's first value of `cache_format` is another.
PLAYBACK = {
    "cache_format": "PC2", "interpolation": "LINEAR", "play_mode": "SCENE", "time_mode": "FRAME", "deform_mode": "OVERWRITE",
    "frame_scale": 1.0, "factor": 1.0, "vertex_group": "", "forward_axis": "POS_Y", "up_axis": "POS_Z",
    "flip_axis": (False, False, False),
}  # fmt: skip
CACHE_SUFFIX = ".pc2"


def find(ob: bpy.types.Object) -> bpy.types.Modifier | None:
    """Our modifier of an object, also when the user renamed it; None if there is none."""
    caches = [md for md in ob.modifiers if md.type == "MESH_CACHE"]
    named = [md for md in caches if md.name.rstrip("0123456789").rstrip(".") in MODIFIER_NAMES.values()]
    ours = named or [md for md in caches if md.filepath and md.filepath == ob.gpbd.cache_file]
    return ours[0] if ours else None


def forget(found: Any) -> None:
    """Makes our modifier play nothing. Without influence Blender does not look for a file.

    An empty path alone is not enough: when an unsaved file is saved, Blender makes a folder of it ("//../").
    """
    found.filepath = ""
    found.factor = 0.0


def filepath(ob: bpy.types.Object) -> str:
    """What our modifier plays, as Blender stores it; "" before the first bake."""
    found: Any = find(ob)
    return found.filepath if found is not None and found.filepath.endswith(CACHE_SUFFIX) else ""


def ensure(ob: bpy.types.Object) -> bpy.types.Modifier:
    """Our modifier of a body, made if it is not there: before the first modifier that adds detail, after all others.

    Raises: SceneError if the object is no mesh or comes from a linked library.
    """
    check_editable(ob)
    found = find(ob)
    if found is not None:
        return found
    made: Any = ob.modifiers.new(MODIFIER_NAMES[ob.gpbd.body_type], "MESH_CACHE")
    for name, value in PLAYBACK.items():
        setattr(made, name, value)
    forget(made)
    detail = [k for k, md in enumerate(ob.modifiers) if md.type in DETAIL]
    if detail:
        ob.modifiers.move(len(ob.modifiers) - 1, detail[0])
    return made


def check_editable(ob: bpy.types.Object) -> None:
    """Raises: SceneError. Blender takes edits of linked objects without a word, and forgets them."""
    if ob.type != "MESH":
        raise SceneError(f"{ob.name_full}: is a {ob.type.lower()} object; wanted a mesh. Convert it with Object > Convert.")
    if not ob.is_editable:
        raise SceneError(
            f"{ob.name_full}: is linked from a library and cannot be edited. "
            "Make it local with Object > Relations > Make Local, or bake it in its own file."
        )


def play(ob: bpy.types.Object, path: str, frame_start: int) -> None:
    """Plays a cache from a frame on. path: as Blender stores it."""
    found = ensure(ob)
    for name, value in PLAYBACK.items():
        setattr(found, name, value)
    found.frame_start = frame_start
    if found.filepath != path:
        found.filepath = path


def remove(ob: bpy.types.Object) -> bool:
    """Takes our modifier out of the stack; False if there was none. The cache file stays. Raises: SceneError."""
    check_editable(ob)
    found = find(ob)
    if found is None:
        return False
    ob.modifiers.remove(found)
    return True


def misplaced(ob: bpy.types.Object) -> list[str]:
    """What stands on the wrong side of our modifier, as sentences."""
    stack = list(ob.modifiers)
    ours = find(ob)
    after = stack[stack.index(ours) + 1 :] if ours is not None else []
    return [
        f"{ob.name}: the modifier '{md.name}' stands after '{ours.name}' and moves the simulated mesh a second time. "
        f"Move it before '{ours.name}'."
        for md in after
        if md.type in ANIMATION and md.show_viewport
    ]


@contextmanager
def switched_off(bodies: Iterable[bpy.types.Object]) -> Iterator[list[tuple[str, str]]]:
    """Inside, the bodies are evaluated as they come out of the stack below our modifier; gives what `show` takes.

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
    """Switches modifiers, each named by the identity of its body and its name, on or off in the viewport."""
    bodies = {ob.gpbd.uuid: ob for ob in bpy.data.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
    for identity, name in modifiers:
        found = bodies[identity].modifiers.get(name) if identity in bodies else None
        if found is not None:
            found.show_viewport = on
