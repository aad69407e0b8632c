"""`gpbd verify` and `gpbd repair`: comparison of each cached frame with its stored hash, and remedies."""

from __future__ import annotations

import argparse
from typing import Any

import bpy

from ..bake import repair
from . import arguments
from .output import BAD_INPUT, DONE, Output


def add(command: Any) -> None:
    for name, run, text in (
        ("verify", _verify, "Check that each cached frame is as it was written."),
        ("repair", _repair, "Make damaged frames again, from the checkpoint before them; all others stay."),
    ):
        sub = command(name, run, text)
        arguments.add_objects(sub)
        help_ = "the newest caches in this folder; default: those that the file plays"
        sub.add_argument("--cache", type=arguments.path, metavar="DIR", help=help_)


def _verify(options: argparse.Namespace, out: Output) -> int:
    return _tell(repair.verify(bpy.context.scene, options.objects, options.cache), out)


def _repair(options: argparse.Namespace, out: Output) -> int:
    return _tell(repair.repair(bpy.context.scene, options.objects, options.cache), out)


def _tell(checked: list[repair.Checked], out: Output) -> int:
    """Print repairs and damage of each body; return the exit code."""
    for one in checked:
        for sentence in one.done:
            out.say("repaired", f"{one.object}: {sentence}", object=one.object)
        for problem in one.problems:
            out.say("problem", f"{one.object}: {problem}", object=one.object, damaged=one.damaged)
        if not one.problems:
            text = f"{one.object}: {one.frames} frames, each as it was written"
            out.say("verified", text, object=one.object, cache=str(one.cache), frames=one.frames)
    return BAD_INPUT if any(one.problems for one in checked) else DONE
