"""Compiles an energy's loop in single precision and says with which types it calls `project`, the physics of one element, or
`propose` and `share_taken` where it has these.

Run in a process of its own, `python -m tests.guards.element_types ENERGY...`. Prints a line of JSON an energy.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import tempfile


def loop_types(function, given, work: int):
    """Numba types of the parameters of a loop over clusters (`solver/device/loops_cpu.py`).

    given: the named tuple that its visit is given; its fields are named as `solver/methods/visits/__init__.py` has them.
    work: number of its work arrays.
    """
    from numba import types

    known = {name: types.int64 for name in ("thread", "threads", "known", "times")}
    known["reprojection"] = types.float32
    known["index"] = types.Array(types.int32, 2, "C")
    known["material"] = types.Array(types.int32, 1, "C")
    known["colours"] = known["clusters"] = known["begun"] = types.Array(types.int64, 1, "C")
    known["progress"] = types.Array(types.int64, 2, "C")
    known["work"] = types.UniTuple(types.Array(types.float32, 1, "C"), work)
    rows = types.Array(types.float32, 2, "C")
    known["args"] = types.NamedTuple([known.get(name, rows) for name in given._fields], given)
    return tuple(known[name] for name in inspect.signature(function.py_func).parameters)


def compile_for_cpu(energy: str):
    """The types `project` is called with, what it returns, and where its code computes in double precision."""
    module = importlib.import_module(f"solver.energies.{energy}")
    loops = importlib.import_module("solver.device.loops_cpu")
    visits = importlib.import_module("solver.methods.visits.gpbd")
    sweep = loops._sweep_clusters(visits.sweep, module)
    sweep.compile(loop_types(sweep, visits.Elements, len(visits.sweep.numbers(module))))
    arguments, returns, wide = [], [], []
    for name in ("propose", "share_taken") if hasattr(module, "propose") else ("project",):
        function = getattr(module, name)
        signature = function.nopython_signatures[-1]  # energies of one kind of element may share it
        arguments.append(signature.args)
        returns.append(str(signature.return_type))
        wide += doubles(function.inspect_llvm(signature.args))
    return arguments, " ".join(returns), wide


def doubles(llvm: str) -> list[str]:
    """Lines that compute in double precision, without Numba's wrapper for calls from Python."""
    found, inside = [], False
    for line in llvm.splitlines():
        if line.startswith("define"):
            inside = "cpython" not in line
        elif line.startswith("}"):
            inside = False
        elif inside and " double" in line:
            found.append(line.strip())
    return found


def main(*names: str) -> None:
    for energy in names:
        arguments, returns, wide = compile_for_cpu(energy)
        print(json.dumps({"arguments": str(arguments), "returns": returns, "doubles": wide}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as fresh:  # kernels from the disk cache come without the functions they call
        os.environ |= {"NUMBA_CACHE_DIR": fresh, "NUMBA_OPT": "1"}  # types are those of any optimisation
        main(*sys.argv[1:])
