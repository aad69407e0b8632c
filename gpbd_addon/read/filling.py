"""Soft bodies filled with tetrahedra: long work that shows how far it is, can be stopped, and is done once for each mesh."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass, field

import numpy as np

from ...solver.device import child
from ...solver.topology.tetrahedra import Tetrahedralization, tetrahedralize
from ...solver.topology.tetrahedra_process import tetrahedralize_apart

Array = np.ndarray

#: Fillings that are kept while Blender runs.
KEPT = 16
#: What is said where the application tells no Python that could do it in a process apart.
UNSTOPPABLE = ", which Esc stops only when it is done: there is no Python to run beside Blender"


@dataclass
class Work:
    """What long work in another thread tells, and is told. status: what is being done, as a few words; "" for nothing long.
    stop: set to end it."""

    status: str = ""
    stop: threading.Event = field(default_factory=threading.Event)


_kept: dict[str, Tetrahedralization] = {}


def fill(name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float, work: Work) -> Tetrahedralization:
    """Tetrahedra inside a mesh: those that were made before of the same one, or new ones.

    vertices: [m], (n, 3). triangles: (t, 3). Raises: TetrahedralizationError; StoppedError.
    """
    key = _key(vertices, triangles, method, edge_fraction)
    found = _kept.pop(key, None)
    if found is None:
        began = time.monotonic()

        def tell(passes: int) -> None:
            which = f", pass {passes}" if passes else ""
            work.status = f"Filling {name} with tetrahedra: {time.monotonic() - began:.0f} s{which}"

        work.status = f"Filling {name} with tetrahedra"
        try:
            if method == "tetwild" and child.can_start():
                found = tetrahedralize_apart(name, vertices, triangles, method, edge_fraction, work.stop, tell)
            else:
                if method == "tetwild":
                    work.status += UNSTOPPABLE
                found = tetrahedralize(name, vertices, triangles, method, edge_fraction)
        finally:
            work.status = ""
    _kept[key] = found
    for old in list(_kept)[:-KEPT]:
        del _kept[old]
    return found


def _key(vertices: Array, triangles: Array, method: str, edge_fraction: float) -> str:
    digest = hashlib.sha1(f"{method} {edge_fraction:.6g}".encode(), usedforsecurity=False)
    for array in (vertices, triangles):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
