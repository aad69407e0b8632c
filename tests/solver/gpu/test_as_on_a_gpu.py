"""A GPU of the host (`tests/solver/device/cuda/host_gpu.py`) has the serial twin's bits: no array is read before it is
written, each kernel receives arguments of its types, and a replayed graph continues with the same arrays."""

import numpy as np
import pytest

import solver
from tests.scenes import touching
from tests.scenes.bodies import in_sheet
from tests.scenes.every_energy import SCENES
from tests.scenes.jelly import pile
from tests.scenes.loads import SCENES as LOADS
from tests.scenes.thrown import NORMALS, thrown
from tests.solver.device.cuda.host_gpu import host_gpu

KEEP_LENGTH, SWEEPS = {"iterations": 1, "global_iterations": 4}, {"iterations": 2, "global_iterations": 0}
#: Name -> scene, settings.
RUNS = {
    "energies": (SCENES["woven"], SWEEPS | {"method": "gpbd_jacobi", "samples": 2}),
    "pbng": (SCENES["tied"], SWEEPS | {"method": "pbng"}),
    "fields": (LOADS["fields"], SWEEPS),
    "gas": (LOADS["gas"], SWEEPS),
    "Keep Length": (SCENES["stable_neo_hookean"], KEEP_LENGTH),
    "planes": (lambda: thrown(NORMALS["corner"]), SWEEPS),
    "pairs": (touching.fold, KEEP_LENGTH),
    "embedded": (pile, SWEEPS),
    "rigid": (in_sheet, SWEEPS),
}
#: Those that compile most.
SLOW = ("rigid", "embedded", "pairs", "Keep Length")


@pytest.mark.parametrize("name", [pytest.param(run, marks=[pytest.mark.long] * (run in SLOW)) for run in RUNS])
def test_a_gpu_of_the_host_has_the_twins_bits(name, monkeypatch):
    scene, settings = RUNS[name]
    both = []
    for is_gpu in (False, True):
        simulation = solver.Simulation(scene(), solver.Settings(device="cuda-serial", substeps=4, threads=1, **settings))
        if is_gpu:
            simulation._on_device.device = host_gpu(monkeypatch)
        frames = [simulation.advance_frame() for _ in range(4)]
        if is_gpu:
            ahead = {body.name for body, _ in simulation._on_device.device.stream.compiled}
            assert {note[0] for note in simulation._on_device.device.stream.done[-1]} <= ahead
        assert [frame.report.device for frame in frames] == ["cuda" if is_gpu else "cuda-serial"] * 4
        both.append([np.concatenate(list(frame.positions.values())) for frame in frames])
    assert np.array_equal(*both)
