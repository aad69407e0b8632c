"""A device out of memory or lost: the warning, and the continuation on the CPU. By a stand-in that fails."""

from dataclasses import replace

import numpy as np
import pytest

import solver
from solver import Cloth, FrameInputs, Material, Pins, Plane, Scene, Settings, Simulation, SoftBody
from solver.device.cuda import nvidia
from solver.device.cuda.choice import Work
from solver.device.cuda.device import SerialDevice
from solver.errors import SceneError, WorkerError
from solver.stepping.gpu import choice as gpu_choice
from solver.stepping.gpu import on_device
from solver.stepping.gpu.choice import left_to_cpu, work_of
from tests.scenes.every_energy import block
from tests.scenes.materials import SOFT, spring_material
from tests.scenes.meshes import cube_of_five
from tests.solver.device.cuda.driver import Card, Driver, installed

LOST = "[719] Call to cuStreamSynchronize results in CUDA_ERROR_LAUNCH_FAILED"
FULL = "[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"


class CudaAPIError(Exception):
    """As numba-cuda-mlir's."""


class FailingDevice(SerialDevice):
    """The serial twin under the name of a GPU. launches: how many succeed; uploads: the same of arrays."""

    name = "cuda"
    launches, uploads = 1 << 30, 1 << 30

    def __init__(self, number=0):
        super().__init__()
        self.number = number

    def launch(self, body, count, given):
        self.launches -= 1
        if self.launches < 0:
            raise CudaAPIError(LOST)
        super().launch(body, count, given)

    def upload(self, host, dtype=None):
        self.uploads -= 1
        if self.uploads < 0:
            raise CudaAPIError(FULL)
        return super().upload(host, dtype)


@pytest.fixture
def card(monkeypatch):
    card = Card(b"NVIDIA H200", free=6 << 30)
    installed(monkeypatch, Driver([card]))
    monkeypatch.setattr(on_device, "probe", gpu_choice.choose.__globals__["probe"])
    monkeypatch.setattr(nvidia, "CudaDevice", FailingDevice)
    monkeypatch.setattr(FailingDevice, "launches", 1 << 30)
    monkeypatch.setattr(FailingDevice, "uploads", 1 << 30)
    return card


def sheet():
    """A free sheet of 25 vertices that touches nothing, in a vacuum: frames are the device's."""
    n = 5
    x = np.stack(np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), [0.0], indexing="ij"), -1).reshape(-1, 3)
    corner = np.array([i * n + j for i in range(n - 1) for j in range(n - 1)])
    t = np.concatenate(
        [np.stack([corner, corner + n, corner + 1], 1), np.stack([corner + n, corner + n + 1, corner + 1], 1)]
    )
    cloth = Cloth("flag", x, t, spring_material(solver), pins=Pins(np.array([0, 4])), self_contact=False)
    return Scene([cloth], air_density=0.0)


def of_device(simulation):
    """Warnings of devices alone."""
    return [text for text in simulation.warnings if "GB are free" in text or "were computed by" in text]


def settings(device, **others):
    return Settings(device=device, substeps=2, iterations=2, global_iterations=0, **others)


def test_auto_takes_a_device_for_what_it_can_do_and_gains(monkeypatch, card):
    monkeypatch.setattr(gpu_choice, "work_of", lambda scene, settings: Work(1, 1 << 40))
    assert gpu_choice.settled(sheet(), settings("auto")).device == "cuda:0"
    for other in ({"sleep": True}, {"samples": 2}):
        assert gpu_choice.settled(sheet(), settings("auto", **other)).device == "cuda:0"
    for other in ({"method": "newton"}, {"dtype": "float64"}, {"local_iterations": 2}, {"error_tolerance": 1e-4}):
        assert gpu_choice.settled(sheet(), settings("auto", **other)).device == "cpu"
    assert not left_to_cpu(sheet(), Settings(device="auto", global_iterations=4))
    touching = replace(sheet(), colliders=[Plane("ground", [0, 0, -1], [0, 0, 1])])
    for other in (Settings(device="auto", global_iterations=4), settings("auto")):
        assert not left_to_cpu(touching, other)
    assert not left_to_cpu(block("stable_neo_hookean"), Settings(device="auto", global_iterations=4))
    x, t = cube_of_five(1)
    beside = replace(sheet(), bodies=[*sheet().bodies, SoftBody("block", x, t, Material.solid(**SOFT))])
    assert not left_to_cpu(beside, Settings(device="auto", global_iterations=4))
    monkeypatch.undo()
    assert gpu_choice.settled(sheet(), settings("auto")).device == "cpu"  # 25 vertices


def test_an_index_opens_that_device(monkeypatch, card):
    installed(monkeypatch, Driver([card, Card(b"NVIDIA L4", free=6 << 30)]))
    simulation = Simulation(sheet(), settings("cuda:1"))
    assert simulation._on_device.device.number == 1
    simulation.advance_frame()
    monkeypatch.setattr(simulation._on_device.device, "launches", 0)
    with pytest.raises(WorkerError, match=r"device 1 \(NVIDIA L4\)"):
        simulation.advance_frame()


def test_work_grows_with_the_mesh_and_the_sweeps():
    few, more = (work_of(sheet(), Settings(iterations=n, global_iterations=0)) for n in (2, 4))
    assert 1.5 < more.launches / few.launches < 2.0 and 1.5 < more.moved / few.moved < 2.0
    swept, whole = (work_of(block("stable_neo_hookean"), Settings(global_iterations=n)) for n in (0, 4))
    assert whole.launches > 5 * swept.launches and whole.moved > 5 * swept.moved


def test_memory_that_is_not_there_is_told_before_anything_is_tried(card):
    card.free = 1000
    simulation = Simulation(sheet(), settings("cuda"))
    with pytest.raises(SceneError, match=r"device 0 \(NVIDIA H200\): 0.00 GB are free; wanted 0.00 GB for this scene"):
        simulation.advance_frame()
    assert simulation.state.frame == 1


def test_memory_that_runs_out_stops_cuda_with_the_frames_before(card, monkeypatch):
    """In the second frame, whose numbers are others, so that arrays are made anew."""
    simulation = Simulation(sheet(), settings("cuda"))
    simulation.advance_frame()
    before = simulation.snapshot()
    monkeypatch.setattr(simulation._on_device.device, "uploads", 0)
    with pytest.raises(SceneError, match="set Device to CPU"):
        simulation.advance_frame(FrameInputs(air_density=0.1))
    assert simulation.state.frame == 2 and np.array_equal(simulation.snapshot()["x"][:, :3], before["x"][:, :3])


def test_memory_that_runs_out_lets_auto_go_on_with_the_cpu(card, monkeypatch):
    monkeypatch.setattr(gpu_choice, "work_of", lambda scene, settings: Work(1, 1 << 40))
    monkeypatch.setattr(FailingDevice, "uploads", 3)
    simulation = Simulation(sheet(), settings("auto"))
    assert simulation.settings.device == "cuda:0"
    report = simulation.advance_frame().report
    assert simulation.state.frame == 2 and (report.device, report.fallback) == ("cpu", "the device's memory")
    (told,) = of_device(simulation)
    assert "GB are free; wanted" in told and told.endswith("The CPU goes on instead.")
    simulation.advance_frame()
    assert len(of_device(simulation)) == 1


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_a_device_that_is_lost_ends_the_process_and_the_cpu_can_resume(card, monkeypatch, device):
    """1e-6 m: positions of a metre in single precision, after a frame of four sweeps."""
    monkeypatch.setattr(gpu_choice, "work_of", lambda scene, settings: Work(1, 1 << 40))
    simulation = Simulation(sheet(), settings(device))
    simulation.advance_frame()
    kept = simulation.snapshot()
    monkeypatch.setattr(simulation._on_device.device, "launches", 5)
    with pytest.raises(WorkerError, match=r"NVIDIA H200.*CUDA_ERROR_LAUNCH_FAILED.*Press Resume"):
        simulation.advance_frame()
    again = Simulation(sheet(), settings("cpu"))
    again.restore(kept)
    (told,) = of_device(again)
    assert "Frames up to 2 were computed by a GPU, those after it by the CPU" in told
    whole = Simulation(sheet(), settings("cpu"))
    for _ in range(2):
        frame = whole.advance_frame()
    assert np.abs(again.advance_frame().positions["flag"] - frame.positions["flag"]).max() < 1e-6


def test_a_gpu_goes_on_from_what_the_cpu_has_computed(card):
    before = Simulation(sheet(), settings("cpu"))
    before.advance_frame()
    after = Simulation(sheet(), settings("cuda"))
    after.restore(before.snapshot())
    assert "were computed by the CPU, those after it by a GPU" in of_device(after)[0]
    assert after.advance_frame().report.device == "cuda"
    same = Simulation(sheet(), settings("cuda"))
    same.restore(after.snapshot())
    assert not of_device(same)
