"""`blender -b FILE --command gpbd bake ...`, or `python -m gpbd_addon bake FILE` where Blender is a module."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import bpy

from ...solver.errors import GpbdError, LockedError, SceneError, UnstableError, WorkerError
from . import bake, export, fabric, info, presets, verify, wedge
from .output import BAD_INPUT, FAILED, INTERRUPTED, LOCKED, LOST, USAGE, Output

#: The subcommands, in the order of the help. Each has `add(commands, takes_file)`, which says what runs it.
COMMANDS = (bake, verify, export, info, presets, fabric, wedge)

#: What an error ends with; others are bad input.
CODES = {UnstableError: FAILED, WorkerError: LOST, LockedError: LOCKED}

_command: Any = None


def main(argv: list[str], program: str = "gpbd", takes_file: bool = False) -> int:
    """Run a command on the open file, or on the FILE it names where `takes_file`; return the exit code."""
    try:
        options = _parser(program, takes_file).parse_args(argv)
    except SystemExit as end:  # argparse ends the process; Blender wants a number
        return end.code if isinstance(end.code, int) else USAGE
    out = Output(options.json)
    try:
        if getattr(options, "file", None):
            open_file(options.file)
        return options.run(options, out)
    except GpbdError as error:
        code = next((code for kind, code in CODES.items() if isinstance(error, kind)), BAD_INPUT)
        out.say("error", str(error), code=code)
        return code
    except KeyboardInterrupt:
        out.say("error", "Interrupted.", code=INTERRUPTED)
        return INTERRUPTED


def _parser(program: str, takes_file: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description="Cloth and soft bodies by GPBD.", allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, text: str, file: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        if takes_file and file:
            sub.add_argument("file", metavar="FILE", help="the .blend file")
        sub.add_argument("--json", action="store_true", help="print one JSON object a line")
        sub.set_defaults(run=run)
        return sub

    for module in COMMANDS:
        module.add(command)
    return parser


def open_file(file: str) -> None:
    """Raises: SceneError."""
    if "\0" in file or not Path(file).is_file():
        raise SceneError(f"File {file}: does not exist. Name a .blend file.")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(Path(file).resolve()))
    except RuntimeError as error:
        raise SceneError(f"File {file}: Blender cannot open it ({str(error).strip()}). Name a .blend file.") from error


def register() -> None:
    global _command
    _command = bpy.utils.register_cli_command("gpbd", main)


def unregister() -> None:
    global _command
    if _command is not None:
        bpy.utils.unregister_cli_command(_command)
        _command = None
