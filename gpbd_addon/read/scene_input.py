"""A Blender scene as one GPBD world: which objects take part, and what they look like at each frame."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import bpy
import numpy as np

from ...solver.cache.pc2 import topology_hash
from ...solver.device.worker import Worker
from ...solver.errors import SceneError
from ...solver.scene import Collider, Scene, Settings, ShapeInputs
from ..properties import method_settings
from . import attachments, body_input, collision_objects, evaluated_mesh, forces, modifier

Array = np.ndarray


@dataclass
class FrameData:
    """One frame of everything that moves by itself; holds no Blender reference.

    poses: body -> its mesh below our modifier [m], (n, 3), of bodies with pins. shapes: cloth -> what shapes it, where any
    of that is read at every frame. attached: cloth -> where surfaces have what follows them [m], (k, 3).
    colliders: name -> vertices [m], (n, 3). inverses: body -> world space in metres to object space,
    (4, 4). gravity [m/s^2], wind [m/s]: (3,).
    """

    number: int
    poses: dict[str, Array]
    colliders: dict[str, Array]
    inverses: dict[str, Array]
    gravity: Array
    wind: Array
    shapes: dict[str, ShapeInputs] = field(default_factory=dict)
    attached: dict[str, Array] = field(default_factory=dict)


@dataclass
class World:
    """All that a bake needs to know of the scene at its first frame; holds no Blender reference.

    scale: metres of a Blender unit. collider_corners: vertices of each collider's faces, one after the other.
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

    def building(self, worker: Worker, tell: Callable[[str], Any]) -> Generator[bool, None, Scene]:
        """The solver's scene, whose soft bodies a worker fills with tetrahedra; yields False while it has not.

        tell: called with what is being done. Raises: SceneError.
        """
        for body in self.bodies:
            yield from body.filling(worker, tell)
        return self.build()

    def build(self) -> Scene:
        """The same at once. Raises: SceneError."""
        bodies = [body.build() for body in self.bodies]
        everything = [*bodies, *self.colliders]
        here = {item.name for item in everything}
        for item in everything:  # a collection may hold lamps, and bodies that this bake leaves out
            item.touches = None if item.touches is None else [name for name in item.touches if name in here]
        return Scene(
            bodies,
            self.colliders,
            gravity=self.first.gravity,
            wind=self.first.wind,
            air_density=self.air_density,
            drag=self.drag,
            lift=self.lift,
            ties=[tie for body in self.bodies for tie in body.attachments.ties],
        )

    def identity(self) -> dict[str, Any]:
        """What has to be the same for a bake to be resumed, as JSON values. The end and the threads may differ."""
        settings = asdict(self.settings)
        del settings["threads"]
        return {
            "start": self.start,
            "settings": settings,
            "bodies": {body.name: body.identity() for body in self.bodies},
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
        }


def bodies_of(scene: bpy.types.Scene, names: Iterable[str] | None = None) -> list[bpy.types.Object]:
    """The GPBD bodies of a scene, or those of these names, in the order of their names. Raises: SceneError."""
    bodies = sorted((ob for ob in scene.objects if ob.gpbd.body_type != "NONE"), key=lambda ob: ob.name_full)
    if names is None:
        if not bodies:
            raise SceneError(
                f"Scene '{scene.name}' has no GPBD bodies. Select a mesh and add GPBD Cloth or GPBD Soft Body in its "
                "Physics tab."
            )
        return bodies
    known = {ob.name: ob for ob in bodies}
    unknown = [name for name in names if name not in known]
    if unknown:
        there = ", ".join(known) or "none"
        raise SceneError(
            f"'{unknown[0]}' is no GPBD body of scene '{scene.name}'; wanted one of {there}. Name one of these."
        )
    return [known[name] for name in dict.fromkeys(names)]


def frame_range(scene: bpy.types.Scene, frames: tuple[int, int] | None = None) -> tuple[int, int]:
    """First and last frame of the bake: its own, or those of the timeline. Raises: SceneError if there is none between."""
    owner = scene.gpbd if scene.gpbd.own_range else scene
    start, end = frames or (owner.frame_start, owner.frame_end)
    if end < start:
        raise SceneError(f"Frames {start} to {end}: there are none; wanted an end not before the start. Change the range.")
    return start, end


def settings_of(scene: bpy.types.Scene) -> Settings:
    """Raises: SceneError."""
    own = scene.gpbd
    special: dict[str, Any] = {}
    for name in method_settings.used_settings(own):
        value = getattr(own, name)
        special[name] = round(value, 6) if isinstance(value, float) else value
    return Settings(
        fps=scene.render.fps / scene.render.fps_base,
        method=own.method.lower(),
        integrator=own.integrator.lower(),
        error_tolerance=1e-3 * round(own.error_tolerance, 6) or None,
        substeps=own.substeps,
        iterations=own.iterations,
        threads=own.threads or None,
        device=own.device.lower(),
        **special,
    )


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
    scene: bpy.types.Scene, view_layer: str, bodies: list[bpy.types.Object], frames: tuple[int, int] | None = None
) -> World:
    """The world at the first frame, to which the scene goes. Call with our modifiers switched off. Raises: SceneError."""
    start, end = frame_range(scene, frames)
    scene.frame_set(start)
    depsgraph = depsgraph_of(scene, view_layer)
    scale = scene.unit_settings.scale_length
    warnings = [sentence for ob in bodies for sentence in modifier.misplaced(ob)]
    colliders, corners = [], {}
    for ob in collision_objects.find(scene, bodies_of(scene)):
        if ob.evaluated_get(depsgraph).is_evaluated:
            colliders.append(collision_objects.read(ob, depsgraph, scale))
            corners[ob.name_full] = evaluated_mesh.face_corners(ob.evaluated_get(depsgraph).data)
        else:
            warnings.append(f"{ob.name_full}: is disabled in the viewport, so bodies do not touch it.")
    inputs = [body_input.read(ob, depsgraph, scale) for ob in bodies]
    for ob, body in zip(bodies, inputs, strict=True):
        body.attachments = attachments.read(ob, [one.name for one in inputs], body.vertices, depsgraph, scale)
    first = FrameData(
        start,
        {body.name: body.vertices for body in inputs if body.follows},
        {c.name: c.vertices for c in colliders},
        _inverses([body.name for body in inputs], bodies, depsgraph, scale),
        forces.gravity(scene),
        forces.wind(scene, depsgraph),
        {body.name: body.shape for body in inputs if body.shape is not None},
    )
    own = scene.gpbd
    air = (own.air_density, own.drag, own.lift)
    return World(start, end, scale, settings_of(scene), inputs, colliders, first, *air, warnings, corners)


def read_frame(scene: bpy.types.Scene, view_layer: str, world: World, frame: int) -> FrameData:
    """Everything that moves, at a frame to which the scene goes. Raises: SceneError if something is gone or changed."""
    scene.frame_set(frame)
    depsgraph = depsgraph_of(scene, view_layer)
    by_identity = {ob.gpbd.uuid: ob for ob in scene.objects if ob.gpbd.body_type != "NONE"}
    by_name = {ob.name_full: ob for ob in scene.objects}
    bodies = [_still_there(by_identity.get(body.uuid), body.name, frame) for body in world.bodies]
    colliders = {c.name: _still_there(by_name.get(c.name), c.name, frame) for c in world.colliders}
    poses = {
        body.name: body_input.pose(ob, depsgraph, world.scale, len(body.vertices), frame)
        for body, ob in zip(world.bodies, bodies, strict=True)
        if body.follows
    }
    return FrameData(
        frame,
        poses,
        {
            name: collision_objects.pose(
                ob, depsgraph, world.scale, len(world.first.colliders[name]), world.collider_corners[name], frame
            )
            for name, ob in colliders.items()
        },
        _inverses([body.name for body in world.bodies], bodies, depsgraph, world.scale),
        forces.gravity(scene),
        forces.wind(scene, depsgraph),
        {
            body.name: body_input.shape_at(body, ob, depsgraph, poses)
            for body, ob in zip(world.bodies, bodies, strict=True)
            if body.shape is not None
        },
        {
            body.name: attachments.at(body.attachments, by_name, depsgraph, world.scale, frame)
            for body in world.bodies
            if body.attachments.surfaces
        },
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
