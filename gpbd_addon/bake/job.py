"""A bake: the main thread reads Blender and writes frames, a worker thread runs the solver, one frame ahead of the writing.

Meanwhile the bodies play the frames that are written, from their cache files (`live_view.py`).

A plain object, because operators disappear under a running thread. It keeps no references to Blender's data between calls,
only names and identities, and stops cleanly with its frames kept when undo or a file load takes the scene away.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import Any

import bpy

from ...solver.errors import CacheError, GpbdError, StoppedError
from ..body_kinds import BODY_KINDS
from ..read import clearance, scene_input
from ..read.scene_input import FrameData
from . import cache_path, kernel_cache, playback, watch
from .engine import Engine
from .files import BakeFiles
from .frame_reader import FrameReader
from .frame_reports import Reports
from .live_view import LiveView
from .report import BakeReport, duration

DONE, CANCELLED, FAILED = "done", "cancelled", "failed"


class BakeJob:
    """`start`, then `poll` until it is True; or `run`. Call all of it from the main thread.

    state: "ready", "running", "done", "cancelled" or "failed"; error: why it failed, reason: why it was cancelled.
    on_start is called with the job when the worker is set going, on_frame after each frame that is written.
    """

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
        """names: bodies to bake, default all. frames: first and last. out: folder of the caches. Defaults: the scene's.

        from_frame: with `resume`, from the checkpoint at or before this frame, into a new version, with settings that may
        have changed. take_over: a cache that another machine has locked.
        """
        self.scene_name = scene.name
        self.names, self.frames, self.out, self.resume = names, frames, out, resume
        self.from_frame, self.take_over = from_frame, take_over
        self.state = "ready"
        self.status = ""
        self.reason = ""
        self.error: GpbdError | None = None
        self.report = BakeReport()
        self.on_start: Callable[[BakeJob], Any] | None = None
        self.on_frame: Callable[[BakeJob], Any] | None = None
        self._restore = ExitStack()  # what puts the scene back as it was
        self._pending: FrameData | None = None  # the frame that the worker makes
        self._alone = False  # whether nobody looks at the window meanwhile
        self._shown = 0  # frames that the window has been told of

    @property
    def progress(self) -> float:
        """Share of the frames that are written, 0 to 1."""
        return self.report.frames / max(self.report.wanted, 1)

    @property
    def frame(self) -> int:
        """The last frame that is written."""
        return self.world.start + self.report.frames - 1

    @property
    def resumable(self) -> str:
        """Where Resume goes on from, or that no checkpoint was written, as a sentence. Once there are frames."""
        kept = self.files.checkpoint_frames
        if kept:
            return f"Resume goes on after frame {self.world.start + kept - 1}."
        return "There is no checkpoint to resume from yet: bake from the start."

    def start(self) -> None:
        """Reads the scene and sets the worker going. Raises: GpbdError; the scene is then as it was."""
        scene = bpy.data.scenes[self.scene_name]
        with ExitStack() as undo:
            self._read_scene(scene, undo)
            self.status = self._phase = kernel_cache.prepare()
            self._restore = undo.pop_all()
        self.state, self._began = "running", monotonic()
        watch.attach(self)
        self._worker = ThreadPoolExecutor(1, "gpbd bake")
        self._future: Future | None = self._worker.submit(self._engine.build)
        if self.on_start is not None:
            self.on_start(self)

    def _read_scene(self, scene: bpy.types.Scene, undo: ExitStack) -> None:
        bodies = scene_input.bodies_of(scene, self.names)
        for ob in bodies:
            playback.ensure(ob)
        copies = cache_path.make_unique(bodies)
        layer = scene_input.view_layer_of(scene)
        self._view = LiveView(scene)
        self._reader = FrameReader(scene.name, layer, [ob.gpbd.uuid for ob in bodies])
        if self._alone:  # then it need not be put back between two frames
            undo.enter_context(self._reader.below())
        with self._reader.below():
            self.world = scene_input.gather(scene, layer, bodies, self.frames)
        self.world.warnings += copies
        clearance.measure(self.world, scene)
        self.world.warnings += [str(padding) for padding in clearance.too_thick(scene)]
        self.files = BakeFiles(self.world, scene, bodies, self.out, self.take_over)
        undo.callback(self.files.abandon)
        if not bpy.data.is_saved and not self.out:
            self.world.warnings.append(
                f"The file is not saved, so the caches are in a temporary folder, {self.files.folder}. "
                "Save the file and bake again to keep them."
            )
        arrays = None
        if self.resume:
            arrays = self.files.open_again(self.from_frame)
        else:
            self.files.open_new()
            self._pending = self.world.first
        self._engine = Engine(self.world, arrays, changed=bool(self.files.changed))
        self._sent = self.world.start + max(self.files.frames - 1, 0)
        self._reader.begin(self._sent + 1)
        self.report.frames, self.report.wanted = self.files.frames, self.world.end - self.world.start + 1
        self.report.folder, self.report.warnings = self.files.folder, self.world.warnings

    def run(self) -> None:
        """Bakes to the end without giving the time back: for background, command line and scripts.

        Raises: GpbdError; KeyboardInterrupt after the frame that was being made, with a checkpoint.
        """
        self._alone = True
        with _interrupt_calls(self.cancel):
            self.start()
            while not self.poll(0.2):
                pass
        if self.error is not None:
            raise self.error
        if self.state == CANCELLED and self.reason == INTERRUPTED:
            raise KeyboardInterrupt

    def cancel(self, reason: str = "cancelled") -> None:
        """Ends the bake after the frame that is being made, with a checkpoint; go on polling. Frames are kept."""
        self.reason = self.reason or reason
        self.status = "Stopping after this frame"
        if self.state == "running":
            self._engine.work.stop.set()

    def stop(self, reason: str) -> None:
        """Like `cancel`, and waits for the end."""
        self.cancel(reason)
        while not self.poll(1.0):
            pass

    def play(self) -> None:
        """Makes the modifiers play the frames that are written."""
        self.files.play()

    def show(self) -> None:
        """Lets the window see the frames that have been written since; Blender evaluates the scene for it."""
        if self.state != "running" or self._shown == self.files.frames:
            return
        if not self._shown:
            self.play()
        self._shown = self.files.frames
        self._view.show(self.frame, {body.uuid for body in self.world.bodies})

    def poll(self, seconds: float = 0.0) -> bool:
        """Does what can be done now, waiting at most this long for the worker; True when the bake is finished."""
        if self.state != "running":
            watch.release()
            return True
        try:
            self._poll(seconds)
        except StoppedError:
            self._finish(CANCELLED)
        except GpbdError as error:
            self.error = error
            self._finish(FAILED)
        except BaseException:
            self._finish(FAILED)  # a fault of ours: the scene is put back, then the fault is seen
            raise
        return self.state != "running" and self.poll()

    def _poll(self, seconds: float) -> None:
        more = self._sent < self.world.end and not self.reason
        if more:
            self._reader.ahead(self.world)
        assert self._future is not None
        if not (self.reason or self.report.seconds):  # nothing is solved yet
            waited = duration(monotonic() - self._began)
            self.status = self._engine.work.status or f"{self._phase}: {waited}"
        if not wait([self._future], seconds).done:
            return
        frame, arrays = self._future.result()
        data, following = self._pending, self._reader.take() if more else None
        if isinstance(following, FrameData):
            self._send(following)
        else:
            self._future = None  # the solver stands after the last frame
        if frame is not None and data is not None:
            self._take(frame, data, arrays)
        if isinstance(following, GpbdError):
            raise following
        if self._future is None:
            self._finish(CANCELLED if self.reason and self.report.frames < self.report.wanted else DONE)

    def _send(self, data: FrameData) -> None:
        self._pending, self._sent = data, data.number
        self._future = self._worker.submit(self._engine.advance, data)

    def _take(self, frame: Any, data: FrameData, arrays: dict | None) -> None:
        self.files.write(frame.surfaces, data, frame.report)
        self.report.add(frame.report)
        if arrays is not None:
            self.files.write_checkpoint(arrays, self.files.frames)
        if not self.reason and data is not self.world.first:  # kernels may still be compiled for the second frame
            self.status = f"Frame {data.number} of {self.world.end}{self.report.time_left()}"
        if self.on_frame is not None:
            self.on_frame(self)

    def _finish(self, state: str) -> None:
        """Ends the worker, closes the files, puts the scene back and plays what there is."""
        watch.detach(self)
        self._worker.shutdown(wait=True)
        try:
            if self._future is None and self._engine.frame == self.files.frames:  # else the last one could not be written
                self.files.write_checkpoint(self._engine.snapshot(), self.files.frames)
            self.files.close()
        except CacheError as error:
            self.error = self.error or error
            state = FAILED
            self.files.abandon()
        finally:
            self.state = state
            self.report.warnings += [
                *self._engine.late_warnings(), *self._error_missed(), *self.report.contact_left(self.world.start)
            ]  # fmt: skip
            with self._restore:
                self.play()
            if not self._alone:
                self._view.end()

    def _error_missed(self) -> list[str]:
        """One sentence, where the solver error of frames stayed above the one that was asked for."""
        asked = self.world.settings.error_tolerance
        above = Reports(self.world.start, self.files.reports, asked).above_error()
        self.report.above = len(above)
        if asked is None or not above:
            return []
        frame, worst = max(above, key=lambda found: found[1])
        sheets = any(BODY_KINDS[body.kind].sheet for body in self.world.bodies) and not self.world.settings.global_iterations
        advice = " Cloth that hangs or flies gets there much sooner with Keep Length at 4." if sheets else ""
        return [
            f"{len(above)} of {self.report.frames} frames kept a solver error above {1e3 * asked:g} mm "
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

    def first(number: int, _: Any) -> None:
        signal.signal(number, signal.default_int_handler)
        cancel(INTERRUPTED)

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
