"""Install CUDA Support, from folders of small wheels; what the panel says of graphics cards."""

import sys
import time
from types import SimpleNamespace

import pytest

from solver.device.cuda.pinned import here, wheels_for
from solver.device.cuda.probe import DetectedDevices, Device
from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import Layout, draw
from tests.solver.device.cuda.test_install import NAMES, make_wheel

CARD = Device(0, "NVIDIA H200", (9, 0), 141 * 10**9, 139 * 10**9)
OLD = Device(1, "Tesla P100", (6, 0), 16 * 10**9, 0, "CUDA device 1 (Tesla P100): its capability is 6.0. Take another.")


@pytest.fixture
def folder(blender):
    from gpbd.gpbd_addon import user_folder
    from gpbd.solver.device.cuda import packages

    found = user_folder.cuda_folder()
    assert not found.exists()
    yield found
    packages.set_folder(None)
    assert not found.exists() and not list(found.parent.glob("cuda*"))


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A folder of wheels, which are those that this Python wants."""
    from gpbd.gpbd_addon.bake import cuda_job
    from gpbd.solver import session

    wheels = tuple(make_wheel(tmp_path, name) for name in NAMES)
    monkeypatch.setattr(session.install, "wheels_here", lambda: wheels)
    _in_a_thread(monkeypatch, cuda_job)
    return tmp_path


def _in_a_thread(monkeypatch, module):
    """Run workers in a thread, which sees a test's changes; `Worker` falls back to it where no process can be started."""
    from gpbd.gpbd_addon.bake import stepped_job
    from gpbd.solver.device import worker

    def no_process(*_):
        raise OSError("not here")

    monkeypatch.setattr(worker.child, "start", no_process)
    worker.end_idle()
    assert stepped_job.Worker is worker.Worker


def test_nothing_is_installed_without_consent_or_a_folder(blender, folder):
    install = blender.ops.gpbd.install_cuda
    with pytest.raises(RuntimeError, match="Tick the box"):
        install(source="FOLDER", directory="/tmp")
    with pytest.raises(RuntimeError, match="name it in the dialog"):
        install(source="FOLDER", agree=True)
    assert not blender.app.online_access
    with pytest.raises(RuntimeError, match="switch it on in Preferences"):
        install(source="INTERNET", agree=True)


def test_a_folder_of_wheels_is_installed_without_internet_and_removed(blender, folder, source):
    before = list(sys.path)
    assert blender.ops.gpbd.remove_cuda() == {"FINISHED"} and not folder.exists()  # nothing to remove
    assert blender.ops.gpbd.install_cuda(source="FOLDER", directory=str(source), agree=True) == {"FINISHED"}
    assert folder.is_dir() and sys.path == before
    assert blender.ops.gpbd.remove_cuda() == {"FINISHED"} and not folder.exists()


def test_a_wheel_that_is_another_is_refused_with_its_name(blender, folder, source):
    make_wheel(source, "beta", "other = 1\n")
    with pytest.raises(RuntimeError, match=r"beta-1.0.*SHA-256"):
        blender.ops.gpbd.install_cuda(source="FOLDER", directory=str(source), agree=True)


def test_esc_leaves_nothing(blender, folder, tmp_path):
    """By a worker process, which is ended in the middle: its wheel is large, and takes longer to read than a step."""
    from gpbd.gpbd_addon.bake.cuda_job import CudaJob
    from gpbd.solver.device.cuda import install

    wheels = wheels_for(*here())
    if not wheels:
        pytest.skip("CUDA has no wheels for this Python")
    for wheel in wheels:
        with (tmp_path / wheel.file).open("wb") as sparse:
            sparse.truncate(4 << 30)
    job = CudaJob(blender.context.scene, str(tmp_path))
    job.start()
    until = time.monotonic() + 60.0
    while not install.unfinished(folder)[0].exists():
        assert not job.poll() and time.monotonic() < until
        time.sleep(0.01)
    job.cancel()
    assert job.poll() and job.state == "cancelled"


@pytest.mark.parametrize(
    ("found", "words", "button"),
    [
        (None, "Looking for a GPU", False),
        (DetectedDevices((CARD,), 13050), "1: NVIDIA H200, 139.0 of 141.0 GB free", False),
        (DetectedDevices((CARD, OLD), 13050), "its capability is 6.0", False),
        (
            DetectedDevices(why="CUDA: there is no driver of NVIDIA's (libcuda.so.1 is not found). Install it."),
            "no driver",
            False,
        ),
        (DetectedDevices((CARD,), 13050, "CUDA: the package numba-cuda-mlir is missing. Press it."), "is missing", True),
    ],
)
def test_the_panel_says_what_was_found_or_why_nothing(blender, monkeypatch, found, words, button):
    from gpbd.gpbd_addon.bake import devices
    from gpbd.gpbd_addon.ui.preferences import GPBD_preferences

    monkeypatch.setattr(devices, "_detected", found)
    blender.context.scene.gpbd.device = "AUTO"
    panel = draw(blender, scenes.cloth(blender), "PHYSICS_PT_gpbd_simulation")
    assert words in panel.text()
    assert (("operator", "gpbd.install_cuda") in panel.drawn) == button
    layout, manager = Layout(blender), blender.context.window_manager
    system = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))
    context = SimpleNamespace(window_manager=manager, preferences=system, region=None)
    known = SimpleNamespace(properties={"compile_ahead": None})
    GPBD_preferences.draw(SimpleNamespace(layout=layout, bl_rna=known), context)
    assert words in layout.text() and ("operator", "gpbd.remove_cuda") in layout.drawn


def test_the_answer_of_a_worker_is_kept(blender, monkeypatch):
    """A process of this machine returns a device or a reason; 60 s: a busy machine."""
    from gpbd.gpbd_addon.bake import devices

    devices.end()
    assert devices.detected() is None  # no worker starts without a window
    until = time.monotonic() + 60.0
    while devices._detect() is not None:
        assert time.monotonic() < until
        time.sleep(0.02)
    found = devices.detected()
    assert bool(found.why) != bool(found.usable)
    devices.end()
    assert devices.detected() is None


@pytest.mark.parametrize(
    ("device", "card", "wanted"), [("CPU", 3, "cpu"), ("CUDA", 0, "cuda"), ("CUDA", 2, "cuda:1"), ("AUTO", 1, "auto")]
)
def test_the_card_of_the_panel_reaches_the_solver(blender, device, card, wanted):
    from gpbd.gpbd_addon.read import scene_input

    own = blender.context.scene.gpbd
    own.device, own.gpu = device, card
    assert scene_input.settings_of(blender.context.scene).device == wanted
