"""A bake: the main thread reads Blender, some frames ahead; a worker solves and writes them.

Meanwhile the bodies play the frames that are written, from their cache files (`live_view.py`).
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any

import bpy

from ...solver.errors import CacheError, GpbdError, StoppedError, WorkerError
from ...solver.session import Written
from ..body_kinds import BODY_KINDS
from ..read import clearance, modifier, scene_input, taking_part
from ..read.scene_input import FrameData
from ..translations import tr
from . import cache_path, live_view, overview, playback
from .engine import Engine
from .files import BakeFiles
from .frame_reader import AHEAD, FrameReader
from .frame_reports import Reports
from .report import BakeReport, duration
from .stepped_job import CANCELLED, DONE, FAILED, RUNNING, SteppedJob, Steps

__all__ = ["CANCELLED", "DONE", "FAILED", "BakeJob"]


class BakeJob(SteppedJob):
    """on_start is called with the job when the worker is set going, on_frame after each frame that is written."""

    _files_of: type[BakeFiles] = BakeFiles

    def __init__(
        self,
        scene: bpy.types.Scene,
        names: list[str] | None = None,
        frames: tuple[int, int] | None = None,
        out: str | None = None,
        resume: bool = False,
        from_frame: int | None = None,
        take_over: bool = False,
    ):
        """names: bodies to bake, default all, or with `resume` those of the version that is gone on with; others play their
        caches meanwhile. frames: first and last. out: folder of the caches. Defaults: the scene's.

        from_frame: with `resume`, from the checkpoint at or before this frame, into a new version, with settings that may
        have changed. take_over: a cache that another machine has locked.
        """
        super().__init__(scene)
        self.names, self.frames, self.out, self.resume = names, frames, out, resume
        self.from_frame, self.take_over = from_frame, take_over
        self.report = BakeReport()
        self.on_start: Callable[[BakeJob], Any] | None = None
        self.on_frame: Callable[[BakeJob], Any] | None = None
        self._restore = ExitStack()  # what puts the scene back as it was
        self._alone = False  # whether nobody looks at the window meanwhile
        self._shown = 0  # frames that the window has shown
        self.compiling = ""  # how far kernels are that frames may wait for, while some are compiled

    @property
    def frame(self) -> int:
        """The last frame that is written."""
        return self.world.start + self.report.frames - 1

    @property
    def resumable(self) -> str:
        """Return the frame that Resume continues from, or the lack of a checkpoint, as a sentence. Once there are frames."""
        kept = self.files.checkpoint_frames
        if kept:
            return f"Resume goes on after frame {self.world.start + kept - 1}."
        return "There is no checkpoint to resume from yet: bake from the start."

    def start(self) -> None:
        super().start()
        if self.on_start is not None:
            self.on_start(self)

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        with ExitStack() as undo:
            self._read_scene(scene, undo)
            self._restore = undo.pop_all()
        return self._run()

    def _read_scene(self, scene: bpy.types.Scene, undo: ExitStack) -> None:
        names = self._names_to_resume(scene) if self.names is None else self.names
        bodies = scene_input.bodies_of(scene, names)
        self._reader, warnings = self._reader_of(bodies)
        layer = scene_input.view_layer_of(scene)
        self._view = live_view.LiveView(scene)
        if self._alone:  # then it need not be put back between two frames
            undo.enter_context(self._reader.below())
        with self._reader.below():
            self.world = scene_input.gather(scene, layer, bodies, self.frames, {ob.gpbd.uuid for ob in bodies})
        self.world.warnings += warnings
        clearance.measure(self.world, scene)
        self.world.warnings += [str(padding) for padding in clearance.too_thick(scene)]
        self.files = self._files_of(self.world, scene, bodies, self.out, self.take_over)
        if not cache_path.is_saved() and not self.out:
            self.world.warnings.append(
                f"The file is not saved, so the caches are in a temporary folder, {self.files.folder}. "
                "Save the file: its frames go with it."
            )
        assert self.worker is not None
        self._engine = Engine(self.world, self.worker)
        self.report.wanted, self.report.start = self.world.end - self.world.start + 1, self.world.start
        self.report.folder, self.report.warnings = self.files.folder, self.world.warnings

    def _reader_of(self, bodies: list[bpy.types.Object]) -> tuple[FrameReader, list[str]]:
        """Return a reader of bodies, with their modifiers on and identities of their own, and oddities, as sentences.
        Raises: SceneError."""
        for ob in bodies:
            playback.switch_on(ob)
        warnings = [*cache_path.make_unique(bodies), *modifier.all_misplaced(bodies)]
        return FrameReader(self.scene, [ob.gpbd.uuid for ob in bodies]), warnings

    def _names_to_resume(self, scene: bpy.types.Scene) -> list[str] | None:
        """Return the names of the bodies of the resumed version, where that has no others; None for all."""
        version = overview.look(scene).resumable if self.resume and not self.out else None
        simulated = {ob.name for ob in taking_part.simulated(scene)}
        return sorted(version.paths) if version is not None and simulated > set(version.paths) else None

    def run(self) -> None:
        """Bake to the end without returning between steps: for background, command line and scripts.

        Raises: GpbdError; KeyboardInterrupt after the frame that was being made, with a checkpoint.
        """
        self._alone = True
        with _interrupt_calls(self.cancel):
            super().run()
        if self.state == CANCELLED and self.reason == INTERRUPTED:
            raise KeyboardInterrupt

    def cancel(self, reason: str = "cancelled") -> None:
        """End the bake after the current frame, with a checkpoint; at once where there is one of the last frame,
        or when it is called again. Continue polling. Frames are kept."""
        if self.state != RUNNING or self.reason or self.report.frames == self.files.checkpoint_frames:
            super().cancel(reason)
            return
        self.reason = self.reason or reason
        self.status = "Stopping after this frame"
        assert self.worker is not None
        self.worker.drop()

    def play(self) -> None:
        """Make the modifiers play the written frames."""
        self.files.play()

    @property
    def news(self) -> bool:
        """Return whether frames have been written that the window does not show yet."""
        return self.state == RUNNING and self._shown != self.files.frames and not live_view.is_rendering()

    def show(self) -> None:
        """Show the frames written since in the window; Blender evaluates the scene for it."""
        if not self.news:
            return
        if not self._shown:
            self.play()
        self._shown = self.files.frames
        self._view.show(self.frame, {body.uuid for body in self.world.bodies})

    def _run(self) -> Steps:
        try:
            state = yield from self._bake()
        except WorkerError:
            raise
        except GpbdError:
            yield from self._dropping()
            with suppress(GpbdError):  # the error was reported already
                yield from self.files.closing(self._call)
            raise
        while live_view.is_rendering():  # the scene is put back once nothing else looks at it
            yield False
        return state

    def _bake(self) -> Steps:
        assert self.worker is not None
        began, phase, failed = monotonic(), self.status, None
        if self.resume:
            yield from self.files.opening_again(self._call, self.from_frame)
            self.world.resumed = self._reader.at(self.world, self.world.start + self.files.frames - 1).changed
        else:
            yield from self.files.opening_new(self._call)
        self.report.frames = self.files.frames
        self._reader.begin(self.world.start + max(self.files.frames, 1))
        yield from self._engine.build(self.files.folder, bool(self.files.changed), self._say)
        pending: deque[FrameData | None] = deque([None if self.resume else self.world.first])
        while True:
            while len(pending) < AHEAD and not (self.reason or failed or self._reader.is_done(self.world)):
                following = self._reader.take(self.world)
                if following is None:
                    break
                if isinstance(following, GpbdError):
                    failed = following  # raised once the frames before are written
                else:
                    self._engine.advance(following)
                    pending.append(following)
            if not pending and (self.reason or failed or self._reader.is_done(self.world)):
                break
            if not self.report.seconds:  # nothing is solved yet
                self._say(f"{tr(self._compiling() or phase)}: {duration(monotonic() - began)}")
            if not (pending and self.worker.is_ready()):
                yield False
                continue
            data = pending.popleft()
            try:
                frame = self._engine.next_frame()
            except StoppedError:
                continue
            if data is not None and frame is not None:
                self._take(frame, data)
            yield True
        yield from self.files.keeping(self._call)
        yield from self.files.closing(self._call)
        if failed:
            raise failed
        return CANCELLED if self.reason else DONE

    def _compiling(self) -> str:
        """Return the progress of compiling before the first frame, while it waits for kernels."""
        done, count = self._engine.awaited.progress if self._engine.awaited is not None else (0, 0)
        self.progress = done / count if done < count else 0.0
        return f"Compiling kernels {done} of {count}" if done < count else ""

    def _dropping(self) -> Iterator[bool]:
        """Take the results of requests made before a failure; the worker completes no more of them."""
        assert self.worker is not None
        self.worker.drop()
        while self.worker.pending:
            while not self.worker.is_ready():
                yield False
            with suppress(GpbdError):
                self.worker.result()

    def _take(self, frame: Written, data: FrameData) -> None:
        self.files.take(frame)
        self.report.add(frame.report)
        self.progress = self.report.frames / self.report.wanted
        compiled = self._engine.compiled() if self.report.seconds else None
        if compiled is not None:
            done, count = compiled
            self.compiling = f"kernels {done} of {count}" if done < count else ""
            self.report.forget_times()
        if not self.reason and data is not self.world.first:  # kernels may still be compiled for the second frame
            left = self.compiling or self.report.time_left()
            number, end = data.number, self.world.end
            self.status = f"Frame {number} of {end}, {left}" if left else f"Frame {number} of {end}"
        if self.on_frame is not None:
            self.on_frame(self)

    def _leave(self, state: str) -> str:
        """Restore the scene and play the existing frames."""
        assert self.worker is not None
        if state == CANCELLED and self.report.frames == self.report.wanted:
            state = DONE
        if self.files.is_open or self.worker.pending or isinstance(self.error, WorkerError):
            self.worker.close()  # it is in the middle of something, or gone
            try:
                self.files.recover()
            except CacheError as error:
                self.error, state = self.error or error, FAILED
        self.report.warnings += [*filter(None, [self.worker.warning]), *self._engine.late_warnings()]
        self.report.warnings += [*self._error_missed(), *self.report.contact_left(self.world.start)]
        with self._restore:
            self.play()
        self._end_view()
        return state

    def _end_view(self) -> None:
        if not self._alone:
            self._view.end(self.frame if self.report.frames else None)

    def _error_missed(self) -> list[str]:
        """Return one sentence where the solver error of frames stayed above the requested one."""
        tolerance = self.world.settings.error_tolerance
        above = Reports(self.world.start, self.files.reports, tolerance).above_error()
        self.report.above = len(above)
        if tolerance is None or not above:
            return []
        frame, worst = max(above, key=lambda frame_and_error: frame_and_error[1])
        sheets = any(BODY_KINDS[body.kind].sheet for body in self.world.bodies) and not self.world.settings.global_iterations
        advice = " Cloth that hangs or flies gets there much sooner with Keep Length at 4." if sheets else ""
        return [
            f"{len(above)} of {self.report.frames} frames kept a solver error above {1e3 * tolerance:g} mm "
            f"(worst: {1e3 * worst:.2g} mm at frame {frame}); they are in the cache. Raise Substeps, Iterations or "
            f"Stop Below Error.{advice}"
        ]


INTERRUPTED = "interrupted"


@contextmanager
def _interrupt_calls(cancel: Callable[[str], None]) -> Iterator[None]:
    """Inside, the first Ctrl-C cancels, the second raises KeyboardInterrupt. Blender's own handler would not reach us."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def first(number: int, _: object) -> None:
        signal.signal(number, signal.default_int_handler)
        cancel(INTERRUPTED)

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
