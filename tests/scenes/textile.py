"""Tests of a textile laboratory, done in the solver: cantilever, drapemeter, strips in tension.

Specimens are held by pins as the instruments hold them. A row of pinned vertices more than a hinge needs is a clamp: it ends
midway between its last two rows, because bending acts on a triangle and its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import solver
from solver.methods.batch import add_gradient, set_strains
from solver.scene.textile_units import bending_length as length_of_theory
from solver.settle import settle

Array = np.ndarray

#: Slope of the line that the tip of a strip is to reach, and the strip's width [m] (ASTM D1388).
SLOPE, WIDTH = math.radians(41.5), 0.025
#: Cells along the free part of a strip; overhangs, as shares of the expected one, that bracket the measured one.
CELLS, OVERHANGS = 16, (0.8, 0.93, 1.07, 1.25)
#: Radii of the drapemeter's support and of the fabric on it [m] (Cusick 1968; ISO 9073-9).
SUPPORT, SPECIMEN = 0.09, 0.15
#: A specimen starts flat up to this [m]: the direction of its folds is random.
UNEVEN = 1e-4
#: Air of the panel [kg/m^3]; damping [1/s] that lets a specimen sink without swinging; it rests when its coefficient has
#: changed by less than CALM in PAUSE frames, and is given up after MOST frames.
AIR, DAMPING, CALM, PAUSE, MOST = 1.2, 4.0, 0.003, 12, 240
#: Iterations of *Keep Length* after which a specimen's rest changes no more; with fewer, light fabrics with stiff threads
#: sink far more slowly than they would.
CONVERGED = 30
#: Side of the squares by which a shadow is counted [m].
PIXEL = 5e-4
#: Between the jaws of the tensile and shear tester: length, width [m] (KES-F1: 20 cm wide, 5 cm long) and cells along them.
LENGTH, ACROSS, JAW_CELLS = 0.05, 0.2, (10, 40)
#: Load of the tensile test [N/m], the least at which laboratories measure an extension: 5 gf/cm (SiroFAST). Extensions as
#: shares of the expected one that bracket the load. Angle of the shear test [rad]: 1 degree, in the middle of the range in
#: which KES-F1 measures the slope. Frames for which a specimen is held.
LOAD, EXTENSIONS, SHEAR_ANGLE, HELD = 4.903, (0.5, 1.0, 2.0), math.radians(1.0), 12


def shell_of(material: Any) -> Any:
    """Return the parameters of its bending: of the shell that keeps bends, or of the one that does not."""
    return next(material.energies[name] for name in ("discrete_shell", "creasing_shell") if name in material.energies)


def quads(columns: int, rows: int, dx: float, dy: float) -> tuple[Array, Array]:
    """A flat grid from the origin, column by column along x, and its cells: (n, 3), (c, 4)."""
    x, y = np.meshgrid(np.arange(columns + 1) * dx, np.arange(rows + 1) * dy, indexing="ij")
    first = np.arange(columns * (rows + 1)).reshape(columns, rows + 1)[:, :-1].ravel()
    cells = first[:, None] + [0, rows + 1, rows + 2, 1]
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], 1), cells


def halves(cells: Array) -> Array:
    """Return two triangles a cell, all cut in the same direction, as Blender does: (2c, 3)."""
    return np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])


def fabric_axes(vertices: Array, angle: float) -> Array:
    """UV, (n, 2), of a flat piece whose x axis lies at an angle to the warp."""
    c, s = math.cos(angle), math.sin(angle)
    return vertices[:, :2] @ np.array([[c, s], [-s, c]])


def cantilever(name: str, material: solver.Material, overhang: float, weft: bool) -> solver.Cloth:
    """A strip along x whose clamp ends at x = 0."""
    edge = overhang / (CELLS + 0.5)
    rows = max(1, round(WIDTH / edge))
    vertices, cells = quads(CELLS + 1, rows, edge, WIDTH / rows)
    uv = fabric_axes(vertices, math.pi / 2 if weft else 0.0)
    pins = solver.Pins(np.arange(2 * (rows + 1)))
    vertices[:, 0] -= edge / 2
    return solver.Cloth(name, vertices, halves(cells), material, pins, uv, self_contact=False, touches=())


def bending_length(material: solver.Material, weft: bool = False) -> float:
    """Half the overhang [m] at which a strip's tip hangs down to the line (ASTM D1388, cantilever)."""
    shell = shell_of(material)
    expected = length_of_theory(shell["bending_weft" if weft else "bending_warp"], material.density)
    overhangs = 2 * expected * np.array(OVERHANGS)
    strips = [cantilever(f"strip {k}", material, length, weft) for k, length in enumerate(overhangs)]
    rest = settle(solver.Scene(strips), solver.Settings(threads=1), tolerance=0.005, speed=0.002)
    if not rest.settled:
        raise RuntimeError(f"{material.name}: strips do not come to rest. {rest.warning}")
    tips = np.array([rest.frame.positions[strip.name][-1] for strip in strips], float)
    slopes = np.arctan2(-tips[:, 2], tips[:, 0])
    return float(np.exp(np.interp(SLOPE, slopes, np.log(overhangs)))) / 2


@dataclass(frozen=True)
class Drape:
    """coefficient: of drape, 0 to 1. nodes: folds around the support. frames: until it rested. positions: (n, 3) [m].
    triangles: (t, 3)."""

    coefficient: float
    nodes: int
    frames: int
    positions: Array
    triangles: Array


def disc_of_quads(edge: float) -> tuple[Array, Array]:
    """A disc cut out of a grid, its rim moved onto the circle: vertices, triangles."""
    n = math.ceil(SPECIMEN / edge) + 1
    vertices, cells = quads(2 * n, 2 * n, edge, edge)
    vertices[:, :2] -= n * edge
    middle = vertices[cells].mean(1)
    triangles = halves(cells[np.linalg.norm(middle, axis=1) < SPECIMEN - 0.3 * edge])
    return _rim_on_circle(*_used(vertices, triangles))


def disc_of_rings(edge: float) -> tuple[Array, Array]:
    """A ring of quads in circles and rays: vertices, triangles. The clamp ends at the support, whatever the edge; of a grid
    at a staircase."""
    rings = math.ceil((SPECIMEN - SUPPORT) / edge + 0.5 + 1e-9)
    width = (SPECIMEN - SUPPORT) / (rings - 0.5)
    rays = round(math.pi * (SUPPORT + SPECIMEN) / width)
    radius, angle = SUPPORT + width * (np.arange(rings + 1) - 0.5), 2 * math.pi / rays * np.arange(rays)
    x, y = (np.outer(radius, of(angle)).ravel() for of in (np.cos, np.sin))
    first = np.arange(rings * rays)
    beside = first - first % rays + (first + 1) % rays
    cells = np.stack([first, first + rays, beside + rays, beside], 1)
    return np.stack([x, y, 0 * x], 1), halves(cells)


def disc_of_triangles(edge: float) -> tuple[Array, Array]:
    """A disc of irregular triangles: vertices, triangles."""
    from scipy.spatial import Delaunay

    random = np.random.default_rng(0)
    n = math.ceil(2 * SPECIMEN / edge)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(-n, n + 1), np.arange(-n, n + 1)))
    points = edge * np.stack([i + j / 2, j * math.sqrt(3) / 2], 1) + random.uniform(-0.2, 0.2, (i.size, 2)) * edge
    points = points[np.linalg.norm(points, axis=1) < SPECIMEN - 0.6 * edge]
    angle = np.linspace(0, 2 * math.pi, round(2 * math.pi * SPECIMEN / edge), endpoint=False)
    points = np.concatenate([points, SPECIMEN * np.stack([np.cos(angle), np.sin(angle)], 1)])
    return np.column_stack([points, np.zeros(len(points))]), Delaunay(points).simplices


MESHES = {"quads": disc_of_quads, "rings": disc_of_rings, "triangles": disc_of_triangles}


def specimen(material: solver.Material, edge: float, start: int = 0, mesh: str = "quads") -> solver.Cloth:
    """A round piece of fabric, held between the discs of a drapemeter; its folds do not get as far as one another. start:
    number of its unevenness."""
    vertices, triangles = MESHES[mesh](edge)
    radius = np.linalg.norm(vertices, axis=1)
    held = radius < SUPPORT + edge / 2
    needed = ~held[triangles].all(1) | (radius[triangles] > SUPPORT - 1.5 * edge).all(1)
    vertices, triangles = _used(vertices, triangles[needed])
    held = np.linalg.norm(vertices, axis=1) < SUPPORT + edge / 2
    flat = vertices.copy()
    vertices[~held, 2] = np.random.default_rng(start).uniform(-UNEVEN, UNEVEN, int((~held).sum()))
    pins = solver.Pins(np.flatnonzero(held))
    return solver.Cloth("fabric", vertices, triangles, material, pins, flat[:, :2], flat, self_contact=False)


def drape(
    material: solver.Material, edge: float, start: int = 0, mesh: str = "quads", frames: int | None = None, **settings: Any
) -> Drape:
    """Return the drapemeter's measurements of a specimen that sinks in *Production*. edge: of the mesh [m]. frames: fixed
    number, instead of until it rests. settings: further ones."""
    body = specimen(material, edge, start, mesh)
    chosen = solver.Settings.quality("production", **{"damping": DAMPING, "threads": 1} | settings)
    simulation = solver.Simulation(solver.Scene([body], air_density=AIR), chosen)
    before = math.inf
    for number in range(1, (frames or MOST) + 1):
        x = simulation.advance_frame().positions["fabric"].astype(float)
        if number == frames or (frames is None and number % PAUSE == 0):
            now = drape_coefficient(x, body.triangles)
            if number == frames or abs(now - before) < CALM:
                return Drape(now, _nodes(body.rest_vertices, x), number, x, body.triangles)
            before = now
    raise RuntimeError(f"{material.name}: the specimen still moves after {MOST} frames.")


def drape_coefficient(x: Array, triangles: Array) -> float:
    """Share of the ring around the support that the shadow of the fabric covers."""
    n = math.ceil(SPECIMEN / PIXEL) + 2
    centre = (np.arange(-n, n) + 0.5) * PIXEL
    dark = np.add.outer(centre**2, centre**2) < SUPPORT**2
    corners = x[triangles, :2] / PIXEL + n
    low, high = np.floor(corners.min(1)).astype(int), np.ceil(corners.max(1)).astype(int)
    for (a, b, c), (i0, j0), (i1, j1) in zip(corners, low, high, strict=True):
        u, v = b - a, c - a
        area = u[0] * v[1] - u[1] * v[0]
        if area != 0.0:
            p, q = np.arange(i0, i1)[:, None] + 0.5 - a[0], np.arange(j0, j1) + 0.5 - a[1]
            s, t = (p * v[1] - q * v[0]) / area, (q * u[0] - p * u[1]) / area
            dark[i0:i1, j0:j1] |= (s >= 0) & (t >= 0) & (s + t <= 1)
    support, whole = math.pi * SUPPORT**2, math.pi * SPECIMEN**2
    return float((dark.sum() * PIXEL**2 - support) / (whole - support))


@dataclass(frozen=True)
class Moduli:
    """Moduli of a membrane [N/m]. warp, weft: load over extension at 5 gf/cm. shear: slope of the shear force."""

    warp: float
    weft: float
    shear: float

    @property
    def stretch(self) -> float:
        return math.sqrt(self.warp * self.weft)


def moduli(material: solver.Material) -> Moduli:
    """Return the moduli of pieces of fabric between jaws, one of which moves; without gravity."""
    shares = np.array(EXTENSIONS)
    tensile = []
    for weft, young in enumerate(_young(material)):
        extensions = LOAD / young * shares
        moved = [(LENGTH * e, 0.0, 0.0) for e in extensions]
        loads = _jaw_forces(material, math.pi / 2 * weft, moved)[:, 0]
        tensile.append(LOAD / float(np.exp(np.interp(math.log(LOAD), np.log(loads), np.log(extensions)))))
    turned = LENGTH * np.array([math.cos(SHEAR_ANGLE) - 1, math.sin(SHEAR_ANGLE), 0])  # which keeps the threads' length
    return Moduli(tensile[0], tensile[1], _jaw_forces(material, 0.0, [turned])[0, 1] / SHEAR_ANGLE)


def _young(material: solver.Material) -> tuple[float, float]:
    """Young's moduli of warp and weft [N/m]."""
    membrane = next(values for values in material.energies.values() if "young_warp" in values)
    return membrane["young_warp"], membrane["young_weft"]


def _jaw_forces(material: solver.Material, angle: float, moved: Sequence[Any]) -> Array:
    """Force on the far jaw over its width [N/m], (m, 3), of a piece for each displacement of that jaw [m]."""
    flat, cells = quads(*JAW_CELLS, LENGTH / JAW_CELLS[0], ACROSS / JAW_CELLS[1])
    share = flat[:, :1] / LENGTH
    ends = np.flatnonzero((share < 1e-6) | (share > 1 - 1e-6))
    pieces = [
        solver.Cloth(
            f"piece {k}", flat + share * displacement, halves(cells), material, solver.Pins(ends), fabric_axes(flat, angle),
            flat, self_contact=False, touches=(),
        )
        for k, displacement in enumerate(np.array(moved))
    ]  # fmt: skip
    scene = solver.Scene(pieces, gravity=(0, 0, 0))
    simulation = solver.Simulation(scene, solver.Settings.quality("production", dtype="float64", threads=1))
    for _ in range(HELD):
        simulation.advance_frame()
    forces, far = _forces(simulation), np.flatnonzero(share > 1 - 1e-6)
    return np.array([forces[part.start + far].sum(0) for part in simulation.model.parts]) / ACROSS


def _forces(simulation: solver.Simulation) -> Array:
    """Return the gradient of the energies [N], (n, 3): the negative forces of the fabric on its vertices."""
    model, state = simulation.model, simulation.state
    gradient = np.zeros(state.x.shape, state.x.dtype)
    for batch, memory in zip(model.batches, state.strains_at_start, strict=True):
        if batch.damped:
            set_strains(batch, memory, state.x)
        add_gradient(batch, memory, state.x, gradient)
    return gradient[: model.n_vertices, :3]


def _used(vertices: Array, triangles: Array) -> tuple[Array, Array]:
    """Without the vertices that no triangle has."""
    used, numbers = np.unique(triangles, return_inverse=True)
    return vertices[used], numbers.reshape(triangles.shape)


def _rim_on_circle(vertices: Array, triangles: Array) -> tuple[Array, Array]:
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), 1)
    once, count = np.unique(sides, axis=0, return_counts=True)
    rim = np.unique(once[count == 1])
    vertices[rim] *= SPECIMEN / np.linalg.norm(vertices[rim], axis=1, keepdims=True)
    return vertices, triangles


def _nodes(flat: Array, x: Array) -> int:
    """The strongest wave of the hem's height around the support."""
    hem = np.linalg.norm(flat, axis=1) > SPECIMEN - 1e-6
    angle = np.arctan2(flat[hem, 1], flat[hem, 0])
    order = np.argsort(angle)
    even = np.linspace(-math.pi, math.pi, 360, endpoint=False)
    height = np.interp(even, angle[order], x[hem, 2][order], period=2 * math.pi)
    waves = np.abs(np.fft.rfft(height))
    return int(np.argmax(waves[2:40])) + 2
