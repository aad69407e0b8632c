"""The subcommand: prepares a copy of the scene, has each variant baked, and gathers what came of it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ....solver.errors import CacheError, SceneError
from ...bake import cache_path, saving
from ...read import scene_input
from .. import arguments
from ..output import DONE, FAILED, Output
from ..overrides import Override, applied
from . import contact_sheet, dask_cluster, local, results
from . import grid as grids
from .grid import Grid, Variant
from .job import Job

#: What the folder of a wedge holds beside a folder for each variant.
COPY, TABLE, SHEET = "scene.blend", "results.csv", "contact_sheet.png"
#: Root of the extension: where `python -m gpbd_addon` is run.
ROOT = Path(__file__).resolve().parents[3]


def add(command: Any) -> None:
    sub = command("wedge", run, "Bake a grid of settings, each variant in a process of its own.")
    sub.add_argument(
        "grid_file", nargs="?", type=arguments.path, metavar="GRID.toml", help="frames, objects, [set] and [grid]"
    )
    axis = "a setting and its values; can be given several times: every combination is baked"
    sub.add_argument("--grid", type=arguments.override, action="append", default=[], metavar="PATH=A,B", help=axis)
    arguments.add_frames(sub, "first and last frame; default: the scene's")
    arguments.add_objects(sub)
    arguments.add_settings(sub)
    sub.add_argument("--out", "--cache", type=arguments.path, metavar="DIR", help="default: //gpbd_wedge, beside the file")
    sub.add_argument("--jobs", type=arguments.count, default=1, metavar="N", help="processes at once; default: 1")
    sub.add_argument(
        "--scheduler",
        type=arguments.path,
        metavar="ADDRESS",
        help="of a Dask cluster, on which the variants are baked instead",
    )
    sub.add_argument(
        "--blender", type=arguments.path, metavar="PATH", help="Blender on the machines that bake; default: this one"
    )
    sub.add_argument(
        "--sheet-frame", type=arguments.frame, metavar="N", help="frame of the contact sheet; default: the last"
    )
    sub.add_argument("--no-sheet", action="store_true", help="no contact sheet")


def run(options: argparse.Namespace, out: Output) -> int:
    scene = bpy.context.scene
    grid = grids.read(options)
    variants = grid.variants()
    _check(scene, grid)
    folder = _folder(options)
    copy = _save_copy(folder, scene)
    jobs = [_job(options, grid, variant, folder, copy) for variant in variants]
    out.say("wedge", f"{len(variants)} variants into {folder}", variants=len(variants), folder=str(folder))
    by_name = {variant.name: variant for variant in variants}
    rows, baked = {}, {}
    with _interruptible():
        begun = dask_cluster.run(jobs, options.scheduler) if options.scheduler else local.run(jobs, options.jobs)
        for result in begun:
            variant = by_name[result.name]
            row = results.row(variant, result, folder / variant.name)
            rows[variant.name] = row
            if row["state"] == "done":
                baked[variant.name] = result.done["caches"]
            results.write(folder / TABLE, [rows[name] for name in sorted(rows)])
            sentence = f"{variant.name} ({variant}): {row['state']}" + (f", {result.error}" if result.error else "")
            settings = {override.path: override.value for override in variant.overrides}
            numbers = {name: value for name, value in row.items() if name not in variant.varied}
            out.say("variant", sentence, **numbers, settings=settings)
    failed = len(variants) - len(baked)
    if baked and not options.no_sheet:
        shown = [(by_name[name], baked[name]) for name in sorted(baked)]
        contact_sheet.draw(scene, shown, options.sheet_frame, folder / SHEET)
        out.say("sheet", f"drew {folder / SHEET}", file=str(folder / SHEET))
    text = f"{len(baked)} of {len(variants)} variants are baked; {folder / TABLE} has them"
    out.say("finished", text, variants=len(variants), failed=failed, table=str(folder / TABLE))
    return FAILED if failed else DONE


def _check(scene: bpy.types.Scene, grid: Grid) -> None:
    """Try each value once, before anything is baked. Raises: SceneError."""
    scene_input.bodies_of(scene, grid.objects)
    scene_input.frame_range(scene, grid.frames)
    fixed = [Override(path, value) for path, value in grid.fixed.items()]
    with applied(scene, fixed):
        for path, values in grid.axes.items():
            for value in values:
                with applied(scene, [Override(path, value)]):
                    pass


def _folder(options: argparse.Namespace) -> Path:
    """Made if it is not there. Raises: SceneError, CacheError."""
    if not options.out and not bpy.data.is_saved:
        raise SceneError("The file is not saved, so there is no folder beside it. Save it, or give --out DIR.")
    folder = Path(os.path.abspath(bpy.path.abspath(options.out or "//gpbd_wedge")))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(f"Folder {folder}: cannot be made ({error.strerror}). Choose a writable one.") from error
    return folder


def _save_copy(folder: Path, scene: bpy.types.Scene) -> Path:
    """The scene as it is now, which every variant opens: the file itself may be worked on meanwhile. Raises: CacheError."""
    cache_path.make_unique(scene_input.bodies_of(scene))  # a job that is begun again has to find its own caches
    copy = folder / COPY
    try:
        with saving.caches_stay():
            bpy.ops.wm.save_as_mainfile(filepath=str(copy), copy=True, relative_remap=True, check_existing=False)
    except RuntimeError as error:
        raise CacheError(f"File {copy}: cannot be written ({str(error).strip()}). Choose a writable folder.") from error
    return copy


def _job(options: argparse.Namespace, grid: Grid, variant: Variant, folder: Path, copy: Path) -> Job:
    command, cwd = _blender(options.blender, copy)
    # The folder is this variant's alone, and whoever has left a lock in it has ended with what began it.
    command += [
        "--continue",
        "--take-over",
        "--no-save",
        "--end-with-input",
        "--json",
        "--cache",
        str(folder / variant.name),
    ]
    if grid.frames is not None:
        command += ["--frames={}-{}".format(*grid.frames)]
    if grid.objects is not None:
        command += ["--objects", ",".join(grid.objects)]
    command += [f"--set={override}" for override in variant.overrides]
    return Job(variant.name, command, cwd, str(folder / f"{variant.name}.log"))


def _blender(named: str | None, copy: Path) -> tuple[list[str], str]:
    """Return the command that bakes the copy, and its working folder."""
    binary = named or bpy.app.binary_path
    if binary:
        return [binary, "-b", str(copy), "--command", "gpbd", "bake"], str(copy.parent)
    return [sys.executable, "-m", "gpbd_addon", "bake", str(copy)], str(ROOT)  # Blender as a module


@contextmanager
def _interruptible() -> Iterator[None]:
    """Inside, Ctrl-C raises KeyboardInterrupt; Blender's own handler would not."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
