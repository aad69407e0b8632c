"""Choice of the device that computes a scene."""

import pytest

from solver import Settings
from solver.device.cuda import failures
from solver.device.cuda.choice import CPU, SERIAL, Work, choose, pays
from solver.device.cuda.probe import Device
from solver.errors import SceneError, WorkerError
from tests.solver.device.cuda.driver import Card, Driver, installed

SMALL, LARGE = Work(launches=200, moved=1 << 20), Work(launches=200, moved=1 << 30)
DEVICE = Device(1, "Test Card", (9, 0), 8 << 30, 3 << 30)


@pytest.mark.parametrize("device", ["cpu", "cuda", "cuda:0", "cuda:12", "auto", SERIAL])
def test_settings_name_a_device(device):
    assert Settings(device=device).device == device


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cuda:01", "cuda: 1", "CUDA", "cuda:99999", 0, None, ["cpu"]])
def test_settings_refuse_what_names_none(device):
    with pytest.raises(SceneError, match=r"device is .*; wanted one of cpu, cuda, auto, or cuda:1"):
        Settings(device=device)


def test_the_cpu_is_chosen_without_a_look_at_the_driver(monkeypatch):
    def look():
        raise AssertionError

    monkeypatch.setattr("solver.device.cuda.choice.probe", look)
    assert choose("cpu", LARGE).kind == CPU
    assert choose("auto", SMALL).kind == CPU
    assert choose(SERIAL, LARGE).kind == SERIAL


def test_cuda_takes_the_first_device_that_can_be_used_and_an_index_the_one_it_names(monkeypatch):
    installed(monkeypatch, Driver([Card(b"Old", (6, 1)), Card(b"New"), Card(b"Newer")]))
    assert choose("cuda", SMALL).device.name == "New"
    assert choose("cuda:2", SMALL).device.name == "Newer"
    assert choose("auto", LARGE).device.name == "New"
    with pytest.raises(SceneError, match=r"device 0 \(Old\): its capability is 6.1; wanted 7.5"):
        choose("cuda:0", LARGE)
    with pytest.raises(
        SceneError, match=r"device is 'cuda:3'; wanted one of cuda:0 \(Old\), cuda:1 \(New\), cuda:2 \(Newer\)"
    ):
        choose("cuda:3", LARGE)


@pytest.mark.parametrize("driver", [None, Driver(version=12040), Driver([]), Driver([Card(allocates=False)])])
def test_without_a_device_auto_takes_the_cpu_and_cuda_says_why(monkeypatch, driver):
    installed(monkeypatch, driver)
    assert choose("auto", LARGE).kind == CPU
    for asked in ("cuda", "cuda:0"):
        with pytest.raises(SceneError, match=r"CUDA.*; wanted .*set Device to CPU"):
            choose(asked, LARGE)


def test_a_package_that_is_missing_refuses_cuda(monkeypatch):
    said = "CUDA: the package numba-cuda-mlir is missing; wanted version 0.6.0. Install it."
    installed(monkeypatch, Driver(), said)
    assert choose("auto", LARGE).kind == CPU
    for asked in ("cuda", "cuda:0"):
        with pytest.raises(SceneError, match="is missing"):
            choose(asked, LARGE)


def test_a_device_pays_from_some_size_on_and_later_beside_more_cores():
    sizes = [1 << power for power in range(10, 34)]
    first = {cores: next(size for size in sizes if pays(Work(200, size), cores)) for cores in (1, 2, 8)}
    assert first[1] < first[2] < first[8]
    for cores, size in first.items():
        assert all(pays(Work(200, larger), cores) for larger in sizes if larger >= size)
        assert not pays(Work(200 * sizes[-1] // size, size), cores)
    assert not pays(Work(10**6, LARGE.moved), 8)


class CudaAPIError(Exception):
    """As numba-cuda-mlir raises it: by the name of the driver's return value."""


def test_memory_that_runs_out_names_what_is_needed_and_what_is_free():
    words = r"device 1 \(Test Card\): 3.22 GB are free; wanted 5.10 GB for this scene"
    with pytest.raises(SceneError, match=words), failures.translated(DEVICE, 5_100_000_000, 3_220_000_000):
        raise CudaAPIError("[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY")
    with pytest.raises(SceneError, match=r"3.22 GB are free; wanted 5.10 GB"), failures.translated(DEVICE):
        failures.check_room(DEVICE, 5_100_000_000, 3_220_000_000)
    failures.check_room(DEVICE, 1, 2)


@pytest.mark.parametrize(
    "answer", ["CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ECC_UNCORRECTABLE"]
)
def test_a_lost_device_ends_the_process_that_used_it(answer):
    """`WorkerError`: the bake lets go of the process, keeps its frames and can be resumed."""
    with pytest.raises(WorkerError, match=rf"Test Card.*{answer}.*Press Resume.*other bits"), failures.translated(DEVICE):
        raise CudaAPIError(f"[719] Call to cuStreamSynchronize results in {answer}")


def test_a_fault_of_ours_is_not_told_as_one_of_the_device():
    with pytest.raises(ZeroDivisionError), failures.translated(DEVICE):
        raise ZeroDivisionError
