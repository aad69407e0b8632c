"""Small scenes that together cover the solver; `same_bits.py` hashes their results.

Each function takes the package `solver`, of which it uses only the public names, and returns a `Case`; SI units, z up.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

Array = np.ndarray

WOVEN = {"density": 0.2, "young": (2000.0, 1500.0), "shear": 600.0, "bending": (2e-5, 1e-5), "damping": 1e-3}
SOFT = {"density": 1000.0, "young": 3e4, "poisson": 0.4, "damping": 0.01}


#: Settings of a case, independent of the defaults of a tree.
PLAIN: dict[str, Any] = {"substeps": 8, "iterations": 10, "global_iterations": 0, "integrator": "bdf1"}


@dataclass(frozen=True)
class Case:
    """A scene and its settings. above: number of a frame's report -> value that it must exceed in one frame at least."""

    scene: Any
    frames: int
    settings: dict[str, Any] = field(default_factory=dict)
    above: dict[str, float] = field(default_factory=dict)


def turn(angle: float, axis: Any = (0, 0, 1)) -> Array:
    """Rotation matrix, (3, 3); angle [rad]."""
    a = np.array(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def sheet(n: int, size: float, centre: Any = (0, 0, 0), turned: Array | None = None) -> tuple[Array, Array]:
    """Vertices [m] and triangles of a square of n x n quads about its centre, its front upwards."""
    t = np.linspace(-size / 2, size / 2, n + 1)
    x = np.stack([*np.meshgrid(t, t, indexing="ij"), np.zeros((n + 1, n + 1))], -1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.indices((n, n)))
    p, q = i * (n + 1) + j, (i + 1) * (n + 1) + j
    rising = ((i + j) % 2 == 0)[:, None, None]
    one, two = [(p, q, q + 1), (p, q + 1, p + 1)], [(p, q, p + 1), (q, q + 1, p + 1)]
    one, two = (np.stack([np.stack(corners, -1) for corners in pair], 1) for pair in (one, two))
    return (x if turned is None else x @ turned.T) + centre, np.where(rising, one, two).reshape(-1, 3)


def ball(n: int, radius: float, centre: Any = (0, 0, 0), rounded: bool = True) -> tuple[Array, Array]:
    """A cube of six sheets, blown up to a sphere if it is round, wound outwards."""
    side, t = sheet(n, 2.0, (0, 0, 1))
    turns = [turn(a, axis) for axis in ((1, 0, 0), (0, 1, 0)) for a in (0.5 * np.pi, -0.5 * np.pi)]
    x = np.concatenate([side @ m.T for m in (np.eye(3), turn(np.pi, (1, 0, 0)), *turns)])
    x, number = np.unique(np.round(x, 6) + 0.0, axis=0, return_inverse=True)
    t = number.ravel()[np.concatenate([t + k * len(side) for k in range(6)])]
    return radius * (x / np.linalg.norm(x, axis=1)[:, None] if rounded else x) + centre, t


def block(n: int, size: float, centre: Any = (0, 0, 0), turned: Array | None = None) -> tuple[Array, Array]:
    """Return vertices [m] and tetrahedra of a cube of n^3 cells, six in each, one for each path from a corner to
    the opposite."""
    t = np.linspace(-size / 2, size / 2, n + 1)
    x = np.stack(np.meshgrid(t, t, t, indexing="ij"), -1).reshape(-1, 3)
    strides = np.array([(n + 1) ** 2, n + 1, 1])
    cells = np.indices((n, n, n)).reshape(3, -1).T @ strides
    corner_paths = [np.cumsum([0, *strides[list(order)]]) for order in itertools.permutations(range(3))]
    tets = np.concatenate([cells[:, None] + corner_path for corner_path in corner_paths])
    inside_out = np.linalg.det(x[tets[:, 1:]] - x[tets[:, :1]]) < 0
    tets[inside_out] = tets[inside_out][:, [0, 1, 3, 2]]
    return (x if turned is None else x @ turned.T) + centre, tets


def hung(s: Any, n: int, material: Any = None, name: str = "hung", at: Any = (0, 0, 0), **more: Any) -> Any:
    """A cloth of 1 m held by two corners, not quite flat, so that it buckles."""
    x, t = sheet(n, 1.0, at)
    x[:, 2] += 0.01 * np.sin(7 * x[:, 0]) * np.cos(9 * x[:, 1] + 0.3)
    material = material or s.Material.fabric(**WOVEN)
    return s.Cloth(name, x, t, material, pins=s.Pins([0, n]), **{"self_contact": False} | more)


def held(s: Any, n: int, material: Any = None, name: str = "held", at: Any = (0, 0, 0), **more: Any) -> Any:
    """A soft block of 0.5 m that droops from one side."""
    x, t = block(n, 0.5, at)
    pins = s.Pins(np.flatnonzero(x[:, 0] < x[:, 0].min() + 1e-6))
    return s.SoftBody(name, x, t, material or s.Material.solid(**SOFT), pins=pins, **more)


def falling(s: Any, n: int, size: float, centre: Any, name: str = "falling", angle: float = 0, **more: Any) -> Any:
    """A cloth, turned about z, that falls at 2 m/s, and may touch itself."""
    x, t = sheet(n, size, centre, turn(angle))
    return s.Cloth(name, x, t, s.Material.fabric(**WOVEN), velocities=0 * x - [0, 0, 2], self_contact=True, **more)


# Energies, methods, integrators. Only scenes of more than 400 packs of 16 elements are given to several threads; most are.


def sweeps(s: Any) -> Case:
    return Case(s.Scene([hung(s, 44)]), 6)


def whole_sheet(s: Any) -> Case:
    return Case(s.Scene([hung(s, 44)]), 6, {"global_iterations": 4, "iterations": 3})


def whole_net(s: Any) -> Case:
    shell = {"bending_warp": 1e-5, "bending_weft": 1e-5, "damping": 0.0}
    net = s.Material("net", "fabric", 0.2, {"spring": {"stiffness": 2000.0, "damping": 1e-3}, "discrete_shell": shell})
    return Case(s.Scene([hung(s, 44, net)]), 6, {"global_iterations": 4, "iterations": 3})


def fabrics(s: Any, first: int = 0, **settings: Any) -> Case:
    """Cloths of all energies, from the first-th on, and of a card."""
    woven = s.Material.fabric(**WOVEN).energies
    knit = dict(woven["stvk_membrane"], doubling_warp=0.02, doubling_weft=0.05, compression=0.2)
    limit, tether = {"limit": 0.002, "compliance": 1e-5}, {"slack": 0.0, "compliance": 1e-6}
    kinds: list[dict[str, Any]] = [
        {"stiffening_membrane": knit, "isometric_bending": {"bending": 1e-5}},
        {"stvk_membrane": woven["stvk_membrane"], "strain_limit": limit, "long_range_attachment": tether},
        {"distance": {"compliance": 1e-5, "damping": 1e-3}, "discrete_shell": woven["discrete_shell"]},
        {"spring": {"stiffness": 500.0, "damping": 0.0}, "isometric_bending": {"bending": 1e-5}},
    ]
    materials = [s.Material(f"kind {k}", "fabric", 0.2, kinds[k]) for k in range(first, 4)]
    materials.append(s.load_material("cotton_poplin"))
    uv = sheet(22, 1.0, turned=turn(0.3))[0][:, :2]
    return Case(s.Scene([hung(s, 22, m, m.name, (2 * k, 0, 0), uv=uv) for k, m in enumerate(materials)]), 4, settings)


def solids(s: Any, first: int = 0, **settings: Any) -> Case:
    """Blocks of all energies, from the first-th on, and of a card."""
    names = ("neo_hookean", "fixed_corotated", "paper_neo_hookean", "stable_neo_hookean", "stvk_solid")
    net = {"volume": {"compliance": 1e-5}, "spring": {"stiffness": 500.0, "damping": 0.0}}
    materials = [s.Material.solid(**SOFT, energy=name, name=name) for name in names[first:]]
    materials += [s.Material("net", "solid", 1000.0, net), s.load_material("jelly")]
    return Case(s.Scene([held(s, 6, m, m.name, (k, 0, 0)) for k, m in enumerate(materials)]), 4, settings)


def methods(s: Any, **settings: Any) -> Case:
    """A cloth, one with soft pins that follow poses, and a block."""
    led = hung(s, 24, None, "led", (1.2, 0, 0))
    path = np.array([led.vertices[[0, 24]] + [0.03 * k, 0, 0.02 * k] for k in range(4)])
    led.pins = s.Pins([0, 24], [0.9, 0.6], path)
    return Case(s.Scene([hung(s, 24), led, held(s, 8, at=(-1.2, 0, 0))]), 4, {"substeps": 4} | settings)


def at_rest(s: Any, **settings: Any) -> Case:
    return Case(s.Scene([held(s, 11)]), 3, {"quasi_static": True, "substeps": 2} | settings)


def bdf2(s: Any) -> Case:
    bodies = [hung(s, 32), falling(s, 32, 0.5, (0, 0, -0.8))]
    return Case(s.Scene(bodies, [s.Plane("ground", (0, 0, -1))]), 6, {"integrator": "bdf2"}, {"contacts": 0})


def tolerance(s: Any, **settings: Any) -> Case:
    settings = {"tolerance": 0.002, "iterations": 2, "substeps": 4} | settings
    return Case(s.Scene([hung(s, 30), held(s, 8, at=(2, 0, 0))]), 3, settings, {"iterations": 4 * 2})


def warm_start(s: Any) -> Case:
    settings = {"warm_start": 0.5, "local_iterations": 2, "iterations": 4}
    return Case(s.Scene([held(s, 9), hung(s, 24, at=(2, 0, 0))]), 5, settings)


def air(s: Any) -> Case:
    scene = s.Scene([hung(s, 44)], wind=lambda time: (6.0, 20 * time, 1.0), drag=1.2, lift=0.7)
    return Case(scene, 6, {"damping": 0.5, "global_iterations": 4})


def regions(s: Any) -> Case:
    stiff = s.Material.fabric(0.4, 8000.0, 3000.0, bending=1e-3, name="stiff")
    hard = s.Material.solid(2000.0, 3e5, 0.3, name="hard")
    cloth = hung(s, 32, regions=[s.Region(np.arange(600), stiff)])
    solid = held(s, 8, at=(2, 0, 0), regions=[s.Region(np.arange(0, 6 * 8**3, 3), hard)])
    return Case(s.Scene([cloth, solid]), 5, {"global_iterations": 2})


def ties(s: Any) -> Case:
    x, t = block(8, 0.5, (0.501, 0.02, 0))
    bodies = [held(s, 9), s.SoftBody("tied", x, t, s.Material.solid(**SOFT))]
    return Case(s.Scene(bodies, ties=[s.Tie("tied", "held", 0.01, 3e5)]), 6)


# Contact.


def rigid(s: Any) -> Case:
    x, t = sheet(40, 1.0)
    pins = s.Pins(np.flatnonzero(np.abs(x).max(1) > 0.5 - 1e-6))
    cloth = s.Cloth("net", x, t, s.Material.fabric(**WOVEN), pins=pins, self_contact=False)
    v, u = ball(6, 0.1, (-0.15, 0.05, 0.115))
    w, q = ball(3, 0.08, rounded=False)
    fallen = s.Rigid("ball", v, u, mass=0.2, velocity=(0.3, 0, -1.0))
    box = s.Rigid("box", w @ turn(0.4, (1, 2, 0)).T + [0.12, 0, 0.17], q, density=50, angular_velocity=(2, 1, 3))
    return Case(s.Scene([cloth, fallen, box]), 10, {"global_iterations": 2}, {"contacts": 20})


def collider(s: Any, n: int = 48, **settings: Any) -> Case:
    """A sheet falls on a ball that follows poses."""
    v, u = ball(10, 0.25)
    poses = np.array([v @ turn(0.1 * k).T + [0.02 * k, 0, 0] for k in range(9)])
    return Case(s.Scene([falling(s, n, 1.0, (0, 0, 0.27))], [s.Collider("ball", poses, u)]), 8, settings, {"contacts": 40})


def one_sided(s: Any) -> Case:
    x, t = sheet(6, 2.0, turned=turn(0.1, (1, 0, 0)))
    wall = s.Collider("wall", x, t, one_sided=True, depth=0.1, thickness=0.002)
    bodies = [falling(s, 30, 0.6, (-0.4, 0, -0.01)), falling(s, 30, 0.6, (0.4, 0, 0.02), "above")]
    return Case(s.Scene(bodies, [wall]), 8, {}, {"contacts": 20, "intersections": 0})


def plane(s: Any, **settings: Any) -> Case:
    """A sheet and a block fall on a slope."""
    x, t = block(8, 0.2, (0.6, 0, 0.2), turn(0.5, (1, 2, 3)))
    soft = s.SoftBody("block", x, t, s.Material.solid(**SOFT), velocities=0 * x - [0, 0, 1], self_contact=True)
    ground = s.Plane("ground", normal=(0.3, 0, 1), friction=0.2)
    return Case(s.Scene([falling(s, 30, 0.5, (0, 0, 0.15)), soft], [ground]), 8, settings, {"contacts": 20})


def fold(s: Any) -> Case:
    """The layers of a sheet that is folded once fall on each other."""
    rest, t = sheet(48, 1.0)
    along, flat, radius = rest[:, 0] + 0.5, 0.48, 0.0125
    angle = np.clip((along - flat) / radius, 0, np.pi)
    x = np.minimum(along, flat) + radius * np.sin(angle) - np.maximum(along - flat - np.pi * radius, 0)
    start = np.stack([x, rest[:, 1], 0.01 + radius * (1 - np.cos(angle))], 1)
    m = s.Material.fabric(**WOVEN)
    cloth = s.Cloth("folded", start, t, m, rest_vertices=rest, velocities=0 * rest - [0, 0, 1], self_contact=True)
    return Case(s.Scene([cloth], [s.Plane("ground")]), 8, {}, {"contacts": 500})


def pile(s: Any) -> Case:
    more = {"without_contact": np.arange(17), "touches": ["ground", *(f"sheet {k}" for k in range(5))], "friction": 0.2}
    bodies = [falling(s, 16, 0.4, (0.02 * k, 0, 0.03 + 0.03 * k), f"sheet {k}", 0.3 * k, **more) for k in range(6)]
    return Case(s.Scene(bodies, [s.Plane("ground")]), 8, {"global_iterations": 2}, {"contacts": 500})


def press(s: Any) -> Case:
    """Two blocks are pushed together by pins that follow functions of time."""
    bodies = []
    for side, angle in ((-1, 0.0), (1, 0.5)):
        x, t = block(8, 0.2, (side * 0.115, 0, 0), turn(angle, (1, 0.2, 0)))
        pins = np.flatnonzero(side * x[:, 0] > 0.215 - 0.02)
        led = lambda time, start=x[pins], side=side: start - [side * 0.3 * time, 0, 0]
        m = s.Material.solid(**SOFT)
        bodies.append(s.SoftBody(f"side {side}", x, t, m, pins=s.Pins(pins, targets=led), self_contact=True))
    return Case(s.Scene(bodies, gravity=(0, 0, 0)), 8, {}, {"contacts": 50})


def tangled(s: Any) -> Case:
    """Two sheets cross like an X, one of an outer layer."""
    x, t = sheet(36, 0.8)
    y, u = sheet(28, 0.6, (0.03, 0.013, 0.004), turn(0.6, (0, 1, 0)))
    m, pins = s.Material.fabric(**WOVEN), s.Pins([0, 36, 36 * 37, 37 * 37 - 1])
    inner = s.Cloth("inner", x, t, m, pins=pins, self_contact=True, layer=1)
    bodies = [inner, s.Cloth("outer", y, u, m, self_contact=False, layer=2)]
    return Case(s.Scene(bodies), 10, {}, {"intersections": 0, "contacts": 0})


def embedded(s: Any) -> Case:
    """A ball in a block, which touches the ground in its place."""
    x, t = block(11, 0.24, (0, 0, 0.13))
    v, u = ball(12, 0.11, (0, 0, 0.13))
    full = np.clip(1.5 - np.linalg.norm(x[t].mean(1) - [0, 0, 0.13], axis=1) / 0.12, 0.1, 1)
    more = {"surface": v, "surface_triangles": u, "contact_surface": "mesh", "volume_fraction": full}
    soft = s.SoftBody("ball", x, t, s.Material.solid(**SOFT), velocities=0 * x - [0, 0, 2], **more)
    return Case(s.Scene([soft], [s.Plane("ground")]), 8, {}, {"contacts": 5})


def untangled(s: Any, n: int, frames: int, **settings: Any) -> Case:
    """A cube of random corners falls on the ground."""
    x, t = block(n, 0.3, (0, 0, 0.17))
    start = np.random.default_rng(1).uniform(-0.15, 0.15, x.shape) + [0, 0, 0.17]
    cube = s.SoftBody("cube", start, t, s.Material.solid(**SOFT | {"poisson": 0.45}), rest_vertices=x)
    return Case(s.Scene([cube], [s.Plane("ground")]), frames, settings, {"contacts": 0})


def ropes(s: Any) -> Case:
    """A rope that hangs by one end, its other end on the ground, and one that falls across it."""
    along = np.linspace(0, 1, 60)
    hanging = np.stack([0.3 * along, 0 * along, 0.55 - 0.55 * along], 1)
    across = np.stack([0 * along + 0.1, along - 0.5, 0 * along + 0.5], 1)
    edges = np.stack([np.arange(59), np.arange(1, 60)], 1)
    hemp = s.load_material("hemp_rope")
    bodies = [
        s.Rope("hanging", hanging, edges, 0.006, hemp, s.Pins([0, 1], [1.0, 1.0])),
        s.Rope("across", across, edges, 0.006, hemp, velocities=0 * across - [0, 0, 1]),
    ]
    return Case(s.Scene(bodies, [s.Plane("ground")]), 8, {"global_iterations": 4}, {"contacts": 1})


def plastic(s: Any) -> Case:
    """A sheet of paper folds over an edge, a block of clay falls."""
    paper = hung(s, 24, s.load_material("paper"))
    clay = held(s, 6, s.load_material("clay"), at=(1.2, 0, 0))
    return Case(s.Scene([paper, clay]), 6, {"global_iterations": 4})


def fast(s: Any) -> Case:
    """A ball is driven through where a sheet is, so that frames are done again with more substeps."""
    x, t = sheet(40, 1.0, turned=turn(0.5 * np.pi, (1, 0, 0)))
    v, u = ball(6, 0.18)
    pins = s.Pins(np.flatnonzero(x[:, 2] > 0.5 - 1e-6))
    cloth = s.Cloth("sheet", x, t, s.Material.fabric(**WOVEN), pins=pins, self_contact=False)
    driven = s.Collider("ball", lambda time: v + [0, 6 * time - 0.3, -0.1], u)
    return Case(s.Scene([cloth], [driven]), 4, {"substeps": 4}, {"contacts": 0, "substeps": 4})


def named(*functions: Callable[[Any], Case]) -> dict[str, Callable[[Any], Case]]:
    return {function.__name__: function for function in functions}


SCENES: dict[str, Callable[[Any], Case]] = {
    **named(sweeps, whole_sheet, whole_net, fabrics, solids),
    "fabrics_xpbd": partial(fabrics, first=1, method="xpbd"),
    **{f"fabrics_{name}": partial(fabrics, method=name, iterations=3) for name in ("pbng", "newton")},
    "solids_xpbd": partial(solids, first=1, method="xpbd"),
    **{f"solids_{name}": partial(solids, method=name, iterations=3) for name in ("pbng", "newton")},
    "gpbd": partial(methods, reprojection=1.0),
    **{name: partial(methods, method=name) for name in ("gpbd_jacobi", "xpbd", "pbd", "pbng")},
    "pbng_chebyshev": partial(methods, method="pbng", chebyshev=0.9),
    "newton": partial(methods, method="newton", iterations=3),
    "pbng_at_rest": partial(at_rest, method="pbng", relaxation=1.5),
    "newton_at_rest": partial(at_rest, method="newton", dtype="float64", iterations=4),
    **named(bdf2, tolerance),
    "whole_tolerance": partial(tolerance, global_iterations=2),
    **named(warm_start, air, regions, ties, rigid, collider),
    "whole_collider": partial(collider, global_iterations=4, iterations=4),
    "double": partial(collider, n=40, global_iterations=2, dtype="float64"),
    **{f"plane_{name}": partial(plane, method=name, iterations=3) for name in ("xpbd", "pbng", "newton")},
    **named(one_sided, plane, fold, pile, press, tangled, embedded),
    "untangled": partial(untangled, n=5, frames=30),
    "untangled_large": partial(untangled, n=11, frames=5),
    **named(ropes, plastic),
    "fast": fast,
}
#: Scenes that are simulated once more, in two parts: the frame after which a new simulation continues from a snapshot.
RESUMED = {"warm_start": 2, "bdf2": 4, "rigid": 5, "whole_collider": 5, "tangled": 4, "untangled": 6, "fast": 2}
NAMES = [*SCENES, *(f"{name}_resumed" for name in RESUMED)]
