"""Rest of a scene: equilibrium of its bodies under gravity, pins and colliders.

The first phase is dynamic relaxation through `Simulation`: at every peak of the kinetic energy, near which the potential is
lowest, all velocities are set to zero; a drag that grows with the number of peaks removes the remaining motion. It finds the
shape, but few sweeps end short of the exact step: in stiff sheets by a force of several times the weight, which corresponds
to less than a hundredth of a millimetre. In the second phase the bodies creep: every substep begins without velocities and
sweeps until its residual is small, which reduces the stiffest errors first and excites no vibration. The residual force on
the vertices over their weight, in double precision, measures the distance from equilibrium.
Source: Barnes 1999, "Form finding and analysis of tension structures by dynamic relaxation" (kinetic damping).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from .errors import SceneError, UnstableError
from .methods.batch import add_gradient, begin_strains
from .model.bodies import kind_of
from .scene import Body, Collider, Grab, Motion, Response, Scene, Settings, checks
from .scene.rest_settings import at_rest
from .simulation import CALL, Frame, FrameInputs, Simulation

Array = np.ndarray

#: Least substeps a second of the dynamic relaxation, and the phases in order: factor of the substeps, and whether bodies
#: creep. Long steps advance slow sliding, short ones end nearer to equilibrium.
RATE, PHASES = 576.0, ((1.0, False), (0.5, True), (1.0, True), (2.0, True), (4.0, True))
#: Substeps in a step of the dynamic relaxation: longer ones miss peaks. A creeping step has one.
SUBSTEPS_A_STEP = 4
#: Residual at which a creeping substep ends, as a share of the tolerance.
CREEP_TOLERANCE = 0.1
#: Increase of the drag at each peak, and its limit [1/s], below overdamping of slow swings.
DRAG, MOST_DRAG = 0.05, 5.0
#: Steps in which pins move from the start to their targets.
PIN_STEPS = 48
#: Steps over which the largest speed counts: at a peak, velocities have just been set to zero.
WINDOW = 12
#: Steps without a smaller residual after which a phase ends; the dynamic phase only below this share of its largest kinetic
#: energy.
NO_PROGRESS, NO_PROGRESS_ENERGY = 48, 0.001
#: Ratio to the least residual above which a phase is discarded: sweeps over long steps can increase it.
WORSE = 10.0


@dataclass(frozen=True)
class Rest:
    """Progress of the settling of a scene after a step.

    frame: positions and report, as of a simulation. positions: body -> simulated vertices [m], (n, 3) double.
    residual: |m g - grad U| over |m g|, both as root mean squares over vertices free of pins and contact; without gravity, 0
    if no force remains. speed: of the fastest vertex in the last steps [m/s]. rate: current substeps a second. settled: both
    are below their bounds. warning: reason why the last step is not settled, "" before it.
    """

    step: int
    frame: Frame
    positions: dict[str, Array]
    residual: float
    speed: float
    rate: float
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
    """Return the last of `settling`, with `settled` and `warning`."""
    *_, last = settling(scene, settings, time, tolerance, speed, steps)
    return last


def settling(
    scene: Scene,
    settings: Settings | None = None,
    time: float = 0.0,
    tolerance: float = 0.02,
    speed: float = 0.01,
    steps: int = 3000,
    grabs: Callable[[], Mapping[str, Grab]] = dict,
) -> Iterator[Rest]:
    """Let the bodies settle, a step at a time; `settled` of the last step is the result.

    time: of the poses of pins and colliders [s]; wind, fields and the bodies' velocities are ignored. settings: threads, and
    initial substeps and iterations; animation has no other effect on the rest.
    tolerance: of `Rest.residual`, speed: of `Rest.speed` [m/s]. steps: largest number, after which it ends with a warning.
    grabs: called before each step, for the grabs of each body in it; a grabbed body does not rest.
    Raises: SceneError if the scene or a bound is impossible; UnstableError if it leaves the finite numbers at all steps.
    """
    checks.instance("Settle", "scene", scene, Scene, "Put the bodies in Scene([...]).")
    requested = Settings() if settings is None else settings
    checks.instance("Settle", "settings", requested, Settings, "Use Settings(...).")
    time = checks.number("Settle", "time", time, "s", checks.FINITE, CALL)
    tolerance = checks.number("Settle", "tolerance", tolerance, "", where=CALL)
    speed = checks.number("Settle", "speed", speed, "m/s", where=CALL)
    steps = checks.whole("Settle", "steps", steps, 1, CALL)
    still = _still(scene, time, requested.fps)
    used = at_rest(requested)
    done, most, least = 0, 0.0, math.inf
    last = kept = None
    for number, (finer, creeping) in enumerate(PHASES):
        final, least_rate = number == len(PHASES) - 1, RATE if creeping else max(requested.fps * requested.substeps, RATE)
        phase = _Phase(tolerance, speed, creeping, NO_PROGRESS_ENERGY * most, number == 0, final, finer * least_rate)
        try:
            for rest in _relax(still, used, phase, done, steps - done, grabs):
                done, last = rest.step, rest
                most = max(most, rest.frame.report.kinetic_energy)
                phase.no_progress = NO_PROGRESS_ENERGY * most
                if rest.settled:
                    yield rest
                    return
                if done < steps:
                    yield rest
        except UnstableError:
            if final and last is None:
                raise
        if last is not None and last.residual < WORSE * least:  # else the next phase begins where this one began
            still, least, kept = _moved(still, last), min(least, last.residual), last
        if done >= steps:
            break
    if kept is None:
        raise SceneError(f"Settle: the scene was unstable in all of {steps} steps. Allow more, or soften the material.")
    kept = replace(kept, step=done)
    yield replace(kept, warning=_warning(kept, tolerance, speed))


@dataclass
class _Phase:
    """tolerance, speed: of rest. no_progress: kinetic energy [J] below which the phase ends without progress. first: pins
    move to their places. final: the last phase. rate: substeps a second."""

    tolerance: float
    speed: float
    creeping: bool
    no_progress: float
    first: bool
    final: bool
    rate: float


def _still(scene: Scene, time: float, fps: float) -> Scene:
    """The scene with all animation fixed at one time."""
    bodies = [_without_air(kind_of(body).held(body, time, fps, PIN_STEPS)) for body in scene.bodies]
    colliders = [
        replace(c, vertices=Motion(c.vertices, c.name).at(time, fps)) if isinstance(c, Collider) else c
        for c in scene.colliders
    ]
    tied_at = {body.name: body.vertices for body in scene.bodies} | dict(scene.tied_at)
    return Scene(bodies, colliders, gravity=scene.gravity, ties=scene.ties, tied_at=tied_at)


def _without_air(body: Body) -> Body:
    """The body without air, with its share of gravity."""
    there = copy(body)
    there.response = None if body.response is None else Response(gravity=body.response.gravity)
    return there


def _moved(scene: Scene, rest: Rest) -> Scene:
    """The scene with the positions of a step as its start."""
    at, surfaces = rest.positions, rest.frame.surfaces
    bodies = [kind_of(body).moved(body, at[body.name], surfaces[body.name]) for body in scene.bodies]
    return Scene(bodies, scene.colliders, gravity=scene.gravity, ties=scene.ties, tied_at=scene.tied_at)


def _relax(
    scene: Scene, settings: Settings, phase: _Phase, done: int, steps: int, grabs: Callable[[], Mapping[str, Grab]]
) -> Iterator[Rest]:
    """Steps of one phase, until the bodies rest, the residual stops decreasing, or the largest number is reached."""
    count = 1 if phase.creeping else SUBSTEPS_A_STEP
    until = min(CREEP_TOLERANCE * phase.tolerance, 0.5) if phase.creeping else None
    simulation = Simulation(scene, replace(settings, fps=phase.rate / count, substeps=count, tolerance=until))
    weight = np.linalg.norm(scene.gravity)
    damping = _KineticDamping(phase.rate / count)
    speeds: deque[float] = deque(maxlen=WINDOW)
    energies: deque[float] = deque(maxlen=NO_PROGRESS)
    best, best_step = math.inf, done
    for step in range(done + 1, done + steps + 1):
        held = FrameInputs(grabs=grabs())
        drawn = any(np.isfinite(grab.stiffness).any() or grab.moved.any() for grab in held.grabs.values())
        frame = simulation.advance_frame(held)
        velocity = simulation.state.v
        speeds.append(float(np.sqrt(np.einsum("ij,ij->i", velocity, velocity).max())))
        energies.append(frame.report.kinetic_energy)
        _slow(simulation, 0.0 if phase.creeping else damping.velocity_share(frame.report.kinetic_energy))
        left = static_residual(simulation, float(weight))
        if left < 0.95 * best or drawn:
            best, best_step = math.inf if drawn else left, step
        fastest, begun = max(speeds), not drawn and step - done > (PIN_STEPS if phase.first else WINDOW)
        settled = begun and fastest <= phase.speed and left <= phase.tolerance
        yield Rest(step, frame, _positions(simulation), left, fastest, phase.rate, settled)
        still = phase.creeping or max(energies) <= phase.no_progress
        stuck = step - best_step > NO_PROGRESS and left > phase.tolerance and still
        if begun and (stuck or (fastest <= phase.speed and not (phase.creeping or phase.final))):
            return


class _KineticDamping:
    """Kinetic damping: zero velocities at every peak of the kinetic energy, and a growing drag between peaks. rate: steps a
    second."""

    def __init__(self, rate: float):
        self._rate, self._before, self._drag = rate, 0.0, 0.0

    def velocity_share(self, energy: float) -> float:
        """Factor of the velocities after a step with this kinetic energy [J]."""
        peak = energy < self._before
        if peak:
            self._drag, energy = min(self._drag + DRAG, MOST_DRAG), 0.0
        self._before = energy
        return 0.0 if peak else math.exp(-self._drag / self._rate)


def _slow(simulation: Simulation, keep: float) -> None:
    """Scale all velocities."""
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
    for batch, memory in zip(model.batches, state.strains_at_start, strict=True):
        begin_strains(batch, memory, state.x)  # damping compares with this strain, so it has no force here
        if batch.energy.ELEMENT == "joint" and state.rods is not None:
            state.rods.store(model.batches, state.x, state.strains_at_start)
        add_gradient(batch, memory, state.x, gradient)
    free = ~model.fixed
    if simulation.contact is not None:
        free &= ~simulation.contact.results.touched()[: model.n_vertices]
    if not free.any():
        return 0.0
    factor = np.array([part.body.resolved_response.gravity for part in model.parts])[model.body_of_vertex]
    left = (factor * model.mass)[free, None] * simulation.scene.gravity - gradient[: model.n_vertices][free, :3]
    scale = (gravity or 1e-3) * np.linalg.norm(model.mass[free])
    return float(np.linalg.norm(left) / scale)


def _warning(rest: Rest, tolerance: float, speed: float) -> str:
    """Return a warning with possible remedies for a scene that did not settle."""
    if rest.speed > speed:
        return (
            f"Not at rest after {rest.step} steps: the fastest vertex still moves at {rest.speed:.2g} m/s; wanted "
            f"{speed:g}. Pin the bodies or put a collider under them, raise friction, or allow more steps."
        )
    return (
        f"At rest after {rest.step} steps, but with a force of {rest.residual:.2g} of the weight left; wanted "
        f"{tolerance:g}. Allow more steps, or use faces of about the same size."
    )
