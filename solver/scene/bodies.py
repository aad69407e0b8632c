"""Bodies: cloth, soft bodies and rigid bodies as a user gives them, validated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks
from .material import Material
from .pins import Pins

Array = np.ndarray


@dataclass(frozen=True)
class Region:
    """Elements of a body that are of another material than the rest.

    elements: numbers of triangles (of a cloth) or tetrahedra (of a soft body), (k,). Their density and their energies are
    those of `material`; thickness and friction stay the body's. An edge between two materials is of the region's.
    """

    elements: Any
    material: Material


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
