"""Blocks of the reference data beside the project: trajectories of backward Euler and poses at rest, solved to 1e-9."""

from pathlib import Path

import numpy as np
import pytest

from solver import Material, Pins, Scene, Settings, Simulation, SoftBody

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "gpbd"


def load(name):
    """The arrays of one file; skips the test where there is none."""
    path = DATA / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"reference data {path.name} is not beside the project")
    return np.load(path)


def relative_error(name, **settings):
    """Error of a trajectory's last step over the displacement there, in the norm of all vertices."""
    data = load(f"dyn_{name}")
    X, tets, dt, ramp = data["X"], data["T"], float(data["dt"]), float(data["tramp"])
    pins = np.flatnonzero(data["fixed"])
    length = X[:, 0].max()
    right = X[pins, 0] > length / 2

    def target(t):
        s, out = min(t / ramp, 1.0), X[pins].copy()
        if name.startswith("stretch"):
            out[right, 0] += s * length
        else:
            y, z, a = *(out[right, 1:] - length / 2).T, s * np.pi
            out[right, 1] = length / 2 + np.cos(a) * y - np.sin(a) * z
            out[right, 2] = length / 2 + np.sin(a) * y + np.cos(a) * z
        return out

    material = Material.solid(1000, float(data["E"]), float(data["nu"]))
    body = SoftBody("block", X, tets, material, pins=Pins(pins, 1.0, target))
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(fps=1 / dt, substeps=1, **settings))
    for _ in range(len(data["x"]) - 1):
        sim.advance_frame()
    reference = data["x"][-1]
    x = sim.state.x[: len(X), :3] + sim.model.origin
    return np.linalg.norm(x - reference) / np.linalg.norm(reference - X)


def at_rest(name, energy="stable_neo_hookean", **settings):
    """Quasi-static solve of one frame: its report, and the error over what the vertices moved from the start."""
    data = load(f"qs_{name}")
    material = Material.solid(10, float(data["E"]), float(data["nu"]), energy)
    pins = Pins(np.flatnonzero(data["fixed"]))
    body = SoftBody("block", data["x0"], data["T"], material, pins=pins, rest_vertices=data["X"])
    settings = Settings(fps=1, substeps=1, quasi_static=True, **settings)
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), settings)
    report = sim.advance_frame().report
    x = sim.state.x[: len(data["X"]), :3] + sim.model.origin
    return report, np.linalg.norm(x - data["x"]) / np.linalg.norm(data["x0"] - data["x"])
