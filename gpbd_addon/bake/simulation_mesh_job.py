"""Making a simulation mesh, piece by piece: Blender's own tools do it, in the main thread, so that there is no worker."""

from __future__ import annotations

import bpy

from ...solver.errors import SceneError
from ..simulation_mesh import twin
from .stepped_job import DONE, SteppedJob, Steps

#: Share of the time that reading the garment takes, and what binds it to the mesh.
READING, BINDING = 0.2, 0.15


class SimulationMeshJob(SteppedJob):
    """made: of the garment, at the end. Until then nothing of the scene is changed. Raises: as `twin.making`."""

    asks = False
    made: twin.Made

    def __init__(self, scene: bpy.types.Scene, ob: bpy.types.Object, edge: float, quads: bool, one_sheet: bool) -> None:
        super().__init__(scene)
        self.garment = ob.name
        self._wanted = edge, quads, one_sheet

    def _begin(self, scene: bpy.types.Scene) -> Steps:
        self.status = f"Reading {self.garment}"
        return self._run()

    def _run(self) -> Steps:
        yield True
        scene = self.scene.now()
        pieces = twin.making(self._object(scene), scene, *self._wanted)
        try:
            while True:
                try:
                    done = next(pieces)
                except StopIteration as end:
                    self.made = end.value
                    return DONE
                self.progress = READING + (1 - READING - BINDING) * done
                self._say(f"Making even faces: {done:.0%}" if done < 1 else f"Binding {self.garment}")
                yield True
                self._object(scene)
        finally:
            pieces.close()

    def _object(self, scene: bpy.types.Scene) -> bpy.types.Object:
        ob = scene.objects.get(self.garment)
        if ob is None or ob.mode == "EDIT":
            raise SceneError(f"{self.garment}: is gone, or in edit mode, so it got no simulation mesh. Begin again.")
        return ob
