"""Live play as a job: frame by frame up to the one that is wanted, each read when the one before it is solved."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from time import monotonic
from typing import Any

import bpy

from ...solver.errors import GpbdError, StoppedError
from ..bake import hands, kept_tetrahedra, live_view, overview
from ..bake.engine import Engine
from ..bake.job import CANCELLED, BakeJob
from ..bake.report import duration
from ..bake.stepped_job import RUNNING, SteppedJob, Steps
from ..read import clearance, late_start, scene_input
from ..read.scene_input import FrameData
from ..translations import tr
from . import continuing, edits
from .continuing import Late
from .files import LiveFiles

#: So long it is waited for a frame that is being solved where live play has to end [s].
PATIENCE = 0.5
#: The next frame is requested so long before the expected end of this one [s]: two looks of the timer, and a reading.
LEAD = 0.02


class LiveJob(BakeJob):
    """Job that simulates live. wanted: last scene frame to solve. end: of its range. needs: consequence of an edit that
    cannot be read with a frame, see `edits.py`; RESTART is the caller's task. is_opening: whether it opens its files, by
    calls of the worker of a millisecond each, which are worth a wait. remade_at: when the model was rebuilt last [s].
    solved_at: times of frames solved without a pause between them [s]. grabbed_from: first frame whose interval has a
    grab."""

    is_polled = False  # whether one is at work: it takes the scene to a frame and back
    gives_way = takes_hands = True
    patience = PATIENCE
    _files_of = LiveFiles
    files: LiveFiles

    def __init__(self, scene: bpy.types.Scene, resume: bool = False, late: Late | None = None) -> None:
        """late: starts of bodies that have begun after the first frame; those of this job are added."""
        super().__init__(scene, resume=resume)
        self._late = {} if late is None else late
        self.wanted = scene.frame_current
        self._first, self.end = scene_input.range_of(scene)
        self._is_read = False
        self.needs = edits.NOTHING
        self.is_opening, self.remade_at = False, 0.0
        self._only_takes = False  # the scene cannot go to another frame now
        self.solved_at: deque[float] = deque(maxlen=24)
        self.grabbed_from: int | None = None

    @property
    def solved(self) -> int:
        """The last frame that is in the cache; one before the first where there is none."""
        return self._first + self.report.frames - 1

    @property
    def is_working(self) -> bool:
        """Return whether a frame is being solved, or wanted."""
        return self.state == RUNNING and (bool(self.worker and self.worker.pending) or self.solved < self.last)

    @property
    def is_at_end(self) -> bool:
        """Return whether the whole range is solved."""
        return self.solved >= self.end

    @property
    def last(self) -> int:
        """The last frame that is wanted and belongs to the range."""
        return min(self.wanted, self.end)

    def cancel(self, reason: str = "cancelled") -> None:
        """End live play after the current frame, with a checkpoint; called again, at once. Continue polling."""
        if not self._is_read:
            SteppedJob.cancel(self, reason)
            return
        if self.state != RUNNING or self.reason:
            super().cancel(reason)
            return
        self.reason = reason
        assert self.worker is not None
        self.worker.drop()

    def poll(self, seconds: float = 0.0) -> bool:
        LiveJob.is_polled = True
        try:
            return super().poll(seconds)
        finally:
            LiveJob.is_polled = False

    def take(self) -> None:
        """Take the worker's results, and read nothing: for hooks, in which the scene must stay at its frame."""
        self._only_takes = True
        try:
            self.poll()
        finally:
            self._only_takes = False

    def show(self) -> None:
        """Show the frames solved since in the window."""
        if not self._is_read or self._shown == self.files.frames or live_view.is_rendering():
            return
        if not self._shown:
            self.files.show()
            with suppress(GpbdError):  # an old file that cannot go is only room on the disk
                self.files.drop_others()
            overview.soon()
        self._shown = self.files.frames
        scene, identities = self.scene.get(), {body.uuid for body in self.world.bodies}
        objects: Iterable[bpy.types.Object] = () if scene is None else scene.objects
        for ob in objects:
            if ob.gpbd.uuid in identities:
                ob.update_tag(refresh={"DATA"})

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        return self._reading()

    def _reading(self) -> Steps:
        """The scene is read in a step of its own: starting takes the main thread some milliseconds already."""
        yield True
        with ExitStack() as undo:
            self._read_scene(self.scene.now(), undo)
            self._restore = undo.pop_all()
        self._is_read = True
        return (yield from self._run())

    def _leave(self, state: str) -> str:
        return super()._leave(state) if self._is_read else state

    def _read_scene(self, scene: bpy.types.Scene, undo: Any) -> None:
        super()._read_scene(scene, undo)
        bodies = scene_input.bodies_of(scene)
        self._structure, self._meshes = edits.structure(scene, bodies), edits.meshes(bodies)
        continuing.take_up(self.world, self._late)

    def _bake(self) -> Steps:
        assert self.worker is not None
        began, phase, self.is_opening = monotonic(), self.status, True
        if self.resume:
            yield from self.files.opening_again(self._call)
            self.world.resumed = self._reader.at(self.world, self.solved_before).changed
        else:
            yield from self.files.opening_new(self._call)
        self.report.frames = self.files.frames
        yield from self._engine.build(self.files.folder, bool(self.files.changed), self._say)
        self.is_opening = False
        pending: deque[FrameData | None] = deque([None if self.resume else self.world.first])
        while pending or not self.reason:
            if pending and self.worker.is_ready():
                data = pending.popleft()
                with suppress(StoppedError):
                    self._solved(self._engine.next_frame(), data)
                yield True
            elif not self.reason and self._may_go_on(len(pending)):
                if self.needs == edits.REMAKE:
                    yield from self._remaking()
                if self.needs == edits.NOTHING:
                    self._engine_reads(pending)
                yield True
            else:
                if not self.report.seconds and pending:  # nothing is solved yet
                    self._say(f"{tr(self._compiling() or phase)}: {duration(monotonic() - began)}")
                yield False
        if self.report.frames:
            yield from self.files.keeping(self._call)
        yield from self.files.closing(self._call)
        return CANCELLED

    @property
    def solved_before(self) -> int:
        """The last frame of the cache that it continues with."""
        return self.world.start + self.files.frames - 1

    def _solved(self, frame: Any, data: FrameData | None) -> None:
        if data is not None and frame is not None:
            self._take(frame, data)
            self.solved_at.append(monotonic())
            if self.compiling or not self.report.seconds:  # kernels are compiled meanwhile
                self.solved_at.clear()

    def _may_go_on(self, pending: int) -> bool:
        """Return whether a frame can be read now: no render or mesh edit runs, and the scene matches the model, or no frame
        is pending. pending: requested frames; with one the next is read just before that is solved."""
        if self._only_takes or self.solved + pending >= self.last or live_view.is_rendering():
            return False
        if pending > 1 or (pending and not self._is_nearly_solved()):
            return False
        scene = self.scene.get()
        if scene is None or any(ob.mode == "EDIT" for ob in scene.objects):
            return False
        try:
            bodies = scene_input.bodies_of(scene)
        except GpbdError:
            bodies = []
        self.needs = max(self.needs, edits.structural_need(self._structure, scene, bodies))
        return self.needs == edits.NOTHING or (self.needs < edits.RESTART and not pending)

    def _is_nearly_solved(self) -> bool:
        """Return whether the pending frame is expected soon, as it takes as long as the one before."""
        times = self.solved_at
        return len(times) > 1 and monotonic() - times[-1] > times[-1] - times[-2] - LEAD

    def _engine_reads(self, pending: deque[FrameData | None]) -> None:
        """Read the next frame and send it to the worker. Raises: GpbdError."""
        data = self._reader.at(self.world, self.solved + len(pending) + 1)
        by_hand = hands.of_frame(self.world, data.number)
        data.grabs |= by_hand
        if by_hand and self.grabbed_from is None:
            self.grabbed_from = data.number
        self._engine.advance(data)
        pending.append(data)

    def _remaking(self) -> Generator[bool, None, None]:
        """A model of the scene as it is now, in which bodies of the same mesh continue where they are, and others begin in
        their animated shape. Where no body is left of the same mesh, the caller restarts. Raises: GpbdError."""
        assert self.worker is not None
        self.needs, self.remade_at = edits.NOTHING, monotonic()
        scene = self.scene.now()
        layer, bodies = self.scene.layer_now(scene) or scene_input.view_layer_of(scene), scene_input.bodies_of(scene)
        reader, warnings = self._reader_of(bodies)
        with reader.below():
            world = scene_input.gather(scene, layer, bodies)
            meshes = edits.meshes(bodies)
            kept = continuing.kept(self.world, world, self._meshes, meshes)
            if not kept:
                self.needs = edits.RESTART
                return
            late_start.begin(scene, layer, world, continuing.late(world, kept), self.solved)
            read = reader.at(world, self.solved)
        clearance.measure(world, scene)
        still = [one for one in world.colliders if one.name not in read.changed]
        world.resumed = {one.name: replace(one, vertices=read.colliders[one.name]) for one in still} | read.changed
        world.warnings = self.world.warnings + warnings
        if not continuing.late(world, kept) and [*kept.items()] == [(body.name, body.name) for body in self.world.bodies]:
            made = yield from world.building(self.worker, self._say)
            yield from self._call("remake", made, world.settings)
        else:
            files = self._files_of(world, scene, bodies, self.out, self.take_over)
            yield from kept_tetrahedra.taking(self._call, files.folder, world)
            made = yield from world.building(self.worker, self._say)
            yield from files.going_on(self._call, self.files, kept, made, read.inverses)
            self.files, self._shown = files, 0
            for body in continuing.late(world, kept):
                hands.let_go(body.uuid, None)
        self.report.warnings = world.warnings
        continuing.note(world, self._late)
        self.world, self._reader, self._meshes = world, reader, meshes
        self._engine, self._structure = Engine(world, self.worker), edits.structure(scene, bodies)

    def _end_view(self) -> None:
        """The timeline is the artist's."""
