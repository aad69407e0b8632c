"""Blocks of tests/data: poses of backward Euler and at rest, computed to 1e-9 and 1e-11 by a solver that shares no code."""

from pathlib import Path

import numpy as np

from solver import Material, Pins, Scene, Simulation, SoftBody
from tests.scenes.plain_settings import plain_settings

DATA = Path(__file__).resolve().parents[1] / "data"


def relative_error(name, **settings):
    """Error of the last step over the displacement there, in the norm of all vertices. name: a file of backward_euler/."""
    data = np.load(DATA / "backward_euler" / f"{name}.npz")
    rest, tetrahedra, step, ramp = data["rest"], data["tetrahedra"], float(data["step"]), float(data["ramp"])
    pins = np.flatnonzero(data["fixed"])
    right = rest[pins, 0] > 0.5

    def target(t):
        share, out = min(t / ramp, 1.0), rest[pins].copy()
        if name.startswith("stretch"):
            out[right, 0] += share
        else:
            y, z, a = *(out[right, 1:] - 0.5).T, share * np.pi
            out[right, 1] = 0.5 + np.cos(a) * y - np.sin(a) * z
            out[right, 2] = 0.5 + np.sin(a) * y + np.cos(a) * z
        return out

    material = Material.solid(float(data["density"]), float(data["young"]), float(data["poisson"]))
    body = SoftBody("block", rest, tetrahedra, material, pins=Pins(pins, 1.0, target))
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(fps=1 / step, substeps=1, **settings))
    for _ in range(int(data["steps"])):
        sim.advance_frame()
    x = sim.state.x[: len(rest), :3] + sim.model.origin
    return np.linalg.norm(x - data["x"]) / np.linalg.norm(data["x"] - rest)


def at_rest(name, energy="stable_neo_hookean", **settings):
    """Quasi-static solve of one frame: its report, and the error over what the vertices moved from the start.

    name: the motion, 'stretch' or 'twist'.
    """
    data = np.load(DATA / "at_rest" / f"{name}_{energy}.npz")
    material = Material.solid(float(data["density"]), float(data["young"]), float(data["poisson"]), energy)
    pins = Pins(np.flatnonzero(data["fixed"]))
    body = SoftBody("block", data["start"], data["tetrahedra"], material, pins=pins, rest_vertices=data["rest"])
    settings = plain_settings(fps=1, substeps=1, quasi_static=True, **settings)
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), settings)
    report = sim.advance_frame().report
    x = sim.state.x[: len(data["rest"]), :3] + sim.model.origin
    return report, np.linalg.norm(x - data["x"]) / np.linalg.norm(data["start"] - data["x"])
