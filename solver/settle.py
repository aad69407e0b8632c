"""The rest of a scene: where gravity, pins and colliders leave its bodies when nothing moves any more.

Dynamic relaxation through `Simulation`: the bodies move; at every peak of the kinetic energy, near which the potential is
lowest, all velocities are set to zero, and a drag that grows with the number of peaks takes what is left. Sweeps end short
of the exact step, so the bodies come to rest a little off; then the steps are halved, which brings the two together. How far
off is measured: the force that is left on the vertices, in double precision, over their weight.
Source: Barnes 1999, "Form finding and analysis of tension structures by dynamic relaxation" (kinetic damping).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .element_loops import add_gradient, remember
from .errors import SceneError, UnstableError
from .scene import Cloth, Collider, Motion, Pins, Rigid, Scene, Settings, SoftBody
from .simulation import Frame, Simulation

Array = np.ndarray

#: A step of the relaxation, in substeps. Longer ones miss peaks, shorter ones look for contacts more often.
SUBSTEPS_A_STEP = 4
#: How often the steps are halved, at most; each time about an eighth of the force that is left remains.
HALVINGS, GAIN = 4, 8.0
#: The drag grows by this at each peak, up to the limit [1/s]; it must stay below what overdamps a slow swing for long.
DRAG, MOST_DRAG = 0.05, 5.0
#: Pins move from the start to their place over so many steps.
PIN_STEPS = 48
#: The speed is the largest over this many steps: at a peak the velocities have just been set to zero.
WINDOW = 12
#: Steps without a smaller residual, all at less than this share of the largest kinetic energy, after which steps are halved.
STALL, STALL_ENERGY = 48, 0.01


@dataclass(frozen=True)
class Rest:
    """How far a scene has settled after a step.

    frame: positions and report, as of a simulation. positions: body -> simulated vertices [m], (n, 3) double.
    residual: |m g - grad U| over |m g|, both as root mean squares over vertices free of pins and contact; 0 without gravity
    only where no force is left. speed: the fastest vertex's of the last steps [m/s]. substeps: those of a frame, now.
    settled: both are below their bounds. warning: why the last step is not, "" before it.
    """

    step: int
    frame: Frame
    positions: dict[str, Array]
    residual: float
    speed: float
    substeps: int
    settled: bool = False
    warning: str = ""


def settle(
    scene: Scene,
    settings: Settings | None = None,
    time: float = 0.0,
    tolerance: float = 0.02,
    speed: float = 0.01,
    steps: int = 3000,
) -> Rest:
    """The last of `settling`; look at its `settled` and `warning`."""
    *_, last = settling(scene, settings, time, tolerance, speed, steps)
    return last


def settling(
    scene: Scene,
    settings: Settings | None = None,
    time: float = 0.0,
    tolerance: float = 0.02,
    speed: float = 0.01,
    steps: int = 3000,
) -> Iterator[Rest]:
    """Lets the bodies settle, a step at a time; the last step says whether they have.

    time: pins and colliders stay where they are then [s]; wind and the bodies' velocities are left out. settings: its rate,
    threads and, as a beginning, substeps and iterations; how the scene is animated otherwise does not change where it rests.
    tolerance: of `Rest.residual`, speed: of `Rest.speed` [m/s]. steps: after so many it ends, with a warning.
    Raises: SceneError if the scene or a bound is impossible; UnstableError if it leaves the finite numbers at all steps.
    """
    for name, value in (("tolerance", tolerance), ("speed", speed), ("steps", steps)):
        if not (math.isfinite(value) and value > 0):
            raise SceneError(f"Settle: {name} is {value!r}; wanted more than zero.")
    asked = settings or Settings()
    still = _still(scene, time, asked.fps)
    own = _settings(asked)
    done, halvings, most, last = 0, 0, 0.0, None
    while True:
        finest = halvings == HALVINGS
        share = steps - done if finest else max((steps - done) // 2, 1)
        bounds = _Bounds(tolerance, speed, STALL_ENERGY * most, finest)
        more = 1
        try:
            for rest in _relax(still, own, bounds, done, share):
                done, last = rest.step, rest
                most = max(most, rest.frame.report.kinetic_energy)
                bounds.stalled = STALL_ENERGY * most
                if rest.settled:
                    yield rest
                    return
                if done < steps:
                    yield rest
        except UnstableError:
            if finest:
                raise
            last = None  # the next level begins where this one began
        if last is not None:
            still = _moved(still, last)
            more = max(round(math.log(max(last.residual / tolerance, 1.0), GAIN)), 1)
        if done >= steps or finest:
            break
        more = min(more, HALVINGS - halvings)
        halvings += more
        own = replace(own, substeps=own.substeps * 2**more)
    if last is None:
        raise SceneError(f"Settle: the scene was unstable in all of {steps} steps. Allow more, or soften the material.")
    yield replace(last, warning=_warning(last, tolerance, speed))


@dataclass
class _Bounds:
    """tolerance, speed: of rest. stalled: kinetic energy [J] below which waiting is no use. finest: steps stay as long."""

    tolerance: float
    speed: float
    stalled: float
    finest: bool


def _settings(asked: Settings) -> Settings:
    """Whatever method the scene is animated with: its rest is that of the energies, and sweeps get there."""
    return Settings(
        fps=asked.fps,
        substeps=max(asked.substeps, 24),
        iterations=max(asked.iterations, 10),
        dtype="float64",
        threads=asked.threads,
        global_iterations=max(asked.global_iterations, 8),
    )


def _still(scene: Scene, time: float, fps: float) -> Scene:
    """The scene with everything that moves by itself held at one time."""
    bodies = []
    for body in scene.bodies:
        if isinstance(body, Rigid):
            bodies.append(replace(body, velocity=np.zeros(3), angular_velocity=np.zeros(3)))
            continue
        pins = body.pins
        if pins is not None and len(pins.indices):
            start = body.vertices[pins.indices]
            target = Motion(pins.targets, f"{body.name} (pins)", start).at(time, fps)
            pins = Pins(pins.indices, pins.weight, np.linspace(start, target, PIN_STEPS))
        bodies.append(replace(body, pins=pins, velocities=None, rest_vertices=_rest_of(body)))
    colliders = [
        replace(c, vertices=Motion(c.vertices, c.name).at(time, fps)) if isinstance(c, Collider) else c
        for c in scene.colliders
    ]
    return Scene(bodies, colliders, gravity=scene.gravity)


def _rest_of(body: Cloth | SoftBody) -> Array:
    return body.vertices if body.rest_vertices is None else body.rest_vertices


def _moved(scene: Scene, rest: Rest) -> Scene:
    """The scene, beginning where a step left it."""
    bodies = []
    for body in scene.bodies:
        if isinstance(body, Rigid):
            bodies.append(replace(body, vertices=rest.positions[body.name]))
            continue
        pins = body.pins
        if pins is not None and len(pins.indices):
            pins = Pins(pins.indices, pins.weight, np.asarray(pins.targets).reshape(-1, len(pins.indices), 3)[-1])
        changed: dict[str, Any] = {"vertices": rest.positions[body.name], "pins": pins}
        if isinstance(body, SoftBody) and body.surface is not None:
            changed["surface"] = rest.frame.surfaces[body.name]
        bodies.append(replace(body, **changed))
    return Scene(bodies, scene.colliders, gravity=scene.gravity)


def _relax(scene: Scene, settings: Settings, bounds: _Bounds, done: int, steps: int) -> Iterator[Rest]:
    """Steps of one length, until the bodies rest, or their residual falls no more but could with shorter ones, or so many
    are made."""
    rate = settings.fps * settings.substeps / SUBSTEPS_A_STEP
    simulation = Simulation(scene, replace(settings, fps=rate, substeps=SUBSTEPS_A_STEP))
    weight = np.linalg.norm(scene.gravity)
    speeds: deque[float] = deque(maxlen=WINDOW)
    energies: deque[float] = deque(maxlen=STALL)
    before, drag, best, best_step = 0.0, 0.0, math.inf, done
    for step in range(done + 1, done + steps + 1):
        frame = simulation.advance_frame()
        velocity = simulation.state.v
        speeds.append(float(np.sqrt(np.einsum("ij,ij->i", velocity, velocity).max())))
        energy = frame.report.kinetic_energy
        energies.append(energy)
        if energy < before:
            _slow(simulation, 0.0)
            drag, energy = min(drag + DRAG, MOST_DRAG), 0.0
        before = energy
        _slow(simulation, math.exp(-drag / rate))
        left = static_residual(simulation, float(weight))
        if left < 0.95 * best:
            best, best_step = left, step
        fastest, begun = max(speeds), step - done > PIN_STEPS
        settled = begun and fastest <= bounds.speed and left <= bounds.tolerance
        yield Rest(step, frame, _positions(simulation), left, fastest, settings.substeps, settled)
        stuck = step - best_step > STALL and left > bounds.tolerance and max(energies) <= bounds.stalled
        if begun and (fastest <= bounds.speed or (stuck and not bounds.finest)):
            return


def _slow(simulation: Simulation, keep: float) -> None:
    """Leaves a share of all velocities."""
    state = simulation.state
    state.v *= keep
    if state.rigid is not None:
        state.rigid.velocity *= keep
        state.rigid.spin *= keep


def _positions(simulation: Simulation) -> dict[str, Array]:
    x = simulation.state.x[:, :3].astype(np.float64) + simulation.model.origin
    return {part.body.name: x[part.start : part.stop] for part in simulation.model.parts}


def static_residual(simulation: Simulation, gravity: float) -> float:
    """|m g - grad U| over |m g| at a simulation's state, as `Rest.residual`. gravity: its magnitude [m/s^2]."""
    model, state = simulation.model, simulation.state
    gradient = np.zeros(state.x.shape, state.x.dtype)
    for block, memory in zip(model.blocks, state.memories, strict=True):
        if block.damped:
            remember(block, memory, state.x)  # damping compares with this strain, so it has no force here
        add_gradient(block, memory, state.x, gradient)
    free = ~model.fixed
    if simulation.contact is not None:
        free &= ~simulation.contact.touched[: model.n_vertices]
    if not free.any():
        return 0.0
    left = model.mass[free, None] * simulation.scene.gravity - gradient[: model.n_vertices][free, :3]
    scale = (gravity or 1e-3) * np.linalg.norm(model.mass[free])
    return float(np.linalg.norm(left) / scale)


def _warning(rest: Rest, tolerance: float, speed: float) -> str:
    """What a scene that did not settle may lack."""
    if rest.speed > speed:
        return (
            f"Not at rest after {rest.step} steps: the fastest vertex still moves at {rest.speed:.2g} m/s; wanted "
            f"{speed:g}. Pin the bodies or put a collider under them, raise friction, or allow more steps."
        )
    return (
        f"At rest after {rest.step} steps, but with a force of {rest.residual:.2g} of the weight left; wanted "
        f"{tolerance:g}. Allow more steps, or use faces of about the same size."
    )
