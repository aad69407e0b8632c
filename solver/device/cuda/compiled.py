"""Kernels of thread bodies for a GPU, and their resources, found without one."""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .array import Arguments, Array, Number
from .body import Body
from .device import type_of
from .device_functions import device_function
from .turns import REGISTERS, Turns

#: Name of every kernel, in place of a name that spells out its types.
ENTRY = "kernel"
#: Threads of a block. A local solve takes up to 255 registers, of which a multiprocessor has 65,536.
BLOCK = 128


@functools.cache
def kernel_function(body: Body | Turns) -> Callable:
    """Return the Python function of a body's kernel; its arguments are the number of threads, and those of the body."""
    from numba_cuda_mlir import cuda

    if isinstance(body, Turns):
        return body.kernel()
    do = device_function(body.function)

    def kernel(count, args):
        i = cuda.grid(1)
        if i < count:
            do(i, args)

    kernel.__name__ = kernel.__qualname__ = body.name.replace(".", "_")
    return kernel


@dataclass(frozen=True)
class Resources:
    """Resources of a kernel. registers: of a thread. spilled, local: bytes of memory for spills and arrays of a thread.
    doubles: instructions of double precision in its PTX. calls: of functions that were not inlined. widths: of its
    arguments, one after the other [B].
    """

    registers: int
    spilled: int
    local: int
    doubles: int
    calls: int
    widths: tuple[int, ...]


def resources(body: Body | Turns, args: Arguments, capability: tuple[int, int]) -> Resources:
    """Compile a body for a compute capability, on a machine without a GPU too.

    args: as it is launched with. Raises: ImportError without the packages `numba-cuda-mlir[cu13]`.
    """
    text = ptx(body, args, capability)
    doubles = len(re.findall(r"\.f64\b", "\n".join(line for line in text.splitlines() if ".reg" not in line)))
    log = assembled(text, capability, body)[1]
    spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill (?:stores|loads)", log))
    local = sum(int(n) for n in re.findall(r"(\d+) bytes stack frame", log))
    registers = max(int(n) for n in re.findall(r"Used (\d+) registers", log))
    widths = tuple(int(bits) // 8 for bits in re.findall(rf"\.param \.[a-z](\d+) {ENTRY}_param_\d+", text))
    return Resources(registers, spilled, local, doubles, len(re.findall(r"^\s*call", text, re.MULTILINE)), widths)


def ptx(body: Body | Turns, args: Arguments, capability: tuple[int, int]) -> str:
    """The PTX of a body's kernel, which is named `ENTRY`."""
    from numba_cuda_mlir import cuda, tools

    tools._cached_cc = capability  # else it queries the driver, which may be missing
    signature = (_type_of(np.int32(0)), _type_of(args))
    text = cuda.compile_ptx(kernel_function(body), signature, cc=capability, fastmath=True)[0]
    (name,) = re.findall(r"\.entry\s+([\w$]+)", text)
    return text.replace(name, ENTRY)


def assembled(text: str, capability: tuple[int, int], body: Body | Turns) -> tuple[bytes, str]:
    """Return the machine code of a PTX text of a body's kernel, and the output of ptxas."""
    from cuda.pathfinder import find_nvidia_binary_utility

    ptxas = find_nvidia_binary_utility("ptxas") or _beside_nvvm()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(text)
        arch = f"-arch=sm_{capability[0]}{capability[1]}"
        cubin_path = path.with_suffix(".cubin")
        bound = [f"-maxrregcount={REGISTERS}"] if isinstance(body, Turns) else []
        command = [str(ptxas), "-v", arch, *bound, str(path), "-o", str(cubin_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"ptxas: {done.stderr}")
        return cubin_path.read_bytes(), done.stderr


def _beside_nvvm() -> Path:
    """The ptxas of the package nvidia-cuda-nvcc. Raises: ImportError without it."""
    import nvidia

    for folder in nvidia.__path__:
        for path in sorted(Path(folder).glob("*/bin/ptxas*")):
            return path
    raise ImportError("No ptxas was found; wanted that of the package nvidia-cuda-nvcc. Install numba-cuda-mlir[cu13].")


def _type_of(args: Array | Number | Arguments):
    """Return its type in the words of the GPU's compiler."""
    from numba_cuda_mlir.numba_cuda import types as of

    if isinstance(args, tuple):
        parts = tuple(_type_of(value) for value in args)
        same = len(set(parts)) == 1
        if hasattr(args, "_fields"):
            return of.NamedUniTuple(parts[0], len(parts), type(args)) if same else of.NamedTuple(parts, type(args))
        return of.UniTuple(parts[0], len(parts)) if same else of.Tuple(parts)
    name, axes = type_of(args)
    kind = of.boolean if name == "bool" else getattr(of, name)
    return of.Array(kind, axes, "C") if axes else kind
