"""Plastic flow on a device: the code of CUDA on one thread of the CPU."""

import numpy as np
import pytest

from solver import Cloth, FrameInputs, Material, Pins, Scene, Settings, Simulation
from solver.scene.settings import SERIAL
from tests.validation.test_creases import LENGTH, MEMBRANE, SHELL, bent, flat_strip

pytestmark = pytest.mark.long  # compilation


def rolled(device, frames, **settings):
    """A strip that is rolled up, beyond its yield, and let go after frame 14; the simulation."""
    flat, triangles = flat_strip(8)
    energies = {"stvk_membrane": MEMBRANE, "creasing_shell": SHELL | {"yield_curvature": 3.0}}
    pins = Pins(np.arange(len(flat)), 1.0, lambda time: bent(flat, LENGTH / np.pi, np.pi * min(1.0, 2.4 * time) + 1e-6))
    material = Material("sheet", "fabric", 0.08, energies, thickness=1e-4)
    strip = Cloth("strip", flat, triangles, material, pins=pins, self_contact=False)
    arguments = {"threads": 1, "substeps": 3, "iterations": 2, "device": device} | settings
    simulation = Simulation(Scene([strip], gravity=(0, 0, 0), air_density=0.0), Settings(**arguments))
    for frame in range(2, frames + 1):
        free = {"strip": {"pin_weight": np.zeros(len(flat))}} if frame > 14 else {}
        done = simulation.advance_frame(FrameInputs(values=free))
    assert done.report.fallback == ""
    return simulation


def test_a_device_has_the_creases_of_the_cpu():
    """Only the order of the sweeps differs: 1e-6 m, and 2e-3 /m, what a rounding of 6e-8 m is as a curvature over 10 mm."""
    host, device = (rolled(name, 16, global_iterations=0) for name in ("cpu", SERIAL))
    assert np.abs(host.state.x - device.state.x)[:, :3].max() < 1e-6
    assert device.plastic_strains["strip"].max() > 5
    assert np.abs(host.plastic_strains["strip"] - device.plastic_strains["strip"]).max() < 2e-3


def test_a_sheet_of_which_every_vertex_is_pinned_goes_on_a_device():
    """With Keep Length its system has no free rows."""
    assert np.isfinite(rolled(SERIAL, 4).state.x).all()
