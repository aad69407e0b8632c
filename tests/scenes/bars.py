"""Square sheets of fabrics made of yarns between two bars, at rest.

Bars hold two opposite sides, drawn apart along U or V. Where they are also as narrow or wide as a homogeneous sheet that is
free sideways, all of the sheet is homogeneous, but for borders that roll. Sheets of one call do not touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import solver
from solver.energies.hylc import density
from tests.scenes import textile

Array = np.ndarray

#: Of a sheet [m]; unevenness of its start [edges], which lets it choose a side.
SIDE, UNEVEN = 0.3, 1e-3
#: Damping of the fabric [s] and of the air [1/s], which let it come to rest; settings of the steps.
DAMPING, AIR = 0.05, 8.0
STEPS = {"substeps": 10, "iterations": 4, "global_iterations": 4}
#: A sheet rests when no vertex moves by more in a frame [m]; frames, at least and at most.
CALM, FEWEST, MOST = 1e-4, 12, 60


@dataclass(frozen=True)
class Pulled:
    """force: of a bar, over its side [N/m]; of its middle third, `tension`. sideways: strain across, in the middle third of
    the line midway between the bars. rolled: heights of that line's ends over its middle [m], to the face. along: strain
    along the pull, of each row of edges, in the middle third. frames: until it rested."""

    force: float
    tension: float
    sideways: float
    rolled: tuple[float, float]
    along: Array
    frames: int


def grid(rows: int, columns: int) -> tuple[Array, Array]:
    """A sheet as wide as its columns, U across, diagonals parallel, centred: vertices [m], (n, 3), and triangles."""
    step = SIDE / rows
    u, v = np.meshgrid((np.arange(columns + 1) - columns / 2) * step, (np.arange(rows + 1) - rows / 2) * step)
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    above = first + columns + 1
    triangles = np.concatenate([np.stack([first, first + 1, above + 1], 1), np.stack([first, above + 1, above], 1)])
    return np.stack([u.ravel(), v.ravel(), 0 * u.ravel()], 1), triangles


def uniaxial(material: solver.Material, pull: float, axis: int) -> tuple[float, float, float]:
    """A homogeneous sheet pulled along U (axis 0) or V (1): tension [N/m] free sideways and not; its strain across."""
    sideways = np.linspace(-0.45, 0.3, 15001)
    s = np.zeros((len(sideways), 6))
    s[:, 2 * axis], s[:, 2 - 2 * axis] = pull, sideways
    assert material.table is not None
    psi, gradient = density(material.table, s)
    best, held = psi.argmin(), np.abs(sideways).argmin()
    return float(gradient[best, 2 * axis]), float(gradient[held, 2 * axis]), float(sideways[best])


def separated(material: solver.Material, pull: float, axis: int) -> tuple[float, float, float]:
    """A sheet free sideways that may have two strains along the pull, in bands: tension [N/m], and the strains.

    Where the tension of a homogeneous one falls as it is pulled, less energy is in two bands, whose energies have a common
    tangent: its slope is the tension. Elsewhere both strains are the pull, to the spacing of the points between them.
    Source: Ericksen 1975, "Equilibrium of bars", Journal of Elasticity 5.
    """
    along, sideways = np.linspace(0, 1, 401), np.linspace(-0.45, 0.3, 601)
    s = np.zeros((len(along), len(sideways), 6))
    s[:, :, 2 * axis], s[:, :, 2 - 2 * axis] = along[:, None], sideways
    assert material.table is not None
    energy = density(material.table, s.reshape(-1, 6))[0].reshape(s.shape[:2]).min(1)
    hull = [0]
    for k in range(1, len(along)):
        while len(hull) > 1 and _slope(along, energy, hull[-2], hull[-1]) >= _slope(along, energy, hull[-2], k):
            hull.pop()
        hull.append(k)
    low = max(k for k in hull if along[k] < pull)
    high = min(k for k in hull if along[k] >= pull)
    return _slope(along, energy, low, high), float(along[low]), float(along[high])


def _slope(x: Array, y: Array, j: int, k: int) -> float:
    return float((y[k] - y[j]) / (x[k] - x[j]))


def between_bars(
    material: solver.Material, n: int, axis: int, pulls: Sequence[float], sideways: Sequence[float], inside: Sequence[float]
) -> list[Pulled]:
    """Sheets of n x n quads, one for each pull along U (axis 0) or V (1), at rest. sideways: strain of the bars' own length.
    inside: of the sheets midway between them, at the start; energies may have more than one minimum."""
    flat, triangles = grid(n, n)
    along = flat[:, axis] / (SIDE / 2)
    low, high = np.flatnonzero(along < 1e-6 - 1), np.flatnonzero(along > 1 - 1e-6)
    uneven = np.random.default_rng(0).uniform(-UNEVEN, UNEVEN, len(flat)) * SIDE / n * (np.abs(along) < 1 - 1e-6)
    fabric = material.changed(energies={"hylc": {"damping": DAMPING}})
    sheets = []
    for number, (pull, of_bars, of_middle) in enumerate(zip(pulls, sideways, inside, strict=True)):
        start = flat.copy()
        start[:, axis] *= 1 + pull
        start[:, 1 - axis] *= 1 + of_middle + (of_bars - of_middle) * along**2
        start[:, 2] = uneven
        pins = solver.Pins(np.concatenate([low, high]), 1.0)
        name = f"sheet {number}"
        sheets.append(solver.Cloth(name, start, triangles, fabric, pins, flat[:, :2], flat, self_contact=False, touches=()))
    scene = solver.Scene(sheets, gravity=(0, 0, 0), air_density=0.0)
    simulation = solver.Simulation(scene, solver.Settings(**STEPS, damping=AIR, threads=1))
    frames, before = 0, simulation.start().positions
    while frames < MOST:
        now, frames = simulation.advance_frame().positions, frames + 1
        moved = max(float(np.linalg.norm(now[name] - before[name], axis=1).max()) for name in now)
        before = now
        if frames >= FEWEST and moved < CALM:
            break
    forces = textile._forces(simulation).astype(float)
    return [
        _measured(before[part.body.name], forces[part.start : part.stop], flat, high, n, axis, frames)
        for part in simulation.model.parts
    ]


def _measured(x: Array, forces: Array, flat: Array, high: Array, n: int, axis: int, frames: int) -> Pulled:
    """x [m], forces [N]: of one sheet, (n, 3). high: vertices of a bar."""
    lines = np.asarray(x, float).reshape(n + 1, n + 1, 3)
    middle = lines[:, n // 2] if axis == 0 else lines[n // 2]
    third = slice(n // 3, n - n // 3 + 1)
    lengths = np.linalg.norm(np.diff(middle[third], axis=0), axis=1)
    inner = high[np.abs(flat[high, 1 - axis]) < SIDE / 6 + 0.25 * SIDE / n]
    pulled = forces[:, axis]
    rolled = middle[[0, -1], 2] - middle[n // 2, 2]
    pulled_lines = (lines if axis == 0 else lines.transpose(1, 0, 2))[third]
    edges = np.linalg.norm(np.diff(pulled_lines, axis=1), axis=2)
    return Pulled(
        float(pulled[high].sum() / SIDE),
        float(pulled[inner].sum() / (len(inner) * SIDE / n)),
        float(lengths.mean() / (SIDE / n) - 1),
        (float(rolled[0]), float(rolled[1])),
        edges.mean(0) / (SIDE / n) - 1,
        frames,
    )
