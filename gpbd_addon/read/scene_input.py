"""A Blender scene as one GPBD world: the objects that take part, and their data at each frame."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import bpy
import numpy as np

from ...solver.cache.pc2 import topology_hash
from ...solver.counted import counted
from ...solver.device.worker import Worker
from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import Body, Collider, ReferenceFrame, Scene, Settings
from ..properties import method_settings
from . import (
    attachments,
    body_input,
    body_reading,
    collider_inputs,
    evaluated_mesh,
    fields,
    following,
    forces,
    grabs,
    keyed,
    line,
    object_names,
    painted,
    response,
    taking_part,
    time_stretching,
)
from .frame_data import FrameData

Array = np.ndarray


@dataclass
class World:
    """The scene of a bake at its first frame; holds no Blender reference.

    scale: metres of a Blender unit. stretching: see `time_stretching.factor`. collider_corners: vertices of each collider's
    faces, one after the other, at the last frame read; changing: those with other meshes at some frames; resumed: those at
    the frame where a bake resumes. followed: poses of reference frames, at the last frames read. shown_by: object -> names
    of the colliders that it instances. pinned_late: bodies already reported for pins that the first frame lacks. hands:
    places of the hands of recorded grabs, at the last frame read. baked: of `taking_part.passive`. called: gives the names
    of objects at the first frame.
    """

    start: int
    end: int
    scale: float
    settings: Settings
    bodies: list[body_input.BodyInput]
    colliders: list[Collider]
    first: FrameData
    air_density: float
    drag: float
    lift: float
    warnings: list[str] = field(default_factory=list)
    collider_corners: dict[str, Array] = field(default_factory=dict)
    shown_by: dict[str, list[str]] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)
    resumed: dict[str, Collider] = field(default_factory=dict)
    stretching: float = 1.0
    followed: dict[int, dict[str, Array]] = field(default_factory=dict)
    pinned_late: set[str] = field(default_factory=set)
    hands: tuple[int, dict[str, Array]] = (0, {})
    baked: set[str] | None = None
    called: object_names.Called = object_names.now

    def building(self, worker: Worker, tell: Callable[[str], Any]) -> Generator[bool, None, Scene]:
        """Build the solver's scene, whose soft bodies a worker fills with tetrahedra; yields False until it is complete.

        tell: called with the progress. Raises: SceneError.
        """
        for body in self.bodies:
            yield from body.filling(worker, tell)
        return self.build()

    def build(self) -> Scene:
        """The same at once. Raises: SceneError."""
        bodies = [body.build() for body in self.bodies]
        for body in bodies:
            body.response = self.first.responses.get(body.name)
        colliders = [self.resumed.get(collider.name, collider) for collider in self.colliders]
        items: list[Body | Collider] = [*bodies, *colliders]
        for item in items:
            item.touches = self.touched(item.touches)
        return Scene(
            bodies,
            colliders,
            gravity=self.first.gravity,
            wind=self.first.wind,
            air_density=self.air_density,
            drag=self.drag,
            lift=self.lift,
            fields=self.first.fields,
            ties=[tie for body in self.bodies for tie in body.attachments.ties],
        )

    def touched(self, names: Sequence[str] | None) -> list[str] | None:
        """Return the collision partners that take part: a collection may hold lamps, and bodies that this bake
        leaves out."""
        if names is None:
            return None
        here = {body.name for body in self.bodies} | {collider.name for collider in self.colliders}
        return [shown for name in names for shown in (name, *self.shown_by.get(name, ())) if shown in here]

    def identity(self) -> dict[str, JsonValue]:
        """Return JSON values that must be equal for a bake to be resumed. End, threads and device may differ."""
        settings = asdict(self.settings)
        del settings["threads"], settings["device"]
        return {
            "start": self.start,
            "settings": settings,
            **time_stretching.identity(self.stretching),
            "bodies": {body.name: body.identity() | self._answer(body.name) for body in self.bodies},
            "colliders": {
                c.name: {
                    "topology": topology_hash(len(self.first.colliders[c.name]), c.triangles),
                    "friction": c.friction,
                    "thickness": c.thickness,
                    "depth": c.depth if c.one_sided else 0.0,
                    "side": c.side,
                    "contact": [c.touches, np.asarray(c.without_contact).tolist()],
                }
                for c in self.colliders
            },
            "gravity": self.first.gravity.tolist(),
            "wind": self.first.wind.tolist(),
            "air": [self.air_density, self.drag, self.lift],
            "fields": [one.name for one in self.first.fields],
        }

    def _answer(self, name: str) -> dict[str, Any]:
        response = self.first.responses.get(name)
        return {} if response is None else {"response": asdict(response)}

    @property
    def box(self) -> tuple[Array, Array]:
        """Lowest and highest corner of all bodies at the first frame [m]."""
        return _box(self.bodies)


def bodies_of(scene: bpy.types.Scene, names: Iterable[str] | None = None) -> list[bpy.types.Object]:
    """Return the simulated GPBD bodies of a scene, or those of these names, in the order of their names.

    Raises: SceneError if there is none, or if a name is not one of them.
    """
    bodies = taking_part.simulated(scene)
    if names is None:
        if not bodies:
            raise SceneError(taking_part.nobody(scene))
        return bodies
    known = {ob.name: ob for ob in bodies}
    unknown = [name for name in names if name not in known]
    if unknown:
        there = ", ".join(known) or "none"
        raise SceneError(
            f"'{unknown[0]}' is no GPBD body of scene '{scene.name}' that is simulated; wanted one of {there}. Name one of "
            "these."
        )
    return [known[name] for name in dict.fromkeys(names)]


def frame_range(scene: bpy.types.Scene, frames: tuple[int, int] | None = None) -> tuple[int, int]:
    """Return the first and last frame of the bake, from the argument or the scene. Raises: SceneError for an empty range."""
    start, end = frames or range_of(scene)
    if end < start:
        raise SceneError(f"Frames {start} to {end}: there are none; wanted an end not before the start. Change the range.")
    return start, end


def range_of(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return the scene's range as set, which may be empty."""
    owner = scene.gpbd.range_owner
    return owner.frame_start, owner.frame_end


def settings_of(scene: bpy.types.Scene) -> Settings:
    """Raises: SceneError."""
    properties = scene.gpbd
    special: dict[str, Any] = {}
    for name in method_settings.used_settings(properties):
        value = getattr(properties, name)
        special[name] = round(value, 6) if isinstance(value, float) else value
    return Settings(
        fps=scene.render.fps / scene.render.fps_base,
        method=properties.method.lower(),
        integrator=properties.integrator.lower(),
        error_tolerance=1e-3 * round(properties.error_tolerance, 6) or None,
        substeps=properties.substeps,
        samples=properties.samples,
        iterations=properties.iterations,
        threads=properties.threads or None,
        device=_device_of(properties),
        **special,
    )


def _device_of(properties: Any) -> str:
    """Return the device in the solver's terms; the first GPU is the first that can be used."""
    name = properties.device.lower()
    return f"{name}:{properties.gpu - 1}" if name == "cuda" and properties.gpu else name


def view_layer_of(scene: bpy.types.Scene) -> str:
    """The view layer that is evaluated: the one in the window, else the first."""
    return bpy.context.view_layer.name if bpy.context.scene == scene else scene.view_layers[0].name


def depsgraph_of(scene: bpy.types.Scene, view_layer: str) -> bpy.types.Depsgraph:
    """The evaluated scene, up to date.

    Not by `Context.evaluated_depsgraph_get`: it lets other threads run Python while it looks into the dictionary of a
    `temp_override`, which ends Blender 4.5 with a segmentation fault once a worker thread has just let go of Python too.
    """
    layer = scene.view_layers[view_layer]
    layer.update()
    assert layer.depsgraph is not None  # it is made by the update
    return layer.depsgraph


def gather(
    scene: bpy.types.Scene, view_layer: str, bodies: list[bpy.types.Object], frames: tuple[int, int] | None = None,
    baked: set[str] | None = None,
) -> World:  # fmt: skip
    """Read the world at the first frame, to which the scene is set. Call with our modifiers switched off.

    baked: of `taking_part.passive`. Raises: SceneError.
    """
    start, end = frame_range(scene, frames)
    scene.frame_set(start)
    depsgraph = depsgraph_of(scene, view_layer)
    scale = scene.unit_settings.scale_length
    around = collider_inputs.read(scene, depsgraph, scale, baked)
    warnings = around.warnings
    inputs = [body_reading.read(ob, depsgraph, scale) for ob in bodies]
    for ob, body in zip(bodies, inputs, strict=True):
        body.attachments = attachments.read(ob, [one.name for one in inputs], body.vertices, depsgraph, scale)
        body.grabs = grabs.identity(ob)
    first = FrameData(
        start,
        {body.name: body.vertices for body in inputs if body.follows},
        {c.name: np.asarray(c.vertices) for c in around.colliders},
        _inverses([body.name for body in inputs], bodies, depsgraph, scale),
        forces.gravity(scene),
        forces.wind(scene),
        fields.read(scene, depsgraph, scale, _box(inputs)),
        response.of_bodies([body.name for body in inputs], bodies, depsgraph, scale),
        shapes={body.name: body.shape for body in inputs if body.shape is not None},
    )
    warnings += fields.unused(scene)
    objects = {ob.name: keyed.of_body(ob) for ob in bodies} | around.numbers
    weights = {body.name: body.weights * body.hold for body in inputs if body.weights is not None}
    maps = {body.name: {of: one.weights for of, one in body.maps.items()} for body in inputs}
    goals = {body.name: body.goal.weight * body.goal_strength for body in inputs if body.goal is not None}
    radii = {body.name: body.line.radius for body in inputs if body.line is not None}
    first.numbers = keyed.Numbers(objects, weights, *keyed.of_scene(scene), maps, goals, radii)
    warnings += [sentence for ob in bodies for sentence in (*keyed.unread(ob), *following.lost(ob))]
    air = first.numbers.air["air_density"], first.numbers.air["drag"], first.numbers.air["lift"]
    return World(
        start,
        end,
        scale,
        settings_of(scene),
        inputs,
        around.colliders,
        first,
        *air,
        warnings,
        around.corners,
        around.shown_by,
        stretching=time_stretching.factor(scene),
        baked=baked,
        followed={start: following.poses({ob.name: ob for ob in bodies}, depsgraph, scale)},
        hands=(start, grabs.places(bodies, depsgraph)),
        called=object_names.Names(),
    )


def read_frame(scene: bpy.types.Scene, view_layer: str, world: World, frame: int) -> FrameData:
    """Read all motion at a frame, to which the scene is set. Raises: SceneError if an object is gone or has changed."""
    by_identity = {ob.gpbd.uuid: ob for ob in taking_part.all_bodies(scene) if ob.is_editable}
    bodies = [_still_there(by_identity.get(body.uuid), body.name, frame) for body in world.bodies]
    _look_back(scene, view_layer, world, bodies, frame)
    within = _within(scene, view_layer, world, frame)
    before = _hands_before(scene, view_layer, world, bodies, frame)
    scene.frame_set(frame)
    depsgraph = depsgraph_of(scene, view_layer)
    around = _colliders(scene, depsgraph, world, frame)
    by_name = {world.called(ob): ob for ob in scene.objects}
    poses = {
        body.name: body_reading.pose(ob, depsgraph, world.scale, len(body.vertices), frame)
        for body, ob in zip(world.bodies, bodies, strict=True)
        if body.follows
    }
    world.hands = frame, grabs.places(bodies, depsgraph)
    return FrameData(
        frame,
        poses,
        around.vertices,
        _stacked(within, _inverses([body.name for body in world.bodies], bodies, depsgraph, world.scale)),
        forces.gravity(scene),
        forces.wind(scene),
        fields.read(scene, depsgraph, world.scale, world.box, world.called),
        response.of_bodies([body.name for body in world.bodies], bodies, depsgraph, world.scale, world.called),
        around.changed,
        _numbers(scene, depsgraph, world, bodies, around.numbers),
        {
            body.name: body_reading.shape_at(body, ob, depsgraph, poses)
            for body, ob in zip(world.bodies, bodies, strict=True)
            if body.shape is not None
        },
        {
            body.name: attachments.at(body.attachments, by_name, depsgraph, world.scale, frame)
            for body in world.bodies
            if body.attachments.surfaces
        },
        _references(world, bodies, depsgraph, frame),
        grabs.recorded(zip(world.bodies, bodies, strict=True), depsgraph, world.scale, before, world.hands[1]),
    )


def _hands_before(
    scene: bpy.types.Scene, view_layer: str, world: World, bodies: list[bpy.types.Object], frame: int
) -> dict[str, Array]:
    """Return the places of the hands of recorded grabs in the frame before; without hands nothing is evaluated."""
    if world.hands[0] != frame - 1 and grabs.hands(bodies):
        scene.frame_set(frame - 1)
        world.hands = frame - 1, grabs.places(bodies, depsgraph_of(scene, view_layer))
    return world.hands[1]


def _look_back(scene: bpy.types.Scene, view_layer: str, world: World, bodies: list[bpy.types.Object], frame: int) -> None:
    """Read the poses of reference frames in the two frames before, if unknown: at the start of reading."""
    following_bodies = {body.name: ob for body, ob in zip(world.bodies, bodies, strict=True) if following.follows(ob)}
    for before in range(max(frame - 2, world.start), frame) if following_bodies else ():
        if before not in world.followed:
            scene.frame_set(before)
            world.followed[before] = following.poses(following_bodies, depsgraph_of(scene, view_layer), world.scale)


def _references(
    world: World, bodies: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph, frame: int
) -> dict[str, ReferenceFrame]:
    named = {body.name: ob for body, ob in zip(world.bodies, bodies, strict=True)}
    now = following.poses(named, depsgraph, world.scale)
    if not now:
        return {}
    before_last, before = (world.followed.get(max(frame - k, world.start), {}) for k in (2, 1))
    world.followed = {k: there for k, there in world.followed.items() if k > frame - 2} | {frame: now}
    return following.references(named, before_last, before, now)


def _box(bodies: list[body_input.BodyInput]) -> tuple[Array, Array]:
    """Lowest and highest corner of bodies [m]."""
    return np.min([body.vertices.min(0) for body in bodies], 0), np.max([body.vertices.max(0) for body in bodies], 0)


def _colliders(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, world: World, frame: int) -> collider_inputs.Frame:
    """Read the world's colliders; reports once each one with another mesh than at the frame before."""
    seen = scene, depsgraph, world.scale, world.collider_corners, frame, world.baked, world.called
    there = collider_inputs.at_frame(*seen)
    world.collider_corners |= there.corners
    for name, collider in there.changed.items():
        collider.touches = world.touched(collider.touches)
        if name not in world.changing:
            world.changing.add(name)
            world.warnings.append(
                f"{name}: is another mesh at frame {frame}, of {collider.count} vertices, so the simulation is made "
                "anew there and wherever it changes again, which takes time. Keep its vertices, if you can."
            )
    return there


def _within(scene: bpy.types.Scene, view_layer: str, world: World, frame: int) -> list[dict[str, Array]]:
    """The inverses of bodies that are there, at the samples between the frame before and this one; none with one a frame."""
    count, inverses = world.settings.samples, []
    for k in range(1, count):
        scene.frame_set(frame - 1, subframe=k / count)
        there = {ob.gpbd.uuid: ob for ob in scene.objects}
        here = [(body.name, there[body.uuid]) for body in world.bodies if body.uuid in there]
        names, bodies = [name for name, _ in here], [ob for _, ob in here]
        inverses.append(_inverses(names, bodies, depsgraph_of(scene, view_layer), world.scale))
    return inverses


def _stacked(within: list[dict[str, Array]], last: dict[str, Array]) -> dict[str, Array]:
    if not within:
        return last
    return {name: np.stack([*(one[name] for one in within), inverse]) for name, inverse in last.items()}


def _numbers(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    world: World,
    bodies: list[bpy.types.Object],
    colliders: dict[str, dict[str, Any]],
) -> keyed.Numbers:
    """Return the numbers that differ from the first frame."""
    objects, weights, maps, goals, radii = {}, {}, {}, {}, {}
    for body, ob in zip(world.bodies, bodies, strict=True):
        there = ob.evaluated_get(depsgraph)
        objects[body.name] = keyed.of_body(ob)
        maps[body.name] = painted.at(ob, there, body.maps)
        if body.weights is not None:
            weights[body.name] = keyed.pin_weights(ob, there, body.weights)
            _tell_of_new_pins(world, body, weights[body.name], scene.frame_current)
        if body.goal is not None:
            goals[body.name] = keyed.goal_weights(ob, there, body.goal.weight)
        if body.line is not None:
            radii[body.name] = line.radius(ob, there, world.scale)
    now = keyed.Numbers(objects | colliders, weights, *keyed.of_scene(scene), maps, goals, radii)
    return now.since(world.first.numbers)


def _tell_of_new_pins(world: World, body: body_input.BodyInput, weights: Array, frame: int) -> None:
    """Report, once a body, that pins are those of the first frame."""
    assert body.weights is not None
    new = int(((weights > 0) & (body.weights == 0)).sum())
    if new and body.name not in world.pinned_late:
        world.pinned_late.add(body.name)
        world.warnings.append(
            f"{body.name}: {counted(new, 'vertex gets', 'vertices get')} a pin weight at frame {frame} and had none at the "
            "first. Give a weight of 0.001 there, or there is no pin."
        )


def _still_there(ob: bpy.types.Object | None, name: str, frame: int) -> bpy.types.Object:
    if ob is None:
        raise SceneError(f"{name}: is no longer in the scene at frame {frame}. The frames before are kept; bake again.")
    return ob


def _inverses(
    names: list[str], bodies: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph, scale: float
) -> dict[str, Array]:
    return {
        name: evaluated_mesh.to_local(name, evaluated_mesh.world_matrix(evaluated_mesh.evaluated(ob, depsgraph), scale))
        for name, ob in zip(names, bodies, strict=True)
    }
