"""What a worker does for a bake, a drape or a check of a scene: the solver, called step by step with plain values."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .cache import checkpoint, pc2
from .report.frame_report import Report
from .report.location import Location
from .scene import Cloth, Scene, Settings, ShapeInputs
from .topology.moved_inside import move_inside
from .topology.tetrahedra import Tetrahedralization, tetrahedralize

if TYPE_CHECKING:  # each of them imports Numba
    from .simulation import Frame, Simulation
    from .stepping.jumps import Jumps
    from .stepping.poses import Poses

Array = np.ndarray

#: What is told beside answers: a warning, as soon as there is one; how far a drape is, as [step, speed [m/s], residual];
#: how many kernels are compiled, and of how many.
WARNING, SETTLING, COMPILED = "warning", "settling", "compiled"
#: It is told how far something is no sooner than so long after the last time [s].
TOLD_SECONDS = 0.1


@dataclass(frozen=True)
class Drawn:
    """A frame as it is drawn. surfaces: body name -> visible mesh [m], (n, 3) float32, world space."""

    surfaces: dict[str, Array]
    report: Report


@dataclass(frozen=True)
class Settled:
    """The last step of a drape, as `settle.Rest`: positions are simulated vertices in double precision."""

    positions: dict[str, Array]
    surfaces: dict[str, Array]
    step: int
    residual: float
    warning: str


class Session:
    """tell: called with a kind of those above and a value. Methods raise GpbdError."""

    def __init__(self, tell: Callable[[str, Any], None]) -> None:
        self._tell = tell
        self._simulation: Simulation | None = None
        self._warned, self._kept = 0, time.monotonic()  # warnings that were told, and when the last snapshot was taken
        self._jumps: tuple[Jumps, Poses] | None = None

    def compile_kernels(self) -> list[str]:
        """Compiles all that are listed (`device/ahead.py`), and returns what went wrong, in words."""
        from .device import ahead

        compiling = ahead.start(frozenset().union(*(kernel.features for kernel in ahead.record())))
        while not compiling.finished(TOLD_SECONDS):
            self._tell(COMPILED, list(compiling.progress))
        return compiling.wait()

    def fill(self, name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float) -> Tetrahedralization:
        """`topology.tetrahedra.tetrahedralize`; TetWild prints which of its passes it begins."""
        return tetrahedralize(name, vertices, triangles, method, edge_fraction, quiet=False)

    def carry(self, surface: Array, start: Array, x: Array, tetrahedra: Array) -> Array:
        """`topology.moved_inside.move_inside`."""
        return move_inside(surface, start, x, tetrahedra)

    def verify(self, path: str) -> pc2.Verified:
        """`cache.pc2.look_through`."""
        return pc2.look_through(path)

    def verify_checkpoint(self, path: str) -> None:
        """Raises: CacheError where it is not as it was written."""
        checkpoint.read(path)

    def build(
        self, scene: Scene, settings: Settings, state: Mapping[str, Array] | None, changed: bool = False
    ) -> tuple[Drawn | None, None]:
        """Makes the simulation; its start, or nothing where it goes on from a snapshot, maybe of a scene that has changed
        since; without a snapshot, as `advance`."""
        from .simulation import Simulation

        self._simulation = Simulation(scene, settings)
        self._warn()
        if state is None:
            return self._drawn(self._simulation.start()), None
        self._simulation.restore(state, changed)
        return None, None

    def advance(
        self, pins: Mapping[str, Array], colliders: Mapping[str, Array], wind: Array, gravity: Array, number: int,
        seconds: float, shapes: Mapping[str, ShapeInputs],
    ) -> tuple[Drawn, dict[str, Array] | None]:  # fmt: skip
        """The next frame, and a snapshot where none was taken for so long [s]. The rest is of `poses.FrameInputs`."""
        from .simulation import FrameInputs

        assert self._simulation is not None
        try:
            frame = self._simulation.advance_frame(FrameInputs(pins, colliders, wind, gravity, number, shapes))
        finally:  # a warning may say why it fails
            self._warn()
        return self._drawn(frame), self._snapshot() if time.monotonic() - self._kept >= seconds else None

    def snapshot(self) -> tuple[None, dict[str, Array]]:
        """The simulation's exact state, in the place where `advance` has it."""
        return None, self._snapshot()

    def settle(self, scene: Scene, settings: Settings, tolerance: float, steps: int) -> Settled:
        """The last step of `settle.settling`."""
        from .settle import settling

        told = 0.0
        for rest in settling(scene, settings, tolerance=tolerance, steps=steps):
            if time.monotonic() > told + TOLD_SECONDS:
                told = time.monotonic()
                self._tell(SETTLING, [rest.step, rest.speed, rest.residual])
        return Settled(rest.positions, rest.frame.surfaces, rest.step, rest.residual, rest.warning)

    def check(self, scene: Scene, settings: Settings) -> tuple[list[str], tuple[Location, ...], dict[str, float]]:
        """What the solver warns of as it makes a model of the scene, what passes through what at the start, and the share of
        each cloth's triangles that make no quadrilaterals."""
        from .contact.setup import make_contact
        from .methods import make_method
        from .model.bodies.cloth import quadrilaterals_of
        from .model.build import build
        from .model.state import start_state
        from .report.intersections import IntersectionSearch
        from .stepping.poses import Drivers

        model = build(scene, settings)
        state = start_state(model, make_method(model).state_numbers)
        contact = make_contact(model, state.rigid)
        crossing = IntersectionSearch(model, contact).at_start(state.x, Drivers(model).now.collider_vertices)
        alone = {
            body.name: 1.0 - 2 * len(quadrilaterals_of(body)) / len(body.triangles)
            for body in scene.bodies
            if isinstance(body, Cloth)
        }
        return model.warnings, crossing, alone

    def watch_jumps(
        self, start: Array, bodies: list[str], colliders: Mapping[str, int], pins: list[Array], vertices: Array
    ) -> None:
        """start, bodies, colliders: of `stepping.jumps.Jumps`. pins, vertices: of the first `Poses` there."""
        from .stepping.jumps import Jumps
        from .stepping.poses import Poses

        self._jumps = Jumps(start, bodies, colliders), Poses(pins, vertices)
        self._drift = np.zeros(3)

    def jumps(self, pins: list[Array], vertices: Array, frame: int) -> list[str]:
        """Warnings of the next frame, where pins and collider vertices are there."""
        from .stepping.poses import Poses

        assert self._jumps is not None
        (jumps, before), after = self._jumps, Poses(pins, vertices)
        told = jumps.between(before, after, self._drift, frame)
        if pins:  # bodies go on as their pins went
            self._drift = np.concatenate(after.pins).mean(0) - np.concatenate(before.pins).mean(0)
        self._jumps = jumps, after
        return told

    def _warn(self) -> None:
        assert self._simulation is not None
        for warning in self._simulation.warnings[self._warned :]:
            self._tell(WARNING, warning)
        self._warned = len(self._simulation.warnings)

    def _snapshot(self) -> dict[str, Array]:
        assert self._simulation is not None
        self._kept = time.monotonic()
        return self._simulation.snapshot()

    @staticmethod
    def _drawn(frame: Frame) -> Drawn:
        return Drawn(frame.surfaces, frame.report)
