"""Player that advances live play with the timeline: hooks of Blender give the wanted frame, a timer solves and shows it.

Where the solver is slower than the playback, the timeline waits at the last frame that is solved, or, as the artist chooses,
continues while the newest frame is shown. Either way every frame is solved, one after the other.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy.ma  # noqa: F401 - `np.unique` imports it when it is called first, while the timeline plays: 7 ms
from bpy.app.handlers import persistent

from ...solver.errors import GpbdError, SceneError
from ..bake import frame_reader, hands, idle_solver, live_view, overview, watch
from ..bake.differences import shown
from ..bake.redraw import redraw, redraw_views
from ..bake.scene_handle import SceneHandle
from ..bake.stepped_job import FAILED, RUNNING
from ..read import scene_input, taking_part
from . import edits, files, last_frame
from .continuing import Late
from .job import LiveJob

#: How often there is a look [s], how long it may do work for [s], and how often panels say how it goes [s].
TICK, LONGEST, TOLD = 0.008, 0.004, 0.2
#: An edit is looked at after so much quiet; while frames are wanted after so long at most [s].
QUIET = 0.3
#: Changes that the line of an edit names: a preset has a dozen.
NAMED = 3
#: Where nothing is wanted for so long, live play ends; it continues where it was when a frame is wanted again [s].
REST = 3.0
#: Of `GPBD_PG_scene.live_timing`.
EVERY, NEWEST = "EVERY", "NEWEST"


@dataclass
class LiveInputs:
    """Inputs of the live cache of a scene. made: `edits.state` of its newest frames; solved: the last frame, None before the
    first; changes: [frame, what] of edits during playback; grabbed: first frame whose interval has a grab; late: of
    `LiveJob`; stopped_at_end: whether playback has stopped at the last frame, so that it does not discard the grabs."""

    scene: SceneHandle
    made: dict[str, Any]
    solved: int | None = None
    changes: list[tuple[int, str]] = field(default_factory=list)
    grabbed: int | None = None
    late: Late = field(default_factory=dict)
    stopped_at_end: bool = False

    @property
    def is_mixed(self) -> bool:
        """Return whether its frames differ from those that the scene would give now."""
        return bool(self.changes) or self.grabbed is not None


job: LiveJob | None = None
live_inputs: LiveInputs | None = None
#: Why live play failed, as a sentence, until something is edited.
problem = ""
_edited: float | None = None  # when there was an edit first that was not looked at
_edited_last, _edited_after = 0.0, 0  # when the last one was, and after which solved frame the first
_edited_while_playing = True  # all of them
_beginning = False  # the scene goes to its first frame and back for it
_waits = False  # whether the timeline waits for the solver, which continues by itself meanwhile
_busy_at = 0.0  # when a frame was wanted last
_told_at = 0.0
_on_at = 0.0  # when `is_on` was True last


def has_window() -> bool:
    """Return whether Blender has a window: in background only scripts run, and they bake."""
    return not bpy.app.background


def is_playing() -> bool:
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def is_on(scene: bpy.types.Scene) -> bool:
    """Return whether wanted frames are simulated: Live is on, and no body plays a bake."""
    if not scene.gpbd.live or watch.is_busy():
        return False
    bodies = taking_part.simulated(scene)
    return bool(bodies) and not files.bake_plays(bodies)


def running(scene: bpy.types.Scene) -> LiveJob | None:
    """The job of a scene, while it runs."""
    return job if job is not None and job.state == RUNNING and job.scene.is_of(scene) else None


def solved(scene: bpy.types.Scene) -> int:
    """The last frame that can be shown."""
    start = scene_input.range_of(scene)[0]
    if live_inputs is None or not live_inputs.scene.is_of(scene) or live_inputs.solved is None:
        return start
    return max(live_inputs.solved, start)


def solve_current(scene: bpy.types.Scene) -> None:
    """The scene is at a frame that somebody looks at: it is solved, and while the timeline plays the next one too."""
    global _busy_at
    start, end = scene_input.range_of(scene)
    if problem or not _is_still_on(scene) or end < start:
        return
    playing = is_playing()
    if scene.frame_current == start:
        make_ready(scene)
    wanted = scene.frame_current + (1 + _waits if playing else 0)
    if running(scene) is None:
        if wanted <= start or min(wanted, end) <= solved(scene):
            return
        begin(scene, resume=True)
    going = running(scene)
    if going is not None and going.end != end:  # of the range that it began with
        begin(scene, resume=True)
        going = running(scene)
    if going is not None:
        late = playing and scene.gpbd.live_timing == NEWEST
        going.wanted = max(going.wanted, wanted) if late else wanted
        _busy_at = time.monotonic()
        _tick_on()


def make_ready(scene: bpy.types.Scene) -> None:
    """Restart at the first frame if there were edits or grabs on the way, with the scene as it is now."""
    mixed = live_inputs is not None and live_inputs.scene.is_of(scene) and live_inputs.is_mixed
    if mixed and scene.frame_current == scene_input.range_of(scene)[0]:
        begin(scene)


def begin(scene: bpy.types.Scene, resume: bool = False) -> None:
    """Begin at the first frame, or, where it can, continue with the existing live cache. Errors are in
    `problem`."""
    global job, live_inputs, problem, _edited, _beginning, _on_at
    stop("it begins again")
    _on_at = 0.0
    problem, _edited, _beginning = "", None, True
    try:
        state = edits.state(scene, scene_input.bodies_of(scene))
        resume = resume and _can_go_on(scene, state)
        if not resume:
            if live_inputs is not None and live_inputs.grabbed is not None:
                hands.forget()  # where they hold is of the frames that go
            live_inputs = LiveInputs(SceneHandle(scene), state)
        assert live_inputs is not None
        made = LiveJob(scene, resume, live_inputs.late)
        made.start()
    except GpbdError as error:
        problem = str(error)
        redraw()
        return
    finally:
        _beginning = False
    job = made
    _tick_on()


def stop(reason: str = "stopped") -> None:
    """End live play; its frames are kept and played."""
    global job
    ending, job = job, None
    if ending is not None and ending.state == RUNNING:
        ending.stop(reason)


def end() -> None:
    """End live play, and forget the inputs of its cache."""
    global live_inputs, problem, _edited
    stop("it was switched off")
    hands.forget()
    live_inputs, problem, _edited = None, "", None
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)


def tick() -> float | None:
    """A piece of work; returns when to do the next [s], None where there is none."""
    global job, problem, _busy_at
    if job is None and _edited is None:
        return None
    if live_view.is_rendering():
        stop("a render began")
        return None if job is None and _edited is None else QUIET
    _look_at_edits()
    if job is None:
        return TICK if _edited is not None else None
    scene = job.scene.get()
    if scene is None or not _is_still_on(scene):
        stop()
        return None
    if job.needs == edits.RESTART:
        begin(scene)
        return TICK
    ended = _work(job)
    job.show()
    _count(job)
    if ended:
        resumed, failed = job.resume, job.state == FAILED
        problem = str(job.error) if failed and not resumed else ""
        job = None
        if failed and resumed:
            begin(scene)  # the cache cannot be gone on with
        overview.soon()
        redraw()
        return TICK if job is not None or _edited is not None else None
    if job.is_working:
        _busy_at = time.monotonic()
        _tell()
    elif is_playing():
        _busy_at = time.monotonic()
        if job.is_at_end or scene.frame_current + 1 < job.solved:  # solved frames play
            _pause(job)
    elif time.monotonic() - _busy_at > REST:
        stop("nothing was wanted")
        overview.soon()
        return None
    else:
        _pause(job)
    return TICK


def _pause(going: LiveJob) -> None:
    """Forget the speed of a job that waits for a wanted frame, and draw once without it."""
    if going.solved_at:
        going.solved_at.clear()
        redraw()
        redraw_views()


def _is_still_on(scene: bpy.types.Scene) -> bool:
    """Return `is_on`, which looks at files; while the scene's job runs, as it was not long ago."""
    global _on_at
    if running(scene) is None or time.monotonic() - _on_at > TOLD:
        if not is_on(scene):
            return False
        _on_at = time.monotonic()
    return True


def _work(going: LiveJob) -> bool:
    """Return whether it has ended."""
    until = time.perf_counter() + LONGEST
    while not going.poll(max(until - time.perf_counter(), 0.0) if going.is_opening else 0.0):
        if going.waits or time.perf_counter() > until:
            return False
    return True


def _count(going: LiveJob) -> None:
    if live_inputs is not None and going.report.frames:
        live_inputs.solved = going.solved
        if live_inputs.grabbed is None:
            live_inputs.grabbed = going.grabbed_from


def _look_at_edits() -> None:
    """Apply the consequence of edits, once they pause, or after a moment while frames are wanted."""
    global _edited, problem
    if _edited is None:
        return
    now, playing = time.monotonic(), _edited_while_playing
    scene = None if live_inputs is None else live_inputs.scene.get()
    if scene is None or live_inputs is None:
        _edited = None
        return
    if now - (_edited if playing else _edited_last) < QUIET or any(ob.mode == "EDIT" for ob in scene.objects):
        return
    _edited = None
    try:
        state = edits.state(scene, scene_input.bodies_of(scene))
    except SceneError:  # no body is left
        stop("there is nothing to simulate")
        return
    need = edits.need(live_inputs.made, state)
    if need == edits.NOTHING or not is_on(scene):
        solve_current(scene)  # undo ends live play, also of an edit that has no part in it
        return
    problem = ""
    going = running(scene)
    if need == edits.RESTART or not playing or going is None:
        begin(scene)
        solve_current(scene)
        return
    if need == edits.REMAKE and going.remade_at < _edited_last:
        going.needs = edits.REMAKE
    live_inputs.changes.append((_edited_after + 1, shown(edits.words(live_inputs.made, state), NAMED)))
    live_inputs.made = state


def _can_go_on(scene: bpy.types.Scene, state: dict[str, Any]) -> bool:
    """Return whether the existing live cache can be continued."""
    if live_inputs is None or not live_inputs.scene.is_of(scene) or live_inputs.solved is None:
        return False
    return edits.need(live_inputs.made, state) == edits.NOTHING


def _tick_on() -> None:
    if has_window() and not bpy.app.timers.is_registered(tick):
        bpy.app.timers.register(tick, first_interval=0.0)


def _tell() -> None:
    global _told_at
    if time.monotonic() - _told_at > TOLD:
        _told_at = time.monotonic()
        redraw()
        redraw_views()


def _is_ours() -> bool:
    """Return whether a hook is called for the window: not by a bake that reads, nor by a render in its thread."""
    if threading.current_thread() is not threading.main_thread() or not has_window():
        return False
    inside = _beginning or LiveJob.is_polled
    return not inside and not frame_reader.is_reading() and not live_view.is_rendering()


@persistent
def before_frame(scene: bpy.types.Scene, *_: object) -> None:
    """Handle `frame_change_pre`: while the timeline plays it waits at the last solved frame."""
    global _waits
    _waits = False
    if _is_ours() and is_playing() and last_frame.is_left(scene) and _has_new_grabs(scene):
        last_frame.stop_there(scene)
        return
    if not _is_ours() or not is_playing() or scene.gpbd.live_timing != EVERY or problem or not _is_still_on(scene):
        return
    going = running(scene)
    if going is not None and going.report.frames:  # the timer may not have come yet
        going.take()
        _count(going)
    first = scene.frame_preview_start if scene.use_preview_range else scene.frame_start
    held = max(solved(scene), first)
    _waits = held < scene.frame_current <= scene_input.range_of(scene)[1]
    if _waits:
        scene.frame_current = held


def _has_new_grabs(scene: bpy.types.Scene) -> bool:
    """Return whether the live cache has grabs at which playback has not stopped yet, and note the stop."""
    if (
        live_inputs is None
        or live_inputs.grabbed is None
        or live_inputs.stopped_at_end
        or not live_inputs.scene.is_of(scene)
    ):
        return False
    live_inputs.stopped_at_end = is_on(scene)
    return live_inputs.stopped_at_end


@persistent
def after_frame(scene: bpy.types.Scene, *_: object) -> None:
    """Handle `frame_change_post`."""
    if _is_ours():
        last_frame.note(scene)
        solve_current(scene)


@persistent
def after_edit(scene: bpy.types.Scene, depsgraph: Any = None) -> None:
    """Handle `depsgraph_update_post`."""
    global _edited, _edited_last, _edited_after, _edited_while_playing
    if not _is_ours() or live_inputs is None or not live_inputs.scene.is_of(scene):
        return
    _edited_last = time.monotonic()
    if _edited is None:
        _edited, _edited_after, _edited_while_playing = _edited_last, solved(scene), True
    _edited_while_playing &= is_playing()
    _tick_on()


@persistent
def before_load(*_: object) -> None:
    """Handle `load_pre`: discard the state of this file."""
    with watch.hook():
        end()


@persistent
def after_load(*_: object) -> None:
    """Handle `load_post`: release the hooks that the previous file's job held, and prepare the solver for this one's."""
    watch.release()
    if has_window() and is_on(bpy.context.scene):
        idle_solver.prepare()


@persistent
def before_save(*_: object) -> None:
    """Handle `save_pre`: complete the written files."""
    stop("the file is saved")
