"""Small scenes in which something acts beside gravity: fields, pressure, stitches; for comparing devices with the CPU."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import solver
from solver import Cloth, Field, Pins, Pressure, Response, Scene, Sewing
from tests.scenes.materials import spring_material
from tests.scenes.meshes import grid
from tests.scenes.spheres import icosphere

CURVE = np.array([[0.0, -1.0, 0.2], [0.5, 0.5, 0.3], [1.0, 2.0, 0.2]])
#: A grid of vectors over two metres.
GRID = np.random.default_rng(7).standard_normal((4, 5, 6, 4)) + [0.0, 0.0, 0.0, 2.0]
AXES = np.array([[1.5, 0.0, 0.0, 0.5], [0.0, 2.0, 0.0, 0.7], [0.0, 0.0, 2.5, 2.5]])
#: One of every kind, with falloffs, noise, shapes and sides.
FIELDS = [
    Field("push", "force", 2.0, (0.5, 0.5, -1.0), power=1.0, inverse_square=True, noise=0.5),
    Field("breeze", "wind", 1.5, (0.0, 0.0, -1.0), (0.3, 0.1, 1.0), shape="plane", falloff="tube", radial_power=0.5),
    Field("whirl", "vortex", 2.0, (0.5, 0.5, 0.0), shape="line", max_distance=3.0),
    Field("turn", "vortex", 1.0, (0.2, 0.1, 0.0), (1.0, 0.0, 0.2), power=0.5),
    Field("coil", "magnetic", 3.0, (0.0, 0.0, 0.0), along_normal=0.5),
    Field("spring", "harmonic", 4.0, (0.5, 0.5, 0.5), size=0.3, damping=0.2, noise=0.1),
    Field("charged", "charge", 1.0, (0.0, 1.0, 0.0), side="positive"),
    Field("spaced", "lennard_jones", 1.0, (0.5, 0.5, -0.4)),
    Field("rough", "turbulence", 3.0, (0.0, 0.0, 0.0), size=0.4, flow=0.2, along_normal=1.0),
    Field("slow", "drag", 0.5, damping=0.3, falloff="cone", max_radius=90.0),
    Field("painted", "texture", 1.0, grid=GRID, grid_axes=AXES),
    Field("smoke", "fluid_flow", 1.0, grid=GRID, grid_axes=AXES, flow=0.5),
    Field("lead", "curve_guide", 1.0, points=CURVE, damping=1.0),
    Field("many", "force", -0.5, shape="points", points=CURVE),
]  # fmt: skip


def net(**more: object) -> Cloth:
    """A net of 25 vertices, 1 m wide."""
    x, t = grid(4)
    return Cloth("net", x, t, spring_material(solver), **{"self_contact": False, **more})


def moving(time: float) -> list[Field]:
    """Fields that change within a frame: a surface that rises, and air that turns."""
    x, t = grid(2)
    surface = Field(
        "board", "force", 3.0, shape="surface", points=0.5 * x + [0.2, 0.2, time - 0.5], triangles=t, power=1.0, noise=0.2
    )
    return [surface, Field("air", "wind", 4.0, axis=(np.cos(9 * time), 1.0, np.sin(9 * time)), as_air=True, flow=0.1)]


def fields(kinds: tuple[str, ...] = ()) -> Scene:
    """A net in fields of some kinds, or of all, with different responses to some of them."""
    chosen = [one for one in FIELDS if not kinds or one.kind in kinds]
    answers = Response(gravity=0.5, kinds={"wind": 2.0, "vortex": 0.5}, charge=0.5, size=0.2)
    return Scene([net(pins=Pins([0, 4]), response=answers)], fields=chosen, air_density=0.0)


def filled(open_: bool) -> Scene:
    """A ball of a net that a gas and a fluid fill; open: with a hole."""
    x, t = icosphere(1, 0.25)
    weight = np.where(x[:, 2] > 0.2, 0.0, 1.0) if open_ else 1.0
    pressure = Pressure(uniform=20.0, ambient=200.0 if open_ else 2e3, fluid_density=5.0, weight=weight)
    pins = Pins([int(np.argmin(x[:, 2]))])
    ball = Cloth("ball", x, t, spring_material(solver), pressure=pressure, pins=pins, self_contact=False)
    return Scene([ball], air_density=0.0)


def beside() -> Scene:
    """A filled ball, and far from it a net, which nothing fills."""
    far = net(pins=Pins([0, 4]))
    far.vertices += np.array([0.0, 2.0, 0.0])
    return Scene([*filled(False).bodies, far], air_density=0.0)


def sewn() -> Scene:
    """Two rims of one net that stitches draw together."""
    x, t = grid(4)
    both = np.concatenate([x, x + [1.2, 0.0, 0.0]])
    stitches = Sewing(np.stack([np.arange(20, 25), np.arange(25, 30)], 1), closing_time=0.2)
    body = Cloth("panels", both, np.concatenate([t, t + 25]), spring_material(solver), sewing=stitches, self_contact=False)
    return Scene([body], air_density=0.0)


SCENES: dict[str, Callable[[], Scene]] = {
    "fields": fields,
    "moving": lambda: Scene([net(pins=Pins([0, 4]))], fields=moving, wind=(1.0, 0.0, 0.0)),
    "gas": lambda: filled(False),
    "hole": lambda: filled(True),
    "stitches": sewn,
}
