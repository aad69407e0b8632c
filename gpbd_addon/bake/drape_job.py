"""Draping the bodies of a scene: the main thread reads Blender and writes the shapes, a worker runs the solver."""

from __future__ import annotations

import bpy
import numpy as np

from ...solver import session
from ...solver.cache.object_space import local_positions
from ...solver.counted import counted
from ...solver.device import ahead
from ...solver.errors import SceneError
from ...solver.scene.rest_settings import features_at_rest
from ..body_kinds import BODY_KINDS
from ..read import modifier, scene_input, start_shape
from ..read.body_input import BodyInput
from . import draped_key, hands, live_view, playback
from .preview import Preview
from .stepped_job import CANCELLED, DONE, FAILED, SteppedJob, Steps

__all__ = ["CANCELLED", "DONE", "FAILED", "SHAPE_KEY", "START", "DrapeJob"]

SHAPE_KEY, START = "SHAPE_KEY", "START"


#: How long the worker continues before it gets the next motion of hands, and the window sees a step [s].
SHOWN_SECONDS = 0.05


class DrapeJob(SteppedJob):
    """Job that drapes. reported: sentences of its report. warnings: of the drape, for the user."""

    takes_hands = True

    def __init__(self, scene: bpy.types.Scene, result: str, threshold: float, steps: int):
        """result: SHAPE_KEY or START. threshold, steps: tolerance and steps of `solver.settle.settling`."""
        super().__init__(scene)
        self.result, self.threshold, self.steps = result, threshold, steps
        self.reported: list[str] = []
        self.warnings: list[str] = []
        self._preview = Preview(self.scene)
        self._rest: session.Settled | None = None  # the last step
        self._shown, self._is_kept = -1, False

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        """At the scene's current frame."""
        bodies = scene_input.bodies_of(scene)
        for ob in bodies:
            playback.ensure(ob)
            start_shape.check_mesh(ob, len(ob.data.vertices))
            if self.result == SHAPE_KEY:
                draped_key.check(ob)
        layer, frame = scene_input.view_layer_of(scene), scene.frame_current
        misplaced = modifier.all_misplaced(bodies)
        # A draped key is replaced, so it does not count; for a start it is part of the unstretched shape, as for a bake.
        with modifier.switched_off(bodies), draped_key.muted(bodies if self.result == SHAPE_KEY else []):
            self.world = scene_input.gather(scene, layer, bodies, (frame, frame))
        self.frame, self.warnings = frame, [*misplaced, *self.world.warnings]
        for ob, body in zip(bodies, self.world.bodies, strict=True):
            start_shape.check_mesh(ob, len(body.vertices))
        return self._run()

    def _run(self) -> Steps:
        assert self.worker is not None
        solver_scene = yield from self.world.building(self.worker, self._say)
        awaited = ahead.Awaited(features_at_rest(solver_scene, self.world.settings))
        yield from self._call("begin_settling", solver_scene, self.world.settings, self.threshold, self.steps)
        while self._rest is None or not (self._is_kept or self._rest.done):
            self.worker.submit("settle_on", hands.of_frame(self.world), SHOWN_SECONDS)
            while not self.worker.is_ready():
                self._show_compiling(awaited)
                yield False
            self._rest = self.worker.result()
            self.progress = self._rest.step / self.steps  # it may end at any of them
            self._say(f"Draping: {self._rest.speed:.2g} m/s, {self._rest.residual:.1%} of the weight left")
            yield True
        self._write(self._rest)
        return DONE

    def keep(self) -> None:
        """End the drape with the current shape of the bodies. Continue polling."""
        self._is_kept = True

    @property
    def news(self) -> bool:
        return self._rest is not None and self._rest.step != self._shown

    def show(self) -> None:
        """The window shows how far the bodies have come."""
        if self._rest is not None and self.news and not live_view.is_rendering():
            self._shown = self._rest.step
            self._preview.show({body.uuid: self._local(self._rest, body) for body in self.world.bodies})

    def _show_compiling(self, awaited: ahead.Awaited) -> None:
        """Report the kernels that the first step waits for."""
        done, count = awaited.progress
        if self._rest is None and done < count:
            self.progress = done / count
            self._say(f"Compiling kernels {done} of {count}")

    def _leave(self, state: str) -> str:
        assert self.worker is not None
        self._preview.end()
        hands.forget()
        self.warnings += filter(None, [self.worker.warning])
        return state

    def _write(self, rest: session.Settled) -> None:
        self._preview.end()
        scene = self.scene.now()
        by_identity = {ob.gpbd.uuid: ob for ob in scene.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
        shapes = []
        for body in self.world.bodies:
            ob = by_identity.get(body.uuid)
            if ob is None:
                raise SceneError(f"{body.name}: is no longer in the scene, so nothing was written. Drape again.")
            local = self._local(rest, body)
            start_shape.check_mesh(ob, len(local))
            shapes.append((ob, local))
        for ob, local in shapes:
            self._keep(ob, local)
        if rest.warning:
            self.warnings.append(rest.warning)
        names = ", ".join(ob.name for ob, _ in shapes)
        kind = "a shape key" if self.result == SHAPE_KEY else "the start of the simulation"
        ending = f"{counted(rest.step, 'step', 'steps')}, {rest.residual:.2%} of the weight left"
        advice = " Bake to see it." if self.result == START else ""
        self.reported.insert(0, f"Draped at frame {self.frame} as {kind}: {names} ({ending}).{advice}")

    def _local(self, rest: session.Settled, body: BodyInput) -> np.ndarray:
        """Its mesh, in object space."""
        return local_positions(self._surface(rest, body), self.world.first.inverses[body.name])

    @staticmethod
    def _surface(rest: session.Settled, body: BodyInput) -> np.ndarray:
        """The visible mesh; that of a sheet is simulated in double precision."""
        return rest.positions[body.name] if BODY_KINDS[body.kind].sheet else rest.surfaces[body.name]

    def _keep(self, ob: bpy.types.Object, local: np.ndarray) -> None:
        if self.result == START:
            start_shape.write(ob, local)
        else:
            self.reported += draped_key.write(ob, local)
