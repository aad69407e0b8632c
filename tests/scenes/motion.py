"""Scenes whose motion is known from a code that is not ours, or from its own fine solution."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.scenes import materials, without_contact
from tests.scenes.meshes import cube_of_five
from tests.validation.meshes import grid as rectangle

Array = np.ndarray


def heights_by_dop853(arrays: without_contact.SceneArrays, frames: int, tolerance: float) -> Array:
    """Height of the centre of mass after each frame [m], (frames,), of springs, pins and gravity."""
    from scipy.integrate import solve_ivp
    from scipy.sparse import csr_matrix, diags

    edges, n = without_contact.edges_of(arrays.elements), len(arrays.rest)
    lengths = np.linalg.norm(np.subtract(*arrays.rest[edges.T]), axis=1)
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    rows, ones = np.arange(len(edges)), np.ones(len(edges))
    apart = csr_matrix((np.r_[-ones, ones], (np.r_[rows, rows], edges.T.ravel())), (len(edges), n))
    free = np.ones(n)
    free[arrays.pins] = 0.0
    pull, gravity = diags(free / mass) @ apart.T.tocsr(), free[:, None] * [0.0, 0.0, -9.81]

    def rate(_: float, state: Array) -> Array:
        x, v = state.reshape(2, n, 3)
        d = apart @ x
        tension = materials.SPRING * (1.0 - lengths / np.sqrt((d * d).sum(1)))
        return np.concatenate([v, gravity - pull @ (tension[:, None] * d)]).ravel()

    start = np.concatenate([arrays.start, np.zeros((n, 3))]).ravel()
    times = arrays.step * np.arange(1, frames + 1)
    solved = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=tolerance, atol=1e-2 * tolerance)
    return np.array([mass @ y.reshape(2, n, 3)[0][:, 2] for y in solved.y.T]) / mass.sum()


def heights(arrays: without_contact.SceneArrays, frames: int, quality: str, **settings: Any) -> Array:
    """The same, ours."""
    import solver

    material = solver.Material("springs", "fabric", materials.FABRIC["density"], {"spring": materials.NET})
    chosen = solver.Settings.quality(quality, fps=1 / arrays.step, threads=1, **settings)
    simulation = solver.Simulation(without_contact.solver_scene(arrays, solver, material), chosen)
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    done = (simulation.advance_frame().positions["sheet"] for _ in range(frames))
    return np.array([mass @ x[:, 2].astype(float) for x in done]) / mass.sum()


def swing(quality: str, frames: int = 300, **settings: Any) -> float:
    """Greatest way from the vertical of a denim sheet of half a metre, hung by a side and let go at 0.3 rad, in the last two
    of twelve swings to and fro, over that of the first two."""
    import solver

    flat, triangles = rectangle(8, 8, 0.5, 0.5)
    below = 0.5 - flat[:, 1]
    x = np.stack([flat[:, 0], below * np.sin(0.3), -below * np.cos(0.3)], 1)
    pins, denim = solver.Pins(np.flatnonzero(below < 1e-9)), solver.load_material("denim")
    sheet = solver.Cloth("sheet", x, triangles, denim, pins=pins, rest_vertices=flat, self_contact=False)
    chosen = solver.Settings.quality(quality, threads=1, **settings)
    simulation = solver.Simulation(solver.Scene([sheet], air_density=0), chosen)
    way = [abs(simulation.advance_frame().positions["sheet"][:, 1].mean()) for _ in range(frames)]
    return float(max(way[-60:]) / max(way[:60]))


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


def flag(quality: str, n: int = 16, frames: int = 240, **settings: Any) -> tuple[Array, Array]:
    """Frequencies [Hz] and the mean amplitude of a nylon flag's loose end across the wind [m], from 2 s on."""
    import solver

    flat, triangles = rectangle(n * 3 // 2, n, 1.5, 1.0)
    x = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], 1)
    pins, nylon = solver.Pins(np.flatnonzero(flat[:, 0] < 1e-9)), solver.load_material("flag_nylon")
    sheet = solver.Cloth("flag", x, triangles, nylon, pins=pins, rest_vertices=flat, self_contact=False)
    chosen = solver.Settings.quality(quality, threads=1, **settings)
    simulation = solver.Simulation(solver.Scene([sheet], wind=(7.0, 0.7, 0.0)), chosen)
    end = np.flatnonzero(flat[:, 0] > 1.5 - 1e-9)
    across = np.array([simulation.advance_frame().positions["flag"][end, 1] for _ in range(frames)])[48:].astype(float)
    window = np.hanning(len(across))[:, None]
    spectrum = np.abs(np.fft.rfft((across - across.mean(0)) * window, axis=0)) * 2 / window.sum()
    return np.fft.rfftfreq(len(across), 1 / 24), np.sqrt((spectrum**2).mean(1))
