"""The worker's side of a bake: builds and advances the solver. No Blender call is made here, so it may run in any thread."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..read.filling import Work
from ..read.scene_input import FrameData, World

if TYPE_CHECKING:
    from ...solver.simulation import Frame

#: A snapshot is taken after every so many frames, and after a frame that ends so long after the last one [s].
CHECKPOINT_FRAMES, CHECKPOINT_SECONDS = 10, 60.0
#: Names of the arrays that a checkpoint keeps beside the solver's own.
TETRAHEDRA = "tetrahedra"


class Engine:
    """A simulation and the world it was made from. work: what takes long before the first frame."""

    def __init__(self, world: World, state: dict[str, np.ndarray] | None = None, changed: bool = False):
        """state: the arrays of a checkpoint to go on from. changed: whether settings may have changed since."""
        self.world, self.changed = world, changed
        self.state = state
        self.work = Work()
        self.simulation: Any = None
        self._told = 0
        self._kept = time.monotonic()  # when the last snapshot was taken

    def build(self) -> tuple[Frame | None, dict[str, np.ndarray] | None]:
        """Makes the simulation; returns its start, or None when it goes on from a checkpoint. Raises: GpbdError."""
        from ...solver import Simulation  # imports Numba: only here, off the main thread

        if self.state is not None:
            self._restore_tetrahedra(self.state)
        self.simulation = Simulation(self.world.build(self.work), self.world.settings)
        self.world.warnings += self.simulation.warnings
        self._told = len(self.simulation.warnings)
        if self.state is None:
            return self.simulation.start(), None
        own = {key: value for key, value in self.state.items() if not key.startswith(TETRAHEDRA)}
        self.simulation.restore(own, self.changed)
        return None, None

    def advance(self, data: FrameData) -> tuple[Frame, dict[str, np.ndarray] | None]:
        """The next frame, at whose end everything is where `data` says, and a snapshot where one is due.

        Raises: UnstableError.
        """
        from ...solver import FrameInputs

        inputs = FrameInputs(
            pins={body.name: body.targets(data.poses[body.name]) for body in self.world.bodies if body.follows},
            colliders=data.colliders,
            wind=data.wind,
            gravity=data.gravity,
            number=data.number,
        )
        frame = self.simulation.advance_frame(inputs)
        waited = time.monotonic() - self._kept
        if frame.number % CHECKPOINT_FRAMES and waited < CHECKPOINT_SECONDS:
            return frame, None
        self._kept = time.monotonic()
        return frame, self.snapshot()

    @property
    def frame(self) -> int:
        """How many frames are made, the start among them; -1 before the simulation is."""
        return -1 if self.simulation is None else self.simulation.state.frame

    def late_warnings(self) -> list[str]:
        """What the simulation has warned of since it was built."""
        return [] if self.simulation is None else self.simulation.warnings[self._told :]

    def snapshot(self) -> dict[str, np.ndarray]:
        """What `state` takes: the solver's arrays, and the tetrahedra, which TetWild would not make the same again."""
        arrays = dict(self.simulation.snapshot())
        for k, body in enumerate(self.world.bodies):
            if body.tetrahedra is not None:
                arrays |= {
                    f"{TETRAHEDRA}.{k}.{key}": value for key, value in asdict(body.tetrahedra).items() if value is not None
                }
        return arrays

    def _restore_tetrahedra(self, state: dict[str, np.ndarray]) -> None:
        from ...solver.topology.tetrahedra import Tetrahedralization

        for k, body in enumerate(self.world.bodies):
            own = f"{TETRAHEDRA}.{k}."
            fields: dict[str, Any] = {key.removeprefix(own): value for key, value in state.items() if key.startswith(own)}
            if fields:
                body.tetrahedra = Tetrahedralization(**{"volume_fraction": None, **fields})
