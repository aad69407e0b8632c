"""Session of a worker for a bake, a drape or a check of a scene: the solver, called step by step with plain values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .cache import checkpoint, pc2, relocation, repair
from .cache.bake_writer import BakePlan, BakeWriter
from .cache.lock import Lock
from .cache.patch import FramePatcher, PatchPlan
from .cache.pc2 import Manifest
from .device.cuda import install
from .device.cuda.probe import DetectedDevices, probe
from .device.worker import Worker
from .errors import CacheError, StoppedError
from .json_value import JsonValue
from .report.frame_report import Report
from .report.location import Location
from .report.numbers import numbers
from .scene import Cloth, Collider, Field, Grab, ReferenceFrame, Response, Scene, Settings, ShapeInputs
from .scene.hands import Hands
from .topology.moved_inside import move_inside
from .topology.tetrahedra import TETWILD, Tetrahedralization, tetrahedralize

if TYPE_CHECKING:  # each of them imports Numba
    from .settle import Rest
    from .simulation import Frame, Simulation
    from .stepping.jumps import Jumps
    from .stepping.poses import Poses

Array = np.ndarray

#: Kinds of messages beside results: a warning, as soon as there is one; how many kernels are compiled, and of how many; how
#: much is installed, 0 to 1, and the current action; how much of caches is copied, 0 to 1.
WARNING, COMPILED, INSTALLING, BRINGING = "warning", "compiled", "installing", "bringing"
#: Least interval of progress messages [s].
TOLD_SECONDS = 0.1


@dataclass(frozen=True)
class Written:
    """A frame that is in the caches. checkpoint: frames of the newest checkpoint, 0 without one."""

    report: Report
    checkpoint: int


@dataclass(frozen=True)
class Settled:
    """A step of a drape, as `settle.Rest`: positions are simulated vertices in double precision. done: whether it is the
    last."""

    positions: dict[str, Array]
    surfaces: dict[str, Array]
    step: int
    speed: float
    residual: float
    warning: str
    done: bool


class Session:
    """tell: callback of a kind of those above and a value. Methods raise GpbdError."""

    def __init__(self, tell: Callable[[str, JsonValue], None]) -> None:
        self._tell = tell
        self._simulation: Simulation | None = None
        self._warned, self._kept = 0, time.monotonic()  # warnings already sent, and the time of the last snapshot
        self._told = 0.0  # time of the last message on compiling
        self._compiles = False  # whether the message was sent that later frames may wait for kernels
        self._jumps: tuple[Jumps, Poses] | None = None
        self._locks: list[Lock] = []
        self._writer: BakeWriter | FramePatcher | None = None
        self._state: dict[str, Array] | None = None  # of the checkpoint to continue from
        self._settling: Iterator[Rest] | None = None
        self._rest: Rest | None = None  # the last step of it
        self._hands = Hands()

    def close(self) -> None:
        """Let go of all files as they are."""
        self._release()

    def prepare(self) -> Iterator[None]:
        """Import the simulation, then load the compiled kernels of common scenes, one a step: half of the time to the first
        frame of a small scene."""
        from . import simulation  # noqa: F401
        from .device import ahead

        yield
        yield from ahead.load(ahead.COMMON)

    def compile_kernels(self) -> list[str]:
        """Compile all that are listed (`device/ahead.py`), and return what went wrong, in words."""
        from .device import ahead

        compiling = ahead.start(frozenset().union(*(kernel.features for kernel in ahead.record())))
        while not compiling.finished(TOLD_SECONDS):
            self._tell(COMPILED, list(compiling.progress))
        return compiling.wait()

    def devices(self) -> DetectedDevices:
        """`device.cuda.probe.probe`."""
        return probe()

    def install_cuda(self, source: str, folder: str) -> None:
        """`device.cuda.install.install`, of the wheels of this Python; source: folder of wheels, "" to download them."""
        wheels = install.wheels_here()
        source_folder = Path(source) if source else None
        install.install(wheels, source_folder, Path(folder), lambda share, words: self._tell(INSTALLING, [share, words]))

    def remove_cuda(self, folder: str) -> None:
        """`device.cuda.install.remove`."""
        install.remove(Path(folder))

    def fill(self, name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float) -> Tetrahedralization:
        """`tetrahedralize`, of TetWild in a process of its own: while it fills, it lets no other thread of Python run, so
        none would notice the end of Blender."""
        if method != TETWILD:
            return self.tetrahedralize(name, vertices, triangles, method, edge_fraction)
        filler = Worker("session:Session")
        try:
            filler.submit("tetrahedralize", name, vertices, triangles, method, edge_fraction)
            while not filler.is_ready(TOLD_SECONDS):
                print(filler.printed().decode(errors="replace"), end="", flush=True)
            filled: Tetrahedralization = filler.result()
        finally:
            filler.close()
        return filled

    def tetrahedralize(
        self, name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float
    ) -> Tetrahedralization:
        """`topology.tetrahedra.tetrahedralize`; TetWild prints which of its passes it begins."""
        return tetrahedralize(name, vertices, triangles, method, edge_fraction, quiet=False)

    def carry(self, surface: Array, start: Array, x: Array, tetrahedra: Array) -> Array:
        """`topology.moved_inside.move_inside`."""
        return move_inside(surface, start, x, tetrahedra)

    def verify(self, path: str) -> pc2.Verified:
        """`cache.pc2.look_through`."""
        return pc2.look_through(path)

    def identity(self, path: str) -> dict[str, JsonValue]:
        """Return the identity of a checkpoint. Raises: CacheError if it is damaged."""
        return checkpoint.read(path)[1]

    def mend(self, path: str, head: Manifest | None) -> list[str]:
        """`cache.repair.mend`."""
        return repair.mend(Path(path), head)

    def copies(self, path: str, others: list[str]) -> list[tuple[int, str]]:
        """`cache.repair.copies`, as pairs."""
        return [(index, str(other)) for index, other in repair.copies(Path(path), [Path(one) for one in others]).items()]

    def copy(self, path: str, sources: list[tuple[int, str]]) -> None:
        """`cache.repair.copy`, of pairs."""
        repair.copy(Path(path), {index: Path(other) for index, other in sources})

    def damaged(self, paths: list[str]) -> list[list[int]]:
        """`cache.repair.damaged`."""
        return repair.damaged([Path(path) for path in paths])

    def open_patch(self, plan: PatchPlan) -> None:
        """Open a patch: from now on frames take the place of damaged ones. Raises: CacheError."""
        self._writer = FramePatcher(plan)

    def close_patch(self) -> None:
        """Close the patch; locks are kept. Raises: CacheError if a manifest cannot be written."""
        writer, self._writer, self._simulation, self._state = self._writer, None, None, None
        if writer is not None:
            writer.close()

    def bring(self, pieces: list[tuple[str, str]], shift: int) -> None:
        """`cache.relocation.bring`, by copying, with messages of its progress."""
        reported = 0.0

        def tell(share: float) -> None:
            nonlocal reported
            if time.monotonic() > reported + TOLD_SECONDS:
                reported = time.monotonic()
                self._tell(BRINGING, share)

        relocation.bring([(Path(source), Path(target)) for source, target in pieces], shift, tell=tell)

    def lock_to_bring(self, folder: str, paths: list[str], pieces: list[tuple[str, str]]) -> None:
        """Make the folder for copied caches, and `lock` them. Raises: CacheError, as `bring`; LockedError."""
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.lock(paths, False)
        except (OSError, CacheError) as error:
            cause = error.__cause__ if isinstance(error, CacheError) else error
            if not isinstance(cause, OSError):
                raise
            raise relocation.bring_error([(Path(source), Path(target)) for source, target in pieces], cause) from error

    def lock(self, paths: list[str], take_over: bool) -> int | None:
        """Take the locks of all bodies, until `close_caches`; return the version of a bake that was killed and left one.
        Raises: LockedError."""
        left = []
        for path in paths:
            lock = Lock(Path(path))
            left.append(lock.take(take_over))
            self._locks.append(lock)
        return max((one.version for one in left if one is not None), default=None)

    def name_version(self, number: int) -> None:
        """Say in the locks which version is written. Raises: CacheError."""
        for lock in self._locks:
            lock.name_version(number)

    def read(self, path: str) -> tuple[dict[str, Array], dict[str, JsonValue]]:
        """`cache.checkpoint.read`."""
        return checkpoint.read(path)

    def take_up(self, path: str, beside: str) -> tuple[dict[str, Array], dict[str, JsonValue]]:
        """Read the checkpoint that `build` continues from; return its identity, and those of its arrays that are not the
        solver's: their names begin with `beside`. Raises: CacheError."""
        arrays, identity = checkpoint.read(path)
        self._state = {name: array for name, array in arrays.items() if not name.startswith(beside)}
        return {name: array for name, array in arrays.items() if name.startswith(beside)}, identity

    def open_caches(self, plan: BakePlan) -> list[Mapping[str, float]]:
        """Open the caches for writing; return the reports of their frames. Raises: CacheError."""
        self._writer = BakeWriter(plan, self._locks)
        return self._writer.reports

    def close_caches(self) -> int:
        """End the writing, with the manifests of all frames; return how many there are. Raises: CacheError if they cannot
        be written."""
        try:
            if self._writer is not None:
                self._writer.close()
        finally:
            frames = self._release()
        return frames

    def _release(self) -> int:
        writer, self._writer = self._writer, None
        frames = 0 if writer is None else writer.frames
        if writer is not None:
            writer.abandon()
        while self._locks:
            self._locks.pop().release(as_found=not frames)
        return frames

    def build(
        self, scene: Scene, settings: Settings, changed: bool, inverses: Mapping[str, Array], beside: Mapping[str, Array],
        filled: Mapping[str, tuple[str, Mapping[str, JsonValue]]],
    ) -> Written | None:  # fmt: skip
        """Make the simulation and write its start; nothing where it continues from a checkpoint, maybe of a scene that has
        changed since. inverses: as `advance`. beside, filled: of `BakeWriter`."""
        from .simulation import Simulation

        assert self._writer is not None
        self._writer.beside, self._writer.filled = beside, filled
        simulation = Simulation(scene, settings, self._compiling)
        self._warn(simulation)
        written = None
        if self._state is None:
            written = self._write(simulation, simulation.start(), inverses, np.inf)
        else:
            simulation.restore(self._state, changed)
            if isinstance(self._writer, BakeWriter) and self._writer.branch:
                self._writer.branched = simulation.snapshot()
        self._state, self._simulation = None, simulation
        return written

    def advance(
        self, pins: Mapping[str, Array], colliders: Mapping[str, Array], wind: Array, gravity: Array, number: int,
        seconds: float, inverses: Mapping[str, Array], fields: list[Field], responses: Mapping[str, Response],
        shapes: Mapping[str, ShapeInputs], numbers: Mapping[str, Any],
        changed: Mapping[str, Collider] | None = None, references: Mapping[str, ReferenceFrame] | None = None,
        grabs: Mapping[str, Grab] | None = None,
    ) -> Written:  # fmt: skip
        """Make and write the next frame, and a checkpoint where none was written for so long [s].

        inverses: body -> world to object space, (4, 4). numbers: values, speed, air_density, drag and lift, as all the rest
        of `poses.FrameInputs`. changed: colliders that are other meshes from this frame on.
        """
        from .simulation import FrameInputs

        simulation, self._simulation = self._simulation, None  # there is none any more after a frame that fails
        if simulation is None:
            raise StoppedError("The frame before it failed.")
        if changed:
            simulation, self._warned = simulation.remade(changed), 0
        self._tell_late(simulation)
        try:
            frame = simulation.advance_frame(
                FrameInputs(
                    pins,
                    colliders,
                    wind,
                    gravity,
                    number,
                    fields,
                    responses,
                    shapes=shapes,
                    references=references or {},
                    grabs=grabs or {},
                    **numbers,
                )
            )
        finally:
            self._warn(simulation)  # it may say why it fails
        written = self._write(simulation, frame, inverses, seconds)
        self._simulation = simulation
        return written

    def remake(self, scene: Scene, settings: Settings, kept: Mapping[str, str] | None = None) -> None:
        """`Simulation.as_scene`; where it raises, all is as it was."""
        assert self._simulation is not None
        self._simulation, self._warned = self._simulation.as_scene(scene, settings, self._compiling, kept), 0
        self._warn(self._simulation)

    def regroup(
        self, scene: Scene, settings: Settings, kept: Mapping[str, str], plan: BakePlan, inverses: Mapping[str, Array],
        beside: Mapping[str, Array], filled: Mapping[str, tuple[str, Mapping[str, JsonValue]]],
    ) -> None:  # fmt: skip
        """`remake` with other bodies, whose caches are those of the plan from now on. kept: of `Simulation.as_scene`.
        inverses: at the present frame. beside, filled: of `BakeWriter`. Raises: CacheError."""
        self.remake(scene, settings, kept)
        assert self._writer is not None and self._simulation is not None
        self._writer.close()
        self._writer = writer = BakeWriter(plan, self._locks)
        writer.beside, writer.filled = beside, filled
        frame = self._simulation.start()
        writer.fill(frame.samples or frame.surfaces, inverses)

    def keep(self) -> int:
        """Write a checkpoint of the last frame where there is none; return the frames of the newest.
        Raises: CacheError."""
        assert self._simulation is not None
        return self._keep(self._simulation)

    def begin_settling(self, scene: Scene, settings: Settings, tolerance: float, steps: int) -> None:
        """Begin `settle.settling`."""
        from .settle import settling

        self._settling = settling(scene, settings, tolerance=tolerance, steps=steps, grabs=self._hands.step)

    def settle_on(self, grabs: Mapping[str, Grab], seconds: float) -> Settled:
        """Continue with it for so long [s], one step at least. grabs: what hands do from now on."""
        assert self._settling is not None
        self._hands.take(grabs)
        until, done = time.monotonic() + seconds, True
        for rest in self._settling:
            self._rest = rest
            if time.monotonic() > until:
                done = False
                break
        last = self._rest
        assert last is not None
        return Settled(last.positions, last.frame.surfaces, last.step, last.speed, last.residual, last.warning, done)

    def check(self, scene: Scene, settings: Settings) -> tuple[list[str], tuple[Location, ...], dict[str, float]]:
        """Return the solver's warnings as it makes a model of the scene, the intersections at the start, and the share of
        each cloth's triangles that make no quadrilaterals. Raises: GpbdError where a bake would, before its first frame."""
        from .contact.setup import make_contact
        from .global_step.global_step import left_to_sweeps
        from .methods import make_method
        from .model.bodies.cloth import quadrilaterals_of
        from .model.build import build
        from .model.state import start_state
        from .model.torn import whole
        from .report.intersections import IntersectionSearch
        from .stepping.poses import Drivers
        from .stepping.pressure import make_pressure

        model = whole(build(scene, settings))
        make_pressure(model)
        state = start_state(model, make_method(model).state_numbers)
        contact = make_contact(model, state.rigid)
        crossing = IntersectionSearch(model, contact).at_start(state.x, Drivers(model).now.collider_vertices)
        alone = {
            body.name: 1.0 - 2 * len(quadrilaterals_of(body)) / len(body.triangles)
            for body in scene.bodies
            if isinstance(body, Cloth)
        }
        return model.warnings + left_to_sweeps(model), crossing, alone

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
        sentences = jumps.between(before, after, self._drift, frame)
        if pins:  # bodies continue as their pins went
            self._drift = np.concatenate(after.pins).mean(0) - np.concatenate(before.pins).mean(0)
        self._jumps = jumps, after
        return sentences

    def _compiling(self, done: int, count: int) -> None:
        if time.monotonic() > self._told + TOLD_SECONDS:
            self._told, self._compiles = time.monotonic(), True
            self._tell(COMPILED, [done, count])

    def _tell_late(self, simulation: Simulation) -> None:
        """Report the compilation of kernels that later frames may need, until all are there."""
        done, count = simulation.compiling
        if done < count or self._compiles:
            self._compiles = done < count
            self._tell(COMPILED, [done, count])

    def _warn(self, simulation: Simulation) -> None:
        for warning in simulation.warnings[self._warned :]:
            self._tell(WARNING, warning)
        self._warned = len(simulation.warnings)

    def _write(self, simulation: Simulation, frame: Frame, inverses: Mapping[str, Array], seconds: float) -> Written:
        assert self._writer is not None
        values = _values(simulation, frame, self._writer.measured) if self._writer.measured else {}
        self._writer.write(frame.samples or frame.surfaces, inverses, numbers(frame.report), values)
        due = time.monotonic() - self._kept >= seconds
        return Written(frame.report, self._keep(simulation) if due else self._writer.kept)

    def _keep(self, simulation: Simulation) -> int:
        assert self._writer is not None
        if self._writer.kept != self._writer.frames:
            self._kept = time.monotonic()
            self._writer.write_checkpoint(simulation.snapshot())
        return self._writer.kept


def _values(simulation: Simulation, frame: Frame, measured: Mapping[str, tuple[Array, Array]]) -> dict[str, Array]:
    """Return the values of each vertex. measured: of `BakeWriter`."""
    from .report.vertex_values import MeshEdges, vertex_values

    now, solved = simulation.substeps.now, frame.report.substeps > 0
    return vertex_values(
        now.model, simulation.state, simulation.contact, now.estimate if solved else None, frame.surfaces,
        simulation.drivers.now.collider_vertices, {name: MeshEdges(*arrays_of) for name, arrays_of in measured.items()},
    )  # fmt: skip
