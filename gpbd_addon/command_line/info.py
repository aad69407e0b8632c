"""`gpbd info`: the bodies of a file, their caches, and the statistics of their frames."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import bpy

from ...solver.cache import pc2 as frames
from ...solver.errors import CacheError, SceneError
from ..bake import cache_path, frame_reports, overview
from ..bake.statistics import write_csv
from ..read import scene_input
from . import arguments
from .output import DONE, Output

#: In place of the file of a table: standard output, where Blender prints its version too.
PRINTED = "-"


def add(command: Any) -> None:
    sub = command("info", run, "List the bodies and their caches.")
    arguments.add_objects(sub)
    sub.add_argument(
        "--csv", nargs="?", const=PRINTED, metavar="FILE", help="write the statistics of each baked frame as a table instead"
    )


def run(options: argparse.Namespace, out: Output) -> int:
    scene = bpy.context.scene
    bodies = scene_input.bodies_of(scene, options.objects)
    if options.csv is not None:
        _write_table(options.csv, bodies)
        return DONE
    start, end = scene_input.frame_range(scene)
    quality = f"{scene.gpbd.substeps} substeps of {scene.gpbd.iterations} iterations"
    out.say("scene", f"scene {scene.name}: frames {start} to {end}, {quality}", scene=scene.name, start=start, end=end)
    for ob in bodies:
        path = cache_path.of(ob)
        try:
            cached = frames.read_header(path).n_frames if path is not None else 0
        except CacheError:
            cached = 0
        kind = ob.gpbd.body_type.lower().replace("_", " ")
        material = ob.gpbd.preset or "own material"
        text = f"{ob.name}: {kind}, {len(ob.data.vertices)} vertices, {material}, {cached} frames cached"
        out.say("body", text, object=ob.name, type=ob.gpbd.body_type, frames=cached, cache=str(path) if path else None)
    seen = overview.look(scene)
    for version in seen.versions:
        of_version: dict[str, Any] = {"version": version.number, "frames": version.frames, "wanted": version.wanted}
        of_version |= {"plays": version.plays, "begun": version.begun, "quality": version.quality, "bytes": version.size}
        playing = ", plays" if version.plays else ""
        of_version |= {"seconds": version.seconds, "checkpoints": list(version.checkpoints), "folder": str(version.folder)}
        of_version |= {"name": version.name, "note": version.note}
        out.say("version", f"{version.title}: {version.sentence()}{playing}", **of_version)
    if seen.changed:
        text = f"what plays is outdated: the scene has changed since in {'; '.join(seen.changed)}"
        out.say("outdated", text, changed=seen.changed)
    for path, held in seen.locks.items():
        out.say("locked", f"{path} is locked by {held}", lock=str(path), machine=held.machine, process=held.process)
    return DONE


def _write_table(name: str, bodies: list[bpy.types.Object]) -> None:
    """Write the statistics of these bodies to a file, or print them. Raises: SceneError if it cannot be written."""
    reports_of = [(ob.name, frame_reports.read(cache_path.of(ob))) for ob in bodies]
    tables = [(body, reports) for body, reports in reports_of if reports is not None]
    if name == PRINTED:
        write_csv(sys.stdout, tables)
        return
    try:
        with open(name, "w", newline="", encoding="utf-8") as file:
            write_csv(file, tables)
    except OSError as error:
        raise SceneError(f"{name}: cannot be written ({error.strerror}). Choose a writable folder.") from error
