"""Constant data of a simulation: index arrays, masses, rest data. Built by `build.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from ..scene import Body, Grab, Scene, Settings
from .bodies.kind import BodyKind, EmbeddedSurface
from .element_group import ElementGroup, EnergyValues
from .flat_sheets import FlatSheets
from .rigid_motion import RigidShape
from .rigid_ties import RigidTies
from .tearing_edges import TearingEdges

#: Vertices at the end of every array, fixed, for the elements that fill up a last pack.
PADDING = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass
class ElementBatch:
    """All elements of one energy, in clusters, gathered into packs of 16 (`energies/__init__.py`, `topology/clusters.py`).

    colours: first cluster of each colour and the end, (n_colours + 1,). clusters: first pack of each cluster and the end,
    (n_clusters + 1,). element: number in the order of the groups, -1 for filling, (packs * 16,). Arrays with lanes
    innermost: index (packs, corners * 16), rest (packs, numbers * 16). period: swept every so many iterations. constants:
    made by the energy of the parameters of each material, (materials, numbers). material: row of constants of each pack,
    (packs,). damping: of each material, its damping time over the substep, (materials,). groups: one a material, of which
    its elements were packed.
    """

    energy: ModuleType
    colours: np.ndarray
    clusters: np.ndarray
    element: np.ndarray
    index: np.ndarray
    rest: np.ndarray
    constants: np.ndarray
    material: np.ndarray
    period: int
    damping: np.ndarray
    groups: list[ElementGroup]

    @property
    def values(self) -> list[EnergyValues]:
        """Parameters of each material."""
        return [group.values for group in self.groups]

    @property
    def damped(self) -> bool:
        """True if a material has damping."""
        return bool(self.damping.any())

    @property
    def packs(self) -> int:
        return len(self.index)

    @property
    def changes(self) -> bool:
        """True if its elements are found anew at each substep (`changing_elements.py`)."""
        return any(group.cells is not None for group in self.groups)


@dataclass
class BodyPart:
    """Rows of one body in the arrays, its pins, its grab, and its embedded visible mesh.

    start, stop: its rows. pinned: rows of vertices that follow their target exactly, (k,); pinned_rows: of their targets.
    attached: rows of vertices with springs, of pins, then of their goal, then of the grab, (j,), attached_rows: of the
    targets, attached_damping [s], (j,); attached_weights, goal_weights: 0 to 1, of those of pins and of the goal. Targets:
    those of pins, then those of the grab.
    own_area: of `Contribution`. points: rows with contact but without contact triangles, (p,). surface_rows,
    surface_triangles: rows of the visible mesh's points and its triangles as rows, (t, 3), if it is the contact surface.
    """

    body: Body
    kind: BodyKind
    start: int
    stop: int
    pinned: np.ndarray
    pinned_rows: np.ndarray
    attached: np.ndarray
    attached_rows: np.ndarray
    attached_weights: np.ndarray
    goal_weights: np.ndarray
    attached_damping: np.ndarray
    points: np.ndarray
    embedded: EmbeddedSurface | None = None
    own_area: np.ndarray | None = None
    surface_rows: range | None = None
    surface_triangles: np.ndarray | None = None
    grab: Grab | None = None

    @property
    def count(self) -> int:
        """Number of vertices."""
        return self.stop - self.start

    @property
    def pins(self) -> int:
        """Number of pins."""
        return 0 if self.body.pins is None else len(self.body.pins.indices)


@dataclass
class Embedded:
    """Points of surfaces that tetrahedra carry: rows (k,) in the solver's arrays, corners (k, 4) and weights (k, 4)."""

    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    corners: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    weights: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))

    def place(self, x: np.ndarray) -> None:
        """Write the points where their tetrahedra have them. Written: x (n, 3 or more)."""
        if len(self.rows):
            weights = self.weights.astype(x.dtype)
            place = weights[:, :1] * x[self.corners[:, 0], :3]
            for k in range(1, 4):
                place += weights[:, k : k + 1] * x[self.corners[:, k], :3]
            x[self.rows, :3] = place


@dataclass
class Model:
    """A scene as arrays. Positions are relative to `origin` [m], so that float32 has its digits where the scene is."""

    scene: Scene
    settings: Settings
    h: float
    origin: np.ndarray
    parts: list[BodyPart]
    x_start: np.ndarray  # (n, 3) float64
    v_start: np.ndarray  # (n, 3) float64
    mass: np.ndarray  # (n,) kg
    fixed: np.ndarray  # (n,) bool, also of vertices coupled to a rigid body or a tetrahedron
    batches: list[ElementBatch]
    edges: np.ndarray  # (e, 2) int32
    edge_lengths: np.ndarray  # (e,) rest lengths [m]
    surface: np.ndarray  # (t, 3) int32: contact surface, of bodies in turn
    blown: np.ndarray  # (2 t, 3) int32: surface for wind, each part of it twice
    blown_lines: np.ndarray  # (s, 2) int32: segments of ropes, for wind
    line_diameters: np.ndarray  # (s,) their diameters [m]
    tetrahedra: np.ndarray  # (t, 4) int32
    tetrahedron_body: np.ndarray  # (t,) int32
    body_volumes: np.ndarray  # (bodies,) rest volume [m^3], 0 without tetrahedra
    vertex_distance: np.ndarray  # (n,) m
    vertex_friction: np.ndarray  # (n,)
    body_thickness: np.ndarray  # (bodies,) kept between bodies [m]
    flat_sheets: FlatSheets
    rigid: list[RigidShape] = field(default_factory=list)
    rigid_ties: RigidTies = field(default_factory=RigidTies)
    embedded: Embedded = field(default_factory=Embedded)
    warnings: list[str] = field(default_factory=list)
    tearing: TearingEdges | None = None
    weld: np.ndarray = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # (n,) row of each copy's vertex, if any may tear

    @property
    def n_vertices(self) -> int:
        return len(self.mass)

    def rows(self, copies: np.ndarray) -> np.ndarray:
        """Return the rows of vertices that may be copies of others."""
        return copies if self.tearing is None else self.weld[copies]

    def followed(self, values: np.ndarray) -> np.ndarray:
        """Return values of vertices, (n or more, k), with those of copies as of the vertices that they follow."""
        return values if self.tearing is None else values[self.weld]

    def rows_of(self, part: BodyPart) -> np.ndarray:
        """Return the rows of a body's vertices, ascending, without those of copies that follow another."""
        rows = np.arange(part.start, part.stop)
        return rows[self.rows(rows) == rows]

    @property
    def body_of_vertex(self) -> np.ndarray:
        """Return the number of the body of each row, with those of embedded meshes, (n,) int64."""
        bodies = np.zeros(self.n_vertices, np.int64)
        for number, part in enumerate(self.parts):
            bodies[part.start : part.stop] = number
            if part.surface_rows is not None:
                bodies[part.surface_rows.start : part.surface_rows.stop] = number
        return bodies
