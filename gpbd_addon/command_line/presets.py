"""`gpbd presets`: the material presets, and the import of published fabrics."""

from __future__ import annotations

import argparse
from typing import Any

from ...solver.scene.presets import list_presets
from ...solver.scene.published_fabric import LICENCE
from ..operators.import_fabric import import_fabric
from ..user_folder import user_presets_folder
from . import arguments
from .output import DONE, Output


def add(command: Any) -> None:
    sub = command("presets", run, "List the material presets, or import a published fabric.", file=False)
    actions = sub.add_subparsers(metavar="ACTION")
    text = "Import a published fabric made of yarns (ARCSim-HYLC, a JSON file) as a preset of your own."
    imported = actions.add_parser("import", help=text, description=f"{text} {LICENCE}", allow_abbrev=False)
    imported.add_argument("fabric", type=arguments.path, metavar="FILE", help="the JSON file")
    imported.add_argument("--overwrite", action="store_true", help="replace your preset of this name")
    imported.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object a line")
    imported.set_defaults(run=run_import)


def run(options: argparse.Namespace, out: Output) -> int:
    for preset in list_presets(user_folder=user_presets_folder()):
        text = f"{preset.kind}: {preset.name} ({preset.category}, {preset.grade})"
        out.say("preset", text, name=preset.name, kind=preset.kind, file=str(preset.path))
    return DONE


def run_import(options: argparse.Namespace, out: Output) -> int:
    path = import_fabric(str(options.fabric), options.overwrite)
    out.say("imported", f"Imported as {path}. {LICENCE}", file=str(path), licence=LICENCE)
    return DONE
