"""Scenes of rigid bodies on ropes: a pendulum, two balls in space, and a bridge of planks."""

from __future__ import annotations

from typing import Any

import numpy as np

import solver
from tests.scenes.bodies import brick
from tests.scenes.ropes import chain, line
from tests.scenes.spheres import icosphere

Array = np.ndarray

#: Length of a rope, radius of a ball and of the rope [m], gravity [m/s^2].
LENGTH, BALL, RADIUS, GRAVITY = 1.0, 0.1, 0.004, 9.81
AREA = np.pi * RADIUS**2


def ball(name: str, at: Array, towards: Array, **changes: Any) -> solver.Rigid:
    """A ball whose first vertex is `at` a point [m] and in a direction from its centre."""
    x, triangles = icosphere(2, BALL)
    one, other = x[0] / BALL, np.asarray(towards, float)
    k = np.cross(np.eye(3), np.cross(one, other))
    turn = np.eye(3) + k + k @ k / (1 + one @ other)
    return solver.Rigid(name, (x - x[0]) @ turn.T + at, triangles, **changes)


def pendulum(angle: float, mass: float, modulus: float, density: float = 200.0, segments: int = 20) -> solver.Scene:
    """A ball hangs on a rope, at an angle to the vertical [rad]."""
    down = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    x, edges = line(segments, LENGTH, down)
    material = solver.Material.rope(density, modulus, 1e6, 4e5)
    rope = solver.Rope("rope", x, edges, RADIUS, material, solver.Pins([0]))
    bob = ball("ball", x[-1], -down, mass=mass)
    return solver.Scene([rope, bob], ties=[solver.Tie("rope", "ball", 0.001, vertices=[segments])])


def pair(spin: float, segments: int = 20) -> solver.Scene:
    """Two balls of 1 and 3 kg on the ends of a rope turn about each other in space. spin: [rad/s]."""
    x, edges = line(segments, LENGTH)
    x, turn = x - [LENGTH / 2, 0, 0], np.array([0.0, spin, 0.0])
    material = solver.Material.rope(1000.0, 1e8, 1e6, 4e5)
    rope = solver.Rope("rope", x, edges, RADIUS, material, velocities=np.cross(turn, x))
    ends = []
    for name, vertex, side, mass in (("light", 0, -1.0, 1.0), ("heavy", segments, 1.0, 3.0)):
        centre = x[vertex] + [side * BALL, 0, 0]
        motion = {"velocity": np.cross(turn, centre), "angular_velocity": turn}
        ends.append(ball(name, x[vertex], [-side, 0, 0], mass=mass, **motion))
    ties = [solver.Tie("rope", "light", 0.001, vertices=[0]), solver.Tie("rope", "heavy", 0.001, vertices=[segments])]
    return solver.Scene([rope, *ends], ties=ties, gravity=(0, 0, 0))


def bridge(segments: int, step: int, parameter: float, span: float, modulus: float) -> tuple[solver.Scene, Array]:
    """Planks hang between two ropes that begin as catenaries z = parameter cosh(x / parameter); and the first rope's start.

    step: segments from plank to plank, each of which is tied to one vertex of both ropes.
    """
    half = parameter * np.sinh(span / 2 / parameter)
    along = np.linspace(-half, half, segments + 1)
    across, height = parameter * np.arcsinh(along / parameter), np.hypot(parameter, along)
    material = solver.Material.rope(1200.0, modulus, 1e6, 4e5, damping=0.01)
    bodies: list[Any] = []
    for name, y in (("left", -0.2), ("right", 0.2)):
        x = np.stack([across, np.full(len(along), y), height - height[0]], 1)
        bodies.append(solver.Rope(name, x, chain(segments), RADIUS, material, solver.Pins([0, segments])))
    board, triangles = brick((0.02, 0.5, 0.02))
    ties = []
    for k in range(step, segments, step):
        name = f"plank {k}"
        below = bodies[0].vertices[k] * [1, 0, 1] - [0, 0, 0.016]
        bodies.append(solver.Rigid(name, board + below, triangles, density=1000.0))
        ties += [solver.Tie(rope, name, 0.008, vertices=[k]) for rope in ("left", "right")]
    return solver.Scene(bodies, ties=ties), bodies[0].vertices
