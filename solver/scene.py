"""What a user describes: bodies, pins, materials; with colliders and settings the whole scene. Validated data, SI units.

Nothing here imports Numba or Blender. `build.py` turns a `Scene` into the arrays that the solver runs on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import catalog, checks
from .collider import Collider as Collider
from .collider import Plane as Plane
from .errors import MaterialError, SceneError
from .motion import Motion as Motion
from .motion import Targets as Targets
from .settings import Settings as Settings

Array = np.ndarray


@dataclass(frozen=True)
class Material:
    """Density, contact and the parameters of each energy, as continuum quantities.

    density: kg/m^2 for fabrics, kg/m^3 for solids. thickness: m (fabrics). friction: Coulomb coefficient.
    energies: energy name -> parameter name -> value; names and units are those of `catalog.energies()`.
    """

    name: str
    kind: str  # "fabric" or "solid"
    density: float
    energies: Mapping[str, Mapping[str, float]]
    thickness: float = 0.001
    friction: float = 0.4
    category: str = ""
    grade: str = "estimated"
    source: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("fabric", "solid"):
            raise MaterialError(f"{self.name}: kind is {self.kind!r}; wanted 'fabric' or 'solid'.")
        checks.positive(self.name, "density", self.density, "kg/m^2" if self.kind == "fabric" else "kg/m^3")
        checks.positive(self.name, "thickness", self.thickness, "m")
        checks.positive(self.name, "friction", self.friction, "", zero=True)
        object.__setattr__(self, "energies", catalog.check_parameters(self.name, self.energies))

    @staticmethod
    def fabric(
        density: float,
        young: float | tuple[float, float],
        shear: float,
        poisson: float = 0.2,
        bending: float | tuple[float, float] = 1e-5,
        damping: float = 0.0,
        bend_damping: float | None = None,
        thickness: float = 0.001,
        friction: float = 0.4,
        name: str = "fabric",
    ) -> Material:
        """A woven sheet: density [kg/m^2], Young's moduli of warp and weft and shear [N/m], bending [N m], damping [s]."""
        warp, weft = young if isinstance(young, Sequence) else (young, young)
        bend_warp, bend_weft = bending if isinstance(bending, Sequence) else (bending, bending)
        membrane = {"young_warp": warp, "young_weft": weft, "shear": shear, "poisson": poisson, "damping": damping}
        shell = {
            "bending_warp": bend_warp,
            "bending_weft": bend_weft,
            "damping": damping if bend_damping is None else bend_damping,
        }
        energies = {"stvk_membrane": membrane, "discrete_shell": shell}
        return Material(name, "fabric", density, energies, thickness=thickness, friction=friction)

    @staticmethod
    def solid(
        density: float,
        young: float,
        poisson: float,
        energy: str = "stable_neo_hookean",
        damping: float = 0.0,
        thickness: float = 0.001,
        friction: float = 0.4,
        name: str = "solid",
    ) -> Material:
        """A solid: density [kg/m^3], Young's modulus [Pa], Poisson's ratio, damping [s]."""
        energies = {energy: {"young": young, "poisson": poisson, "damping": damping}}
        return Material(name, "solid", density, energies, thickness=thickness, friction=friction)

    def changed(self, **values: Any) -> Material:
        """A copy with some fields changed; the copy is validated again."""
        return replace(self, **values)


@dataclass(frozen=True)
class Region:
    """Elements of a body that are of another material than the rest.

    elements: numbers of triangles (of a cloth) or tetrahedra (of a soft body), (k,). Their density and their energies are
    those of `material`; thickness and friction stay the body's. An edge between two materials is of the region's.
    """

    elements: Any
    material: Material


@dataclass
class Pins:
    """Vertices that follow a target.

    indices: (k,). weight: 0 (free) .. 1 (fixed to the target), a number or (k,). In between, the pin is a spring that
    is softer the smaller the weight. targets: see `Targets`; shape (k, 3) per frame.
    """

    indices: Any
    weight: Any = 1.0
    targets: Targets = None

    def __post_init__(self) -> None:
        self.indices = np.array(self.indices, dtype=np.int64).ravel()
        self.weight = np.broadcast_to(np.asarray(self.weight, float), self.indices.shape).copy()

    def check(self, owner: str, n_vertices: int) -> None:
        """Raises: SceneError if an index or a weight is out of range."""
        bad = self.indices[(self.indices < 0) | (self.indices >= n_vertices)]
        if len(bad):
            raise SceneError(f"{owner}: pin index {bad[0]} is outside 0..{n_vertices - 1}. Name vertices that exist.")
        if len(np.unique(self.indices)) != len(self.indices):
            raise SceneError(f"{owner}: a pin index is listed twice. Name each pinned vertex once.")
        bad = np.flatnonzero(~((self.weight >= 0) & (self.weight <= 1)))
        if len(bad):
            raise SceneError(
                f"{owner}: the pin of vertex {self.indices[bad[0]]} has weight {self.weight[bad[0]]:g}; wanted 0 to 1."
            )


@dataclass
class Cloth:
    """A sheet of triangles.

    vertices: start positions [m], (n, 3), world space. triangles: (t, 3). uv: (n, 2) in metres-like units, its u axis is
    the warp; without it the warp is the mesh's world X, projected on each triangle. rest_vertices: unstretched shape
    [m], (n, 3); default: the start. velocities: [m/s], (n, 3).
    thickness: distance kept from other surfaces [m]; None chooses one from the mesh. friction: None takes the material's.
    self_contact: whether the sheet may touch itself. without_contact: (k,) vertices whose triangles touch nothing.
    touches: names of the bodies and colliders that it touches, None for all; two objects touch if both say so.
    layer: of bodies worn over one another, from 1, innermost, on: where they start through each other the higher layer
    comes out on the side that the other's faces look to; None leaves that to what is shorter.
    """

    name: str
    vertices: Any
    triangles: Any
    material: Material
    pins: Pins | None = None
    uv: Any = None
    rest_vertices: Any = None
    velocities: Any = None
    thickness: float | None = None
    friction: float | None = None
    regions: Sequence[Region] = ()
    self_contact: bool = False
    without_contact: Any = ()
    touches: Sequence[str] | None = None
    layer: int | None = None
    kind: str = field(default="cloth", init=False)

    def __post_init__(self) -> None:
        _check_body(self, "fabric")
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(self.vertices))
        self.regions = _regions(self.name, self.regions, "fabric", len(self.triangles))
        if self.uv is not None:
            self.uv = np.array(self.uv, dtype=np.float64)
            if self.uv.shape != (len(self.vertices), 2):
                raise SceneError(f"{self.name}: uv has shape {self.uv.shape}; wanted ({len(self.vertices)}, 2).")


@dataclass
class SoftBody:
    """A solid of tetrahedra, with an optional visible surface that it carries.

    vertices: start positions [m], (n, 3), world space. tetrahedra: (t, 4), positively oriented.
    surface: start positions [m] of the visible mesh, (m, 3), of any resolution; it is embedded by barycentric weights.
    surface_triangles: of the visible mesh, (s, 3). contact_surface: what touches others, the skin of the "tetrahedra", or
    the visible "mesh", whose contacts push the tetrahedra that carry it.
    volume_fraction: how much of each tetrahedron is filled, (t,), in (0, 1]; scales its mass and its stiffness.
    thickness, friction, self_contact, without_contact, touches, layer: as of `Cloth`.
    """

    name: str
    vertices: Any
    tetrahedra: Any
    material: Material
    pins: Pins | None = None
    surface: Any = None
    surface_triangles: Any = None
    contact_surface: str = "tetrahedra"
    volume_fraction: Any = None
    rest_vertices: Any = None
    velocities: Any = None
    thickness: float | None = None
    friction: float | None = None
    regions: Sequence[Region] = ()
    self_contact: bool = False
    without_contact: Any = ()
    touches: Sequence[str] | None = None
    layer: int | None = None
    kind: str = field(default="soft_body", init=False)

    def __post_init__(self) -> None:
        _check_body(self, "solid")
        self.tetrahedra = checks.elements(self.name, "tetrahedra", self.tetrahedra, 4, len(self.vertices))
        self.regions = _regions(self.name, self.regions, "solid", len(self.tetrahedra))
        if self.surface is not None:
            self.surface = checks.vertices(f"{self.name} (surface)", self.surface)
        self._check_contact_surface()
        if self.volume_fraction is not None:
            self.volume_fraction = np.array(self.volume_fraction, dtype=np.float64)
            ok = self.volume_fraction.shape == (len(self.tetrahedra),)
            if not ok or not ((self.volume_fraction > 0) & (self.volume_fraction <= 1)).all():
                raise SceneError(f"{self.name}: volume_fraction must be one number in (0, 1] for each tetrahedron.")

    def _check_contact_surface(self) -> None:
        if self.contact_surface not in ("tetrahedra", "mesh"):
            raise SceneError(f"{self.name}: contact_surface is {self.contact_surface!r}; wanted 'tetrahedra' or 'mesh'.")
        if self.surface_triangles is not None and self.surface is not None:
            owner = f"{self.name} (surface)"
            self.surface_triangles = checks.elements(owner, "triangles", self.surface_triangles, 3, len(self.surface))
        elif self.contact_surface == "mesh":
            raise SceneError(
                f"{self.name}: contact_surface is 'mesh', but there is no mesh; wanted surface and surface_triangles. "
                "Give both, or let the tetrahedra touch."
            )


@dataclass
class Rigid:
    """A body that keeps its shape: it moves and turns as its mass and its inertia say, and pushes what it touches.

    vertices: start positions [m], (n, 3), world space. triangles: (t, 3), a closed surface; its volume gives the centre and
    the inertia. density: [kg/m^3]; mass: of the whole body [kg], instead of it. velocity [m/s], angular_velocity [rad/s]: at
    the start, (3,). friction: Coulomb coefficient. thickness: distance kept from other surfaces [m].
    without_contact: (k,) vertices whose triangles touch nothing. touches: as of `Cloth`.
    """

    name: str
    vertices: Any
    triangles: Any
    density: float = 1000.0
    mass: float | None = None
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)
    friction: float = 0.4
    thickness: float = 0.001
    without_contact: Any = ()
    touches: Sequence[str] | None = None
    kind: str = field(default="rigid", init=False)
    layer: None = field(default=None, init=False)
    pins: None = field(default=None, init=False)
    rest_vertices: None = field(default=None, init=False)
    self_contact: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        _check_name(self.name)
        self.vertices = checks.vertices(self.name, self.vertices)
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(self.vertices))
        checks.positive(self.name, "density", self.density, "kg/m^3")
        if self.mass is not None:
            checks.positive(self.name, "mass", self.mass, "kg")
        checks.positive(self.name, "friction", self.friction, "", zero=True)
        checks.positive(self.name, "thickness", self.thickness, "m")
        self.velocity = _three(self.name, "velocity", self.velocity, "m/s")
        self.angular_velocity = _three(self.name, "angular_velocity", self.angular_velocity, "rad/s")
        self.without_contact = checks.numbers(self.name, "without_contact", self.without_contact, len(self.vertices))


def _three(owner: str, what: str, values: Any, unit: str) -> Array:
    v = np.array(values, float)
    if v.shape != (3,) or not np.isfinite(v).all():
        raise SceneError(f"{owner}: {what} is {values}; wanted three finite numbers [{unit}].")
    return v


def _regions(owner: str, regions: Sequence[Region], kind: str, count: int) -> list[Region]:
    """The same regions with checked element numbers; no element may be of two."""
    taken = np.zeros(count, bool)
    checked = []
    for region in regions:
        name, material = region.material.name, region.material
        if material.kind != kind:
            raise SceneError(f"{owner}: the material '{name}' of a region is a {material.kind}; wanted a {kind}.")
        elements = np.asarray(region.elements)
        if elements.ndim != 1 or not np.issubdtype(elements.dtype, np.integer):
            raise SceneError(f"{owner}: elements of region '{name}' have shape {elements.shape}; wanted (k,) whole numbers.")
        wrong = elements[(elements < 0) | (elements >= count)]
        if len(wrong):
            raise SceneError(f"{owner}: region '{name}' has element {wrong[0]}; wanted 0 to {count - 1}.")
        if taken[elements].any():
            twice = elements[taken[elements]][0]
            raise SceneError(f"{owner}: element {twice} is of two regions, one of them '{name}'; wanted one at the most.")
        taken[elements] = True
        checked.append(Region(elements, material))
    return checked


def _check_body(body: Cloth | SoftBody, kind: str) -> None:
    """The checks that every body shares; turns its arrays into their working types."""
    _check_name(body.name)
    body.vertices = checks.vertices(body.name, body.vertices)
    n = len(body.vertices)
    if not isinstance(body.material, Material):
        raise SceneError(
            f"{body.name}: material is {type(body.material).__name__}; wanted a Material. "
            f"Use load_material or Material.{kind}."
        )
    if body.material.kind != kind:
        raise SceneError(f"{body.name}: material '{body.material.name}' is a {body.material.kind}; wanted a {kind}.")
    for key in ("rest_vertices", "velocities"):
        if getattr(body, key) is not None:
            values = checks.vertices(f"{body.name} ({key})", getattr(body, key))
            if len(values) != n:
                raise SceneError(f"{body.name}: {key} has {len(values)} rows for {n} vertices. Give one row a vertex.")
            setattr(body, key, values)
    if body.pins is not None:
        body.pins.check(body.name, n)
    if body.thickness is not None:
        checks.positive(body.name, "thickness", body.thickness, "m")
    if body.friction is not None:
        checks.positive(body.name, "friction", body.friction, "", zero=True)
    if body.layer is not None and (int(body.layer) != body.layer or body.layer < 1):
        raise SceneError(f"{body.name}: layer is {body.layer!r}; wanted None, or a whole number from 1 (innermost) on.")
    body.without_contact = checks.numbers(body.name, "without_contact", body.without_contact, len(body.vertices))


def _check_name(name: str) -> None:
    if not name:
        raise SceneError("A body has no name; wanted a unique one. Name it, so that messages can.")


@dataclass(frozen=True)
class Tie:
    """Binds the surface of one body to that of another, where they are near each other at the start.

    Each surface vertex of `body` within `distance` [m] of a triangle of `other` is held to that triangle's nearest point by
    a spring that closes the gap. stiffness: force of a square metre over the gap [N/m^3]; ten times Young's modulus over
    the length of an edge hardly gives way, and far more only slows the sweeps of pbng and gpbd down.
    """

    body: str
    other: str
    distance: float
    stiffness: float = 1e7

    def __post_init__(self) -> None:
        owner = f"Tie from '{self.body}' to '{self.other}'"
        if self.body == self.other:
            raise SceneError(f"{owner}: both are the same body; wanted two bodies. Name another one.")
        checks.positive(owner, "distance", self.distance, "m", zero=True)
        checks.positive(owner, "stiffness", self.stiffness, "N/m^3")


@dataclass
class Scene:
    """One world: all bodies touch each other's colliders and feel one gravity and one wind.

    gravity: [m/s^2]. wind: air velocity [m/s], (3,), or a function of time in seconds. air_density: [kg/m^3]; None is 1.2
    where a wind is given, and vacuum (0) where none is, so that a scene without air falls freely.
    drag, lift: dimensionless coefficients of a triangle's pressure along the relative wind and across it.
    ties: surfaces that are bound to one another.
    """

    bodies: Sequence[Cloth | SoftBody | Rigid]
    colliders: Sequence[Collider | Plane] = ()
    gravity: Any = (0.0, 0.0, -9.81)
    wind: Any = None
    air_density: Any = None
    drag: float = 1.0
    lift: float = 0.5
    ties: Sequence[Tie] = ()

    def __post_init__(self) -> None:
        self.bodies, self.colliders, self.ties = list(self.bodies), list(self.colliders), list(self.ties)
        if not self.bodies:
            raise SceneError("The scene has no bodies; wanted at least one. Add a GPBD Cloth, Soft Body or Rigid Body.")
        names = [item.name for item in [*self.bodies, *self.colliders]]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SceneError(f"Two objects of the scene are named '{twice[0]}'; wanted unique names. Rename one.")
        for item in [*self.bodies, *self.colliders]:
            if isinstance(item.touches, str):
                raise SceneError(f"{item.name}: touches is '{item.touches}'; wanted a list of names. Put it in brackets.")
            for name in item.touches or ():
                if name not in names:
                    raise SceneError(
                        f"{item.name}: touches '{name}', which the scene does not have; wanted one of {', '.join(names)}. "
                        "Name one of these, or None for all."
                    )
        for tie in self.ties:
            for name in (tie.body, tie.other):
                if name not in {body.name for body in self.bodies}:
                    raise SceneError(
                        f"Tie from '{tie.body}' to '{tie.other}': the scene has no body '{name}'; it has "
                        f"{', '.join(body.name for body in self.bodies)}. Name one of these."
                    )
        self.gravity = np.array(self.gravity, float)
        if self.gravity.shape != (3,) or not np.isfinite(self.gravity).all():
            raise SceneError(f"Scene: gravity is {self.gravity}; wanted three finite numbers [m/s^2].")
        if self.air_density is None:
            self.air_density = 0.0 if self.wind is None else 1.2
        if self.wind is None:
            self.wind = (0.0, 0.0, 0.0)
        checks.positive("Scene", "air_density", self.air_density, "kg/m^3", zero=True)
        checks.positive("Scene", "drag", self.drag, "", zero=True)
        checks.positive("Scene", "lift", self.lift, "", zero=True)

    def wind_at(self, time: float) -> Array:
        """Air velocity [m/s], (3,), at a time [s]."""
        wind = np.array(self.wind(time) if callable(self.wind) else self.wind, float)
        if wind.shape != (3,) or not np.isfinite(wind).all():
            raise SceneError(f"Scene: wind at {time:g} s is {wind}; wanted three finite numbers [m/s].")
        return wind
