"""Force fields: forces on every vertex that depend on its position and velocity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import checks

Array = np.ndarray

#: Kinds of fields, in the order of the kernel's numbers (`stepping/field_kernels.py`).
KINDS = (
    "force", "wind", "vortex", "magnetic", "harmonic", "charge", "lennard_jones", "turbulence", "drag", "texture",
    "fluid_flow", "curve_guide",
)  # fmt: skip
#: Sources of a field; falloffs; sides of its location, along its axis, on which it acts.
SHAPES = ("point", "line", "plane", "surface", "points")
FALLOFFS = ("sphere", "tube", "cone")
SIDES = ("both", "positive", "negative")
#: A distance that nothing is as far as [m].
EVERYWHERE = 1e30


@dataclass
class Field:
    """One field, as Blender's, where a strength is the acceleration of a particle of 1 kg.

    kind: "force" pushes away from its source by `strength` [m/s^2], "wind" along the axis; "vortex" turns vertices around
    the axis [rad/s]; "magnetic" turns velocities [rad/s]; "harmonic" is a spring [1/s^2] of rest length `size` [m], with the
    damping ratio `damping`; "charge" pushes charges, growing with distance [1/s^2]; "lennard_jones" keeps vertices at their
    size [m/s^2]; "turbulence" is noise of `size` [m] in space; "drag" slows by `strength` [1/m] times speed and `damping`
    [1/s]; "texture" and "fluid_flow" are vectors on a `grid`; "curve_guide" guides along the curve `points`.
    location [m], axis: (3,). shape: the source for each vertex: the location, or the point nearest to the vertex on the axis
    ("line"), on the plane across it ("plane"), on the triangles of `points` [m] (k, 3) ("surface"), or every one of
    `points`, whose axes are `normals` ("points").
    falloff: by the distance from the source ("sphere"), along the axis and from it ("tube"), or along the axis and by the
    angle with it in degrees ("cone"), as (1 + d - min)^-power: 1 below min_distance, 0 beyond max_distance [m]; across by
    radial_power, min_radius and max_radius. side: of the location along the axis. inverse_square: of the distance too, of a
    force. flow: velocities decay at this rate [1/s]. noise, seed: a vertex's strength is off by up to this in each frame.
    along_normal: share that acts along the normal of a sheet only. in_world: turbulence does not move with the field.
    as_air: the wind is the velocity [m/s] of the air there, for drag and lift. grid: (a, b, c, 4) vectors and, of a flow, a
    weight such as a density; grid_axes: (3, 4) from the world [m] to numbers of grid points. unit: length [m] in which
    falloffs, sizes of noise and strengths are given.
    """

    name: str
    kind: str
    strength: float = 1.0
    location: Array = checks.until_checked((0.0, 0.0, 0.0))
    axis: Array = checks.until_checked((0.0, 0.0, 1.0))
    shape: str = "point"
    points: Array = checks.until_checked(None)
    normals: Array = checks.until_checked(None)
    triangles: Array = checks.until_checked(None)
    falloff: str = "sphere"
    power: float = 0.0
    min_distance: float = 0.0
    max_distance: float | None = None
    radial_power: float = 0.0
    min_radius: float = 0.0
    max_radius: float | None = None
    side: str = "both"
    inverse_square: bool = False
    flow: float = 0.0
    noise: float = 0.0
    seed: int = 1
    size: float = 0.0
    damping: float = 0.0
    along_normal: float = 0.0
    in_world: bool = False
    as_air: bool = False
    grid: Array = checks.until_checked(None)
    grid_axes: Array = checks.until_checked(None)
    unit: float = 1.0

    def __post_init__(self) -> None:
        self.name = checks.text("Field", "name", self.name)
        for name, known in (("kind", KINDS), ("shape", SHAPES), ("falloff", FALLOFFS), ("side", SIDES)):
            checks.one_of(self.name, name, getattr(self, name), known)
        for name in ("strength", "damping", "flow", "radial_power", "power"):
            setattr(self, name, checks.number(self.name, name, getattr(self, name), "", checks.FINITE))
        for name, unit in (("noise", ""), ("size", "m"), ("min_distance", "m"), ("min_radius", "")):
            setattr(self, name, checks.number(self.name, name, getattr(self, name), unit, checks.NOT_NEGATIVE))
        for name in ("max_distance", "max_radius"):
            if getattr(self, name) is not None:
                setattr(self, name, checks.number(self.name, name, getattr(self, name), "", checks.NOT_NEGATIVE))
        for name in ("inverse_square", "in_world", "as_air"):
            setattr(self, name, checks.flag(self.name, name, getattr(self, name)))
        self.along_normal = checks.number(self.name, "along_normal", self.along_normal, "", checks.SHARE)
        self.unit = checks.number(self.name, "unit", self.unit, "m")
        self.seed = checks.whole(self.name, "seed", self.seed, 0)
        self.location = checks.array(self.name, "location", self.location, (3,), "m", checks.FARTHEST)
        self.axis = checks.array(self.name, "axis", self.axis, (3,))
        length = float(np.linalg.norm(self.axis))
        if length == 0:
            raise checks.wrong(self.name, "axis", "[0, 0, 0]", "a direction", "Give it a length.")
        self.axis /= length
        self._check_geometry()

    def _check_geometry(self) -> None:
        if self.kind == "curve_guide" or self.shape in ("surface", "points"):
            self.points = checks.vertices(self.name, "points", self.points)
        else:
            self.points = np.zeros((0, 3))
        n = len(self.points)
        if self.shape == "points" and self.kind != "curve_guide":
            default = np.tile(self.axis, (n, 1)) if self.normals is None else self.normals
            self.normals = checks.array(self.name, "normals", default, (n, 3), rows=("vertex",))
        else:
            self.normals = np.zeros((0, 3))
        if self.shape == "surface" and self.kind != "curve_guide":
            self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, n)
        else:
            self.triangles = np.zeros((0, 3), np.int32)
        if self.kind in ("texture", "fluid_flow"):
            self.grid = checks.array(self.name, "grid", self.grid, ("a", "b", "c", 4), rows=("x", "y", "z"))
            self.grid_axes = checks.array(self.name, "grid_axes", self.grid_axes, (3, 4))
        else:
            self.grid, self.grid_axes = np.zeros((1, 1, 1, 4)), np.zeros((3, 4))
