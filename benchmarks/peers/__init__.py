"""Other solvers, each in an environment of its own under `.venv/peers`, run as a process of its own.

A peer is a script `benchmarks/peers/<name>.py SCENE.npz OUT.npz SETTINGS` that imports nothing of this project. It reads the
scene (start, rest, pins, mass, step, frames; of a sheet triangles, edges, spring, bending; of a block tetrahedra, young,
poisson, and where its pins move targets (frames, k, 3); SI units, z up), and writes positions (frames, n, 3), and wall time
and processor time of each frame, milliseconds and cpu, (frames,).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import machine

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Peer:
    """One solver. script: its file without the ending. requirements: of its environment. settings: for the script.

    slow: it takes seconds for a step of a large scene, and runs only a few.
    """

    label: str
    script: str
    requirements: tuple[str, ...]
    settings: dict
    slow: bool = False


class PeerError(Exception):
    """A peer could not be installed or run; the message says which and why."""


def environment(peer: Peer) -> str:
    """The interpreter of the peer's environment, made at the first call. Raises: PeerError."""
    folder = machine.ROOT / ".venv" / "peers" / peer.script
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "installed"
    wanted = " ".join(peer.requirements)
    if ready.is_file() and ready.read_text(encoding="utf-8") == wanted:
        return str(python)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *peer.requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise PeerError(f"{peer.label}: `{' '.join(command[1:])}` failed: {done.stderr.strip()[-300:]}")
    ready.write_text(wanted, encoding="utf-8")
    return str(python)


def run(peer: Peer, scene: dict[str, np.ndarray], threads: int, timeout: float) -> tuple[np.ndarray, machine.Times]:
    """Positions [m], (frames, n, 3), and the time of each frame. Raises: PeerError."""
    python = environment(peer)
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "scene.npz", Path(folder) / "out.npz"
        np.savez(source, **scene)
        command = [python, str(FOLDER / f"{peer.script}.py"), str(source), str(out), json.dumps(peer.settings)]
        count = {name: str(threads) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        # Without the path of this project, and started in a folder without its modules.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        try:
            done = subprocess.run(
                command, env=inherited | count, cwd=folder, capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired as error:
            raise PeerError(f"{peer.label}: not done in {timeout:.0f} s.") from error
        if done.returncode:
            raise PeerError(f"{peer.label}: {done.stderr.strip()[-300:]}")
        written = np.load(out)
        times = machine.Times(*((1e-3 * written[name]).tolist() for name in ("milliseconds", "cpu")))
        return written["positions"], times


POSITION_BASED = ("pypbd==2.2.2", "numpy")
NEWTON = ("newton==1.8.0", "warp-lang==1.19.0", "numpy")


def _position_based(substeps: int, iterations: int) -> Peer:
    label = f"PositionBasedDynamics, XPBD {substeps} x {iterations}"
    return Peer(label, "position_based", POSITION_BASED, {"substeps": substeps, "iterations": iterations})


def _newton(substeps: int, iterations: int) -> Peer:
    label = f"Newton, VBD {substeps} x {iterations}"
    return Peer(label, "newton_physics", NEWTON, {"substeps": substeps, "iterations": iterations})


#: Of sheets. 8 x 10 is the common setting of position-based solvers, 80 x 1 spends the same sweeps on small steps.
PEERS = (_position_based(8, 10), _position_based(80, 1), _newton(8, 10))
DIRECT = Peer(
    "Newton's method, PARDISO",
    "direct_newton",
    ("pypardiso==0.4.7", "scipy", "numpy"),
    {"substeps": 1, "iterations": 1},
    slow=True,
)
#: Of blocks, by scene: substeps and iterations of one of its steps.
SOLIDS = {
    "S3": (_position_based(5, 1), _newton(1, 5), _newton(1, 20)),
    "S3F": (_position_based(10, 1), _newton(1, 10), _newton(1, 50), DIRECT),
    "S4": (_position_based(20, 1), _newton(1, 20)),
}
