"""One hanging sheet of springs at several resolutions: ours beside other solvers: `python -m benchmarks.drape --peers`.

Time and quality together. A sheet that falls slowly, or stretches, is fast: so the table has the mean and the largest
stretch of the second half, and, with --reference, how far the height of the centre is from converged backward Euler of 8
substeps (root mean square over the frames), of at most 32 quads a side: the height hardly depends on the resolution.
Blender's Cloth is there where Blender is a module; --peers installs others.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, peers, reference
from tests.scenes import materials, without_contact

Array = np.ndarray
#: Label -> substeps, sweeps, iterations of the global step.
OURS = {
    "GPBD, global step, 8 x 1 + 4": (8, 1, 4),
    "GPBD, global step, 2 x 1 + 1": (2, 1, 1),
    "GPBD, sweeps alone, 8 x 10": (8, 10, 0),
}
#: Quads a side of the sheet whose centre others are compared with, at most.
FINEST = 32
BLENDER = (5, 10)
FIELDS = (
    "n",
    "sheet",
    "ms a frame",
    "of processor",
    "mean stretch",
    "max stretch",
    "centre z [m]",
    "centre's error [mm]",
    "time ratio",
)


def timed(step, frames: int) -> tuple[Array, Array, Array]:
    """Positions (frames, n, 3), and wall and processor time of each frame [ms]; step advances and returns the positions."""
    positions, wall, cpu = [], [], []
    for _ in range(frames):
        began, began_cpu = time.perf_counter(), time.process_time()
        x = step()
        wall.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - began_cpu))
        positions.append(x)
    return np.array(positions), np.array(wall), np.array(cpu)


def material_of(name: str) -> Any:
    """ "springs", "membrane" with the springs' stiffness, or a fabric's card by its file's name."""
    import solver
    from solver.scene import presets

    if name == "springs":
        return materials.spring_material(solver)
    if name == "membrane":
        return solver.Material.fabric(**materials.FABRIC)
    return presets.read_preset(machine.ROOT / "presets" / "fabrics" / f"{name}.toml")


def ours(
    arrays: without_contact.SceneArrays, settings: tuple[int, int, int], threads: int, frames: int, material: str = "springs"
) -> tuple[Array, ...]:
    import solver

    substeps, iterations, whole = settings
    chosen = solver.Settings(
        fps=1 / arrays.step,
        substeps=substeps,
        iterations=iterations,
        global_iterations=whole,
        threads=threads,
        integrator="bdf1",
    )
    simulation = solver.Simulation(without_contact.solver_scene(arrays, solver, material_of(material)), chosen)
    return timed(lambda: simulation.advance_frame().positions["sheet"], frames)


def blender(arrays: without_contact.SceneArrays, quality: int, frames: int) -> tuple[Array, ...]:
    """Blender uses as many threads as it likes."""
    from benchmarks.cloth import BlenderCloth

    sheet = BlenderCloth(arrays, quality, frames)

    def step() -> Array:
        sheet.step()
        return sheet.positions()

    return timed(step, frames)


def scene_for_peers(arrays: without_contact.SceneArrays, frames: int) -> dict[str, Array]:
    """What `benchmarks/peers` hands to its scripts."""
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    return {
        "start": arrays.start,
        "rest": arrays.rest,
        "triangles": arrays.elements,
        "edges": without_contact.edges_of(arrays.elements),
        "pins": arrays.pins,
        "mass": mass,
        "spring": np.array(materials.SPRING),
        "bending": np.array(materials.FABRIC["bending"]),
        "step": np.array(arrays.step),
        "frames": np.array(frames),
    }


def row(label: str, n: int, arrays: without_contact.SceneArrays, measured: tuple[Array, ...], wanted: Array | None) -> list:
    """A row of the table, without the ratio; times are medians but for the first frame, which may compile."""
    positions, *times = measured
    half = [without_contact.stretch(x.astype(float), arrays) for x in positions[len(positions) // 2 :]]
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    z = positions[:, :, 2].astype(float) @ mass / mass.sum()
    error = "-" if wanted is None else f"{1e3 * np.sqrt(np.mean((z - wanted) ** 2)):.0f}"
    mean, largest = np.mean([m for m, _ in half]), np.max([m for _, m in half])
    wall, cpu = (machine.median(list(each[1:] if len(each) > 1 else each)) for each in times)
    return [str(n), label, f"{wall:.1f}", f"{cpu:.1f}", f"{mean:.3%}", f"{largest:.2%}", f"{z[-1]:.3f}", error, cpu]


def heights(name: str, n: int, frames: int) -> Array:
    """Of the converged sheet's centre after each frame [m], (frames,); kept in out/reference."""
    n = min(n, FINEST)
    file = reference.FOLDER / f"{name}_{n}_{frames}.npy"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, reference.heights_by_newton(without_contact.SCENES[name](n), 8, frames))
    return np.load(file)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="drape", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[32, 64], help="quads along a side")
    parser.add_argument("--frames", type=int, default=24, help="frames of 1/24 s")
    parser.add_argument("--scene", choices=("S1", "S1h"), default="S1", help="hung by two corners, or by a side")
    parser.add_argument("--material", default="springs", help="springs, membrane, or a card: then ours only")
    parser.add_argument("--threads", type=int, default=1, help="of ours and of the peers that take a number")
    parser.add_argument("--peers", action="store_true", help="install and run other solvers")
    parser.add_argument("--reference", action="store_true", help="the centre's error; takes up to a minute")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one run of a peer")
    parser.add_argument("--csv", type=Path, help="file for scene, n, solver, processor ms, error [mm], mean stretch")
    options = parser.parse_args(argv)
    same = options.material == "springs"  # what the others have
    with_blender = same and importlib.util.find_spec("bpy") is not None
    if with_blender:
        import bpy  # noqa: F401 - before Numba, which then shares Blender's threads, as in the extension
    machine.keep_kernels()
    print(machine.describe())
    rows = []
    for n in options.n:
        arrays = without_contact.SCENES[options.scene](n)
        wanted = heights(options.scene, n, options.frames) if options.reference and same else None
        measured = []
        for label, settings in OURS.items():
            measured.append(
                row(label, n, arrays, ours(arrays, settings, options.threads, options.frames, options.material), wanted)
            )
        for quality in BLENDER if with_blender else ():
            label = f"Blender Cloth, quality {quality}"
            measured.append(row(label, n, arrays, blender(arrays, quality, options.frames), wanted))
        for peer in peers.PEERS if options.peers and same else ():
            try:
                done = peers.run(peer, scene_for_peers(arrays, options.frames), options.threads, options.timeout)
            except peers.PeerError as error:
                print(f"drape: left out: {error}")
            else:
                measured.append(row(peer.label, n, arrays, done, wanted))
        rows += [[*fields, f"{cpu / measured[0][-1]:.2f}"] for *fields, cpu in measured]
    print(machine.table(FIELDS, rows))
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["scene", "n", "solver", "cpu_ms", "error", "stretch"])
            writer.writerows([options.scene, r[0], r[1], r[3], r[7], r[4]] for r in rows)
    print(f"Load average at the end: {machine.load()}. Time ratio: of processor time to the first row of the same n.")


if __name__ == "__main__":
    main()
