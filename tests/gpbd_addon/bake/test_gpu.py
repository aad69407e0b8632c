"""Bakes on a GPU, by its serial twin: one that is lost in the middle, and one that there is none of."""

import numpy as np
import pytest

from solver.device.cuda import choice as device_choice
from solver.device.cuda import nvidia
from solver.device.cuda.device import SerialDevice
from solver.stepping.gpu import on_device
from solver.stepping.gpu.frame import DeviceFrames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache
from tests.solver.device.cuda.driver import Driver, installed


class CudaAPIError(Exception):
    """As numba-cuda-mlir's."""


class Twin(SerialDevice):
    """The serial twin under the name of a GPU."""

    name = "cuda"

    def __init__(self, number=0):
        super().__init__()


@pytest.fixture
def flag(blender, tmp_path, monkeypatch):
    """A sheet that a GPU can do all of, of 14 frames. Workers are threads, which find the GPU that is put there."""
    scenes.workers_in_threads(monkeypatch)
    installed(monkeypatch, Driver())
    monkeypatch.setattr(on_device, "probe", device_choice.probe)
    monkeypatch.setattr(nvidia, "CudaDevice", Twin)
    flag = scenes.cloth(blender, pins=[0, 6], end=14)
    flag.gpbd.self_contact = False
    own = blender.context.scene.gpbd
    own.device, own.global_iterations, own.substeps, own.sleep = "CUDA", 0, 2, False
    scenes.save(blender, tmp_path)
    return flag


def test_a_gpu_that_is_lost_keeps_the_frames_and_the_cpu_resumes(blender, flag, monkeypatch):
    """1e-2 m: the CPU sweeps elements in another order, and two substeps of four sweeps leave that much."""
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.solver.errors import WorkerError

    whole = cache(bake(blender))
    advance, asked = DeviceFrames.advance, []

    def failing(self, *inputs):
        asked.append(inputs)
        if len(asked) == 12:
            raise CudaAPIError("[719] Call to cuStreamSynchronize results in CUDA_ERROR_LAUNCH_FAILED")
        return advance(self, *inputs)

    monkeypatch.setattr(DeviceFrames, "advance", failing)
    job = BakeJob(blender.context.scene)
    with pytest.raises(WorkerError, match=r"Test Card.*CUDA_ERROR_LAUNCH_FAILED.*Press Resume"):
        job.run()
    assert job.report.frames == 12 and job.resumable == "Resume goes on after frame 10."
    assert cache(job).tobytes() == whole[:12].tobytes()
    blender.context.scene.gpbd.device = "CPU"
    resumed = bake(blender, resume=True)
    assert resumed.state == "done" and len(cache(resumed)) == 14
    (told,) = (text for text in resumed.report.warnings if "were computed by" in text)
    assert told.startswith("Frames up to 10 were computed by a GPU, those after it by the CPU")
    assert np.abs(cache(resumed) - whole).max() < 1e-2


def test_a_gpu_that_is_not_there_is_told_before_a_frame_is_written(blender, flag, monkeypatch, tmp_path):
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.solver.errors import SceneError

    installed(monkeypatch, None)
    job = BakeJob(blender.context.scene)
    with pytest.raises(SceneError, match=r"no driver of NVIDIA's .*set Device to CPU"):
        job.run()
    assert not list(tmp_path.rglob("*.pc2"))
    blender.context.scene.gpbd.device = "AUTO"
    assert bake(blender).state == "done"
