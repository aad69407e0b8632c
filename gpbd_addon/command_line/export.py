"""`gpbd export`: baked bodies as Alembic, USD, or shape keys in a copy of the file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import bpy

from ...solver.cache.pc2 import read_header
from ...solver.errors import CacheError, SceneError
from ..bake import cache_path
from ..operators.convert_to_shape_keys import convert_to_shape_keys
from ..read import scene_input
from . import arguments, velocities
from .output import DONE, Output

#: Of each format, the ending of its file, and Blender's build option that it needs.
FORMATS = {"abc": (".abc", "alembic"), "usd": (".usdc", "usd"), "shape-keys": (".blend", None)}
#: Endings that Blender's USD exporter takes.
USD_ENDINGS = (".usd", ".usda", ".usdc", ".usdz")


def add(command: Any) -> None:
    sub = command("export", run, "Write the baked bodies for other programs, or as shape keys.")
    sub.add_argument("--format", choices=FORMATS, required=True, help="Alembic, USD, or a .blend file with shape keys")
    sub.add_argument("--out", type=arguments.path, metavar="FILE", help="default: beside the .blend file, under its name")
    arguments.add_objects(sub)
    arguments.add_frames(sub, "first and last frame; default: those of the caches. Not of shape keys")
    sub.add_argument("--no-velocities", action="store_true", help="Alembic and USD without velocities")


def run(options: argparse.Namespace, out: Output) -> int:
    scene = bpy.context.scene
    bodies = scene_input.bodies_of(scene, options.objects)
    target = _target(options)
    cached = [_cached_range(ob) for ob in bodies]
    start, end = options.frames or (min(first for first, _ in cached), max(last for _, last in cached))
    if end < start:
        raise SceneError(f"Frames {start} to {end}: there are none; wanted an end not before the start. Change the range.")
    if options.format == "shape-keys":
        _shape_keys(bodies, target, out)
    else:
        with velocities.on(bodies, not options.no_velocities):
            _geometry(options.format, bodies, target, start, end)
    names = [ob.name for ob in bodies]
    text = f"wrote {target}: {', '.join(names)}, frames {start} to {end}"
    out.say("exported", text, file=str(target), format=options.format, objects=names, start=start, end=end)
    return DONE


def _target(options: argparse.Namespace) -> Path:
    """The file that is written. Raises: SceneError."""
    ending, build_option = FORMATS[options.format]
    if build_option is not None and not getattr(bpy.app.build_options, build_option):
        raise SceneError(f"This Blender was built without {build_option}; wanted one that has it, such as the official one.")
    if not options.out and not bpy.data.is_saved:
        raise SceneError("The file is not saved, so there is no name to export to. Save it, or give --out FILE.")
    name = Path(options.out) if options.out else Path(bpy.data.filepath).with_suffix(ending)
    if options.format == "shape-keys" and not options.out:
        name = name.with_stem(f"{name.stem}_shape_keys")
    wanted = USD_ENDINGS if options.format == "usd" else (ending,)
    if name.suffix not in wanted:
        raise SceneError(f"File {name}: ends in '{name.suffix}'; wanted {' or '.join(wanted)}. Give it that ending.")
    target = Path(os.path.abspath(name))
    if bpy.data.is_saved and target == Path(bpy.data.filepath):
        raise SceneError(f"File {target}: is the file that is open; wanted another. Give --out FILE.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(f"Folder {target.parent}: cannot be made ({error.strerror}). Choose a writable one.") from error
    return target


def _cached_range(ob: bpy.types.Object) -> tuple[int, int]:
    """First and last frame of a body's cache. Raises: CacheError."""
    path = cache_path.of(ob)
    if path is None:
        raise CacheError(f"{ob.name}: has no cache; wanted a baked body. Bake it first, or name others with --objects.")
    header = read_header(path)
    return int(header.start), int(header.start) + header.n_frames - 1


def _geometry(kind: str, bodies: list[bpy.types.Object], target: Path, start: int, end: int) -> None:
    """Alembic or USD, by Blender's own exporters; the scene is then as it was. Raises: CacheError."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    chosen = [ob for ob in layer.objects if ob.select_get()]
    before = scene.frame_start, scene.frame_end, scene.frame_current
    part = target.with_stem(f".{target.stem}.part")
    try:
        for ob in layer.objects:
            ob.select_set(ob in bodies)
        _check_selected(bodies)
        if kind == "abc":
            bpy.ops.wm.alembic_export(
                filepath=str(part), start=start, end=end, selected=True, uvs=True, as_background_job=False
            )
        else:
            scene.frame_start, scene.frame_end = start, end
            bpy.ops.wm.usd_export(filepath=str(part), selected_objects_only=True, export_animation=True)
        os.replace(part, target)
    except (RuntimeError, OSError) as error:
        part.unlink(missing_ok=True)
        raise CacheError(f"File {target}: cannot be written ({str(error).strip()}). Choose a writable folder.") from error
    finally:
        scene.frame_start, scene.frame_end = before[:2]
        scene.frame_set(before[2])
        for ob in layer.objects:
            ob.select_set(ob in chosen)


def _check_selected(bodies: list[bpy.types.Object]) -> None:
    """Exporters leave out what cannot be selected without a word. Raises: SceneError."""
    hidden = [ob.name for ob in bodies if not ob.select_get()]
    if hidden:
        raise SceneError(
            f"{hidden[0]}: is hidden, or its collection is not in the view layer, so it cannot be exported. Show it, or "
            "name others with --objects."
        )


def _shape_keys(bodies: list[bpy.types.Object], target: Path, out: Output) -> None:
    """Convert, and save a copy; the open file is not written. Raises: CacheError, SceneError."""
    for ob in bodies:
        for sentence in convert_to_shape_keys(ob):
            out.say("converted", sentence, object=ob.name)
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(target), copy=True, check_existing=False)
    except RuntimeError as error:
        raise CacheError(f"File {target}: cannot be written ({str(error).strip()}). Choose a writable folder.") from error
