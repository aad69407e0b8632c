"""`dev.py gpu` finds a kernel that computes something else than its twin, and a scene that fails."""

import numpy as np
import pytest

from benchmarks.gpu import page
from benchmarks.gpu.checked_device import CheckedDevice, Compared, nudge
from benchmarks.gpu.checks import Check, cases, check
from solver.device.cuda import nvidia
from tests.solver.device.cuda.host_gpu import Kernel, host_gpu


@pytest.fixture
def net():
    return next(case for case in cases() if case[0] == "net, swept")


def test_a_gpu_with_the_twins_bits_has_no_fault(net, monkeypatch):
    host_gpu(monkeypatch)
    found = check(*net, nvidia.CudaDevice, CheckedDevice)
    assert page.failures(found) == []
    assert len(found.kernels) > 40 and found.frames == 4 and found.apart == 0.0
    assert all(one["off"] == one["digits"] == one["choices"] == 0 for one in found.kernels.values())


def test_a_kernel_that_does_half_of_its_threads_is_named(net, monkeypatch):
    """Half of the vertices are not predicted; all later kernels run on that input."""
    host_gpu(monkeypatch)
    launch = Kernel.launch

    def shorter(self, config, count, *numbers):
        launch(self, config, count // (1 + (self.body.name == "predict.predict")), *numbers)

    monkeypatch.setattr(Kernel, "launch", shorter)
    found = check(*net, nvidia.CudaDevice, CheckedDevice)
    assert [text.split()[0] for text in page.failures(found)] == ["predict.predict"]


def test_last_digits_are_told_from_mistakes():
    numbers = np.array([1.0, -2.0, 0.0, np.nan], np.float32)
    nudge(numbers)
    assert numbers[0] == np.float32(1 + 2**-23) and numbers[1] == np.float32(-2 - 2**-22)
    assert numbers[2] == 0.0 and np.isnan(numbers[3])
    off = {"off": 0.3, "choices": 0.0}
    assert page.failures(Check("a", {"sweep": Compared(1).__dict__ | off | {"digits": 1.0}})) == []
    assert page.failures(Check("a", {"sweep": Compared(1).__dict__ | off | {"digits": 1e4}})) != []


def test_what_fails_stands_on_the_page():
    checks = [
        Check("fell", frames=24, intersections=2),
        Check("left", frames=4, on_cpu=3),
        Check("gone", error="exit code -11"),
        Check("well", frames=4),
    ]
    found = {"device": {"name": "A GPU"}, "driver": 13000, "machine": "", "minutes": 1.0, "left_out": ["S1, time"]}
    text = page.text(found | {"times": [], "profiles": {"S1": {"sweep": [2, 3e-5]}}}, checks)
    for wanted in (
        "4 scenes, 1 without fault",
        "2 intersections in 24",
        "CPU did 3 of 4",
        "exit code -11",
        "S1, time: no time",
    ):
        assert wanted in text
    assert "| sweep  | 2        | 15.0" in text
