"""Cloths that tear: strips pulled apart, and a ball that goes through a sheet."""

from __future__ import annotations

import numpy as np

from solver import Cloth, Map, Material, Pins, Rigid, Scene, Settings, Sewing, Simulation, Tearing
from solver.topology.splitting import split_edges
from tests.scenes.spheres import icosphere
from tests.validation.meshes import grid

#: Young's modulus of a strip [N/m], its strength [N/m], and its length and width [m].
YOUNG, STRENGTH, LENGTH, WIDTH = 20_000.0, 500.0, 0.2, 0.1
#: Stiffness of the ends of trousers over that of the rest.
SOFT_ENDS = 5e-4


def split_grid(nx, ny, length, width):
    """Vertices and triangles of a grid of squares with a copy of each vertex for every square, and their points."""
    x, triangles = grid(nx, ny, length, width)
    points, split = split_edges(triangles, keep=triangles[::2][:, [0, 2]])
    return x[points], split, points


def strip(n, speed=0.01, tears=True, threads=1, **tearing):
    """A strip of 2 n x n squares whose ends move apart by `speed` of its length a second."""
    x, triangles, points = split_grid(2 * n, n, LENGTH, WIDTH)
    ends = np.flatnonzero((x[:, 0] < 1e-9) | (x[:, 0] > LENGTH - 1e-9))
    targets = np.repeat(x[ends][None], 240, 0)
    targets[:, x[ends, 0] > 0.5 * LENGTH, 0] += speed * LENGTH / 24 * np.arange(240)[:, None]
    fabric = Material.fabric(0.2, YOUNG, YOUNG / 2, poisson=0.0, damping=0.02)
    maps = tearing.pop("maps", {})
    cloth = Cloth(
        "strip",
        x,
        triangles,
        fabric,
        pins=Pins(ends, targets=targets),
        self_contact=False,
        maps=maps,
        tearing=Tearing(**{"strength": STRENGTH, "points": points, **tearing}) if tears else None,
    )
    return Simulation(Scene([cloth], gravity=(0, 0, 0)), Settings(substeps=8, threads=threads))


def trousers(n, energy, cut=0.1, speed=0.05, frames=96, contact=False):
    """A strip of 2 n x n squares cut in half along its middle, from one end over a length, whose legs are bent to both sides
    and pulled apart by their soft ends, whose give is several edges. n: even. energy: of fracture [J/m]."""
    x, triangles = grid(2 * n, n, LENGTH, WIDTH)
    centre = x[triangles].mean(1)
    on_cut = np.flatnonzero((np.abs(x[:, 1] - WIDTH / 2) < 1e-9) & (x[:, 0] < cut - 1e-9))
    other = np.arange(len(x))
    other[on_cut] = len(x) + np.arange(len(on_cut))
    upper = centre[:, 1] > WIDTH / 2
    triangles = np.where(upper[:, None], other[triangles], triangles)
    side = np.concatenate([np.where(x[:, 1] > WIDTH / 2, 1.0, -1.0), np.ones(len(on_cut))])
    x = np.concatenate([x, x[on_cut]])
    points, split = split_edges(triangles, keep=triangles[::2][:, [0, 2]])
    rest, side = x[points], side[points]
    leg = np.maximum(cut - rest[:, 0], 0.0)
    bent = np.stack([rest[:, 0] + leg, rest[:, 1], side * leg], 1)
    ends = np.flatnonzero(rest[:, 0] < 1e-9)
    targets = np.repeat(bent[ends][None], frames, 0)
    targets[:, :, 2] += side[ends] * (speed / 24 * np.arange(frames))[:, None]
    fabric = Material.fabric(0.2, YOUNG, YOUNG / 2, bending=1e-6, poisson=0.0, damping=0.02)
    soft = np.where(rest[:, 0] < 0.5 * cut + 1e-9, 1.0, 0.0)
    maps = {name: Map(soft, 1.0, SOFT_ENDS) for name in ("stretch", "shear")}
    cloth = Cloth(
        "trousers", bent, split, fabric, pins=Pins(ends, targets=targets), maps=maps, rest_vertices=rest,
        self_contact=contact, tearing=Tearing(2000.0, energy, points),
    )  # fmt: skip
    return Simulation(Scene([cloth], gravity=(0, 0, 0)), Settings(substeps=8, threads=1, damping=100.0))


def sewn_strips(n, seam, speed=0.01):
    """Two strips of n x n squares that are sewn together, pulled apart at their ends. seam: its strength [N/m]."""
    x, triangles, points = split_grid(n, n, WIDTH, WIDTH)
    count = len(x)
    both = np.concatenate([x, x + [WIDTH, 0, 0]])
    borders = [np.flatnonzero(np.abs(x[:, 0] - place) < 1e-9) for place in (WIDTH, 0.0)]
    last = [border[::-1][np.unique(np.round(x[border[::-1], 1], 6), return_index=True)[1]] for border in borders]
    sewing = Sewing(np.stack([last[0], last[1] + count], 1), strength=seam)
    ends = np.flatnonzero((both[:, 0] < 1e-9) | (both[:, 0] > LENGTH - 1e-9))
    targets = np.repeat(both[ends][None], 240, 0)
    targets[:, both[ends, 0] > WIDTH, 0] += speed * LENGTH / 24 * np.arange(240)[:, None]
    fabric = Material.fabric(0.2, YOUNG, YOUNG / 2, poisson=0.0, damping=0.02)
    cloth = Cloth(
        "strip", both, np.concatenate([triangles, triangles + count]), fabric, pins=Pins(ends, targets=targets),
        self_contact=False, sewing=sewing,
        tearing=Tearing(STRENGTH, points=np.concatenate([points, points + points.max() + 1])),
    )  # fmt: skip
    return Simulation(Scene([cloth], gravity=(0, 0, 0)), Settings(substeps=8, threads=1))


def flag_in_a_gale(n=12):
    """A flag of 60 cm at a pole, in a wind of 35 m/s across it that turns along it."""
    x, triangles, points = split_grid(n, n, 0.6, 0.6)
    upright = np.stack([x[:, 0], np.zeros(len(x)), x[:, 1]], 1)
    pole = np.flatnonzero(x[:, 0] < 1e-9)
    fabric = Material.fabric(0.1, 3000, 1000, bending=1e-5, poisson=0.2, damping=0.01)
    tearing = Tearing(strength=60.0, fracture_energy=0.2, points=points)
    flag = Cloth("sheet", upright, triangles, fabric, pins=Pins(pole), tearing=tearing)
    scene = Scene([flag], wind=lambda t: (35.0 * min(t / 0.1, 1.0), 35.0 * np.cos(12 * t), 0.0), air_density=1.2)
    return Simulation(scene, Settings(substeps=10, threads=1))


def sheet_on_hooks(n=12, strength=None, frames=24, speed=1.0):
    """A square metre that hooks at its corners, two vertices wide, pull apart. strength: of the hooks [N]. speed: [m/s]."""
    x, triangles, points = split_grid(n, n, 1.0, 1.0)
    edge = 1.01 / n
    hooks = np.flatnonzero((np.abs(x[:, :2] - 0.5) > 0.5 - edge).all(1))
    targets = np.repeat(x[hooks][None], frames, 0)
    targets[:, :, :2] += np.sign(x[hooks, :2] - 0.5) * (speed / 24 * np.arange(frames))[:, None, None]
    fabric = Material.fabric(0.2, 5000, 1700, bending=1e-5, poisson=0.3, damping=0.02)
    tearing = Tearing(strength=400.0, fracture_energy=2.0, points=points)
    sheet = Cloth("sheet", x, triangles, fabric, pins=Pins(hooks, targets=targets, strength=strength), tearing=tearing)
    return Simulation(Scene([sheet]), Settings(substeps=10, threads=1))


def middles(simulation):
    """Middle of each edge that may tear, at rest [m], (e, 3)."""
    rest = simulation.model.parts[0].body.rest
    return rest[simulation.model.tearing.joints[:, 0]].mean(1)


def ball_through_sheet(n=24, threads=1, speed=6.0, **tearing):
    """A ball of 12 cm that falls on a square metre of sheet held at its border."""
    x, triangles, points = split_grid(n, n, 1.0, 1.0)
    border = np.flatnonzero((np.abs(x[:, :2] - 0.5) > 0.5 - 1e-9).any(1))
    fabric = Material.fabric(0.2, 5000, 1700, bending=1e-5, poisson=0.3, damping=0.02)
    sheet = Cloth(
        "sheet",
        x,
        triangles,
        fabric,
        pins=Pins(border),
        tearing=Tearing(**{"strength": 400.0, "fracture_energy": 2.0, "points": points, **tearing}),
    )
    v, t = icosphere(3, 0.12)
    ball = Rigid("ball", v + [0.5, 0.5, 0.2], t, density=800.0, velocity=[0, 0, -speed])
    return Simulation(Scene([sheet, ball]), Settings(substeps=8, threads=threads))
