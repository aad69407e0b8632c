"""Writes the kernels of scenes with their types: `solver/device/kernels.json`, see `solver/device/ahead.py`.

    python tools/record_kernels.py

Simulates many small scenes, each in a process of its own, and records the kernels that each has compiled or loaded. A listed
kernel keeps its time; others are compiled anew to take theirs. NUMBA_CACHE_DIR should name an empty folder: where kernels
are kept, those that only kernels call are not loaded, and would not be recorded. A kernel is needed by the common features
of all scenes that need it, and late if a plain scene needs it after its first frame.
Kernels of unpredictable events (surfaces that pass through each other, repeated frames, inverted elements) are left out:
they are compiled when the event happens. Run it again after a change of a kernel's arguments; an outdated list costs time at
the first start, nothing else.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import same_bits_scenes as small

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "solver" / "device" / "kernels.json"

#: What names a kernel in the list.
PARTS = "module", "name", "made_for", "signature"
#: Scenes with events that their features do not predict.
EVENTFUL = ("tangled", "untangled", "untangled_large", "fast", "one_sided")


def plain(s: Any, kind: str) -> small.Case:
    """Return scenes as artists make them, so that accidental common features are not taken for requirements."""
    material = s.load_material("stockinette" if "yarns" in kind else "cotton_poplin")
    x, t = small.sheet(24, 1.0, (0, 0, 0.36 if kind == "falling" else 0.26))  # which needs contact's kernels frames later
    v, u = small.ball(8, 0.25)
    uv = np.ascontiguousarray(x[:, :2]) if "yarns" in kind else None
    cloth = s.Cloth("cloth", x, t, material, uv=uv, self_contact=kind not in ("alone", "yarns", "yarns_swept"))
    ball, ground = [s.Collider("ball", v, u)], [s.Plane("ground", (0, 0, 0.2))]
    others: list[Any] = {"ball": ball, "falling": ball, "ground": ground, "yarns_ball": ball}.get(kind, [])
    bodies = [cloth]
    if kind == "layers":
        y, w = small.sheet(20, 0.8, (0, 0, 0.275))
        bodies.append(s.Cloth("upper", y, w, s.load_material("denim"), self_contact=False))
    if kind in ("jelly", "jellies"):
        y, w = small.block(6, 0.2, (0, 0, 0.12))
        bodies = [s.SoftBody("jelly", y, w, s.load_material("jelly"))]
        others = [s.Plane("ground")]
    if kind == "jellies":
        bodies.append(s.SoftBody("upper", y + [0.03, 0, 0.21], w, s.load_material("rubber"), self_contact=True))
    steps: dict[str, Any] = {"substeps": 6, "iterations": 1, "global_iterations": 4, "integrator": "bdf2"}
    if "jell" in kind:
        steps |= {"iterations": 2, "global_iterations": 0}
    if "yarns" in kind:
        steps |= {"iterations": 3}
    if kind == "yarns_swept":
        steps |= {"global_iterations": 0, "integrator": "bdf1"}
    return small.Case(s.Scene(bodies, others), 20 if kind == "falling" else 8, steps)


PLAIN = ("alone", "ball", "falling", "ground", "layers", "jelly", "jellies", "yarns", "yarns_ball", "yarns_swept")
#: Features on which kernels of these rooms can depend; other common features are accidental.
OF_ROOMS = {"contact": {"contact", "pairs", "plane", "collider", "coupled", "one_sided", "only_sheets"}}


def that_matter(kernel: list[Any], features: set[str]) -> list[str]:
    """The features that a kernel's room knows of, and its number type."""
    of_room = OF_ROOMS.get(kernel[0].split(".")[0])
    return sorted(name for name in features if of_room is None or name in of_room or name.startswith("dtype:"))


def here(name: str) -> None:
    """Print the features of a scene, its kernels, and those that no frame before the second has needed."""
    import solver
    from solver.scene.features import features

    case = plain(solver, name) if name in PLAIN else small.SCENES[name](solver)
    settings = solver.Settings(**small.PLAIN | case.settings)
    simulation = solver.Simulation(case.scene, settings)
    simulation.advance_frame()
    first = kernels()
    for _ in range(case.frames - 1):
        simulation.advance_frame()
    listed = kernels()
    print(json.dumps([sorted(features(case.scene, settings)), listed, [one for one in listed if one not in first]]))


def kernels() -> list[list[Any]]:
    """Module, name, made_for and signature of every kernel of this process that is kept on the disk."""
    from numba.core.dispatcher import Dispatcher

    from solver.device.cuda.element_tuples import WrittenOut
    from solver.device.per_energy import PerEnergy

    listed_kernels = []
    for module in [module for name, module in sorted(sys.modules.items()) if name.startswith("solver.")]:
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__:
                listed_kernels += of_dispatcher(module.__name__, name, [], value)
            elif isinstance(value, WrittenOut):
                continue
            elif isinstance(value, PerEnergy) and value.function.__module__ == module.__name__:
                for (energy, visit, *instead), dispatcher in value.compiled.items():
                    of = "" if visit is None else f"{own(visit.function.__module__)}:{visit.function.__name__}"
                    pairs = [f"{a}={b}" for a, b in instead]
                    listed_kernels += of_dispatcher(module.__name__, name, [own(energy.__name__), of, *pairs], dispatcher)
    return listed_kernels


def own(module: str) -> str:
    return module.removeprefix("solver.")


def of_dispatcher(module: str, name: str, made_for: list[str], dispatcher: Any) -> list[list[Any]]:
    from numba.types import Literal

    from solver.device.signatures import written

    if type(dispatcher._cache).__name__ == "NullCache":
        return []
    entries = []
    for types in dispatcher.overloads:
        if not any(isinstance(one, Literal) for one in types):  # else another kernel's call, compiled with that
            entries.append([own(module), name, made_for, list(map(written, types))])
    return entries


def recorded(name: str) -> list[Any]:
    """Run `here` in a process of its own; return its lists."""
    environment, call = os.environ | {"PYTHONPATH": str(ROOT)}, [sys.executable, __file__, name]
    printed = subprocess.run(call, env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(printed.splitlines()[-1])


def timed(listed: list[Any]) -> list[float]:
    """Return the seconds that each kernel takes to compile after those before it, in a process without compiled ones."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": folder}
        call, text = [sys.executable, __file__, "timed"], json.dumps(listed)
        done = subprocess.run(call, env=environment, input=text, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def time_here() -> None:
    """Compile the kernels on the standard input, and print the seconds; the process of `timed`."""
    from solver.device.ahead import compile_listed

    gc.disable()  # as where kernels are compiled ahead
    seconds = []
    for kernel in json.loads(sys.stdin.read()):
        began = time.process_time()
        compile_listed([kernel])
        seconds.append(time.process_time() - began)
    print(json.dumps(seconds))


def main() -> None:
    if len(sys.argv) > 1:
        time_here() if sys.argv[1] == "timed" else here(sys.argv[1])
        return
    known = {
        json.dumps([entry[part] for part in PARTS]): entry["seconds"] for entry in json.loads(FOLDER.read_text("utf-8"))
    }
    FOLDER.unlink()  # listed kernels must not be compiled ahead while the needed ones are recorded
    needed: dict[str, set[str]] = {}
    late: set[str] = set()  # of scenes as artists make them: those of tests begin in the middle of an event
    names = [*PLAIN, *small.SCENES]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (features, listed, after_first) in zip(names, pool.map(recorded, names), strict=True):
            late |= {json.dumps(kernel) for kernel in after_first if name in PLAIN}
            own_features = {*features, *(["event"] if name in EVENTFUL else [])}
            for kernel in listed:
                key = json.dumps(kernel)
                needed[key] = needed.get(key, own_features) & own_features
            print(f"{name}: {len(listed)} kernels", flush=True)
    listed = [(json.loads(key), features) for key, features in sorted(needed.items()) if "event" not in features]
    new = [kernel for kernel, _ in listed if json.dumps(kernel) not in known]
    known |= zip(map(json.dumps, new), timed(new), strict=True)
    lines = []
    for kernel, features in listed:
        took = round(known[json.dumps(kernel)], 2)
        entry = {**dict(zip(PARTS, kernel, strict=True)), "features": that_matter(kernel, features), "seconds": took}
        lines.append(json.dumps(entry | ({"late": True} if json.dumps(kernel) in late else {})))
    FOLDER.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} kernels in {FOLDER.relative_to(ROOT)}, {FOLDER.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
