#!/usr/bin/env python3
"""Writes, bakes and renders the demo scenes into out/: `python3 dev.py demo`, or this file if Blender is a module.

For each scene: a .blend file with its cache beside it, a contact sheet, a film. Then a table of the bakes' measurements.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # run as a file, the folder above `demo` is not there
    sys.path.insert(0, str(ROOT))

from demo import bridge, bunny, clay, creases, extension, flag, hung, jelly, jiggle, parting  # noqa: E402, I001
from demo import pictures, ropes, shirt, tablecloth, tear  # noqa: E402
from demo.measured import Measured, table  # noqa: E402

SCENES: tuple[ModuleType, ...] = (
    *(flag, tablecloth, jelly, shirt, bunny, jiggle),
    *(creases, clay, tear, ropes, parting, bridge, hung),
)


def main(argv: list[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 a bake failed, 2 usage."""
    options = _options(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    extension.enable()
    from gpbd.solver.errors import GpbdError

    rows, failed = [], False
    for scene in [scene for scene in SCENES if scene.NAME in options.scenes]:
        measured = Measured(scene.NAME)
        try:
            build_and_bake(scene, options.out, measured, scene.STILL if options.stills else options.frames)
        except GpbdError as error:
            say(f"{scene.NAME}: {error}")
            failed = True
        else:
            if options.stills:
                measured.film = still(scene, options.out, options.stills)
            elif not options.no_render:
                measured.film = render(scene, options.out, options.film_step)
        rows.append(measured.row())
    text = table(rows)
    (options.out / "report.md").write_text(f"# Demo scenes\n\n{text}\n", encoding="utf-8")
    print(f"\n{text}\n\nFiles are in {options.out}", flush=True)
    return int(failed)


def build_and_bake(scene: ModuleType, out: Path, measured: Measured, frames: int | None = None) -> None:
    """Write <out>/<name>.blend with its cache in <out>/<name>_cache. Raises: GpbdError."""
    import bpy

    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.gpbd_addon.bake.report import BakeReport

    class Recorder(BakeReport):
        """Keeps the measurements of every frame, not only the extremes."""

        def add(self, frame_report):
            super().add(frame_report)
            measured.reports.append(frame_report)

    path = out / f"{scene.NAME}.blend"
    shutil.rmtree(out / f"{scene.NAME}_cache", ignore_errors=True)  # of an earlier run: its bodies had other identities
    built = scene.make()
    if frames is not None:
        built.gpbd.frame_end = built.frame_end = min(frames, built.frame_end)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
    job = BakeJob(built)
    job.report = Recorder()
    job.on_start = lambda job: say(f"{scene.NAME}: {job.status}")
    job.on_frame = lambda job: job.report.frames % 12 == 0 and say(f"{scene.NAME}: {job.report.sentence()}")
    began = time.perf_counter()
    try:
        job.run()
    finally:
        measured.seconds = time.perf_counter() - began
        for warning in job.report.warnings:
            say(f"{scene.NAME}: warning: {warning}")
    measured.vertices = sum(len(body.vertices) for body in job.world.bodies)
    bpy.ops.wm.save_mainfile()


def render(scene: ModuleType, out: Path, film_step: int) -> str:
    """Open the baked file and render it; return the film's name, or the reason for none."""
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(out / f"{scene.NAME}.blend"))
    opened = bpy.context.scene
    last = opened.frame_end
    pictures.sheet(opened, sorted({min(number, last) for number in scene.SHEET}), out / f"{scene.NAME}_sheet.png")
    pictures.frame(opened, min(scene.STILL, last), out / f"{scene.NAME}.png")
    done = pictures.film(opened, out / f"{scene.NAME}.mp4", film_step) if film_step else "not asked for"
    say(f"{scene.NAME}: rendered, {done}")
    return done


def still(scene: ModuleType, out: Path, folder: Path) -> str:
    """Render the scene's best frame into the folder of pictures; return the reason for no film."""
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(out / f"{scene.NAME}.blend"))
    folder.mkdir(parents=True, exist_ok=True)
    pictures.still(bpy.context.scene, scene.STILL, folder / f"{scene.NAME}.jpg")
    say(f"{scene.NAME}: rendered {folder / f'{scene.NAME}.jpg'}")
    return "not asked for"


def say(text: str) -> None:
    print(f"demo: {text}", flush=True)


def _options(argv: list[str] | None) -> argparse.Namespace:
    names = [scene.NAME for scene in SCENES]
    parser = argparse.ArgumentParser(prog="demo", description="Writes, bakes and renders the demo scenes.")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"of {', '.join(names)}; default: all")
    parser.add_argument("--out", type=Path, default=ROOT / "out", metavar="DIR", help="where the files go; default: out/")
    whole = "only bake up to the best frame of each scene, and render that, 1920 x 1080, into this folder"
    parser.add_argument("--stills", type=Path, metavar="DIR", help=whole)
    parser.add_argument("--frames", type=int, metavar="N", help="bake the first N frames only")
    parser.add_argument("--film-step", type=int, default=2, metavar="N", help="film every N-th frame; 0: none; default: 2")
    parser.add_argument("--no-render", action="store_true", help="bake only")
    options = parser.parse_args(argv)
    unknown = [name for name in options.scenes if name not in names]
    if unknown:
        parser.error(f"there is no scene '{unknown[0]}'; wanted {', '.join(names)}")
    options.scenes = options.scenes or names
    options.out = options.out.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main())
