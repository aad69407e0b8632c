"""`gpbd presets`: the material presets."""

from __future__ import annotations

import argparse
from typing import Any

from ...solver.scene.presets import list_presets
from ..user_folder import user_presets_folder
from .output import DONE, Output


def add(command: Any) -> None:
    command("presets", run, "List the material presets.", file=False)


def run(options: argparse.Namespace, out: Output) -> int:
    for found in list_presets(user_folder=user_presets_folder()):
        text = f"{found.kind}: {found.name} ({found.category}, {found.grade})"
        out.say("preset", text, name=found.name, kind=found.kind, file=str(found.path))
    return DONE
