"""Rubber blocks that droop, and one that is stretched and twisted: ours beside other solvers: `python -m benchmarks.solids`.

Time and quality together. Error: distance from converged backward Euler of the same step at the end, over how far that has
moved (root mean squares over vertices). Residual: what a step leaves of backward Euler's balance, median of the steps looked
at; it says nothing of a solver that divides the step. The reference is our Newton's method in double precision, kept in
out/reference; `tests/validation` compares that with trajectories of an independent solver. --peers installs others.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, peers, reference
from benchmarks.block_quality import Block
from tests.scenes import materials, without_contact

Array = np.ndarray
FIELDS = ("scene", "n", "solver", "ms a step", "of processor", "error", "residual", "volume", "inverted", "time ratio")
#: Steps of a scene that are one frame of ours, after which it makes its report.
STEPS_OF_A_FRAME = {"S3": 20, "S3F": 8, "S4": 1}
SIZES = {"S3": (10, 25), "S3F": (10, 25), "S4": (31,)}
#: Steps that a peer which takes seconds for one is given.
FEW = 4


def _gpbd(*sweeps: int) -> dict[str, dict[str, Any]]:
    return {f"GPBD, {n} sweep{'s' * (n > 1)}": {"iterations": n} for n in sweeps}


def _pbng(relaxation: float, *sweeps: int) -> dict[str, dict[str, Any]]:
    common = {"method": "pbng", "relaxation": relaxation}
    return {f"PBNG {relaxation}, {n} sweeps": common | {"iterations": n} for n in sweeps}


#: Scene and cells a side -> label -> settings.
OURS: dict[tuple[str, int], dict[str, dict[str, Any]]] = {
    ("S3", 10): _gpbd(1, 2) | _pbng(1.0, 2, 3),
    ("S3", 25): _gpbd(1, 2) | _pbng(1.0, 2, 3),
    ("S3F", 10): _gpbd(4, 8, 16) | _pbng(1.0, 8, 12, 16),
    ("S3F", 25): _gpbd(16) | _pbng(1.7, 24, 32),
    ("S4", 31): _pbng(1.5, 10) | _pbng(1.7, 20),
}


@dataclass(frozen=True)
class Measured:
    """end: positions [m]. wall, cpu: ms a step. residual: median of the steps looked at, None if it says nothing."""

    end: Array
    wall: float
    cpu: float
    residual: float | None


def simulation(arrays: without_contact.SceneArrays, steps: int, **settings: Any) -> Any:
    """Ours, with frames of so many of the scene's steps."""
    import solver

    chosen = solver.Settings(fps=1 / (steps * arrays.step), substeps=steps, integrator="bdf1", **settings)
    return solver.Simulation(without_contact.solver_scene(arrays, solver), chosen)


def ours(block: Block, frames: int, steps: int, settings: dict[str, Any], threads: int) -> Measured:
    """The median frame, and the residual at the end of each; the first frame, which may compile, is not counted."""
    body = simulation(block.arrays, steps, threads=threads, **settings)
    wall, cpu, residuals = [], [], []
    for _ in range(frames):
        began, began_cpu = time.perf_counter(), time.process_time()
        body.advance_frame()
        wall.append(1e3 * (time.perf_counter() - began) / steps)
        cpu.append(1e3 * (time.process_time() - began_cpu) / steps)
        state, n = body.state, body.model.n_vertices
        x, predicted = (p[:n, :3].astype(float) + body.model.origin for p in (state.x, state.x_pred))
        residuals.append(block.residual(x, predicted, block.arrays.step))
    counted = slice(1, None) if frames > 1 else slice(None)
    return Measured(x, machine.median(wall[counted]), machine.median(cpu[counted]), machine.median(residuals))


def converged(arrays: without_contact.SceneArrays, frames: int, steps: int) -> Array:
    """Positions at the end of converged backward Euler, computed once: at 25 cells a side it takes minutes."""
    side = round(len(arrays.rest) ** (1 / 3)) - 1
    file = reference.FOLDER / f"{arrays.name}_{side}_{frames * steps}.npy"
    if not file.is_file():
        made = simulation(arrays, steps, method="newton", dtype="float64", iterations=50, tolerance=1e-6)
        for _ in range(frames):
            made.advance_frame()
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, made.state.x[: made.model.n_vertices, :3] + made.model.origin)
    return np.load(file)


def scene_for_peers(block: Block, frames: int) -> dict[str, Array]:
    """What `benchmarks/peers` hands to its scripts; their frames are steps."""
    arrays = block.arrays
    scene = {"start": arrays.start, "rest": arrays.rest, "tetrahedra": arrays.elements, "pins": arrays.pins}
    scene |= {"mass": block.mass, "step": np.array(arrays.step), "frames": np.array(frames)}
    scene |= {name: np.array(materials.SOLID[name]) for name in ("young", "poisson")}
    if arrays.targets is not None:
        scene["targets"] = np.array([arrays.targets((k + 1) * arrays.step) for k in range(frames)])
    return scene


def of_peer(block: Block, peer: peers.Peer, frames: int, threads: int, timeout: float) -> Measured:
    """Raises: PeerError."""
    positions, wall, cpu = peers.run(peer, scene_for_peers(block, frames), threads, timeout)
    h = block.arrays.step
    residuals = []
    looked_at = range(2, frames, max(1, frames // 12)) if peer.settings["substeps"] == 1 else ()
    for k in looked_at:
        before, now, after = (positions[i].astype(float) for i in (k - 2, k - 1, k))
        residuals.append(block.residual(after, block.predicted(before, now, after, h), h))
    first = 1 if frames > 1 else 0
    left = machine.median(residuals) if residuals else None
    return Measured(positions[-1].astype(float), machine.median(list(wall[first:])), machine.median(list(cpu[first:])), left)


def row(block: Block, n: int, label: str, measured: Measured, wanted: Array | None) -> list[Any]:
    """A row of the table, without the ratio, for which it ends with the processor time."""
    x = measured.end
    sound = bool(np.isfinite(x).all())
    error = f"{block.error(x, wanted):.3%}" if wanted is not None and sound else "-"
    left = "-" if measured.residual is None else f"{measured.residual:.1e}"
    state = [f"{block.volume_change(x):+.2%}", str(block.inverted(x))] if sound else ["not finite", "-"]
    times = [f"{measured.wall:.2f}", f"{measured.cpu:.2f}"]
    return [block.arrays.name, str(n), label, *times, error, left, *state, measured.cpu]


def say(text: str) -> None:
    print(f"solids: {text}", flush=True)


def measure(name: str, n: int, options: argparse.Namespace) -> list[list[Any]]:
    block = Block(without_contact.SCENES[name](n))
    steps = STEPS_OF_A_FRAME[name]
    frames = max(1, (options.steps or block.arrays.frames) // steps)
    wanted = converged(block.arrays, frames, steps) if name != "S4" else None
    table = OURS.get((name, n)) or OURS[name, SIZES[name][-1]]
    rows = []
    for label, settings in table.items():
        say(f"{name}, n = {n}: {label}")
        rows.append(row(block, n, label, ours(block, frames, steps, settings, options.threads), wanted))
    for peer in peers.SOLIDS[name] if options.peers else ():
        say(f"{name}, n = {n}: {peer.label}")
        count = min(frames * steps, FEW if peer.slow else options.peer_steps or frames * steps)
        try:
            measured = of_peer(block, peer, count, options.threads, options.timeout)
        except peers.PeerError as error:
            say(f"left out: {error}")
        else:
            rows.append(row(block, n, peer.label, measured, wanted if count == frames * steps else None))
    return [[*fields, f"{cpu / rows[0][-1]:.2f}", cpu] for *fields, cpu in rows]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="solids", description=__doc__.splitlines()[0])
    parser.add_argument("--scene", choices=tuple(SIZES), nargs="+", default=list(SIZES))
    parser.add_argument("--n", type=int, nargs="+", help="cells along a side; default 10 and 25, of S4 31")
    parser.add_argument("--steps", type=int, help="steps of a scene; default all of it")
    parser.add_argument("--threads", type=int, default=1, help="of ours and of the peers that take a number")
    parser.add_argument("--peers", action="store_true", help="install and run other solvers")
    parser.add_argument("--peer-steps", type=int, help="give the peers only so many steps, after which no error is taken")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one run of a peer")
    parser.add_argument("--csv", type=Path, help="file for scene, n, solver, processor ms, error, residual")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    print(machine.describe())
    rows = []
    for name in options.scene:
        for n in options.n or SIZES[name]:
            rows += measure(name, n, options)
    print(machine.table(FIELDS, [fields for *fields, _ in rows]))
    print(f"Load average at the end: {machine.load()}. Time ratio: of processor time to the first row of the same n.")
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["scene", "n", "solver", "cpu_ms", "error", "residual"])
            writer.writerows([r[0], r[1], r[2], r[-1], r[5], r[6]] for r in rows)


if __name__ == "__main__":
    main()
