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
#: What TetWild prints at the beginning of each of its passes.
PASS = re.compile(rb"//// pass \d+ ////")
#: What is said where there is no Python that could do it in a process apart.
UNSTOPPABLE = ", which Esc stops only when it is done: there is no Python to run beside Blender"

_kept: dict[str, Tetrahedralization] = {}


def fill(name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float) -> Tetrahedralization:
    """Tetrahedra inside a mesh: those that were made before of the same one, or new ones, for which it waits.

    vertices: [m], (n, 3). triangles: (t, 3). Raises: TetrahedralizationError.
    """
    own = key(vertices, triangles, method, edge_fraction)
    found = _kept.pop(own, None) or tetrahedralize(name, vertices, triangles, method, edge_fraction)
    return _keep(own, found)


def filling(
    worker: Worker, tell: Callable[[str], Any], name: str, vertices: Array, triangles: Array, method: str,
    edge_fraction: float,
) -> Generator[bool, None, Tetrahedralization]:  # fmt: skip
    """As `fill`, by a worker; yields False while it has not answered. tell: called with what is being done."""
    own = key(vertices, triangles, method, edge_fraction)
    found = _kept.pop(own, None)
    if found is None:
        began, printed = time.monotonic(), b""
        worker.ask("fill", name, vertices, triangles, method, edge_fraction)
        while not worker.answered():
            printed += worker.printed()
            passes = len(PASS.findall(printed))
            which = f", pass {passes}" if passes else ""
            how = UNSTOPPABLE if worker.warning else ""
            tell(f"Filling {name} with tetrahedra: {time.monotonic() - began:.0f} s{which}{how}")
            yield False
        found = worker.answer()
    return _keep(own, found)


def _keep(own: str, found: Tetrahedralization) -> Tetrahedralization:
    _kept[own] = found
    for old in list(_kept)[:-KEPT]:
        del _kept[old]
    return found


def key(vertices: Array, triangles: Array, method: str, edge_fraction: float) -> str:
    """Of what is filled, and how: equal where the tetrahedra are to be the same."""
    digest = hashlib.sha1(f"{method} {edge_fraction:.6g}".encode(), usedforsecurity=False)
    for array in (vertices, triangles):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
