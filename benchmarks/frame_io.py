"""Milliseconds that a bake spends on a frame beside the solver: `python -m benchmarks.frame_io`. Needs Blender as a module.

A cloth of 16,641 vertices: reading the evaluated mesh into world space, writing back to object space, adding the frame to
the cache. Baselines of the same run: reading through the vertex collection, and a bare write of the same bytes.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import meshes


def make_object(n: int) -> Any:
    """A sheet of n x n quads, turned, moved and scaled."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    vertices, triangles = meshes.grid(n)
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
    ob = bpy.data.objects.new("sheet", mesh)
    ob.location, ob.rotation_euler, ob.scale = (1, 2, 3), (0.1, 0.2, 0.3), (1.5, 1, 1)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def parts(ob: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Return the timed operations by name; the last two are the baselines."""
    import bpy

    from gpbd.gpbd_addon.read import evaluated_mesh
    from gpbd.solver.cache.object_space import local_positions
    from gpbd.solver.cache.pc2_writer import Pc2Writer

    depsgraph = bpy.context.evaluated_depsgraph_get()

    def read() -> np.ndarray:
        return evaluated_mesh.world_positions(evaluated_mesh.evaluated(ob, depsgraph), 1.0)

    surface = read().astype(np.float32)

    def to_object_space() -> np.ndarray:
        inverse = evaluated_mesh.to_local(ob.name, evaluated_mesh.world_matrix(evaluated_mesh.evaluated(ob, depsgraph), 1.0))
        return local_positions(surface, inverse)

    local = to_object_space()
    writer = Pc2Writer(folder / "sheet.pc2", len(local), 1, {"topology": ""})
    bare = open(folder / "bare", "wb", buffering=0)  # noqa: SIM115 - until the process ends

    def by_collection() -> np.ndarray:
        evaluated = ob.evaluated_get(depsgraph)
        x = np.empty(3 * len(evaluated.data.vertices))
        evaluated.data.vertices.foreach_get("co", x)
        matrix = np.array(evaluated.matrix_world)
        return x.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]

    return {
        "read, to world space": read,
        "to object space": to_object_space,
        "add to the cache": lambda: writer.append(local),
        "read by the collection": by_collection,
        "bare write": lambda: bare.write(local.tobytes()),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="frame_io", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=128, help="quads along a side")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    if importlib.util.find_spec("bpy") is None:
        print("frame_io: Blender is not installed as a module; nothing was measured.")
        return
    from demo import extension

    extension.enable()
    with machine.measuring():
        with tempfile.TemporaryDirectory(prefix="gpbd-frames-") as folder:
            ob = make_object(options.n)
            count = len(ob.data.vertices)
            work = parts(ob, Path(folder))
            wall, processor = (
                {name: np.array(machine.seconds(call, options.repeats, clock)) for name, call in work.items()}
                for clock in (time.perf_counter, time.thread_time)
            )
        reading, local, adding, collection, bare = wall
        for times in (wall, processor):
            times["a frame, all three"] = times[reading] + times[local] + times[adding]
            times["baselines together"] = times[collection] + times[bare]
        base = {reading: collection, adding: bare, "a frame, all three": "baselines together"}
        rows = []
        for name in wall:
            ratio = f"{processor[name].mean() / processor[base[name]].mean():.2f} of '{base[name]}'" if name in base else ""
            rows.append([name, machine.spread(wall[name]), machine.spread(processor[name]), ratio])
        print(machine.table(["part", f"ms: {machine.SPREAD}", "ms of the thread", "ratio of these means"], rows))
        print(f"{count} vertices; of {options.repeats} calls.")


if __name__ == "__main__":
    main()
