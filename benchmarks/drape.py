"""One hanging sheet of springs at several resolutions: ours beside other solvers: `python -m benchmarks.drape --peers`.

Time and quality together. A sheet that falls slowly, or stretches, is fast: so the table has the mean and the largest
stretch of the second half, and the distance of the centre's height from the fine solution (root mean square over the frames,
as long as the motion is determined), of at most 32 quads a side: the height hardly depends on the resolution. The fine
solution of springs is SciPy's DOP853, of other materials ours in many substeps; it is stored in out/reference. Blender's
Cloth is included if Blender is a module; --peers installs others.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, peers, reference
from benchmarks.motion import DETERMINED
from tests.scenes import materials, motion, without_contact

Array = np.ndarray
#: Label -> quality, settings beside it.
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "GPBD, Draft": ("draft", {}),
    "GPBD, Production": ("production", {}),
    "GPBD, global step, 8 x 1 + 4": ("draft", {"substeps": 8, "iterations": 1}),
    "GPBD, sweeps alone, 8 x 10": ("draft", {"substeps": 8, "iterations": 10, "global_iterations": 0}),
}
#: Quads a side of the sheet whose centre others are compared with, at most.
FINEST = 32
#: Relative tolerance of DOP853; our fine solution of materials that it lacks.
TOLERANCE = 1e-8
FINE: dict[str, Any] = {"substeps": 120, "iterations": 2}
BLENDER = (5, 10)
FIELDS = (
    "n",
    "sheet",
    f"ms a frame: {machine.SPREAD}",
    "of processor",
    "mean stretch",
    "max stretch",
    "centre z [m]",
    "centre's error [mm]",
    "time ratio",
)


def timed(step: Callable[[], Array], frames: int) -> tuple[Array, machine.Times]:
    """Positions (frames, n, 3), and the time of each frame; step advances by one and returns the positions."""
    times = machine.Times()
    return np.array([times.take(step) for _ in range(frames)]), times


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
    arrays: without_contact.SceneArrays, quality: str, frames: int, material: str = "springs", **settings: Any
) -> tuple[Array, machine.Times]:
    """Run our solver; a frame includes its report, as for a user."""
    import solver

    chosen = solver.Settings.quality(quality, fps=1 / arrays.step, **settings)
    simulation = solver.Simulation(without_contact.solver_scene(arrays, solver, material_of(material)), chosen)
    return timed(lambda: simulation.advance_frame().positions["sheet"], frames)


def blender(arrays: without_contact.SceneArrays, quality: int, frames: int) -> tuple[Array, machine.Times]:
    """Blender uses as many threads as it likes."""
    from benchmarks.cloth import BlenderCloth

    sheet = BlenderCloth(arrays, quality, frames)

    def step() -> Array:
        sheet.step()
        return sheet.positions()

    return timed(step, frames)


def scene_for_peers(arrays: without_contact.SceneArrays, frames: int) -> dict[str, Array]:
    """Return the scene in the format of `benchmarks/peers`."""
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


def row(
    label: str, n: int, arrays: without_contact.SceneArrays, measured: tuple[Array, machine.Times], wanted: Array
) -> list[Any]:
    """A row of the table, without the ratio, for which it ends with the mean processor time [ms]; the times are without that
    of the first frame, which may compile. wanted: `heights`."""
    positions, times = measured[0], measured[1].counted()
    half = [without_contact.stretch(x.astype(float), arrays) for x in positions[len(positions) // 2 :]]
    z, count = heights_of(arrays, positions), len(wanted)
    error = f"{1e3 * np.sqrt(np.mean((z[:count] - wanted) ** 2)):.1f}"
    mean, largest = np.mean([m for m, _ in half]), np.max([m for _, m in half])
    cpu = 1e3 * float(np.mean(times.processor))
    return [str(n), label, *times.cells(), f"{mean:.3%}", f"{largest:.2%}", f"{z[-1]:.3f}", error, cpu]


def heights_of(arrays: without_contact.SceneArrays, positions: Array) -> Array:
    """Return the height of the centre of mass after each frame [m], (frames,)."""
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    return positions[:, :, 2].astype(float) @ mass / mass.sum()


def heights(name: str, n: int, frames: int, material: str) -> Array:
    """Return the centre's height of the fine solution after each frame [m], as long as the motion is determined: (frames or
    fewer,)."""
    n, frames = min(n, FINEST), min(frames, DETERMINED)
    file = reference.FOLDER / f"{name}_{material}_{n}_{frames}_fine.npy"
    if not file.is_file():
        arrays = without_contact.SCENES[name](n)
        if material == "springs":
            fine = motion.heights_by_dop853(arrays, frames, TOLERANCE)
        else:
            fine = heights_of(arrays, ours(arrays, "reference", frames, material, **FINE)[0])
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, fine)
    return np.load(file)


def measure(n: int, options: argparse.Namespace) -> list[list[str]]:
    """The rows of one resolution."""
    arrays, frames, material = without_contact.SCENES[options.scene](n), options.frames, options.material
    same = material == "springs"  # the material of other solvers
    wanted = heights(options.scene, n, frames, material)
    done: dict[str, tuple[Array, machine.Times]] = {}
    for label, (quality, settings) in OURS.items():
        for threads in options.threads:
            count = f", {threads} thread{'s' * (threads > 1)}" if len(options.threads) > 1 else ""
            done[label + count] = ours(arrays, quality, frames, material, threads=threads, **settings)
    for quality in BLENDER if same and has_blender() else ():
        done[f"Blender Cloth, quality {quality}"] = blender(arrays, quality, frames)
    for peer in peers.PEERS if options.peers and same else ():
        try:
            done[peer.label] = peers.run(peer, scene_for_peers(arrays, frames), options.threads[-1], options.timeout)
        except peers.PeerError as error:
            print(f"drape: left out: {error}")
    rows = [row(label, n, arrays, measured, wanted) for label, measured in done.items()]
    return [[*fields, f"{cpu / rows[0][-1]:.2f}"] for *fields, cpu in rows]


def has_blender() -> bool:
    return importlib.util.find_spec("bpy") is not None


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="drape", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[32, 64], help="quads along a side")
    parser.add_argument("--frames", type=int, default=24, help="frames of 1/24 s")
    parser.add_argument("--scene", choices=("S1", "S1h"), default="S1", help="hung by two corners, or by a side")
    parser.add_argument("--material", default="springs", help="springs, membrane, or a card: then ours only")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="of ours; the last of peers that take a number")
    parser.add_argument("--peers", action="store_true", help="install and run other solvers")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one run of a peer")
    parser.add_argument("--csv", type=Path, help="file for scene, n, solver, mean processor ms, error [mm], mean stretch")
    options = parser.parse_args(argv)
    if has_blender():
        import bpy  # noqa: F401 - before Numba, which then shares Blender's threads, as in the extension
    with machine.measuring():
        rows = [fields for n in options.n for fields in measure(n, options)]
        print(machine.table(FIELDS, rows))
        print("Time ratio: of mean processor time to the first row of the same n. Blender's Cloth takes all cores.")
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["scene", "n", "solver", "cpu_ms", "error", "stretch"])
            writer.writerows([options.scene, r[0], r[1], r[3].split(" / ")[0], r[7], r[4]] for r in rows)


if __name__ == "__main__":
    main()
