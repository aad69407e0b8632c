"""How near motion is to that of a code that is not ours, and to its own fine solution: `python -m benchmarks.motion`.

A sheet of springs falls from horizontal, hung by two corners, and swings: an ordinary differential equation, which SciPy's
DOP853 (Dormand and Prince, explicit, order 8) solves. It is chaotic once it has fallen taut for the second time: from there
on two tolerances of DOP853 part too. Then a sheet's swing after ten times to and fro, the spin of free bodies, and the
spectrum of a flag's end.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import materials, without_contact
from tests.scenes.meshes import cube_of_five
from tests.validation.meshes import grid as rectangle

Array = np.ndarray
#: Frames in which the sheet's motion is determined, and all that are compared.
DETERMINED, FRAMES = 34, 60
#: Label -> quality, settings beside it.
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "Draft": ("draft", {}),
    "Production": ("production", {}),
    "Draft, backward Euler": ("draft", {"integrator": "bdf1"}),
    "Production, backward Euler": ("production", {"integrator": "bdf1"}),
}
#: Stands for the fine solution of what no other code solves here.
FINE: dict[str, Any] = {"substeps": 120, "iterations": 2}


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
    sheet = solver.Cloth("sheet", x, triangles, denim, pins=pins, rest_vertices=flat)
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
        body: Any = solver.Cloth("body", x - x.mean(0), triangles, solver.load_material("cotton_poplin"))
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
    sheet = solver.Cloth("flag", x, triangles, nylon, pins=pins, rest_vertices=flat)
    chosen = solver.Settings.quality(quality, threads=1, **settings)
    simulation = solver.Simulation(solver.Scene([sheet], wind=(7.0, 0.7, 0.0)), chosen)
    end = np.flatnonzero(flat[:, 0] > 1.5 - 1e-9)
    across = np.array([simulation.advance_frame().positions["flag"][end, 1] for _ in range(frames)])[48:].astype(float)
    window = np.hanning(len(across))[:, None]
    spectrum = np.abs(np.fft.rfft((across - across.mean(0)) * window, axis=0)) * 2 / window.sum()
    return np.fft.rfftfreq(len(across), 1 / 24), np.sqrt((spectrum**2).mean(1))


#: Bands of the flag's spectrum [Hz].
BANDS = ((0.5, 1.5), (1.5, 3.0), (3.0, 6.0), (6.0, 12.0))


def in_bands(frequency: Array, amplitude: Array) -> list[str]:
    """Root of the sum of squares in each band [mm]."""
    inside = [(frequency >= low) & (frequency < high) for low, high in BANDS]
    return [f"{1e3 * np.sqrt((amplitude[which] ** 2).sum()):.0f}" for which in inside]


def off(z: Array, wanted: Array) -> str:
    """Root mean square in millimetres."""
    return f"{1e3 * np.sqrt(np.mean((z - wanted) ** 2)):.1f}"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="motion", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[16, 32], help="quads along a side of the falling sheet")
    parser.add_argument("--frames", type=int, default=FRAMES, help="of the falling sheet, of 1/24 s")
    parser.add_argument("--parts", nargs="+", default=["fall", "swing", "spin", "flag"], help="what to measure")
    parser.add_argument("--peers", action="store_true", help="ignored")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    print(machine.describe())
    for n in options.n if "fall" in options.parts else ():
        arrays = without_contact.s1(n)
        rough, wanted = (heights_by_dop853(arrays, options.frames, tolerance) for tolerance in (1e-6, 1e-8))
        found = {"DOP853 at 1e-6": rough}
        for label, (quality, settings) in OURS.items():
            found[label] = heights(arrays, options.frames, quality, **settings)
        first = [(label, off(z[:DETERMINED], wanted[:DETERMINED]), off(z, wanted)) for label, z in found.items()]
        print(machine.table((f"falling sheet, n = {n}", f"rms [mm], {DETERMINED} frames", "all"), [list(r) for r in first]))
    if "swing" in options.parts:
        fine = swing("draft", **FINE)
        rows = [[label, f"{swing(quality, **more) / fine:.3f}"] for label, (quality, more) in OURS.items()]
        print(machine.table(("swing after ten", "over the fine one"), rows))
    if "spin" in options.parts:
        rows = [
            [label, *(f"{spin(kind, quality, **more):.2%}" for kind in ("sheet", "solid", "rigid"))]
            for label, (quality, more) in OURS.items()
        ]
        print(machine.table(("spin lost in 200 frames", "sheet", "solid", "rigid"), rows))
    if "flag" in options.parts:
        runs = {"fine": ("draft", {"substeps": 96, "iterations": 2})} | OURS
        rows = [[label, *in_bands(*flag(quality, **more))] for label, (quality, more) in runs.items()]
        print(machine.table(("flag's end [mm]", *(f"{low:g} to {high:g} Hz" for low, high in BANDS)), rows))


if __name__ == "__main__":
    main()
