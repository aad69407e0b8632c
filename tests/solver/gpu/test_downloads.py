"""Download after a frame: positions and numbers; the rest of a state stays on the device until it is read."""

import numpy as np
import pytest

from solver import Settings, Simulation
from solver.stepping.gpu.frame import DeviceFrames
from tests.covering_set import long
from tests.scenes import touching
from tests.scenes.every_energy import SCENES
from tests.scenes.thrown import NORMALS, thrown

#: All that a report takes, beside the positions [B].
NUMBERS = 20_000
CONTACT = {"pairs": touching.fold, "planes": lambda: thrown(NORMALS["corner"])}
ALL = {"net": SCENES["net"], "solid": SCENES["stable_neo_hookean"], **CONTACT}
ALL["whole net"] = SCENES["net"]
#: Iterations of the global step; its kernels, and those of pairs, take long to compile.
WHOLE = {"whole net": 4, "pairs": 4}
NAMES = pytest.mark.parametrize("name", [*(name for name in ALL if name not in WHOLE), *long(*WHOLE)])


def simulation(name, **settings):
    numbers = {"substeps": 4, "iterations": 3, "threads": 1, "global_iterations": WHOLE.get(name, 0)} | settings
    return Simulation(ALL[name](), Settings(device="cuda-serial", **numbers))


@NAMES
def test_positions_and_numbers_come_down(name):
    made = simulation(name)
    for _ in range(4):
        assert made.advance_frame().report.device == "cuda-serial"
        assert made._on_device.device.counters.down < made._state.x.nbytes + NUMBERS


@pytest.fixture
def failing(monkeypatch):
    """A list; while it is not empty, the device leaves the next frame to the CPU at its end."""
    has_inverted, failed = DeviceFrames._has_inverted, []

    def watched(frames):
        return bool(failed and failed.pop()) or has_inverted(frames)

    monkeypatch.setattr(DeviceFrames, "_has_inverted", watched)
    return failed


@NAMES
def test_whether_somebody_looks_changes_no_bit_and_the_cpu_goes_on_from_a_frames_start(name, failing):
    """No tolerance. The fourth frame is found to be the CPU's when the device is through with it."""
    both = []
    for looks in (False, True):
        made, found = simulation(name), []
        for number in range(7):
            failing[:] = [True] if number == 3 else []
            frame = made.advance_frame()
            assert (frame.report.device == "cpu") == (number == 3)
            found.append(np.concatenate(list(frame.positions.values())))
            if looks:
                assert np.isfinite(made.state.v).all() and (made.contact is None or made.contact.results.statistics())
        both.append(found)
    assert all(np.array_equal(one, other) for one, other in zip(*both, strict=True))


@NAMES
def test_a_snapshot_is_that_of_the_device(name):
    """A simulation that continues from it has the same bits."""
    made = simulation(name)
    for _ in range(3):
        made.advance_frame()
    kept, other = made.snapshot(), simulation(name)
    other.restore(kept)
    for _ in range(3):
        one, another = made.advance_frame(), other.advance_frame()
    assert all(np.array_equal(one.positions[body], another.positions[body]) for body in one.positions)
