"""Peak memory of baking a demo scene beyond that of Blender itself: `python -m benchmarks.memory`.

Each figure is of a fresh process. Needs Blender as a module and a system with `resource` (Linux, macOS).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import machine

PEAK = """
import json, resource, sys
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps(peak * (1 if sys.platform == "darwin" else 1024)))
"""
BLENDER = """
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
"""
BAKE = """
from pathlib import Path
from demo import extension, run
from demo.measured import Measured
extension.enable()
scene = next(scene for scene in run.SCENES if scene.NAME == {name!r})
run.build_and_bake(scene, Path({out!r}), Measured(scene.NAME), {frames})
"""
NUMBA = BLENDER + "import numba, llvmlite.binding\n"


def peak(code: str, kernels: Path) -> float:
    """MiB that a fresh Python needed at most."""
    environment = os.environ | {"PYTHONPATH": str(machine.ROOT), "NUMBA_CACHE_DIR": str(kernels)}
    done = subprocess.run([sys.executable, "-c", code + PEAK], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"memory: a process ended with code {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1]) / 2**20


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="memory", description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="*", help="demo scenes; default: all")
    parser.add_argument("--frames", type=int, default=4, help="frames to bake")
    parser.add_argument("--kernels", type=Path, help="folder that has the scenes' kernels: what compiling takes is left out")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    missing = [name for name in ("bpy", "resource") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"memory: the module {missing[0]} is not there; nothing was measured.")
        return
    with machine.measuring():
        with tempfile.TemporaryDirectory(prefix="gpbd-memory-") as folder:
            out, kernels = Path(folder) / "out", options.kernels or Path(folder) / "kernels"
            out.mkdir()
            names = options.scenes or json.loads(_names())
            blender = peak(BLENDER, kernels)
            rows = [["Blender alone", f"{blender:.0f}", "0", ""]]
            codes = {"and Numba imported": NUMBA}
            for name in names:
                bake = BAKE.format(name=name, out=str(out), frames=options.frames)
                compiled = {} if options.kernels else {f"{name}, kernels compiled": bake}
                codes |= compiled | {f"{name}, kernels kept": bake}
            for label, code in codes.items():
                most = peak(code, kernels)
                rows.append([label, f"{most:.0f}", f"{most - blender:.0f}", f"{(most - blender) / blender:.2f}"])
        print(machine.table(["process", "peak MiB", "beyond Blender", "ratio to Blender"], rows))
        print(f"{options.frames} frames baked. 'Compiled': kernels that no scene above needed; 'kept': all are on disk.")


def _names() -> str:
    """Return the names of the demo scenes, as JSON from another process, because this one's peak is inherited and must stay
    small."""
    code = "import json; from demo import run; print(json.dumps([scene.NAME for scene in run.SCENES]))"
    environment = os.environ | {"PYTHONPATH": str(machine.ROOT)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
