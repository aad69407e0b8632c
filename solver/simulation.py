"""Simulation: a scene, advanced frame by frame."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .contact.contact import Contact
from .contact.setup import make_contact, remade_contact, torn_contact
from .device import ahead
from .device.counters import counters
from .device.threads import set_threads
from .errors import CacheError, SceneError
from .global_step.global_step import left_to_sweeps
from .model.build import build
from .model.hooks import without
from .model.model import Model
from .model.renewal import renewed
from .model.state import State, start_state
from .model.torn import bound_copies, torn, whole
from .report.beyond_data import BeyondData
from .report.frame import is_finite, not_finite, of_intersections, report_of
from .report.frame_report import Report
from .report.intersections import IntersectionSearch
from .report.location import Location
from .report.measured import mean_velocity, measured
from .report.plasticity import is_plastic, plastic_strains, with_plasticity
from .report.tension import has_tension, tensions, with_tension
from .scene import Collider, Grab, Plane, Scene, Settings, ShapeCollider, checks
from .scene.features import features
from .scene.keyed import scene_at
from .stepping.adaptive_substeps import AdaptiveSubsteps
from .stepping.continued_bodies import Side, continued
from .stepping.gpu.choice import settled
from .stepping.gpu.on_device import OnDevice
from .stepping.jumps import Jumps
from .stepping.poses import Drivers, FrameInputs, SceneNumbers
from .stepping.pressure import make_pressure
from .stepping.renewal import release, reshape, take_over
from .stepping.shapes import Shapes
from .stepping.snapshot import BOUND, BROKEN, LET_GO, is_of_device, snapshot
from .stepping.surroundings import Surroundings
from .stepping.tearing import part_vertices
from .topology.embedding import reconstruct

Array = np.ndarray

#: Below this many packs of 16 elements a parallel region costs more than the second thread brings.
SMALL = 400
#: Of a snapshot: numbers that were not the scene's own.
NUMBERS = "numbers"
#: Where a user changes what a method is called with.
CALL = "in the call"
#: Of a frame for which a caller gives nothing.
NOTHING_GIVEN = FrameInputs()
NO_ROWS = np.zeros(0, np.int64)

__all__ = ["Frame", "FrameInputs", "Simulation"]


@dataclass(frozen=True)
class Frame:
    """One frame. positions: body name -> simulated vertices [m], (n, 3) float32, world space. surfaces: body name ->
    visible mesh, the embedded one where there is one. report: how good the frame is. samples: body name -> visible mesh at
    `Settings.samples` equal steps since the frame before, the last at this one, (samples, n, 3); none with one."""

    number: int
    positions: dict[str, Array]
    surfaces: dict[str, Array]
    report: Report
    samples: dict[str, Array] = field(default_factory=dict)


class Simulation:
    """The bodies of a scene, moving.

    Raises: SceneError, TopologyError or MaterialError if the scene cannot be simulated; `advance_frame` raises
    UnstableError when it leaves the finite numbers. warnings: oddities that could be dealt with. compiled: called, while
    the first frame waits for kernels, with how many of them are compiled, and of how many.
    """

    def __init__(
        self,
        scene: Scene,
        settings: Settings | None = None,
        compiled: Callable[[int, int], object] = lambda done, count: None,
    ):
        self._compiled = compiled
        self.scene = checks.instance("Simulation", "scene", scene, Scene, "Put the bodies in Scene([...]).")
        default = Settings() if settings is None else settings
        requested = checks.instance("Simulation", "settings", default, Settings, "Use Settings(...).")
        self.settings = settled(self.scene, requested)
        self._kernels = ahead.start(features(scene, self.settings))
        self._built = self._numbered = build(scene, self.settings)
        self.model = whole(self._built)
        self._numbers: SceneNumbers = {}
        self.warnings = self.model.warnings
        self.warnings += left_to_sweeps(self.model)
        self.substeps = AdaptiveSubsteps(self.model, self._part)
        self._state = start_state(self.model, self.substeps.now.method.state_numbers)
        self.surroundings, self.pressure = Surroundings(self.model), make_pressure(self.model)
        self.drivers, self.shapes = Drivers(self.model), Shapes(self.model)
        self.jumps = Jumps(self.model.x_start, self.drivers.body_names, self.drivers.collider_counts)
        self._contact = make_contact(self.model, self._state.rigid)
        self._on_device = OnDevice(self.settings, requested.device)
        self._drift = mean_velocity(self.model, self._state)
        self._beyond = BeyondData()
        self._search = IntersectionSearch(self.model, self._contact)
        packs = sum(batch.packs for batch in self.model.batches)
        self._threads = 1 if packs < SMALL else self.settings.threads

    @property
    def state(self) -> State:
        """State of the solver: arrays of all bodies. Values that have stayed on a device are copied
        for it."""
        self._on_device.fetch(self._state)
        return self._state

    @property
    def plastic_strains(self) -> dict[str, Array]:
        """Return the plastic strain at the simulated vertices of each body, (n,): of a sheet the plastic curvature [1/m],
        of a solid the accumulated strain [1]."""
        strains = plastic_strains(self.model, self.state)
        return {part.body.name: strains[part.start : part.stop] for part in self.model.parts}

    @property
    def tensions(self) -> dict[str, Array]:
        """Return the tension at the vertices of each rope [N], (n,), the mean of their segments; negative in compression."""
        of_vertices = tensions(self.model, self.state)
        return {part.body.name: of_vertices[part.start : part.stop] for part in self.model.parts if part.kind.is_line}

    @property
    def compiling(self) -> tuple[int, int]:
        """Return how many of the kernels that its frames may need are compiled, and of how many. A frame that needs another
        takes as long as that takes to compile."""
        return self._kernels.progress

    @property
    def contact(self) -> Contact | None:
        """Likewise its contact, None where nothing may touch anything."""
        self._on_device.fetch(self._state)
        return self._contact

    def start(self) -> Frame:
        """The frame that the state is at: frame 1, unless it was advanced or restored. Its report has only the
        intersections."""
        crossing = self._search.at_start(self._state.x, self.drivers.now.collider_vertices)
        return self._frame(Report(**of_intersections(crossing)))

    def frames(self, first: int = 1, last: int = 1) -> Iterator[Frame]:
        """Frames `first` to `last`; the start state is frame 1. Frames before `first` are simulated, not given."""
        first, last = (checks.whole("Frames", name, n, 1, CALL) for name, n in (("first", first), ("last", last)))
        if last < first:
            raise SceneError(f"Frames {first} to {last} were asked for; wanted 1 <= first <= last. Change one of them.")
        if self._state.frame > first:
            raise SceneError(
                f"The simulation is at frame {self._state.frame}, past {first}; wanted one at or before it. Make a new one."
            )
        if self._state.frame == first:
            yield self.start()
        while self._state.frame < last:
            frame = self.advance_frame()
            if frame.number >= first:
                yield frame

    def advance_frame(self, inputs: FrameInputs | None = None) -> Frame:
        """The next frame."""
        began = time.perf_counter()
        counters.clear()
        default = NOTHING_GIVEN if inputs is None else inputs
        inputs = checks.instance("Simulation", "inputs", default, FrameInputs, "Use FrameInputs(...).")
        self.drivers.check(inputs)
        reshaped = self.shapes.take(inputs.shapes)
        if not self._take_numbers(inputs.numbers) and reshaped:
            self.model = self._model_now()
            self.substeps.reshape(self.model)
            reshape(self.model, self.state)
        self.substeps.on_the_way = self._on_the_way if self.shapes.is_shortening else None
        if self.shapes.now:
            inputs = replace(inputs, shapes=self.shapes.now)
        self.warnings += self._kernels.wait_for_first(self._compiled)
        set_threads(self._threads)
        before, drift = self.drivers.now, self._drift / self.model.settings.fps
        called = inputs.called(self._state.frame + 1)
        try:
            of_frame = self._state, self.drivers, self._contact
            done = self._on_device.advance(self.substeps, *of_frame, self.pressure, inputs, self._search)
            if done is None:
                done = self.substeps.advance(*of_frame, self.surroundings, self.pressure, inputs)
        finally:  # what jumps may be why it fails
            self.warnings += self.jumps.between(before, self.drivers.now, drift, called)
        now, gravity = self.substeps.now, self.drivers.gravity(inputs)
        measurements = self._on_device.measured or measured(now.model, self._state, self._contact, gravity)
        crossing: tuple[Location, ...] = ()
        if measurements.crossing != 0:
            crossing = self._search.at_end(self._state.x, self.drivers.now.collider_vertices)
        self._drift = measurements.drift
        of_end = now.model, self._state, self._contact, now.estimate, measurements, crossing
        report = report_of(*of_end, done.converged, done.sweeps, began)
        report = replace(report, **self._on_device.report_fields())
        if is_plastic(now.model):
            report = with_plasticity(report, now.model, self.state)
        if has_tension(now.model):
            report = with_tension(report, now.model, self.state)
        self.warnings += self._on_device.warnings
        self._on_device.warnings = []
        if self.substeps.times > 1:
            self.substeps.end_frame(self.state)
        self.warnings += self._beyond.look(now.model, self._state)
        if not is_finite(report):
            raise not_finite(self.model, self.state, called)
        return self._frame(report)

    def snapshot(self) -> dict[str, Array]:
        """The exact state, for `restore`: continuing from it gives the same bits as not having stopped."""
        arrays = snapshot(self.model, self.state, self.drivers, self.contact)
        arrays |= self.shapes.memory
        if self._numbers or self.substeps.behind:
            numbers = json.dumps({**self._numbers, "behind": self.substeps.behind})
            arrays[NUMBERS] = np.frombuffer(numbers.encode(), np.uint8)
        return arrays

    def restore(self, snapshot: Mapping[str, Array], changed: bool = False) -> None:
        """Take a snapshot of a simulation of the same scene and settings. Raises: CacheError if it does not fit.

        changed: settings, materials and pins may be others, where the meshes, their number and the colliders are the same.
        """
        behind = self._take_kept_numbers(snapshot, changed)
        self._take_kept_releases(snapshot)
        self._take_kept_tears(snapshot)
        self.shapes.restore(snapshot)
        if is_of_device(snapshot) != (self.settings.device != "cpu"):
            changed = True
            self.warnings.append(_device_changed(snapshot))
        take = self.substeps.restore_changed if changed else self.substeps.restore
        take(snapshot, self.state, self.drivers, self.contact)
        self._unbind()
        self._drift = mean_velocity(self.model, self._state)
        self._on_device.forget()
        self.substeps.behind = behind

    def _take_kept_numbers(self, snapshot: Mapping[str, Array], changed: bool) -> float:
        """Take over the numbers that a snapshot was taken with, which say what its arrays are of; under other settings
        those of the scene. Returns what the simulation was behind the scene by [s]. Raises: CacheError."""
        checks.mapping("Checkpoint", "the snapshot", snapshot, CacheError)
        encoded = snapshot.get(NUMBERS)
        try:
            numbers: Any = {} if encoded is None else json.loads(bytes(encoded).decode())
            behind = float(numbers.pop("behind", 0.0))
        except (ValueError, TypeError, AttributeError) as error:
            shown, remedy = checks.shown(encoded), "Clear the cache and bake again."
            raise checks.wrong("Checkpoint", f"'{NUMBERS}'", shown, "a JSON text as bytes", remedy, CacheError) from error
        self._take_numbers({} if changed else numbers)
        return behind

    def _take_kept_releases(self, snapshot: Mapping[str, Array]) -> None:
        """Let go of the pins that held no longer when a snapshot was taken."""
        let_go, state = snapshot.get(LET_GO), self._state.let_go
        if isinstance(let_go, np.ndarray) and let_go.shape == state.shape and not np.array_equal(let_go, state):
            state[:] = let_go
            self._take_releases()

    def _take_kept_tears(self, snapshot: Mapping[str, Array]) -> None:
        """Tear the model as it was when a snapshot was taken."""
        state, broken, bound = self._state, snapshot.get(BROKEN), snapshot.get(BOUND)
        if broken is None or bound is None or (broken.shape, bound.shape) != (state.broken.shape, state.bound.shape):
            return
        if not (np.array_equal(broken, state.broken) and np.array_equal(bound, state.bound)):
            state.broken[:], state.bound[:] = broken, bound
            self._take_tears()

    def _take_numbers(self, numbers: SceneNumbers) -> bool:
        """Let the numbers of the scene be these from now on; return whether they were others.

        numbers: of `FrameInputs.numbers`. Raises: SceneError or MaterialError; then all is as it was.
        """
        if numbers == self._numbers:
            return False
        numbered, speed = self._renewed(numbers), numbers.get("speed", 1.0)
        before, state, self._numbers, self._numbered = self.model, self.state, numbers, numbered
        self._on_device.forget()
        self.model = self._model_now()
        self.drivers.go_on(self.model)
        take_over(before, self.model, state, self.drivers)
        self.substeps.go_on(self.model, state, speed)
        self.surroundings = Surroundings(self.model)
        if self.contact is not None:
            if _touches_otherwise(before, self.model):
                self._contact = remade_contact(self.model, self.state.rigid, self.contact)
                self._search = IntersectionSearch(self.model, self._contact)
            self.contact.forget_pairs()
        self._unbind()
        return True

    def _renewed(self, numbers: SceneNumbers) -> Model:
        """The whole model with these numbers, and without the pins that have let go. Raises: SceneError, MaterialError."""
        scene = scene_at(self.scene, numbers.get("values", {}), numbers.get("air", {}))
        scene = without(scene, self._built.parts, self._state.let_go)
        settings = replace(self.settings, fps=self.settings.fps / numbers.get("speed", 1.0))
        grabs = {
            name: Grab(np.array(one["vertices"]), np.array(one["stiffness"]), damping=one["damping"])
            for name, one in numbers.get("grabs", {}).items()
        }
        return renewed(self._built, scene, settings, grabs)

    def _model_now(self) -> Model:
        """The model with the numbers, the tears and the rest shapes of now."""
        return self.shapes.shaped(torn(self._numbered, self._state.broken, self._state.bound))

    def _on_the_way(self, share: float) -> Model:
        """The model at a share of a frame in which ropes shorten."""
        return self.shapes.shaped(torn(self._numbered, self._state.broken, self._state.bound), share)

    def _part(self, broken: list[int], failing: Array = NO_ROWS) -> tuple[Contact | None, Surroundings]:
        """Tear the state where these edges break, and let go of pins. failing: rows of their vertices. Returns contact and
        surroundings of the model after it."""
        if len(failing):
            self._state.let_go[failing] = True
            self._take_releases()
        if len(broken):
            self._state.broken[broken] = True
            self._take_tears()
        return self._contact, self.surroundings

    def _take_releases(self) -> None:
        """Take over the pins of the state that have let go."""
        before, self._numbered = self.model, self._renewed(self._numbers)
        self.model = self._model_now()
        self.drivers.go_on(self.model)
        release(before, self.model, self._state)
        self.substeps.tear(self.model, self._state)
        self.surroundings = Surroundings(self.model)
        if self._contact is not None:
            self._contact.forget_pairs()
        self._unbind()

    def _unbind(self) -> None:
        """Part the copies at tears that pins kept together until they let go."""
        bound, state = bound_copies(self._numbered, self.model.weld), self._state
        before, state.bound[:] = state.bound.copy(), bound
        if (before & ~bound).any():
            self._take_tears()

    def _take_tears(self) -> None:
        """Take over the broken edges and the bound copies of the state."""
        weld = self.model.weld
        self.model = self._model_now()
        part_vertices(weld, self.model, self._state)
        self.substeps.tear(self.model, self._state)
        self.surroundings = Surroundings(self.model)
        if self._contact is not None:
            self._contact = torn_contact(self.model, self._state.rigid, self._contact)
        self._search = IntersectionSearch(self.model, self._contact)

    def remade(self, changed: Mapping[str, Collider]) -> Simulation:
        """The same, going on, where these colliders, by name, are other meshes.

        They stand as they are until the next frame's inputs. What contact remembers begins anew, and on which side of closed
        colliders bodies belong is decided as they are now. Raises: SceneError, as a scene of such colliders does.
        """
        now = self.drivers.now.collider_vertices + self.model.origin
        colliders: list[Collider | Plane | ShapeCollider] = []
        rows = iter(self.drivers.collider_rows)
        for collider in self.scene.colliders:
            if isinstance(collider, Collider):
                rows_of, _ = next(rows)
                colliders.append(changed.get(collider.name) or replace(collider, vertices=now[rows_of]))
            else:
                colliders.append(collider)
        scene = copy(self.scene)
        scene.colliders = colliders
        other = self.as_scene(scene, self.settings)
        other.warnings.clear()
        return other

    def as_scene(
        self, scene: Scene, settings: Settings, compiled: Callable[[int, int], object] = lambda done, count: None,
        kept: Mapping[str, str] | None = None,
    ) -> Simulation:  # fmt: skip
        """The same, going on as a scene of the same bodies' meshes with other materials, pins, settings or colliders; or,
        with `kept`, as one of other bodies, which begin where the scene has them.

        Where the bodies or the colliders are other meshes, these begin where the scene has them, what contact remembers
        begins anew, and on which side of closed colliders bodies belong is decided as they are now. compiled: of
        `Simulation`. kept: name of each body that continues -> its name in this simulation; their meshes are the same. None
        for all, in the same order. Raises: as `Simulation`; CacheError where the meshes differ.
        """
        other, saved = Simulation(scene, settings, compiled), self.snapshot()
        if kept is not None:
            sides = Side(self.model, self.state, saved), Side(other.model, other.state, other.snapshot())
            saved = continued(*sides, kept)
        elif _collider_meshes(self.scene) == _collider_meshes(scene):
            other.restore(saved, changed=True)
            return other
        other.restore(saved | {"collider_vertices": other.drivers.now.collider_vertices}, changed=True)
        here = replace(other.model, x_start=other.state.x[: other.model.n_vertices, :3].astype(float), warnings=[])
        other._contact = make_contact(here, other.state.rigid)
        other._search = IntersectionSearch(here, other._contact)
        return other

    def _frame(self, report: Report) -> Frame:
        positions, surfaces = self._placed(self._state.x)
        samples = {}
        if self.settings.samples > 1:
            within = [self._placed(x)[1] for x in self.substeps.samples] or [surfaces] * (self.settings.samples - 1)
            samples = {name: np.stack([*(one[name] for one in within), last]) for name, last in surfaces.items()}
        return Frame(self._state.frame, positions, surfaces, report, samples)

    def _placed(self, all_rows: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """Simulated vertices and visible meshes of the bodies [m], world space. all_rows: (n, 3 or more) [m]."""
        positions, surfaces = {}, {}
        all_rows = self.model.followed(all_rows)
        for part in self.model.parts:
            x = (all_rows[part.start : part.stop, :3] + self.model.origin).astype(np.float32)
            positions[part.body.name] = surfaces[part.body.name] = x
            if part.surface_rows is not None:
                rows = slice(part.surface_rows.start, part.surface_rows.stop)
                surfaces[part.body.name] = (all_rows[rows, :3] + self.model.origin).astype(np.float32)
            elif part.embedded is not None:
                surfaces[part.body.name] = reconstruct(x, part.embedded.corners, part.embedded.weights)
        return positions, surfaces


def _collider_meshes(scene: Scene) -> list[tuple[str, bytes]]:
    """Name and faces of each collider of vertices, in their order."""
    return [(one.name, np.asarray(one.triangles).tobytes()) for one in scene.colliders if isinstance(one, Collider)]


def _device_changed(snapshot: Mapping[str, Array]) -> str:
    before, after = ("a GPU", "the CPU") if is_of_device(snapshot) else ("the CPU", "a GPU")
    return (
        f"Frames up to {int(snapshot['frame'])} were computed by {before}, those after it by {after}: from there on "
        "elements are swept in another order, which changes what iterations leave. Bake from the start where that matters."
    )


def _touches_otherwise(before: Model, after: Model) -> bool:
    """Return whether distances, friction or the pairs of bodies in contact differ."""
    pairs = zip(before.scene.colliders, after.scene.colliders, strict=True)
    colliders = all((a.friction, a.thickness, a.enabled) == (b.friction, b.thickness, b.enabled) for a, b in pairs)
    numbers = "vertex_distance", "vertex_friction", "body_thickness"
    return not colliders or not all(np.array_equal(getattr(before, name), getattr(after, name)) for name in numbers)
