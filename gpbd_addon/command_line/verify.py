"""`gpbd verify`: whether each cached frame is as it was written."""

from __future__ import annotations

import argparse
from typing import Any

import bpy

from ...solver.cache import pc2 as frames
from ...solver.errors import CacheError
from ..bake import cache_path
from ..read import scene_input
from . import arguments
from .output import BAD_INPUT, DONE, Output


def add(command: Any) -> None:
    arguments.add_objects(command("verify", run, "Check that each cached frame is as it was written."))


def run(options: argparse.Namespace, out: Output) -> int:
    bad = 0
    for ob in scene_input.bodies_of(bpy.context.scene, options.objects):
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
