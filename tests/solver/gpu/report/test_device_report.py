"""Measurements of a frame on a device equal those of the same frame on the CPU."""

import numpy as np
import pytest

from solver import Settings, Simulation
from solver.report.measured import measured
from solver.stepping.poses import FrameInputs
from tests.covering_set import long
from tests.scenes.direct_error import direct_error
from tests.scenes.every_stage import SCENES, STEPS

#: Scenes that cover all code that is not of one energy.
FEW = ("net", "touching: fold", "stable_neo_hookean")
MANY = [name for name in SCENES if name not in FEW and not name.startswith("touching")]
FRAMES = 6


def simulation(scene, **settings):
    numbers = {"substeps": 4, "iterations": 3, "threads": 1, "device": "cuda-serial"} | settings
    return Simulation(scene, Settings(**numbers))


def compare(scene, settings):
    """Sums differ by the order of adding, 1e-5 allowed; residual forces have the rounding of the forces that they are a
    share of: 1e-6 of them (4.5e-7 on a GPU). Errors are estimates, of conjugate gradients that end early: from half to
    twice a direct solver's (1.5 on a GPU, 1.8 by the twin with sums in another order), above the resolution of single
    precision."""
    made = simulation(scene, **settings)
    for _ in range(FRAMES):
        told = made.advance_frame().report
        if told.fallback in ("surfaces that stall", "pairs that could not be kept apart"):
            continue
        now, state, contact = made.substeps.now, made.state, made.contact
        here = measured(now.model, state, contact, made.drivers.gravity(FrameInputs()))
        assert told.device == "cuda-serial" and told.fallback == ""
        for name in ("residual", "elastic_energy", "max_stretch", "mean_stretch", "volume_change"):
            rel, least = (1e-3, 1e-6) if name == "residual" else (1e-5, 1e-9)
            assert getattr(told, name) == pytest.approx(getattr(here, name), rel=rel, abs=least), name
        for name, value in here.motion.items():
            scale = 1e-6 * np.abs(value).max() + 1e-12
            assert np.allclose(getattr(told, name), value, rtol=1e-6, atol=scale), name
        for name, value in here.contact.items():
            assert getattr(told, name) == pytest.approx(value, rel=1e-4, abs=1e-7), name
        pushed = np.zeros(now.model.n_vertices, bool) if contact is None else contact.results.touched()
        direct = direct_error(now.model, state, here.left, pushed)
        estimate = now.estimate.errors(state, here.left, pushed)  # of limits both have another matrix than energies
        assert list(told.errors) == now.estimate.bodies
        for name, error in told.errors.items():
            if name != "lower":  # which its tie pulls along: matrices know ties at their own vertices alone
                low, high = sorted((direct[name], estimate[name]))
                assert 0.5 * low - 2e-8 < error < 2 * high + 2e-8, name
    assert made._on_device.fallbacks <= FRAMES // 2


@pytest.mark.slow  # kernels of the matrix of each
@pytest.mark.parametrize("step", [*long("whole"), "swept"])
@pytest.mark.parametrize("name", [*long("touching: fold"), *(name for name in FEW if name != "touching: fold")])
def test_a_device_tells_what_the_cpu_tells_of_the_same_frame(name, step):
    compare(SCENES[name](), STEPS[step])


@pytest.mark.long  # kernels of every energy
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", MANY)
def test_a_device_tells_what_the_cpu_tells_of_every_kind_of_scene(name, step):
    compare(SCENES[name](), STEPS[step])
