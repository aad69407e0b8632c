"""Check of a scene for faults that would stop or spoil a bake, without baking: the main thread reads Blender, in short
pieces; a worker builds the simulation, with its soft bodies filled, which a bake then takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import bpy
import numpy as np

from ...solver.counted import counted
from ...solver.errors import GpbdError
from ..read import clearance, scene_input
from ..read.scene_input import FrameData, World
from . import cache_path, kernel_cache, scene_findings
from .finding import SAVE, Finding
from .frame_reader import FrameReader
from .stepped_job import CANCELLED, DONE, SteppedJob, Steps

__all__ = ["CANCELLED", "DONE", "CheckJob", "check"]

#: Words of the solver's sentence on edges where three sheets meet.
BRANCHES = "more than two faces"
#: Pairs of objects that a sentence names.
NAMED = 2
#: Share of the triangles of a cloth that make no quads, above which it is reported.
IRREGULAR = 0.5


def check(scene: bpy.types.Scene) -> list[Finding]:
    """Everything that would stop or spoil a bake; an empty list if all is well. Takes as long as it takes."""
    job = CheckJob(scene)
    job.run()
    return job.findings


class CheckJob(SteppedJob):
    """findings: so far.

    Soft bodies are filled with tetrahedra, which takes seconds or minutes; with colliders or pins all frames are played.
    """

    def __init__(self, scene: bpy.types.Scene) -> None:
        super().__init__(scene)
        self.findings: list[Finding] = []

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = "Looking at the scene"
        return self._run()

    def _collect(self, action: Callable[[], Any]) -> Any:
        """The action's result; where it raises, None, and a finding."""
        try:
            return action()
        except GpbdError as error:
            self._tell(str(error))
            return None

    def _tell(self, *sentences: str) -> None:
        known = {finding.text for finding in self.findings}
        self.findings += [_finding(text) for text in dict.fromkeys(sentences) if text not in known]

    def _run(self) -> Steps:
        scene = self.scene.now()
        bodies = self._collect(lambda: scene_input.bodies_of(scene)) or []
        ranged = self._collect(lambda: scene_input.frame_range(scene)) is not None
        self._tell(*cache_path.make_unique(bodies))
        self.findings += scene_findings.look(scene, bodies)
        layer = scene_input.view_layer_of(scene)
        reader = FrameReader(self.scene, [ob.gpbd.uuid for ob in bodies])
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
            self.findings += [_coarse(coarse) for coarse in clearance.too_coarse(whole, scene)]
        worlds = [world for world in (whole, *single) if world is not None]
        self._tell(*(sentence for world in worlds for sentence in world.warnings))
        self.progress = 0.1
        self.status = kernel_cache.BUILDING
        yield True
        yield from self._build(whole, [world for world in single if world is not None])
        self.progress = 0.5
        if whole is not None:
            yield from self._play(whole, reader)
        if not bpy.data.is_saved:
            text = "The file is not saved, and caches go to a temporary folder. Save the file: its frames go with it."
            self.findings.append(Finding(text, "Save", SAVE))
        return DONE

    def _build(self, whole: World | None, single: list[World]) -> Generator[bool, None, None]:
        """Build the simulation of all bodies; if that fails, of each alone, so that one error does not hide another."""
        for world in ([whole] if whole is not None else []) + single:
            try:
                warnings, crossing, alone = yield from self._built(world)
            except GpbdError as error:
                self._tell(str(error))
                continue
            self._tell(*warnings, *_irregular(alone))
            if world is whole:
                self._tell_crossing(crossing, world.start)
                return

    def _built(self, world: World) -> Generator[bool, None, Any]:
        assert self.worker is not None
        solver_scene = yield from world.building(self.worker, self._say)
        self.worker.submit("check", solver_scene, world.settings)
        return (yield from self._answer())

    def _answer(self) -> Generator[bool, None, Any]:
        assert self.worker is not None
        while not self.worker.is_ready():
            yield False
        return self.worker.result()

    def _tell_crossing(self, crossing: tuple[Any, ...], frame: int) -> None:
        if crossing:
            pairs = ", ".join(f"{at.one} with {'itself' if at.one == at.other else at.other}" for at in crossing[:NAMED])
            more = f" and {len(crossing) - NAMED} more" if len(crossing) > NAMED else ""
            count = counted(sum(at.count for at in crossing), "intersection", "intersections")
            text = f"{pairs}{more}: {count} at the start, which may not all come apart. Move them apart there."
            self.findings.append(Finding(text, "Select", "gpbd.find_intersections", {"frame": frame}, stays=True))

    def _play(self, world: World, reader: FrameReader) -> Generator[bool, None, None]:
        """Find pinned bodies and colliders that jump between two frames of the bake, read as a bake reads them."""
        assert self.worker is not None
        pinned = {body.name: body.weights > 0 for body in world.bodies if body.weights is not None}
        if not pinned and not world.colliders:
            return

        def poses(data: FrameData) -> tuple[list[np.ndarray], np.ndarray]:
            pins = [data.poses[body.name][pinned[body.name]] for body in world.bodies if body.name in pinned]
            return pins, np.concatenate([np.zeros((0, 3)), *(data.colliders[c.name] for c in world.colliders)])

        start = np.concatenate([body.vertices for body in world.bodies])
        counts = {c.name: len(world.first.colliders[c.name]) for c in world.colliders}
        self.worker.submit("watch_jumps", start, list(pinned), counts, *poses(world.first))
        yield from self._answer()
        reader.begin(world.start + 1)
        while not reader.is_done(world):
            read = reader.take(world)
            if isinstance(read, GpbdError):
                self._tell(str(read))
                return
            if read is None:
                yield False
                continue
            if read.changed:  # which vertex went where is not known
                counts = {name: len(vertices) for name, vertices in read.colliders.items()}
                self.worker.submit("watch_jumps", start, list(pinned), counts, *poses(read))
                yield from self._answer()
            else:
                self.worker.submit("jumps", *poses(read), read.number)
                self._tell(*(yield from self._answer()))
            self._tell(*world.warnings)
            self.progress = 0.5 + 0.5 * (read.number - world.start) / max(world.end - world.start, 1)
            self._say(f"Playing frame {read.number} of {world.end}")
            yield True


def _finding(text: str) -> Finding:
    """Return the finding of a solver's sentence: "NAME: finding. Remedy."."""
    if BRANCHES in text:
        return Finding(text, "Select", "gpbd.select_branches", {"object_name": text.partition(": ")[0]}, stays=True)
    return Finding(text)


def _coarse(coarse: clearance.Coarse) -> Finding:
    values = {"collider": coarse.collider, "thickness": coarse.fits}
    return Finding(str(coarse), f"Set {coarse.setting}", "gpbd.set_outer_thickness", values)


def _irregular(alone: dict[str, float]) -> list[str]:
    """A sentence for each cloth whose triangles make it stiff. alone: share of its triangles that are of no quad."""
    return [
        f"{name}: {share:.0%} of its triangles make no quads, and fold more stiffly. Remesh it to quads."
        for name, share in alone.items()
        if share > IRREGULAR
    ]
