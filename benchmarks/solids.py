"""Rubber blocks that droop, and one that is stretched and twisted: ours beside other solvers: `python -m benchmarks.solids`.

Time and quality together; every step is a frame, with its report. Error of the step: distance from converged backward Euler
of the same step at the end, over how far that has moved (root mean squares over vertices); it measures the solution of a
step. Error of the motion: distance from the fine solution, of second order in short substeps; it measures the motion.
Residual: of backward Euler's balance, median of the measured steps; it means nothing for a solver that divides the step.
Both references are ours in double precision, stored in out/reference; `tests/validation` compares Newton's method with an
independent solver. --peers installs others.
"""

from __future__ import annotations

import argparse
import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, peers, reference
from benchmarks.block_quality import Block
from tests.scenes import materials, without_contact

Array = np.ndarray
FIELDS = (
    "scene",
    "n",
    "solver",
    f"ms a step: {machine.SPREAD}",
    "of processor",
    "error of the step",
    "of the motion [mm]",
    "residual",
    "volume",
    "inverted",
    "time ratio",
)
SIZES = {"S3": (10, 25), "S3F": (10, 25), "S4": (31,)}
#: Steps that a peer which takes seconds for one is given.
FEW = 4
#: Steps of a scene whose residual is looked at.
LOOKS = 12
#: Longest substep of the fine solution [s], and its sweeps.
FINEST, FINE_SWEEPS = 2.5e-4, 10


def _gpbd(*sweeps: int) -> dict[str, dict[str, Any]]:
    return {f"GPBD, {n} sweep{'s' * (n > 1)}": {"iterations": n} for n in sweeps}


def _second_order(sweeps: int) -> dict[str, dict[str, Any]]:
    return {f"GPBD, {sweeps} sweep{'s' * (sweeps > 1)}, BDF2": {"iterations": sweeps, "integrator": "bdf2"}}


def _pbng(relaxation: float, *sweeps: int) -> dict[str, dict[str, Any]]:
    common = {"method": "pbng", "relaxation": relaxation}
    return {f"PBNG {relaxation}, {n} sweeps": common | {"iterations": n} for n in sweeps}


#: Scene and cells a side -> label -> settings; backward Euler where they name no integrator.
OURS: dict[tuple[str, int], dict[str, dict[str, Any]]] = {
    ("S3", 10): _gpbd(1, 2) | _second_order(2) | _pbng(1.0, 2, 3),
    ("S3", 25): _gpbd(1, 2) | _second_order(2) | _pbng(1.0, 2, 3),
    ("S3F", 10): _gpbd(4, 8, 16) | _second_order(8) | _pbng(1.0, 8, 12, 16),
    ("S3F", 25): _gpbd(16) | _second_order(16) | _pbng(1.7, 24, 32),
    ("S4", 31): _pbng(1.5, 10) | _pbng(1.7, 20),
}


@dataclass(frozen=True)
class Measured:
    """end: positions [m]. times: of the steps. residual: median of the steps looked at, None if it says nothing."""

    end: Array
    times: machine.Times
    residual: float | None


@dataclass(frozen=True)
class Wanted:
    """Positions at the end [m], (n, 3): of converged backward Euler of the scene's step, and of the fine solution."""

    solved: Array
    motion: Array


def simulation(arrays: without_contact.SceneArrays, **settings: Any) -> Any:
    """Ours, with frames of one of the scene's steps."""
    import solver

    chosen = solver.Settings(**{"fps": 1 / arrays.step, "substeps": 1, "integrator": "bdf1"} | settings)
    return solver.Simulation(without_contact.solver_scene(arrays, solver), chosen)


def ours(block: Block, steps: int, settings: dict[str, Any], threads: int) -> Measured:
    body, times, residuals = simulation(block.arrays, threads=threads, **settings), machine.Times(), []
    balanced = body.settings.integrator == "bdf1"
    for k in range(steps):
        times.take(body.advance_frame)
        if balanced and k % max(1, steps // LOOKS) == 0:
            residuals.append(
                block.residual(_placed(body, body.state.x), _placed(body, body.state.x_pred), block.arrays.step)
            )
    return Measured(_placed(body, body.state.x), times, machine.median(residuals) if residuals else None)


def _placed(body: Any, x: Array) -> Array:
    """Vertices [m], (n, 3), of a state's array."""
    return x[: body.model.n_vertices, :3].astype(float) + body.model.origin


def wanted(arrays: without_contact.SceneArrays, steps: int) -> Wanted:
    """Computed once: at 25 cells a side it takes minutes."""
    exact = {"method": "newton", "dtype": "float64", "iterations": 50, "tolerance": 1e-6}
    fine = {"substeps": math.ceil(arrays.step / FINEST), "iterations": FINE_SWEEPS, "dtype": "float64", "integrator": "bdf2"}
    return Wanted(_end(arrays, steps, "", exact), _end(arrays, steps, "_fine", fine))


def _end(arrays: without_contact.SceneArrays, steps: int, name: str, settings: dict[str, Any]) -> Array:
    side = round(len(arrays.rest) ** (1 / 3)) - 1
    file = reference.FOLDER / f"{arrays.name}_{side}_{steps}{name}.npy"
    if not file.is_file():
        simulated = simulation(arrays, **settings)
        for _ in range(steps):
            simulated.advance_frame()
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, _placed(simulated, simulated.state.x))
    return np.load(file)


def scene_for_peers(block: Block, frames: int) -> dict[str, Array]:
    """Return the scene in the format of `benchmarks/peers`; their frames are steps."""
    arrays = block.arrays
    scene = {"start": arrays.start, "rest": arrays.rest, "tetrahedra": arrays.elements, "pins": arrays.pins}
    scene |= {"mass": block.mass, "step": np.array(arrays.step), "frames": np.array(frames)}
    scene |= {name: np.array(materials.SOLID[name]) for name in ("young", "poisson")}
    if arrays.targets is not None:
        scene["targets"] = np.array([arrays.targets((k + 1) * arrays.step) for k in range(frames)])
    return scene


def of_peer(block: Block, peer: peers.Peer, frames: int, threads: int, timeout: float) -> Measured:
    """Raises: PeerError."""
    positions, times = peers.run(peer, scene_for_peers(block, frames), threads, timeout)
    h = block.arrays.step
    residuals = []
    looked_at = range(2, frames, max(1, frames // LOOKS)) if peer.settings["substeps"] == 1 else ()
    for k in looked_at:
        before, now, after = (positions[i].astype(float) for i in (k - 2, k - 1, k))
        residuals.append(block.residual(after, block.predicted(before, now, after, h), h))
    return Measured(positions[-1].astype(float), times, machine.median(residuals) if residuals else None)


def row(block: Block, n: int, label: str, measured: Measured, end: Wanted | None, solved: bool = True) -> list[Any]:
    """A row of the table, without the ratio, for which it ends with the mean processor time [ms]; the times are without that
    of the first step, which may compile. end: where it should be. solved: whether its steps are backward Euler's."""
    x, times = measured.end, measured.times.counted()
    sound = bool(np.isfinite(x).all())
    error = f"{block.error(x, end.solved):.3%}" if end is not None and sound and solved else "-"
    off = f"{1e3 * np.sqrt(((x - end.motion) ** 2).sum(1).mean()):.2f}" if end is not None and sound else "-"
    residual = "-" if measured.residual is None else f"{measured.residual:.1e}"
    state = [f"{block.volume_change(x):+.2%}", str(block.inverted(x))] if sound else ["not finite", "-"]
    cpu = 1e3 * float(np.mean(times.processor))
    return [block.arrays.name, str(n), label, *times.cells(), error, off, residual, *state, cpu]


def say(text: str) -> None:
    print(f"solids: {text}", flush=True)


def measure(name: str, n: int, options: argparse.Namespace) -> list[list[Any]]:
    block = Block(without_contact.SCENES[name](n))
    steps = options.steps or block.arrays.frames
    end = wanted(block.arrays, steps) if name != "S4" else None
    table = OURS.get((name, n)) or OURS[name, SIZES[name][-1]]
    rows = []
    for label, settings in table.items():
        say(f"{name}, n = {n}: {label}")
        first_order = "integrator" not in settings
        rows.append(row(block, n, label, ours(block, steps, settings, options.threads), end, first_order))
    for peer in peers.SOLIDS[name] if options.peers else ():
        say(f"{name}, n = {n}: {peer.label}")
        count = min(steps, FEW if peer.slow else options.peer_steps or steps)
        try:
            measured = of_peer(block, peer, count, options.threads, options.timeout)
        except peers.PeerError as error:
            say(f"left out: {error}")
        else:
            rows.append(row(block, n, peer.label, measured, end if count == steps else None))
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
    with machine.measuring():
        rows = [row for name in options.scene for n in options.n or SIZES[name] for row in measure(name, n, options)]
        print(machine.table(FIELDS, [fields for *fields, _ in rows]))
        print("Time ratio: of mean processor time to the first row of the same scene and n.")
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["scene", "n", "solver", "cpu_ms", "error", "residual"])
            writer.writerows([r[0], r[1], r[2], f"{r[-1]:.2f}", r[5], r[7]] for r in rows)


if __name__ == "__main__":
    main()
