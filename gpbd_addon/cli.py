"""The command line: `blender -b FILE --command gpbd bake ...`, `python -m gpbd_addon bake FILE` where Blender is a module.

Exit codes: 0 done, 1 bad input, 2 usage, 3 the simulation failed, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import bpy

from ..solver.cache import pc2 as frames
from ..solver.errors import CacheError, GpbdError, SceneError, UnstableError
from ..solver.scene.presets import list_presets
from .bake import cache_path, frame_reports
from .bake.job import DONE as DONE_STATE
from .bake.job import BakeJob
from .bake.statistics import write_csv
from .read import scene_input

DONE, BAD_INPUT, USAGE, FAILED, INTERRUPTED = 0, 1, 2, 3, 130

_command: Any = None


class Output:
    """Lines for people, or one JSON object a line."""

    def __init__(self, as_json: bool):
        self.as_json = as_json

    def say(self, event: str, text: str, **fields: Any) -> None:
        line = json.dumps({"event": event, **fields, "text": text}) if self.as_json else text
        print(line, file=sys.stderr if event == "error" and not self.as_json else sys.stdout, flush=True)


def main(argv: list[str], program: str = "gpbd", takes_file: bool = False) -> int:
    """Runs a command on the open file, or on the FILE it names where `takes_file`; returns the exit code."""
    try:
        options = _parser(program, takes_file).parse_args(argv)
    except SystemExit as end:  # argparse ends the process; Blender wants a number
        return end.code if isinstance(end.code, int) else USAGE
    out = Output(options.json)
    try:
        if getattr(options, "file", None):
            _open(options.file)
        return options.run(options, out)
    except UnstableError as error:
        out.say("error", str(error), code=FAILED)
        return FAILED
    except GpbdError as error:
        out.say("error", str(error), code=BAD_INPUT)
        return BAD_INPUT
    except KeyboardInterrupt:
        out.say("error", "Interrupted.", code=INTERRUPTED)
        return INTERRUPTED


def _parser(program: str, takes_file: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description="Cloth and soft bodies by GPBD.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, text: str, file: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        if takes_file and file:
            sub.add_argument("file", metavar="FILE", help="the .blend file")
        sub.add_argument("--json", action="store_true", help="print one JSON object a line")
        sub.set_defaults(run=run)
        return sub

    for name, text in (("bake", "Simulate and write the caches."), ("resume", "Go on with a bake that was stopped.")):
        sub = command(name, _bake, text)
        sub.set_defaults(resume=name == "resume")
        sub.add_argument("--frames", type=_range, metavar="A-B", help="first and last frame; default: the scene's")
        sub.add_argument("--objects", type=lambda text: text.split(","), metavar="A,B", help="only these bodies")
        sub.add_argument("--out", metavar="DIR", help="folder of the caches; default: the scene's")
        sub.add_argument("--no-save", action="store_true", help="do not make the .blend file play the caches")
    command("verify", _verify, "Check that each cached frame is as it was written.")
    sub = command("info", _info, "List the bodies and their caches.")
    sub.add_argument("--csv", action="store_true", help="print the statistics of each baked frame as a table instead")
    command("presets", _presets, "List the material presets.", file=False)
    return parser


def _range(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(-?\d+)-(-?\d+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no range of frames; wanted for example 1-120")
    return int(found[1]), int(found[2])


def _open(file: str) -> None:
    if not Path(file).is_file():
        raise SceneError(f"File {file}: does not exist. Name a .blend file.")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(Path(file).resolve()))
    except RuntimeError as error:
        raise SceneError(f"File {file}: Blender cannot open it ({str(error).strip()}). Name a .blend file.") from error


def _bake(options: argparse.Namespace, out: Output) -> int:
    scene = bpy.context.scene
    before = _paths(scene)
    job = BakeJob(scene, options.objects, options.frames, options.out, resume=options.resume)

    def tell(job: BakeJob) -> None:
        report = job.report
        text = f"frame {job.frame} ({report.frames} of {report.wanted}), {report.seconds_per_frame:.3g} s a frame"
        out.say("frame", text, frame=job.frame, **report.numbers())

    def begin(job: BakeJob) -> None:
        names = [body.name for body in job.world.bodies]
        out.say("start", f"{job.status}: {', '.join(names)}", objects=names, folder=str(job.files.folder))

    job.on_start, job.on_frame = begin, tell
    try:
        job.run()
    finally:
        for warning in job.report.warnings:
            out.say("warning", f"warning: {warning}")
        if job.report.frames and job.state != DONE_STATE:
            out.say("kept", f"Frames up to {job.frame} are kept. {job.resumable}", frame=job.frame)
        if job.report.frames and _paths(scene) != before:
            _save(options, out)
    out.say("done", f"done: {job.report.sentence()}", **job.report.numbers())
    return DONE


def _paths(scene: bpy.types.Scene) -> dict[str, str]:
    return {ob.name: str(cache_path.of(ob)) for ob in scene.objects if ob.gpbd.body_type != "NONE"}


def _save(options: argparse.Namespace, out: Output) -> None:
    """The file has to say where its caches are, or it plays nothing when it is opened."""
    if options.no_save or not bpy.data.is_saved:
        out.say("warning", "warning: the file does not play the new caches, because it was not saved.")
        return
    try:
        bpy.ops.wm.save_mainfile()
    except RuntimeError as error:
        raise CacheError(
            f"File {bpy.data.filepath}: cannot be saved ({str(error).strip()}), so it does not play the new caches. "
            "Make it writable, or use --no-save."
        ) from error
    out.say("saved", f"saved {bpy.data.filepath}, which plays the caches now", file=bpy.data.filepath)


def _verify(options: argparse.Namespace, out: Output) -> int:
    bad = 0
    for ob in scene_input.bodies_of(bpy.context.scene):
        path = cache_path.of(ob)
        try:
            problems = frames.verify(path) if path is not None else [f"{ob.name}: has no cache. Bake it."]
        except CacheError as error:
            problems = [str(error)]
        bad += bool(problems)
        for problem in problems:
            out.say("problem", f"{ob.name}: {problem}", object=ob.name)
        if not problems:
            out.say("verified", f"{ob.name}: each frame is as it was written", object=ob.name, cache=str(path))
    return BAD_INPUT if bad else DONE


def _info(options: argparse.Namespace, out: Output) -> int:
    scene = bpy.context.scene
    if options.csv:
        return _statistics(scene)
    start, end = scene_input.frame_range(scene)
    quality = f"{scene.gpbd.substeps} substeps of {scene.gpbd.iterations} iterations"
    out.say("scene", f"scene {scene.name}: frames {start} to {end}, {quality}", scene=scene.name, start=start, end=end)
    for ob in scene_input.bodies_of(scene):
        path = cache_path.of(ob)
        try:
            cached = frames.read_header(path).n_frames if path is not None else 0
        except CacheError:
            cached = 0
        kind = ob.gpbd.body_type.lower().replace("_", " ")
        material = ob.gpbd.preset or "own material"
        text = f"{ob.name}: {kind}, {len(ob.data.vertices)} vertices, {material}, {cached} frames cached"
        out.say("body", text, object=ob.name, type=ob.gpbd.body_type, frames=cached, cache=str(path) if path else None)
    return DONE


def _statistics(scene: bpy.types.Scene) -> int:
    found = [(ob.name, frame_reports.read(cache_path.of(ob))) for ob in scene_input.bodies_of(scene)]
    write_csv(sys.stdout, [(name, reports) for name, reports in found if reports is not None])
    return DONE


def _presets(options: argparse.Namespace, out: Output) -> int:
    for found in list_presets():
        text = f"{found.kind}: {found.name} ({found.category}, {found.grade})"
        out.say("preset", text, name=found.name, kind=found.kind)
    return DONE


def register() -> None:
    global _command
    _command = bpy.utils.register_cli_command("gpbd", main)


def unregister() -> None:
    global _command
    if _command is not None:
        bpy.utils.unregister_cli_command(_command)
        _command = None
