"""`GPBD_TEST_GPU=1`: the tests of this folder run on a GPU in place of its serial twin."""

import os

import pytest

from solver.device.cuda.choice import SERIAL
from solver.stepping.gpu.on_device import OnDevice

IS_ON_GPU = os.environ.get("GPBD_TEST_GPU") == "1"
#: Tests with stand-ins for the packages that reach a GPU, which compare with the twin's bits.
collect_ignore = ["test_as_on_a_gpu.py", "test_device_failures.py"] if IS_ON_GPU else []


@pytest.fixture(autouse=True, scope="session")
def twin_or_gpu():
    if not IS_ON_GPU:
        yield
        return
    from solver.device.cuda.nvidia import CudaDevice

    make = OnDevice._open

    def on_gpu(self, name):
        if name != SERIAL:
            return make(self, name)
        device = CudaDevice(0)
        device.name = SERIAL
        return device

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnDevice, "_open", on_gpu)
        yield
