"""Draping the bodies of a scene: the main thread reads Blender and writes the shapes, a worker thread runs the solver.

A plain object that keeps no references to Blender's data between calls, as `job` and for the same reasons.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...solver.errors import GpbdError, SceneError, StoppedError
from ..body_kinds import BODY_KINDS
from ..read import modifier, scene_input, start_shape
from ..read.filling import Work
from . import draped_key, kernel_cache, mesh_out, playback

if TYPE_CHECKING:
    from ...solver.settle import Rest

SHAPE_KEY, START = "SHAPE_KEY", "START"
DONE, CANCELLED, FAILED = "done", "cancelled", "failed"


class DrapeJob:
    """`start`, then `poll` until it is True; or `run`. Call all of it from the main thread.

    state: "ready", "running", "done", "cancelled" or "failed". error: why it failed. told: what was done, as sentences.
    warnings: what the user should know of it.
    """

    def __init__(self, scene: bpy.types.Scene, result: str, threshold: float, steps: int):
        """result: SHAPE_KEY or START. threshold, steps: tolerance and steps of `solver.settle.settling`."""
        self.scene_name, self.result, self.threshold, self.steps = scene.name, result, threshold, steps
        self.state = "ready"
        self.status = ""
        self.error: GpbdError | None = None
        self.told: list[str] = []
        self.warnings: list[str] = []
        self._rest: Rest | None = None  # the latest, set by the worker
        self._work = Work()
        self._stop = self._work.stop

    @property
    def progress(self) -> float:
        """Share of the steps that are made, 0 to 1; it may end at any of them."""
        return self._rest.step / self.steps if self._rest is not None else 0.0

    def start(self) -> None:
        """Reads the scene at its current frame and sets the worker going. Raises: GpbdError."""
        scene = bpy.data.scenes[self.scene_name]
        bodies = scene_input.bodies_of(scene)
        for ob in bodies:
            playback.ensure(ob)
            start_shape.check_mesh(ob, len(ob.data.vertices))
            if self.result == SHAPE_KEY:
                draped_key.check(ob)
        layer, frame = scene_input.view_layer_of(scene), scene.frame_current
        # A draped key is replaced, so it does not count; for a start it is part of the unstretched shape, as for a bake.
        with modifier.switched_off(bodies), draped_key.muted(bodies if self.result == SHAPE_KEY else []):
            self.world = scene_input.gather(scene, layer, bodies, (frame, frame))
        self.frame, self.warnings = frame, self.world.warnings
        for ob, body in zip(bodies, self.world.bodies, strict=True):
            start_shape.check_mesh(ob, len(body.vertices))
        self.status = kernel_cache.prepare()
        self.state = "running"
        self._worker = ThreadPoolExecutor(1, "gpbd drape")
        self._future: Future = self._worker.submit(self._drape)

    def _drape(self) -> Rest:
        """The worker's part: no Blender call in it."""
        from ...solver.settle import settling  # imports Numba

        last = None
        for last in settling(self.world.build(self._work), self.world.settings, tolerance=self.threshold, steps=self.steps):
            self._rest = last
            if self._stop.is_set():
                break
        assert last is not None
        return last

    def run(self) -> None:
        """Drapes to the end without giving the time back. Raises: GpbdError."""
        self.start()
        while not self.poll(0.2):
            pass
        if self.error is not None:
            raise self.error

    def cancel(self) -> None:
        """Ends after this step; go on polling. Nothing is written."""
        self._stop.set()
        self.status = "Stopping"

    def stop(self) -> None:
        """Like `cancel`, and waits for the end."""
        self.cancel()
        while not self.poll(1.0):
            pass

    def poll(self, seconds: float = 0.0) -> bool:
        """Waits at most this long for the worker; True when all is done and written."""
        if self.state != "running":
            return True
        rest = self._rest
        if self._work.status:
            self.status = self._work.status
        if rest is not None and not self._stop.is_set():
            self.status = f"Draping: {rest.speed:.2g} m/s, {rest.residual:.1%} of the weight left"
        if not wait([self._future], seconds).done:
            return False
        self._worker.shutdown(wait=True)
        try:
            last = self._future.result()
            if self._stop.is_set():
                self.state = CANCELLED
            else:
                self._write(last)
                self.state = DONE
        except StoppedError:
            self.state = CANCELLED
        except GpbdError as error:
            self.error, self.state = error, FAILED
        return True

    def _write(self, rest: Rest) -> None:
        scene = bpy.data.scenes.get(self.scene_name)
        if scene is None:
            raise SceneError(f"Scene '{self.scene_name}' is gone, so the draped shape was not written. Drape again.")
        by_identity = {ob.gpbd.uuid: ob for ob in scene.objects if ob.gpbd.body_type != "NONE" and ob.is_editable}
        shapes = []
        for body in self.world.bodies:
            ob = by_identity.get(body.uuid)
            if ob is None:
                raise SceneError(f"{body.name}: is no longer in the scene, so nothing was written. Drape again.")
            local = mesh_out.local_positions(self._surface(rest, body), self.world.first.inverses[body.name])
            start_shape.check_mesh(ob, len(local))
            shapes.append((ob, local))
        for ob, local in shapes:
            self._keep(ob, local)
        if rest.warning:
            self.warnings.append(rest.warning)
        names = ", ".join(ob.name for ob, _ in shapes)
        kind = "a shape key" if self.result == SHAPE_KEY else "the start of the simulation"
        ending = f"{rest.step} steps, {rest.residual:.2%} of the weight left"
        advice = " Bake to see it." if self.result == START else ""
        self.told.insert(0, f"Draped at frame {self.frame} as {kind}: {names} ({ending}).{advice}")

    @staticmethod
    def _surface(rest: Rest, body: Any) -> np.ndarray:
        """The visible mesh; that of a sheet is simulated in double precision."""
        return rest.positions[body.name] if BODY_KINDS[body.kind].sheet else rest.frame.surfaces[body.name]

    def _keep(self, ob: Any, local: np.ndarray) -> None:
        if self.result == START:
            start_shape.write(ob, local)
        else:
            self.told += draped_key.write(ob, local)
