"""Findings in the current scene that would spoil a bake, or its render; nothing is evaluated."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ...solver.counted import counted
from ..body_kinds import BODY_KINDS
from ..read import collision_objects, evaluated_mesh, fields, modifier
from ..simulation_mesh import twin
from . import mesh_faults
from .finding import Finding

Array = np.ndarray

#: Blender's own simulations, which would move the mesh a second time.
LEFTOVERS = {"CLOTH": "Cloth", "SOFT_BODY": "Soft Body"}
#: Modifiers with one number for the viewport and one for the render.
LEVELS = {"SUBSURF": ("levels", "render_levels"), "MULTIRES": ("levels", "render_levels")}
#: Modifiers that measure in the object's own space, which an uneven scale stretches.
MEASURING = {"SOLIDIFY", "BEVEL", "WIREFRAME", "DISPLACE", "SKIN"}
#: Scales of an object that differ by more than this share are uneven.
UNEVEN = 0.01
#: Range of plausible sizes of a body [m].
SMALLEST, LARGEST = 0.01, 30.0
#: Blender's units in files of other programs [m], tried where bodies are too large.
CENTIMETRE = 0.01


def look(scene: bpy.types.Scene, bodies: list[bpy.types.Object]) -> list[Finding]:
    """Return all findings of these bodies and of the objects that they meet."""
    colliders = collision_objects.find(scene, bodies)
    findings = [one for ob in bodies for one in (*_leftovers(ob), *_misplaced(ob), *_loose(ob), *_faults(ob))]
    findings += [one for ob in bodies for one in _render_levels(scene, ob, _below(ob))]
    findings += [one for ob in colliders for one in _render_levels(scene, ob, list(ob.modifiers))]
    findings += [one for ob in colliders for one in _flipped(ob)]
    findings += [one for ob in scene.objects if ob.gpbd.body_type == "NONE" for one in _not_felt(ob)]
    findings += [one for ob in bodies for one in _uneven(ob)]
    findings += [one for ob in scene.objects if ob.gpbd.before_simulation_mesh for one in _unbound(ob)]
    findings += _fields(scene)
    findings += _scale(scene, bodies)
    return findings


def _below(ob: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers before ours, whose result is simulated."""
    stack, ours = list(ob.modifiers), modifier.find(ob)
    return stack if ours is None else stack[: stack.index(ours)]


def _leftovers(ob: bpy.types.Object) -> Iterable[Finding]:
    for md in ob.modifiers:
        if md.type in LEFTOVERS and (md.show_viewport or md.show_render):
            yield Finding(
                f"{ob.name}: has Blender's {LEFTOVERS[md.type]} too, which moves its mesh. Remove it.",
                "Remove", "gpbd.remove_modifier", {"object_name": ob.name, "modifier_name": md.name},
            )  # fmt: skip


def _misplaced(ob: bpy.types.Object) -> Iterable[Finding]:
    for name, sentence in modifier.misplaced(ob).items():
        yield Finding(
            sentence, "Move Above", "gpbd.move_modifier", {"object_name": ob.name, "modifier_name": name},
        )  # fmt: skip


def _not_felt(ob: bpy.types.Object) -> Iterable[Finding]:
    """Yield bodies that Blender's own simulation moves, beside ours."""
    for md in ob.modifiers:
        if md.type in LEFTOVERS and md.show_viewport and ob.is_editable:
            kind = LEFTOVERS[md.type]
            yield Finding(
                f"{ob.name}: is moved by Blender's {kind}, which feels no GPBD body. Convert it, if they are to meet.",
                "Convert", "gpbd.convert_from_blender", {"object_name": ob.name},
            )  # fmt: skip
            return


def _uneven(ob: bpy.types.Object) -> Iterable[Finding]:
    """Yield non-uniform scales. The simulation is in world space and is invariant under them; later modifiers may not be."""
    scale = [ob.scale[k] for k in range(3)]
    sizes = [abs(size) for size in scale]
    stack, ours = list(ob.modifiers), modifier.find(ob)
    after = stack[stack.index(ours) + 1 :] if ours is not None else []
    measuring = [md.name for md in after if md.type in MEASURING and md.show_render]
    if measuring and max(sizes) > (1 + UNEVEN) * min(sizes):
        shown = ", ".join(f"{size:.3g}" for size in scale)
        yield Finding(
            f"{ob.name}: is scaled by ({shown}), which '{measuring[0]}' is stretched by. Apply its scale.",
            "Apply Scale", "gpbd.apply_scale", {"object_name": ob.name},
        )  # fmt: skip


def _unbound(ob: bpy.types.Object) -> Iterable[Finding]:
    """Yield the faults of garments that follow a simulation mesh."""
    problem, values = twin.unbound(ob), {"object_name": ob.name}
    if problem and twin.of(ob) is None:
        yield Finding(
            f"{ob.name}: {problem}. Remove what is left of it.", "Remove", "gpbd.remove_simulation_mesh", values,
        )  # fmt: skip
    elif problem:
        yield Finding(f"{ob.name}: {problem}. Bind it again.", "Bind Again", "gpbd.bind_simulation_mesh", values)


def loose(ob: bpy.types.Object) -> tuple[Array, Array, Array]:
    """Edges (e,) and vertices (n,) of its mesh that are in no face, bool, without those that are sewn; and which of these
    edges could be, (e,)."""
    mesh = ob.data
    edges = np.ones(len(mesh.edges), np.bool_)
    vertices = np.ones(len(mesh.vertices), np.bool_)
    if len(mesh.loops):
        used = np.empty(len(mesh.loops), np.int32)
        mesh.attributes[".corner_edge"].data.foreach_get("value", used)
        edges[used] = False
        vertices[evaluated_mesh.face_corners(mesh)] = False
    ends = np.empty(2 * len(mesh.edges), np.int32)
    mesh.attributes[".edge_verts"].data.foreach_get("value", ends) if len(ends) else None
    seams = edges & ~vertices[ends].reshape(-1, 2).any(1) & BODY_KINDS[ob.gpbd.body_type].sheet
    sewn = seams & ob.gpbd.use_sewing_springs
    return edges & ~sewn, vertices, seams & ~sewn


def _loose(ob: bpy.types.Object) -> Iterable[Finding]:
    if ob.mode == "EDIT" or not len(ob.data.polygons):
        return
    edges, vertices, seams = loose(ob)
    if not (edges.any() or vertices.any()):
        return
    what = counted(edges.sum(), "edge", "edges") if edges.any() else counted(vertices.sum(), "vertex", "vertices")
    remedy = "Switch Sewing on where they are seams, or delete them." if seams.any() else "Delete them."
    yield Finding(
        f"{ob.name}: has {what} in no face, which no cloth holds. {remedy}",
        "Select", "gpbd.select_loose", {"object_name": ob.name}, stays=True,
    )  # fmt: skip


def _faults(ob: bpy.types.Object) -> Iterable[Finding]:
    """Yield the faults of the mesh of a body."""
    for name, sentence in mesh_faults.of(ob):
        yield _repaired(ob, name, sentence)


def _flipped(ob: bpy.types.Object) -> Iterable[Finding]:
    """Yield flipped normals of a collider's mesh, which need not point outwards, but all to one side."""
    normals = mesh_faults.FAULTS[mesh_faults.NORMALS]
    count = normals.count(ob) if ob.mode != "EDIT" and len(ob.data.polygons) else 0
    if count:
        yield _repaired(ob, mesh_faults.NORMALS, f"{ob.name}: {normals.text(count)}")


def _repaired(ob: bpy.types.Object, name: str, sentence: str) -> Finding:
    if not (ob.is_editable and ob.data.is_editable):
        return Finding(sentence)
    return Finding(
        sentence, mesh_faults.FAULTS[name].button, "gpbd.repair_mesh", {"object_name": ob.name, "fault": name},
    )  # fmt: skip


def shown_levels(scene: bpy.types.Scene, md: bpy.types.Modifier) -> tuple[int, int] | None:
    """Levels of a modifier in the viewport and in the render, -1 where it is off; None if they mean the same vertices."""
    names = LEVELS.get(md.type)
    simplify = scene.render.use_simplify and names is not None
    most = (scene.render.simplify_subdivision, scene.render.simplify_subdivision_render) if simplify else (99, 99)
    on = md.show_viewport, md.show_render
    numbers = [getattr(md, name) for name in names] if names is not None else [0, 0]
    levels = [min(number, m) if shown else -1 for number, m, shown in zip(numbers, most, on, strict=True)]
    return None if levels[0] == levels[1] else (levels[0], levels[1])


def _render_levels(scene: bpy.types.Scene, ob: bpy.types.Object, modifiers: list[bpy.types.Modifier]) -> Iterable[Finding]:
    """Modifiers whose result is simulated, but not rendered."""
    for md in modifiers:
        if md.type == "COLLISION" or shown_levels(scene, md) is None:
            continue
        yield Finding(
            f"{ob.name}: '{md.name}' gives the render another mesh than is simulated. Make viewport and render the same.",
            "As in Viewport", "gpbd.match_render", {"object_name": ob.name, "modifier_name": md.name},
        )  # fmt: skip


def _fields(scene: bpy.types.Scene) -> Iterable[Finding]:
    """Yield the unused properties of force fields."""
    yield from map(Finding, fields.unused(scene))


def _scale(scene: bpy.types.Scene, bodies: list[bpy.types.Object]) -> Iterable[Finding]:
    """Sizes in metres decide how cloth moves."""
    unit = scene.unit_settings.scale_length
    for ob in bodies:
        size = unit * max(ob.dimensions[k] for k in range(3))
        if size > LARGEST:
            fits = SMALLEST < CENTIMETRE / unit * size < LARGEST
            remedy = "Set the scene's Unit Scale to 0.01" if fits else "Scale it down"
            yield Finding(
                f"{ob.name}: is {size:.3g} m large, and moves accordingly. {remedy}, if it is not meant.",
                *(("Unit Scale 0.01", "gpbd.set_unit_scale", {"scale": CENTIMETRE}) if fits else ()),
            )
        elif 0 < size < SMALLEST:
            fits = SMALLEST < size / unit < LARGEST
            remedy = "Set the scene's Unit Scale to 1" if fits else "Scale it up"
            yield Finding(
                f"{ob.name}: is {1e3 * size:.3g} mm large, and moves accordingly. {remedy}, if it is not meant.",
                *(("Unit Scale 1", "gpbd.set_unit_scale", {"scale": 1.0}) if fits else ()),
            )
