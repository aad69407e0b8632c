"""State of live play for panels."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import bpy

from ..bake import overview
from ..bake.versions import Version
from ..read import scene_input
from . import player

#: Least slowness against the scene that is shown.
SLOWER = 1.05
#: Solved frames of which the speed is the median: where kernels are compiled does not count.
RECENT = 24


@dataclass(frozen=True)
class LiveState:
    """State of live play. running: its current work, "" where idle. compiled: share of compiled kernels before the first
    frame, None once there is one. rate: frames that the solver does per second, whatever Blender needs to draw them, 0 where
    not known. slower: the scene's rate over that, 0 where it keeps up. problem: why it failed, as a sentence. changes:
    [frame, what] of edits during playback. grabbed: first frame whose interval has a grab. error: of the last solved frame
    [m], 0 where not known."""

    running: str
    compiled: float | None
    rate: float
    slower: float
    problem: str
    changes: tuple[tuple[int, str], ...]
    grabbed: int | None = None
    error: float = 0.0

    def sentence(self) -> str:
        """Return the sentence of its current work."""
        if not self.rate:
            return self.running
        return f"{self.running}: {self.rate:.1f} frames a second{self._slower}"

    def rate_words(self) -> str:
        """Return its speed as words, where known."""
        return f"{self.rate:.1f} frames a second{self._slower}"

    @property
    def _slower(self) -> str:
        return f", {self.slower:.1f} times slower than the scene" if self.slower else ""


def of(scene: bpy.types.Scene) -> LiveState:
    """As it is now."""
    going = player.running(scene)
    inputs = player.live_inputs if player.live_inputs is not None and player.live_inputs.scene.is_of(scene) else None
    changes, grabbed = (tuple(inputs.changes), inputs.grabbed) if inputs is not None else ((), None)
    if going is None:
        return LiveState("", None, 0.0, 0.0, player.problem, changes, grabbed)
    rate = 1.0 / statistics.median(going.report.seconds[-RECENT:]) if len(going.solved_at) > 1 else 0.0
    fps = scene.render.fps / scene.render.fps_base
    slower = fps / rate if rate and fps > SLOWER * rate else 0.0
    running = going.status
    if going.report.seconds:
        running = f"Solved frame {going.solved}" if going.is_working or rate else ""
        if going.is_working and going.solved + 1 < going.last:
            running = f"Solved frame {going.solved}, on the way to {going.last}"
        if going.compiling:
            running, rate = f"Solved frame {going.solved}, {going.compiling}", 0.0
    compiled = None if going.report.seconds else going.progress
    error = float(going.report.last.error) if going.report.last is not None else 0.0
    return LiveState(running, compiled, rate, slower, player.problem, changes, grabbed, error)


def keepable(scene: bpy.types.Scene) -> Version | None:
    """The live version that plays, where it is what a bake would have made: all frames, of one and the same scene."""
    inputs, known = player.live_inputs, overview.of(scene)
    playing = known.playing
    if inputs is None or not inputs.scene.is_of(scene) or inputs.is_mixed or playing is None or not playing.live:
        return None
    start, end = scene_input.range_of(scene)
    return playing if playing.start == start and inputs.solved == end and not known.changed else None
