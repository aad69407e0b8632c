"""TetWild in a process of its own, which can be stopped: it takes from a second to many minutes, and its library can not.

Its working folder is a temporary one, for it leaves a file there, `__tracked_surface.stl`.
"""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..device import child
from ..errors import StoppedError, TetrahedralizationError
from .tetrahedra import Tetrahedralization, tetrahedralize

Array = np.ndarray

GIVEN, FILLED, REFUSED = "given.npz", "filled.npz", "refused.txt"
#: How often it is looked whether it was stopped [s].
LOOK = 0.1
#: What TetWild prints at the beginning of each of its passes.
PASS = re.compile(rb"//// pass \d+ ////")


def tetrahedralize_apart(
    name: str, vertices: Array, triangles: Array, method: str, edge_fraction: float, stop: threading.Event,
    tell: Callable[[int], None],
) -> Tetrahedralization:  # fmt: skip
    """As `tetrahedra.tetrahedralize`, until `stop` is set. tell: called now and then with the passes that TetWild has begun.

    Raises: TetrahedralizationError; StoppedError where it was stopped.
    """
    with tempfile.TemporaryDirectory(prefix="gpbd-fill-") as folder:
        np.savez(Path(folder, GIVEN), vertices=vertices, triangles=triangles)
        arguments = [folder, name, method, edge_fraction]
        process = child.start("topology.tetrahedra_process", "fill_given", arguments, folder)
        printed: list[bytes] = []
        passes = 0

        def read() -> None:
            nonlocal passes
            assert process.stdout is not None
            for line in process.stdout:
                printed[:] = [*printed[-20:], line]
                passes += PASS.search(line) is not None

        reader = threading.Thread(target=read, name="gpbd fill", daemon=True)
        reader.start()
        while reader.is_alive():
            reader.join(LOOK)
            tell(passes)
            if stop.is_set():
                process.kill()
                process.wait()
                reader.join()
                raise StoppedError(f"{name}: the filling with tetrahedra was stopped.")
        process.wait()
        refused, filled = Path(folder, REFUSED), Path(folder, FILLED)
        if refused.is_file():
            raise TetrahedralizationError(refused.read_text(encoding="utf-8"))
        if process.returncode or not filled.is_file():
            last = b"".join(printed).decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            raise TetrahedralizationError(
                f"{name}: TetWild ended without a result (exit code {process.returncode}: {last[0]}). Choose Lattice in the "
                "Body panel, which fills any surface, or repair the mesh."
            )
        with np.load(filled) as found:
            full = found["volume_fraction"]
            return Tetrahedralization(found["vertices"], found["tetrahedra"], None if (full == 1).all() else full)


def fill_given(folder: str, name: str, method: str, edge_fraction: float) -> None:
    """What the process does."""
    with np.load(Path(folder, GIVEN)) as given:
        try:
            made = tetrahedralize(name, given["vertices"], given["triangles"], method, edge_fraction, quiet=False)
        except TetrahedralizationError as error:
            Path(folder, REFUSED).write_text(str(error), encoding="utf-8")
            return
    full = np.ones(len(made.tetrahedra)) if made.volume_fraction is None else made.volume_fraction
    np.savez(Path(folder, FILLED), vertices=made.vertices, tetrahedra=made.tetrahedra, volume_fraction=full)
