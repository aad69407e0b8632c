"""Soft bodies filled with tetrahedra: by a worker, which shows how far it is and can be ended, and once for each mesh."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ...solver.device.worker import Worker
from ...solver.topology.tetrahedra import Tetrahedralization, tetrahedralize

Array = np.ndarray

#: Fillings that are kept while Blender runs.
KEPT = 16
#: Line printed by TetWild at the beginning of each of its passes.
PASS = re.compile(rb"//// pass \d+ ////")
#: Added to progress without a Python for a separate process.
UNSTOPPABLE = ", which Esc stops only when it is done: there is no Python to run beside Blender"

_kept: dict[str, Tetrahedralization] = {}


def fill(name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float) -> Tetrahedralization:
    """Return tetrahedra inside a mesh: those cached of the same one, or new ones; blocks meanwhile.

    vertices: [m], (n, 3). triangles: (t, 3). Raises: TetrahedralizationError.
    """
    cache_key = key(vertices, triangles, method, edge_fraction)
    tetrahedra = _kept.pop(cache_key, None) or tetrahedralize(name, vertices, triangles, method, edge_fraction)
    return _keep(cache_key, tetrahedra)


def filling(
    worker: Worker, tell: Callable[[str], Any], name: str, vertices: Array, triangles: Array, method: str,
    edge_fraction: float,
) -> Generator[bool, None, Tetrahedralization]:  # fmt: skip
    """Fill a mesh as `fill`, by a worker; yields False until it has finished. tell: called with the progress."""
    cache_key = key(vertices, triangles, method, edge_fraction)
    tetrahedra = _kept.pop(cache_key, None)
    if tetrahedra is None:
        began, printed = time.monotonic(), b""
        worker.submit("fill", name, vertices, triangles, method, edge_fraction)
        while not worker.is_ready():
            printed += worker.printed()
            passes = len(PASS.findall(printed))
            which = f", pass {passes}" if passes else ""
            how = UNSTOPPABLE if worker.warning else ""
            tell(f"Filling {name} with tetrahedra: {time.monotonic() - began:.0f} s{which}{how}")
            yield False
        tetrahedra = worker.result()
    return _keep(cache_key, tetrahedra)


def _keep(key: str, tetrahedra: Tetrahedralization) -> Tetrahedralization:
    _kept[key] = tetrahedra
    for old in list(_kept)[:-KEPT]:
        del _kept[old]
    return tetrahedra


def key(vertices: Array, triangles: Array, method: str, edge_fraction: float) -> str:
    """Return a key of mesh and method, equal for equal tetrahedra."""
    digest = hashlib.sha1(f"{method} {edge_fraction:.6g}".encode(), usedforsecurity=False)
    for array in (vertices, triangles):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
