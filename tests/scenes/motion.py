"""Scenes with a reference motion by an independent code, or by our own fine solution."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from tests.scenes import materials, without_contact
from tests.scenes.meshes import brick, cube_of_five
from tests.validation.meshes import grid as rectangle

Array = np.ndarray


def heights_by_dop853(arrays: without_contact.SceneArrays, frames: int, tolerance: float) -> Array:
    """Height of the centre of mass after each frame [m], (frames,), of springs, pins and gravity."""
    from scipy.integrate import solve_ivp

    edges, n = without_contact.edges_of(arrays.elements), len(arrays.rest)
    lengths = np.linalg.norm(np.subtract(*arrays.rest[edges.T]), axis=1)
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    free = np.ones(n)
    free[arrays.pins] = 0.0

    def rate(_: float, state: Array) -> Array:
        x, v = state.reshape(2, n, 3)
        return np.concatenate([v, accelerations(x, edges, lengths, materials.SPRING, free, free / mass)]).ravel()

    start = np.concatenate([arrays.start, np.zeros((n, 3))]).ravel()
    times = arrays.step * np.arange(1, frames + 1)
    solved = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=tolerance, atol=1e-2 * tolerance)
    return np.array([mass @ y.reshape(2, n, 3)[0][:, 2] for y in solved.y.T]) / mass.sum()


@numba.njit
def accelerations(x: Array, edges: Array, lengths: Array, stiffness: float, free: Array, inverse_mass: Array) -> Array:
    """Return the accelerations of vertices, (n, 3), under gravity and springs along edges, (e, 2), of rest lengths, (e,).
    free: 1 or 0, (n,)."""
    rate = np.zeros_like(x)
    rate[:, 2] = -9.81 * free
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        d0, d1, d2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        tension = stiffness * (1.0 - lengths[e] / np.sqrt(d0 * d0 + d1 * d1 + d2 * d2))
        pull = tension * inverse_mass[a]
        rate[a, 0] += pull * d0
        rate[a, 1] += pull * d1
        rate[a, 2] += pull * d2
        pull = tension * inverse_mass[b]
        rate[b, 0] -= pull * d0
        rate[b, 1] -= pull * d1
        rate[b, 2] -= pull * d2
    return rate


def heights(arrays: without_contact.SceneArrays, frames: int, quality: str, **settings: Any) -> Array:
    """The same, ours."""
    import solver

    material = solver.Material("springs", "fabric", materials.FABRIC["density"], {"spring": materials.NET})
    chosen = solver.Settings.quality(quality, fps=1 / arrays.step, threads=1, **settings)
    simulation = solver.Simulation(without_contact.solver_scene(arrays, solver, material), chosen)
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    done = (simulation.advance_frame().positions["sheet"] for _ in range(frames))
    return np.array([mass @ x[:, 2].astype(float) for x in done]) / mass.sum()


def swing(quality: str, changes: bool = False, frames: int = 300, **settings: Any) -> float:
    """Return the largest displacement of a denim sheet of half a metre, hung by a side and released at 0.3 rad, in the last
    two of twelve periods, over that of the first two. changes: every second frame takes twice the substeps."""
    import solver

    flat, triangles = rectangle(8, 8, 0.5, 0.5)
    below = 0.5 - flat[:, 1]
    x = np.stack([flat[:, 0], below * np.sin(0.3), -below * np.cos(0.3)], 1)
    pins, denim = solver.Pins(np.flatnonzero(below < 1e-9)), solver.load_material("denim")
    sheet = solver.Cloth("sheet", x, triangles, denim, pins=pins, rest_vertices=flat, self_contact=False)
    chosen = solver.Settings.quality(quality, threads=1, **settings)
    simulation = solver.Simulation(solver.Scene([sheet], air_density=0), chosen)
    distances = []
    for frame in range(frames):
        if changes and frame % 2:
            simulation.substeps.change(2, simulation.state)  # it is reset after the frame, unless surfaces stall
        distances.append(abs(simulation.advance_frame().positions["sheet"][:, 1].mean()))
    return float(max(distances[-60:]) / max(distances[:60]))


def spin(kind: str, quality: str, frames: int = 200, **settings: Any) -> float:
    """Share of its angular momentum that a free body loses that turns once a second. kind: "sheet", "solid" or "rigid"."""
    import solver

    omega = np.array([0.0, 0.0, 2 * np.pi])
    if kind == "sheet":
        x, triangles = rectangle(12, 12, 0.5, 0.5)
        cotton = solver.load_material("cotton_poplin")
        body: Any = solver.Cloth("body", x - x.mean(0), triangles, cotton, self_contact=False)
    else:
        x, tetrahedra = cube_of_five(4)
        x = 0.3 * (x - x.mean(0))
        body = solver.SoftBody("body", x, tetrahedra, solver.Material.solid(1000, 1e5, 0.45))
    if kind == "rigid":
        faces = solver.Simulation(solver.Scene([body])).model.surface
        body = solver.Rigid("body", x, faces, angular_velocity=tuple(omega))
    else:
        body.velocities = np.cross(omega, body.vertices)
    scene = solver.Scene([body], gravity=(0, 0, 0), air_density=0)
    simulation = solver.Simulation(scene, solver.Settings.quality(quality, threads=1, **settings))

    def momentum() -> float:
        state, mass = simulation.state, simulation.model.mass
        if state.rigid is not None:
            return float(np.linalg.norm(state.rigid.spin))
        at, v = (a[: len(mass), :3].astype(float) for a in (state.x, state.v))
        arm = mass[:, None] * (at - mass @ at / mass.sum())
        return float(np.linalg.norm(np.cross(arm, v).sum(0)))

    before = momentum()
    for _ in range(frames):
        simulation.advance_frame()
    return 1 - momentum() / before


def bounce(quality: str, young: float = 3e4, on: str = "plane", frames: int = 20, **settings: Any) -> float:
    """Return the height of the first bounce of a cube of jelly of 0.3 m, released half a metre above the floor, over its
    touch-down [m]. young: [Pa]. on: "plane" or "collider"."""
    import solver

    x, tetrahedra = jelly()
    body = solver.SoftBody("jelly", x, tetrahedra, solver.Material.solid(1000, young, 0.45))
    floor = solver.Plane("floor") if on == "plane" else solver.Collider("floor", *brick((1.0, 1.0, 0.2), (0, 0, -0.1)))
    simulation = solver.Simulation(solver.Scene([body], [floor]), solver.Settings.quality(quality, threads=1, **settings))
    share = simulation.model.mass / simulation.model.mass.sum()
    z = [float(share @ simulation.advance_frame().positions["jelly"][:, 2]) for _ in range(frames)]
    low = next(k for k in range(1, frames) if z[k - 1] < z[k])
    top = next(k for k in range(low, frames - 1) if z[k] > z[k + 1])
    curve, slope, height = np.polyfit([-1, 0, 1], z[top - 1 : top + 2], 2)  # in the air the path is a parabola
    return float(height - slope**2 / (4 * curve)) - 0.15


def jelly() -> tuple[Array, Array]:
    """The cube of 0.3 m, half a metre above the floor: vertices [m], tetrahedra."""
    x, tetrahedra = cube_of_five(4)
    return 0.3 * (x - [0.5, 0.5, 0.0]) + [0, 0, 0.5], tetrahedra


def landing_by_explicit_steps(young: float, poisson: float, seconds: float = 0.7, step: float = 1e-4) -> tuple[float, float]:
    """Return the height of the first bounce [m], as `bounce`, and the least volume over that at rest; by explicit steps of
    Newton's law, independent of the solver: forces of the stable neo-Hookean energy, a floor that stops vertices."""
    x, tetrahedra = jelly()
    mu, lam = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    inverse = np.linalg.inv((x[tetrahedra[:, 1:]] - x[tetrahedra[:, :1]]).transpose(0, 2, 1))
    size = 1 / (6 * np.linalg.det(inverse))
    mass = np.bincount(tetrahedra.ravel(), np.repeat(1000 * size / 4, 4))
    v, heights, volumes = np.zeros_like(x), [], []
    for _ in range(round(seconds / step)):
        F = (x[tetrahedra[:, 1:]] - x[tetrahedra[:, :1]]).transpose(0, 2, 1) @ inverse
        cofactor = np.stack([np.cross(F[:, :, k - 2], F[:, :, k - 1]) for k in range(3)], 2)
        J = (F[:, :, 0] * cofactor[:, :, 0]).sum(1)
        stress = mu * F + ((lam + mu) * (J - 1) - mu)[:, None, None] * cofactor
        pull = size[:, None, None] * (stress @ inverse.transpose(0, 2, 1))
        corners = np.concatenate([pull.sum(2)[:, None], -pull.transpose(0, 2, 1)], 1).reshape(-1, 3)
        force = np.stack([np.bincount(tetrahedra.ravel(), corners[:, k]) for k in range(3)], 1)
        v += step * (force / mass[:, None] + [0, 0, -9.81])
        v[:, 2] = np.maximum(v[:, 2], -x[:, 2] / step)
        x = x + step * v
        heights.append(mass @ x[:, 2] / mass.sum())
        volumes.append(size @ J / size.sum())
    return max(heights[int(np.argmin(heights)) :]) - 0.15, min(volumes)


def flag(quality: str, n: int = 16, frames: int = 480, nudge: float = 0.0, **settings: Any) -> Array:
    """Return the cross-wind position of a nylon flag's loose end after each frame [m], (frames, n + 1). nudge: added to its
    start at the loose end [m]: the flag is chaotic, so two such flags measure the uncertainty of its spectrum."""
    import solver

    flat, triangles = rectangle(n * 3 // 2, n, 1.5, 1.0)
    x = np.stack([flat[:, 0], nudge * flat[:, 0] / 1.5, flat[:, 1]], 1)
    pins, nylon = solver.Pins(np.flatnonzero(flat[:, 0] < 1e-9)), solver.load_material("flag_nylon")
    sheet = solver.Cloth("flag", x, triangles, nylon, pins=pins, rest_vertices=flat, self_contact=False)
    chosen = solver.Settings.quality(quality, threads=1, **settings)
    simulation = solver.Simulation(solver.Scene([sheet], wind=(7.0, 0.7, 0.0)), chosen)
    end = np.flatnonzero(flat[:, 0] > 1.5 - 1e-9)
    return np.array([simulation.advance_frame().positions["flag"][end, 1] for _ in range(frames)], float)


def spectrum(way: Array, first: int = 96, length: int = 96) -> tuple[Array, Array]:
    """Frequencies [Hz] and the mean power spectral density [m^2/Hz] of signals at 24 a second, (frames, k), from a frame on.

    Segments of 4 s that overlap by half, each with a Hann window. Source: Welch 1967, "The use of fast Fourier transform for
    the estimation of power spectra".
    """
    starts = range(first, len(way) - length + 1, length // 2)
    window = np.hanning(length)[:, None]
    parts = np.array([way[k : k + length] - way[k : k + length].mean(0) for k in starts])
    power = 2 * np.abs(np.fft.rfft(parts * window, axis=1)) ** 2 / (24 * (window**2).sum())
    return np.fft.rfftfreq(length, 1 / 24), power.mean((0, 2))
