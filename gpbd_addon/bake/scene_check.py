"""What would stop or spoil a bake, found without baking.

A plain object, as a bake and for the same reasons: the main thread reads Blender, in short pieces; a worker builds the
simulation, with its soft bodies filled, which a bake then takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from time import perf_counter
from typing import Any

import bpy
import numpy as np

from ...solver.errors import GpbdError, StoppedError
from ..read import clearance, scene_input
from ..read.filling import Work
from ..read.scene_input import FrameData, World
from . import cache_path, kernel_cache, scene_findings
from .finding import Finding
from .frame_reader import FrameReader

#: Pairs of objects that a sentence names.
NAMED = 2
#: Share of the triangles of a cloth that make no quads, above which it is told.
IRREGULAR = 0.5
DONE, CANCELLED = "done", "cancelled"


def check(scene: bpy.types.Scene) -> list[Finding]:
    """Everything that would stop or spoil a bake; an empty list if all is well. Takes as long as it takes."""
    job = CheckJob(scene)
    while not job.poll(0.2):
        pass
    return job.findings


class CheckJob:
    """`poll` until it is True, from the main thread. state: "running", "done" or "cancelled". findings: so far.

    Soft bodies are filled with tetrahedra, which takes seconds or minutes; with colliders or pins all frames are played.
    """

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.state, self.status, self.progress = "running", "Looking at the scene", 0.0
        self.findings: list[Finding] = []
        self._scene_name = scene.name
        self._work = Work()
        self._worker = ThreadPoolExecutor(1, "gpbd check")
        self._future: Future | None = None
        self._steps = self._run(scene)

    def cancel(self) -> None:
        """Ends soon; go on polling. What was found stays."""
        self._work.stop.set()

    def stop(self) -> None:
        """Like `cancel`, and waits for the end."""
        self.cancel()
        while not self.poll(1.0):
            pass

    def poll(self, seconds: float = 0.0) -> bool:
        """Does what can be done in this time, or waits so long for the worker; True at the end."""
        if self.state != "running":
            return True
        until = perf_counter() + seconds
        try:
            while self.state == "running":
                next(self._steps, None)
                if self._future is not None:
                    wait([self._future], max(until - perf_counter(), 0.0))
                    self.status = self._work.status or self.status
                if perf_counter() >= until:
                    break
        except BaseException:
            self._end(CANCELLED)  # a fault of ours is seen
            raise
        return self.state != "running"

    def _end(self, state: str) -> None:
        self.state = state
        self._work.stop.set()
        self._worker.shutdown(wait=True)

    def _collect(self, action: Callable[[], Any]) -> Any:
        """The action's result; where it raises, None, and a finding."""
        try:
            return action()
        except StoppedError:
            return None
        except GpbdError as error:
            self._tell(str(error))
            return None

    def _tell(self, *sentences: str) -> None:
        known = {found.text for found in self.findings}
        self.findings += [Finding(text) for text in dict.fromkeys(sentences) if text not in known]

    def _run(self, scene: bpy.types.Scene) -> Iterator[None]:
        """A step of the main thread from one `yield` to the next; no reference to Blender's data is kept over one."""
        bodies = self._collect(lambda: scene_input.bodies_of(scene)) or []
        ranged = self._collect(lambda: scene_input.frame_range(scene)) is not None
        self._tell(*cache_path.make_unique(bodies))
        self.findings += scene_findings.look(scene, bodies)
        layer = scene_input.view_layer_of(scene)
        reader = FrameReader(self._scene_name, layer, [ob.gpbd.uuid for ob in bodies])
        start = scene_input.frame_range(scene)[0] if ranged else scene.frame_current
        single = []
        with reader.below():
            for ob in bodies:
                single.append(self._collect(partial(scene_input.gather, scene, layer, [ob], (start, start))))
            whole = (
                self._collect(lambda: scene_input.gather(scene, layer, bodies))
                if bodies and ranged and all(single)
                else None
            )
        if whole is not None:
            clearance.measure(whole, scene)
        worlds = [world for world in (whole, *single) if world is not None]
        self._tell(*(sentence for world in worlds for sentence in world.warnings))
        self.progress = 0.1
        yield
        kernel_cache.prepare()
        self.status = kernel_cache.BUILDING
        yield from self._build(whole, [world for world in single if world is not None])
        self.progress = 0.5
        if whole is not None:
            yield from self._play(whole, reader)
        if not bpy.data.is_saved:
            text = "The file is not saved, and caches go to a temporary folder. Save it to keep them."
            self.findings.append(Finding(text, "Save", "wm.save_mainfile"))
        self._end(CANCELLED if self._work.stop.is_set() else DONE)

    def _build(self, whole: World | None, single: list[World]) -> Iterator[None]:
        """The simulation of all, or where that fails of each body alone, so that one does not hide another."""
        for world in ([whole] if whole is not None else []) + single:
            self._future = self._worker.submit(_build, world, self._work)
            while not self._future.done():
                yield
            built = self._collect(self._future.result)
            self._future = None
            if built is not None:
                warnings, crossing, stiff = built
                self._tell(*warnings, *stiff)
                if world is whole:
                    self._tell_crossing(crossing, world.start)
            if self._work.stop.is_set() or (world is whole and built is not None):
                return

    def _tell_crossing(self, crossing: tuple[Any, ...], frame: int) -> None:
        if crossing:
            pairs = ", ".join(f"{at.one} with {'itself' if at.one == at.other else at.other}" for at in crossing[:NAMED])
            more = f" and {len(crossing) - NAMED} more" if len(crossing) > NAMED else ""
            count = sum(at.count for at in crossing)
            text = f"{pairs}{more}: {count} intersections at the start, which may not all come apart. Move them apart there."
            self.findings.append(Finding(text, "Select", "gpbd.find_intersections", {"frame": frame}, stays=True))

    def _play(self, world: World, reader: FrameReader) -> Iterator[None]:
        """What jumps between two frames of the bake, read as a bake reads them."""
        from ...solver.stepping.jumps import Jumps  # imports Numba
        from ...solver.stepping.poses import Poses

        pinned = {body.name: body.weights > 0 for body in world.bodies if body.weights is not None}
        if not pinned and not world.colliders:
            return

        def poses(data: FrameData) -> Poses:
            pins = [data.poses[body.name][pinned[body.name]] for body in world.bodies if body.name in pinned]
            return Poses(pins, np.concatenate([np.zeros((0, 3)), *(data.colliders[c.name] for c in world.colliders)]))

        start = np.concatenate([body.vertices for body in world.bodies])
        jumps = Jumps(start, list(pinned), {c.name: len(world.first.colliders[c.name]) for c in world.colliders})
        before, drift = poses(world.first), np.zeros(3)
        reader.begin(world.start + 1)
        for frame in range(world.start + 1, world.end + 1):
            if self._work.stop.is_set():
                return
            reader.ahead(world)
            read = reader.take()
            if isinstance(read, GpbdError):
                self._tell(str(read))
                return
            after = poses(read)
            self._tell(*jumps.between(before, after, drift, frame))
            if pinned:  # bodies go on as their pins went
                drift = np.concatenate(after.pins).mean(0) - np.concatenate(before.pins).mean(0)
            before = after
            self.progress = 0.5 + 0.5 * (frame - world.start) / max(world.end - world.start, 1)
            self.status = f"Playing frame {frame} of {world.end}"
            yield


def _build(world: World, work: Work) -> tuple[list[str], tuple[Any, ...], list[str]]:
    """The worker's part: what the solver warns of, what passes through what at the start, and which sheets have triangles
    that make them stiff. Raises: GpbdError."""
    from ...solver.contact.setup import make_contact  # imports Numba
    from ...solver.methods import make_method
    from ...solver.model.bodies.cloth import quadrilaterals_of
    from ...solver.model.build import build
    from ...solver.model.state import start_state
    from ...solver.report.intersections import IntersectionSearch
    from ...solver.scene import Cloth
    from ...solver.stepping.poses import Drivers

    model = build(world.build(work), world.settings)
    state = start_state(model, make_method(model).state_numbers)
    contact = make_contact(model, state.rigid)
    crossing = IntersectionSearch(model, contact).at_start(state.x, Drivers(model).now.collider_vertices)
    stiff = []
    for body in model.scene.bodies:
        alone = 1.0 - 2 * len(quadrilaterals_of(body)) / len(body.triangles) if isinstance(body, Cloth) else 0.0
        if alone > IRREGULAR:
            stiff.append(
                f"{body.name}: {alone:.0%} of its triangles make no quads, and fold more stiffly. Remesh it to quads."
            )
    return model.warnings, crossing, stiff
