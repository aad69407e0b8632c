"""One body as it is read from Blender (`body_reading.py`), and the solver's body built from it on any thread."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...solver.device.worker import Worker
from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import (
    Body,
    Cloth,
    Goal,
    Map,
    Material,
    Pins,
    Region,
    Rigid,
    Rope,
    Sewing,
    ShapeInputs,
    ShapeMatched,
    SoftBody,
)
from ...solver.scene.tearing import Tearing
from ...solver.topology.moved_inside import move_inside
from ...solver.topology.triangle_frames import TriangleFrames
from . import (
    body_material,
    contact_choice,
    evaluated_mesh,
    line,
    pin_groups,
    shape,
    tearing,
)
from .attachments import Attachments
from .filling import fill, filling

Array = np.ndarray


@dataclass
class BodyInput:
    """A body at the first frame; holds no Blender reference.

    vertices: (n, 3) [m] world space, its mesh. start: (n, 3) [m], the start of the simulation, None for the mesh. pose: (n,
    3) [m], its mesh at a later frame, if it begins there. rest: (n, 3) [m], unstretched, None for the mesh. shape: shape
    inputs of a cloth at the first frame; None unless one of them is read at every frame. sewing: of a cloth. attachments: of
    a cloth; pins hold vertices that follow surfaces. weights: (n,) pin weights or None. regions: triangles of a cloth with
    another fabric. tetrahedra: of soft bodies, filled by a worker or else by `build`, or taken from a checkpoint, so that a
    resumed bake has the same ones.
    """

    name: str
    uuid: str
    kind: str  # of `body_kinds.BODY_KINDS`
    vertices: Array
    triangles: Array
    topology: str
    material: Material | None  # of a rigid body none
    weights: Array | None
    uv: Array | None
    velocity: Array | None
    thickness: float | None
    self_thickness: float | None
    friction: float
    self_contact: bool
    tet_method: str
    edge_fraction: float
    start: Array | None = None
    pose: Array | None = None
    contact_surface: str = "tetrahedra"
    density: float = 0.0  # of a rigid body [kg/m^3], or its mass [kg]
    mass: float | None = None
    spin: Array | None = None
    touches: list[str] | None = None
    untouched: Array | None = None  # (n,) bool, mesh vertices without contact
    layer: int | None = None
    hold: float = 1.0  # times the weights, at the first frame
    pin_frequency: float = 5.0
    pin_damping: float = 0.0
    pin_strength: float | None = None
    goal: Goal | None = None  # weights of the vertices of the mesh
    goal_strength: float = 1.0  # times these, at the first frame
    maps: dict[str, Map] = field(default_factory=dict)  # of the vertices of the mesh
    regions: list[Region] = field(default_factory=list)
    tetrahedra: Any = None
    rest: Array | None = None
    shape: ShapeInputs | None = None
    sewing: Sewing | None = None
    tearing: Tearing | None = None  # of a cloth or a rope
    attachments: Attachments = field(default_factory=Attachments)
    follow: list[Any] | None = None  # followed object and bone
    grabs: list[Any] = field(default_factory=list)  # recorded grabs, as JSON values
    known_groups: dict[str, Array] = field(default_factory=dict)  # shape inputs that do not change
    measured: tuple[Array, Array] | None = None  # edges (e, 2) and their rest lengths [m], where values are kept of vertices
    line: line.Line | None = None  # of a rope
    flexibility: float = 0.0  # of a shape-matched body
    cluster_size: float | None = None
    _carried: Array | None = None  # where its tetrahedra begin [m], (k, 3)
    _pinned: Array | None = None  # simulated vertices that are pinned, (k,)
    _carriers: Array | None = None  # mesh vertex that each of them follows, (k,)
    _near: tuple[Array, Array] | None = None  # of `_nearest`
    _frames: TriangleFrames | None = None  # of a goal: frames of the mesh that carry the vertices of the tetrahedra

    @property
    def follows(self) -> bool:
        """True if its pose has to be read at each frame."""
        return self.has_pins or self.is_dynamic

    @property
    def has_pins(self) -> bool:
        """True if vertices follow its pose."""
        return self.weights is not None or self.goal is not None or len(self.attachments.vertices) > 0

    @property
    def is_dynamic(self) -> bool:
        """True if its pose is its rest shape."""
        return self.shape is not None and self.shape.rest_vertices is not None

    def identity(self) -> dict[str, JsonValue]:
        """Return JSON values that must be equal for a cache to be continued."""
        return {
            "uuid": self.uuid,
            "kind": self.kind,
            "topology": self.topology,
            "shape": evaluated_mesh.digest(self.vertices),
            "start": evaluated_mesh.digest(self.start),
            "pins": [evaluated_mesh.digest(self.weights), self.hold, self.pin_frequency, self.pin_damping],
            "maps": {name: [evaluated_mesh.digest(one.weights), one.low, one.high] for name, one in self.maps.items()},
            "uv": evaluated_mesh.digest(self.uv),
            "material": None if self.material is None else body_material.fields(self.material),
            "regions": [
                [evaluated_mesh.digest(region.elements), body_material.fields(region.material)] for region in self.regions
            ],
            "thickness": self.thickness,
            **({} if self.self_thickness is None else {"self_thickness": self.self_thickness}),
            "friction": self.friction,
            "self_contact": self.self_contact,
            "contact": [self.touches, evaluated_mesh.digest(self.untouched), self.layer],
            "velocity": None if self.velocity is None else self.velocity.tolist(),
            "tetrahedra": [self.tet_method, self.edge_fraction, self.contact_surface] if self.kind == "SOFT_BODY" else None,
            "rigid": self._rigid_fields() if self.kind == "RIGID" else None,
            **({} if self.line is None else {"rope": self.line.identity()}),
            **({"clusters": [self.flexibility, self.cluster_size]} if self.kind == "SHAPE" else {}),
            **({} if self.rest is None else {"rest": evaluated_mesh.digest(self.rest)}),
            **shape.identity(self.shape, self.sewing),
            **self.attachments.identity(),
            **tearing.identity(self.tearing),
            **({} if self.pin_strength is None else {"pin strength": self.pin_strength}),
            **({} if self.follow is None else {"follow": self.follow}),
            **({"grabs": self.grabs} if self.grabs else {}),
            **pin_groups.goal_identity(self.goal, self.goal_strength),
        }

    def filling(self, worker: Worker, tell: Callable[[str], Any]) -> Generator[bool, None, None]:
        """Let a worker make its tetrahedra, if it needs any, and move them to its start; yield False while it has not.

        Raises: SceneError.
        """
        if self.kind != "SOFT_BODY":
            return
        if self.tetrahedra is None:
            self.tetrahedra = yield from filling(worker, tell, *self._surface())
        if self.start is not None:
            worker.submit("carry", self.vertices, self.start, self.tetrahedra.vertices, self.tetrahedra.tetrahedra)
            while not worker.is_ready():
                yield False
            self._carried = worker.result()

    def build(self) -> Body:
        """The solver's body. Takes seconds or minutes for a soft body that is not filled. Raises: SceneError."""
        if self.kind == "SOFT_BODY" and self.tetrahedra is None:
            self.tetrahedra = fill(*self._surface())
        makers: dict[str, Callable[[], Body]]
        makers = {"CLOTH": self._cloth, "SOFT_BODY": self._soft_body, "RIGID": self._rigid, "ROPE": self._rope}
        makers["SHAPE"] = self._shape_matched
        return makers[self.kind]()

    def _surface(self) -> tuple[str, Array, Array, str, float]:
        return self.name, self.vertices, self.triangles, self.tet_method.lower(), self.edge_fraction

    def targets(self, pose: Array, attached: Array | None = None) -> Array:
        """Return the targets of pins, (k, 3) [m]. Call after `build`.

        pose: mesh below our modifier, (n, 3) [m]. attached: targets of vertices on surfaces, (j, 3) [m]; None for those of
        the pose.
        """
        assert self._pinned is not None
        if self.kind != "SOFT_BODY":
            if attached is not None:
                pose = pose.copy()
                pose[self.attachments.vertices] = attached
            return pose[self._pinned]
        if self._frames is not None:
            return self._frames.at(pose)[self._pinned]
        # a tetrahedron's vertex is moved as far as the mesh vertex that carries it
        return self.tetrahedra.vertices[self._pinned] + (pose[self._carriers] - self.vertices[self._carriers])

    def pin_weights(self, weights: Array) -> Array:
        """Return the weights of the pins, (k,), from weights of the mesh's vertices, (n,). Call after `build`."""
        assert self._carriers is not None
        held = weights.copy()
        held[self.attachments.vertices] = 1.0
        return held[self._carriers]

    def goal_weights(self, weights: Array) -> Array:
        """Return the weights of the goal at the pins, (k,), from those of the mesh's vertices, (n,). Call after `build`."""
        assert self._carriers is not None
        return weights[self._carriers]

    def grabbed(self, vertices: Array, shares: Array) -> tuple[Array, Array]:
        """Simulated vertices and the share of each, where vertices of the mesh are grabbed, (k,), each with a share, (k,).

        Of a soft body those that they are nearest to within an edge's length, or the nearest one.
        """
        if self.kind != "SOFT_BODY":
            return vertices, shares.astype(float)
        of_mesh = np.zeros(len(self.vertices))
        of_mesh[vertices] = shares
        carriers, distances = self._nearest()
        near = np.where(distances <= self._reach, of_mesh[carriers], 0.0)
        if not near.any():
            near[np.linalg.norm(self.tetrahedra.vertices - self.vertices[vertices].mean(0), axis=1).argmin()] = 1.0
        return np.flatnonzero(near > 0), near[near > 0]

    @property
    def _reach(self) -> float:
        """The length of the edges of tetrahedra [m]."""
        return self.edge_fraction * float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    def map_weights(self, weights: Array) -> Array:
        """Return the weights of the simulated vertices, (k,), from painted weights of the mesh's vertices, (n,)."""
        return weights[self._nearest()[0]] if self.kind == "SOFT_BODY" else weights

    def _rigid(self) -> Rigid:
        still = np.zeros(3)
        distance: dict[str, Any] = {} if self.thickness is None else {"thickness": self.thickness}
        return Rigid(
            self.name,
            self.vertices if self.start is None else self.start,
            self.triangles,
            density=self.density,
            mass=self.mass,
            velocity=still if self.velocity is None else self.velocity,
            angular_velocity=still if self.spin is None else self.spin,
            friction=self.friction,
            without_contact=contact_choice.without_contact(self.untouched),
            touches=self.touches,
            **distance,
        )

    def _rigid_fields(self) -> list[Any]:
        return [self.density, self.mass, None if self.spin is None else self.spin.tolist()]

    def _own_pins(self) -> Pins | None:
        """Pins of a body whose mesh is simulated."""
        if not self.has_pins:
            return None
        weights = np.zeros(len(self.vertices)) if self.weights is None else self.weights.copy()
        weights[self.attachments.vertices] = 1.0
        pulled = np.zeros(len(weights), bool) if self.goal is None else self.goal.weight > 0
        self._pinned = self._carriers = np.flatnonzero((weights > 0) | pulled)
        return self._pins(self.pin_weights(weights * self.hold))

    def _rope(self) -> Rope:
        assert self.line is not None
        pins = self._own_pins()
        return self.line.rope(self, self._begin(self.vertices, self.start, pins), pins)

    def _cloth(self) -> Cloth:
        assert self.material is not None
        pins = self._own_pins()
        return Cloth(
            self.name,
            self._begin(self.vertices, self.start, pins),
            self.triangles,
            self.material,
            pins=pins,
            uv=self.uv,
            rest_vertices=self._unstretched(),
            regions=self.regions,
            **self._of_vertices(),
            shrink=None if self.shape is None or self.shape.shrink is None else np.asarray(self.shape.shrink),
            pressure=None if self.shape is None else self.shape.pressure,
            sewing=self.sewing,
            tearing=self.tearing,
        )

    def _shape_matched(self) -> ShapeMatched:
        assert self.material is not None
        pins = self._own_pins()
        return ShapeMatched(
            self.name,
            self._begin(self.vertices, self.start, pins),
            self.triangles,
            self.material,
            flexibility=self.flexibility,
            cluster_size=self.cluster_size,
            pins=pins,
            rest_vertices=self._unstretched(),
            **self._of_vertices(),
        )

    def _of_vertices(self) -> dict[str, Any]:
        """Return the common fields of bodies whose mesh is simulated."""
        return {
            "velocities": self._velocities(len(self.vertices)),
            "thickness": self.thickness,
            "self_thickness": self.self_thickness,
            "friction": self.friction,
            "self_contact": self.self_contact,
            "without_contact": contact_choice.without_contact(self.untouched),
            "touches": self.touches,
            "layer": self.layer,
            "maps": self.maps,
        }

    def _unstretched(self) -> Array | None:
        """Return the rest positions of a simulated mesh, (n, 3) [m]; None for its start."""
        if self.rest is not None:
            return self.rest
        return None if self.start is None else self.vertices

    def _soft_body(self) -> SoftBody:
        assert self.material is not None
        pins, rest, start = self._soft_pins(), self.tetrahedra.vertices, None
        if self.start is not None:
            positions_and_cells = self.vertices, self.start, rest, self.tetrahedra.tetrahedra
            start = move_inside(*positions_and_cells) if self._carried is None else self._carried
        return SoftBody(
            self.name,
            self._begin(rest, start, pins),
            self.tetrahedra.tetrahedra,
            self.material,
            pins=pins,
            surface=self.vertices if self.start is None else self.start,
            surface_triangles=self.triangles,
            contact_surface=self.contact_surface,
            rest_vertices=None if start is None else rest,
            volume_fraction=self.tetrahedra.volume_fraction,
            velocities=self._velocities(len(self.tetrahedra.vertices)),
            thickness=self.thickness,
            self_thickness=self.self_thickness,
            friction=self.friction,
            self_contact=self.self_contact,
            without_contact=contact_choice.without_contact(
                None if self.untouched is None else self.untouched[self._nearest()[0]]
            ),
            touches=self.touches,
            layer=self.layer,
            maps={name: replace(one, weights=self.map_weights(one.weights)) for name, one in self.maps.items()},
        )

    def _nearest(self) -> tuple[Array, Array]:
        """The mesh vertex nearest to each vertex of the tetrahedra, and how far it is [m]."""
        if self._near is None:
            self._near = pin_groups.nearest(self.tetrahedra.vertices, self.vertices)
        return self._near

    def _soft_pins(self) -> Pins | None:
        """Vertices of tetrahedra take the weight of the nearest mesh vertex within one edge length, and follow it; a goal
        pulls all."""
        if self.weights is None and self.goal is None:
            return None
        carriers, distances = self._nearest()
        held = np.zeros(len(self.vertices)) if self.weights is None else self.weights
        weights = np.where(distances <= self._reach, held[carriers], 0.0)
        pulled = np.zeros(len(weights), bool)
        if self.goal is not None:
            pulled = self.goal.weight[carriers] > 0
            self._frames = pin_groups.frames(self.tetrahedra.vertices, self.vertices, self.triangles)
        self._pinned = np.flatnonzero((weights > 0) | pulled)
        self._carriers = carriers[self._pinned]
        if self.weights is not None and not weights.any():
            raise SceneError(
                f"{self.name}: no tetrahedron has a vertex near the pinned vertices; the edges are {self._reach:g} m long. "
                "Lower Resolution, or pin a larger part."
            )
        return self._pins(weights[self._pinned] * self.hold)

    def _pins(self, weights: Array) -> Pins:
        """Held where the mesh is; said only where the simulation does not begin there."""
        targets = None if self.start is None else self.targets(self.vertices if self.pose is None else self.pose)
        goal = self.goal
        assert self._pinned is not None
        if goal is not None:
            goal = replace(goal, weight=self.goal_weights(goal.weight * self.goal_strength))
        return Pins(self._pinned, weights, targets, self.pin_frequency, self.pin_damping, goal, self.pin_strength)

    @staticmethod
    def _begin(rest: Array, start: Array | None, pins: Pins | None) -> Array:
        """Return the start of the body's vertices, (k, 3) [m]; exact pins are at their targets."""
        if start is None:
            return rest
        begin = np.array(start)
        if pins is not None:
            held = pins.weight >= 1.0
            begin[pins.indices[held]] = np.asarray(pins.targets)[held]
        return begin

    def _velocities(self, n: int) -> Array | None:
        return None if self.velocity is None else np.tile(self.velocity, (n, 1))
