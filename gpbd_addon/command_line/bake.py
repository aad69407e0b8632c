"""`gpbd bake` and `gpbd resume`."""

from __future__ import annotations

import argparse
from typing import Any

import bpy

from ...solver.errors import CacheError
from ..bake import cache_path, versions
from ..bake.job import DONE as DONE_STATE
from ..bake.job import FAILED as FAILED_STATE
from ..bake.job import BakeJob
from ..read import scene_input
from . import arguments, held_input
from .output import DONE, Output
from .overrides import applied


def add(command: Any) -> None:
    for name, text in (("bake", "Simulate and write the caches."), ("resume", "Go on with a bake that was stopped.")):
        sub = command(name, run, text)
        sub.set_defaults(resume=name == "resume", go_on=False, from_frame=None)
        arguments.add_frames(sub, "first and last frame; default: the scene's")
        arguments.add_objects(sub)
        sub.add_argument(
            "--cache", "--out", type=arguments.path, metavar="DIR", help="folder of the caches; default: the scene's"
        )
        arguments.add_settings(sub)
        sub.add_argument("--no-save", action="store_true", help="do not make the .blend file play the caches")
        sub.add_argument(
            "--end-with-input", action="store_true", help="end when the standard input does: with what started it"
        )
        sub.add_argument("--take-over", action="store_true", help="a cache that another machine has locked, and left")
        if name == "resume":
            text = "from the checkpoint at or before this frame, into a new version, with other settings too"
            sub.add_argument("--from", dest="from_frame", type=arguments.frame, metavar="N", help=text)
        else:
            sub.add_argument("--continue", dest="go_on", action="store_true", help="resume where there is a checkpoint")


def run(options: argparse.Namespace, out: Output) -> int:
    if options.end_with_input:
        held_input.end_with_input()
    scene = bpy.context.scene
    before = _paths(scene)
    job: BakeJob | None = None
    try:
        with applied(scene, arguments.overrides(options)):
            resume = options.resume or (options.go_on and _has_checkpoint(scene, options))
            chosen = options.objects, options.frames, options.cache
            job = BakeJob(scene, *chosen, resume=resume, from_frame=options.from_frame, take_over=options.take_over)
            log = BakeLog(out)
            job.on_start, job.on_frame = log.begin, log.frame
            try:
                job.run()
            except CacheError as error:
                if resume and options.from_frame is None and job.state == FAILED_STATE and job.files.changed:
                    raise CacheError(
                        f"{error} Here: repeat the --set and --quality of that bake, or give --from N."
                    ) from error
                raise
            finally:
                log.warnings(job)
                if job.report.frames and job.state != DONE_STATE:
                    out.say("kept", f"Frames up to {job.frame} are kept. {job.resumable}", frame=job.frame)
    finally:
        if job is not None and job.report.frames and _paths(scene) != before:
            _save(options, out)
    caches = {name: str(path) for name, path in job.files.paths.items()}
    out.say("done", f"done: {job.report.sentence()}", **job.report.numbers(), caches=caches)
    return DONE


class BakeLog:
    """Output of a running job."""

    def __init__(self, out: Output):
        self.out = out
        self._warned: set[str] = set()

    def warnings(self, job: BakeJob) -> None:
        """Print the warnings so far, each once."""
        for warning in job.report.warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                self.out.say("warning", f"warning: {warning}")

    def begin(self, job: BakeJob) -> None:
        self.warnings(job)
        names = [body.name for body in job.world.bodies]
        self.out.say("start", f"{job.status}: {', '.join(names)}", objects=names, folder=str(job.files.folder))

    def frame(self, job: BakeJob) -> None:
        report = job.report
        text = f"frame {job.frame} ({report.frames} of {report.wanted}), {report.seconds_per_frame:.3g} s a frame"
        self.out.say("frame", text, frame=job.frame, **report.numbers())


def _has_checkpoint(scene: bpy.types.Scene, options: argparse.Namespace) -> bool:
    all_versions = versions.find(scene, scene_input.bodies_of(scene, options.objects), options.cache)
    return any(version.checkpoints for version in all_versions)


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
