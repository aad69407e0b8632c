"""A hanging sheet of 16,641 vertices: our cloth beside Blender's own, in one run: `python -m benchmarks.cloth`.

Time and quality together: without its stretch a time says nothing. Needs Blender as a module for Blender's columns.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import time
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import materials, without_contact

#: Label -> substeps, iterations, threads. 8 x 10 is the common setting of position-based solvers, 24 x 4 our Production.
OURS = {
    "GPBD 8 x 10, 1 thread": (8, 10, 1),
    "GPBD 8 x 10, 2 threads": (8, 10, 2),
    "GPBD 24 x 4, 1 thread": (24, 4, 1),
    "GPBD 24 x 4, 2 threads": (24, 4, 2),
}
#: Label -> quality steps a frame.
BLENDER = {"Blender Cloth, quality 5": 5, "Blender Cloth, quality 10": 10}
FALL = 12  # frames of the free fall
GRAVITY = 9.81
FIELDS = ("sheet", "ms a frame", "of the thread", "mean stretch", "max stretch", "residual", "centre z [m]", "time ratio")


class OwnCloth:
    """Our solver on the sheet, frame by frame."""

    def __init__(self, arrays: without_contact.SceneArrays, substeps: int, iterations: int, threads: int):
        import solver

        settings = solver.Settings(
            fps=1 / arrays.step,
            substeps=substeps,
            iterations=iterations,
            threads=threads,
            global_iterations=0,
            integrator="bdf1",
        )
        self.simulation = solver.Simulation(without_contact.solver_scene(arrays, solver), settings)
        self.frame: Any = self.simulation.start()

    def step(self) -> None:
        self.frame = self.simulation.advance_frame()

    def positions(self) -> np.ndarray:
        return self.frame.positions["sheet"].astype(float)

    def residual(self) -> str:
        return f"{self.frame.report.residual:.2g}"


class BlenderCloth:
    """Blender's Cloth modifier on the sheet, in SI units.

    The modifier takes a thousandth of the gravity, and a frame is 1 / sqrt(1000) s whatever the frame rate. So its time
    scale is sqrt(1000) steps, and a spring of K N/m is the setting K l / 1000, because Blender divides it by the mean
    length l of the springs. The time is checked against a free fall (`time_scale`).
    """

    def __init__(self, arrays: without_contact.SceneArrays, quality: int, frames: int, scale: float | None = None):
        import bpy

        self.bpy = bpy
        scale = time_scale(arrays.step, quality) if scale is None else scale
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = self.scene = bpy.context.scene
        scene.render.fps, scene.render.fps_base = 24, 24 * arrays.step
        scene.frame_start, scene.frame_end = 1, frames + 2
        mesh = bpy.data.meshes.new("sheet")
        mesh.from_pydata(arrays.start.tolist(), [], arrays.elements.tolist())
        self.ob = bpy.data.objects.new("sheet", mesh)
        scene.collection.objects.link(self.ob)
        self.ob.vertex_groups.new(name="pins").add(arrays.pins.tolist(), 1.0, "REPLACE")
        cloth = self.ob.modifiers.new("cloth", "CLOTH")
        self._set(cloth.settings, arrays, quality, scale)
        cloth.collision_settings.use_collision = cloth.collision_settings.use_self_collision = False
        cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, frames + 2
        scene.frame_set(1)

    @staticmethod
    def _set(settings: Any, arrays: without_contact.SceneArrays, quality: int, scale: float) -> None:
        area = np.ptp(arrays.rest[:, 0]) * np.ptp(arrays.rest[:, 1])
        corners = arrays.rest[arrays.elements]
        length = np.linalg.norm(corners - np.roll(corners, 1, 1), axis=2).mean()
        settings.quality = quality
        settings.time_scale = scale
        settings.mass = materials.FABRIC["density"] * area / len(arrays.start)
        settings.vertex_group_mass, settings.pin_stiffness = "pins", 1.0
        stiffness = materials.FABRIC["young"] * length / 1000
        settings.tension_stiffness = settings.compression_stiffness = settings.shear_stiffness = stiffness
        settings.tension_damping = settings.compression_damping = settings.shear_damping = settings.bending_damping = 0
        settings.bending_stiffness = 0.01
        settings.air_damping = 0

    def step(self) -> None:
        self.scene.frame_set(self.scene.frame_current + 1)

    def positions(self) -> np.ndarray:
        mesh = self.ob.evaluated_get(self.bpy.context.evaluated_depsgraph_get()).data
        x = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.attributes["position"].data.foreach_get("vector", x)
        return x.reshape(-1, 3).astype(float)

    def residual(self) -> str:
        return "-"


def time_scale(step: float, quality: int) -> float:
    """The time scale at which a loose sheet falls as g wants it in frames of `step` seconds.

    At some time scales Blender's loop takes a step more a frame than its quality says, and so too much time: found by the
    fall, which is then a fifth too far at quality 10. A change of some millionths puts that right.
    """
    loose = dataclasses.replace(without_contact.s1(2), pins=np.zeros(0, int), step=step)
    for nudge in range(20):
        scale = 1000**0.5 * step * (1 + 1e-5 * nudge)
        sheet = BlenderCloth(loose, quality, FALL + 2, scale)
        for _ in range(FALL):
            sheet.step()
        time = FALL * step
        wanted = -0.5 * GRAVITY * time * (time + step / quality)  # backward Euler
        if abs(sheet.positions()[:, 2].mean() / wanted - 1) < 3e-3:
            return scale
    raise SystemExit(f"cloth: no time scale lets Blender's Cloth fall freely at quality {quality}; nothing to compare with.")


def measure(
    label: str, sheet: OwnCloth | BlenderCloth, arrays: without_contact.SceneArrays, frames: int
) -> tuple[float, list[str]]:
    """Median time of a frame [s], and a row of the table. The first frame, which may compile, is not counted."""
    wall, thread = [], []
    for _ in range(frames):
        start, start_thread = time.perf_counter(), time.thread_time()
        sheet.step()
        thread.append(time.thread_time() - start_thread)
        wall.append(time.perf_counter() - start)
    x = sheet.positions()
    mean, largest = without_contact.stretch(x, arrays)
    counted = slice(1, None) if frames > 1 else slice(None)
    middle, own = machine.median(wall[counted]), machine.median(thread[counted])
    times = [f"{1e3 * middle:.1f}", f"{1e3 * own:.1f}"]
    return middle, [label, *times, f"{mean:.3%}", f"{largest:.2%}", sheet.residual(), f"{x[:, 2].mean():.3f}"]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="cloth", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=128, help="quads along a side")
    parser.add_argument("--frames", type=int, default=12, help="frames of 1/24 s")
    parser.add_argument("--scene", choices=("S1", "S1h"), default="S1", help="hung by two corners, or by a side")
    parser.add_argument("--peers", action="store_true", help="Blender is always compared with: ignored")
    options = parser.parse_args(argv)
    blender = importlib.util.find_spec("bpy") is not None
    if blender:
        import bpy  # noqa: F401 - before Numba, which then shares Blender's threads, as in the extension
    machine.keep_kernels()
    print(machine.describe())
    arrays = without_contact.SCENES[options.scene](options.n)
    measured = []
    for label, (substeps, iterations, threads) in OURS.items():
        measured.append(measure(label, OwnCloth(arrays, substeps, iterations, threads), arrays, options.frames))
    for label, quality in BLENDER.items() if blender else ():
        measured.append(measure(label, BlenderCloth(arrays, quality, options.frames), arrays, options.frames))
    base = measured[-1][0]
    print(machine.table(FIELDS, [[*row, f"{seconds / base:.2f}"] for seconds, row in measured]))
    print(
        f"{len(arrays.start)} vertices; medians over {options.frames} frames, stretch at the end; time ratio: to the last "
        f"row. Blender's Cloth takes all cores. Load average at the end {machine.load()}."
        + ("" if blender else " Blender is not installed as a module: no columns of its own cloth.")
    )


if __name__ == "__main__":
    main()
