"""Live play: the way to the first frame, and the main thread's own time a frame: `python -m benchmarks.live`.

Needs Blender as a module, which has no window: hooks and the timer are called as a window calls them. A cotton sheet with
self-collision, of the quality *Interactive*, falls on a sphere; Blender's Cloth of the same mesh and its own default quality
plays in the same run. Own time is that of the hooks and of the timer, in processor time of the main thread, without the
evaluation of the frame that Blender shows.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import machine

#: The longest time that a sheet may take [s].
LONGEST = 300.0


class Window:
    """Stand-in for a window. Of each shown frame [s]: own, processor time of hooks and timer, evaluated, that of Blender's
    evaluation, and wall time. longest: own time of one call [s]."""

    def __init__(self) -> None:
        import bpy

        from gpbd.gpbd_addon.live import player

        self.scene, self.player = bpy.context.scene, player
        self.own, self.evaluated, self.wall = [], [], []
        self._own = self.longest = 0.0
        self._playing = False
        sys.modules["gpbd"].unregister()
        for name in ("before_frame", "after_frame", "after_edit", "tick"):
            self._wrap(name)
        sys.modules["gpbd"].register()
        player.has_window, player.is_playing = lambda: True, lambda: self._playing

    def _wrap(self, name: str) -> None:
        from bpy.app.handlers import persistent

        function = getattr(self.player, name)

        @persistent
        def timed(*arguments: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*arguments)
            finally:
                seconds = time.thread_time() - began
                self._own += seconds
                self.longest = max(self.longest, seconds)

        setattr(self.player, name, timed)

    def play(self, last: int) -> None:
        """Play from the current frame to another."""
        until, began, self._playing = time.monotonic() + LONGEST, time.perf_counter(), True
        while self.scene.frame_current < last:
            frame, before, begun = self.scene.frame_current, self._own, time.thread_time()
            self.scene.frame_set(frame + 1)
            evaluated = time.thread_time() - begun - (self._own - before)
            if self.scene.frame_current != frame:
                self.wall.append(time.perf_counter() - began)
                self.own.append(self._own)
                self.evaluated.append(evaluated)
                self._own, began = 0.0, time.perf_counter()
            self.player.tick()
            time.sleep(self.player.TICK)
            if self.player.problem or time.monotonic() > until:
                raise SystemExit(f"live: {self.player.problem or 'it takes too long'}")
        self._playing = False


def _scene(quads: int, modifier: str | None) -> Any:
    """A sheet of so many quads along a side above a sphere; the sheet. modifier: of Blender, None for none."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6)
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=quads, y_subdivisions=quads, size=2.0, location=(0.0, 0.0, 0.8))
    sheet = bpy.context.object
    if modifier is not None:
        sheet.modifiers.new("Cloth", modifier).collision_settings.use_self_collision = True
    return sheet


def processor_seconds(process: int) -> float:
    """Processor time of a process so far [s]; not a number where the system does not list it."""
    place = Path(f"/proc/{process}/stat")
    if not place.exists():
        return float("nan")
    fields = place.read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def first_frames(window: Window, quads: int, is_prepared: bool) -> list[str]:
    """A row: seconds from the start of live play to its second frame; the solver's process new, or prepared before."""
    import bpy

    from gpbd.solver.device import worker

    window.player.end()
    worker.end_idle()
    _scene(quads, None)
    window.scene = bpy.context.scene
    bpy.ops.gpbd.add_body(body_type="CLOTH")
    window.scene.gpbd.quality = "DRAFT"
    if is_prepared:
        worker.prepare("session:Session")
        _wait_until_idle(worker)
    before = sum(processor_seconds(one.process_id) for one in worker._processes)
    began, thread = time.perf_counter(), time.thread_time()
    window.play(2)
    wall, thread = time.perf_counter() - began, time.thread_time() - thread
    after = sum(processor_seconds(one.process_id) for one in worker._processes)
    return ["prepared" if is_prepared else "new", f"{wall:.2f}", f"{thread:.2f}", f"{after - before:.2f}"]


def _wait_until_idle(worker: Any) -> None:
    """Wait until the idle process uses no processor time for half a second."""
    (process,) = worker._idle
    before = -1.0
    while before != (before := processor_seconds(process.process_id)):
        time.sleep(0.5)


def frames(window: Window, quads: int, count: int) -> list[str]:
    """A row: own time of frames, and frames a second beside those of Blender's Cloth."""
    import bpy

    window.player.end()
    _scene(quads, None)
    window.scene = bpy.context.scene
    bpy.ops.gpbd.add_body(body_type="CLOTH")
    window.scene.gpbd.quality = "INTERACTIVE"
    window.play(3)  # which includes the start
    window.own, window.evaluated, window.wall, window.longest = [], [], [], 0.0
    window.play(3 + count)
    own, evaluated = [1e3 * one for one in window.own], [1e3 * one for one in window.evaluated]
    rate = len(window.wall) / sum(window.wall)
    window.player.end()
    others = _seconds_of_blender(quads, count)
    return [
        str((quads + 1) ** 2),
        f"{statistics.median(own):.1f} / {max(own):.1f}",
        f"{1e3 * window.longest:.1f}",
        f"{statistics.median(evaluated):.1f} / {max(evaluated):.1f}",
        f"{rate:.1f}",
        f"{count / others:.1f}",
        f"{rate * others / count:.2f}",
    ]


def _seconds_of_blender(quads: int, count: int) -> float:
    import bpy

    _scene(quads, "CLOTH")
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
    began = time.perf_counter()
    for frame in range(4, 4 + count):
        bpy.context.scene.frame_set(frame)
    return time.perf_counter() - began


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="live", description=__doc__.splitlines()[0])
    parser.add_argument("--quads", type=int, nargs="*", default=[31, 63, 127], help="along a side of each sheet")
    parser.add_argument("--frames", type=int, default=30)
    options = parser.parse_args(argv)
    if importlib.util.find_spec("bpy") is None:
        print("Live play: not measured, Blender is not installed as a module.")
        return
    from demo import extension

    extension.enable()
    with machine.measuring():
        window = Window()
        table: list[tuple[list[str], Callable[[], list[list[str]]]]] = [
            (
                ["the solver's process", "to frame 2: wall s", "main thread s", "process s"],
                lambda: [first_frames(window, 60, is_prepared) for is_prepared in (False, False, True)][1:],
            ),
            (
                [
                    "vertices",
                    "own ms: median / slowest",
                    "longest call ms",
                    "evaluation ms",
                    "frames a second",
                    "Blender's Cloth",
                    "ratio",
                ],
                lambda: [frames(window, quads, options.frames) for quads in options.quads],
            ),
        ]
        for header, rows in table:
            print(machine.table(header, rows()), flush=True)
    extension.disable()


if __name__ == "__main__":
    main()
