"""Kernels compiled before the first bake needs them: a short list of them, and timers that the test calls."""

import os
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import Layout, draw

LONG = 300.0  # seconds that a busy machine may take for a process of low priority


class Timers:
    """Stands for `bpy.app.timers`."""

    def __init__(self):
        self.registered = {}

    def register(self, function, first_interval=0.0, persistent=False):
        assert persistent, "Blender would forget it when it loads a file"
        self.registered[function] = first_interval

    def unregister(self, function):
        del self.registered[function]

    def is_registered(self, function):
        return function in self.registered

    def run(self, until):
        """Call the registered timers, as Blender does when they are due, until a condition is True."""
        end = time.monotonic() + LONG
        while not until():
            assert self.registered and time.monotonic() < end
            for function in list(self.registered):
                if function() is None and function in self.registered:
                    del self.registered[function]
            time.sleep(0.02)


@pytest.fixture
def ahead(blender, tmp_path, monkeypatch):
    """The module, in a Blender with a window and an empty folder of kernels; the list is of three small kernels."""
    from gpbd.gpbd_addon.bake import compile_ahead, kernel_cache
    from gpbd.solver.device import ahead, jit

    plain = (kernel for kernel in ahead.record() if not kernel.made_for)
    quick = sorted(plain, key=lambda kernel: kernel.seconds)[:3]
    kernels = [replace(kernel, seconds=100.0, features=frozenset()) for kernel in quick]
    monkeypatch.setattr(ahead, "record", lambda: kernels)
    monkeypatch.setattr(jit, "_folder", tmp_path)
    monkeypatch.setattr(kernel_cache, "prepare", lambda: "")
    app = SimpleNamespace(background=False, factory_startup=False, timers=Timers())
    monkeypatch.setattr(compile_ahead, "bpy", SimpleNamespace(app=app, context=blender.context))
    compile_ahead.timers, compile_ahead.app = app.timers, app
    yield compile_ahead
    compile_ahead.end()
    compile_ahead.problems.clear()
    del compile_ahead.timers, compile_ahead.app


def drawn(blender):
    from gpbd.gpbd_addon.ui.compiling import draw_compiling

    layout = Layout(blender)
    draw_compiling(layout, blender.context)
    return layout.text()


def preferences(blender):
    from gpbd.gpbd_addon.ui.preferences import GPBD_preferences

    layout = Layout(blender)
    known = SimpleNamespace(properties={"compile_ahead": None})
    context = SimpleNamespace(  # Blender without a window has no scale of it
        region=None,
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
        window_manager=blender.context.window_manager,
    )
    GPBD_preferences.draw(SimpleNamespace(layout=layout, bl_rna=known), context)
    return layout


def test_enabling_compiles_by_one_process_of_low_priority_and_goes_on_where_it_stopped(ahead, blender, tmp_path):
    ahead.begin()
    ahead.begin()
    assert len(ahead.timers.registered) == 1 and ahead.progress() is None and drawn(blender) == ""
    ahead.timers.run(lambda: ahead.progress() is not None)
    (worker,) = ahead._compiling._workers
    assert drawn(blender) == "Compiling kernels 0 of 3"
    assert "Compiling kernels 0 of 3" in draw(blender, scenes.cloth(blender), "PHYSICS_PT_gpbd").text()
    ahead.timers.run(lambda: ahead.progress() is None or ahead.progress()[0] > 0)
    if hasattr(os, "getpriority") and ahead.progress():
        assert os.getpriority(os.PRIO_PROCESS, worker.process_id) > os.getpriority(os.PRIO_PROCESS, 0)
    ahead.end()
    assert worker._end._process.poll() is not None and not ahead.timers.registered and drawn(blender) == ""
    kept = (tmp_path / "solver-ahead.txt").read_text().split()
    assert kept and len(set(kept)) == len(kept)
    ahead.begin()
    ahead.timers.run(lambda: not ahead.timers.registered)
    after = (tmp_path / "solver-ahead.txt").read_text().split()
    assert len(after) == len(set(after)) == 3 and after[: len(kept)] == kept and ahead.problems == []


def test_where_all_is_compiled_no_process_is_started(ahead, monkeypatch, tmp_path):
    from gpbd.solver.device import ahead as device

    (tmp_path / "solver-ahead.txt").write_text("\n".join(kernel.key for kernel in device.record()))
    monkeypatch.setattr(device, "_worker", None)
    ahead.begin()
    ahead.timers.run(lambda: not ahead.timers.registered)
    assert ahead.problems == [] and not (tmp_path / ahead.LOCK).exists()


def test_a_second_blender_waits_for_the_first_and_takes_over(ahead, blender, tmp_path, monkeypatch):
    from gpbd.solver.cache.lock import Lock

    first = Lock(tmp_path / ahead.LOCK)
    first.take()
    ahead.begin()
    ahead.timers.run(ahead.waits)
    assert ahead.progress() is None and ahead.timers.registered
    assert "Another Blender is compiling" in preferences(blender).text()
    first.release()
    ahead.timers.run(lambda: ahead.progress() is not None)
    assert not ahead.waits()


@pytest.mark.parametrize("name", ["background", "factory_startup"])
def test_a_farm_and_a_test_run_compile_nothing_beforehand(ahead, name):
    setattr(ahead.app, name, True)
    ahead.begin()
    assert not ahead.timers.registered


def test_preferences_switch_it_off(ahead, blender, monkeypatch):
    from gpbd.gpbd_addon.identifiers import ADDON_ID
    from gpbd.gpbd_addon.ui import preferences as page

    own = SimpleNamespace(compile_ahead=True)
    addons = {ADDON_ID: SimpleNamespace(preferences=own)}
    monkeypatch.setattr(ahead.bpy, "context", SimpleNamespace(preferences=SimpleNamespace(addons=addons)))
    ahead.begin()
    ahead.timers.run(lambda: ahead.progress() is not None)
    own.compile_ahead = False
    page._follow(own, None)
    assert ahead.progress() is None
    ahead.timers.run(lambda: not ahead.timers.registered)
    assert ahead.progress() is None


def test_what_goes_wrong_is_told_in_preferences_and_not_tried_again(ahead, blender, monkeypatch):
    from gpbd.solver.device import ahead as device

    wrong = device.Listed("stepping.integrate", "no_such_kernel", [], [], frozenset(), 100.0)
    monkeypatch.setattr(device, "record", lambda: [wrong])
    ahead.begin()
    ahead.timers.run(lambda: not ahead.timers.registered)
    assert len(ahead.problems) == 1 and "no_such_kernel" in ahead.problems[0]
    assert "no_such_kernel" in preferences(blender).text()
    ahead.begin()
    assert not ahead.timers.registered


def test_no_process_of_python_is_told(ahead, monkeypatch):
    """Blender itself must not compile: its window would stand still."""
    from gpbd.solver.device import worker

    def none(*_):
        raise OSError("not here")

    monkeypatch.setattr(worker._Process, "__init__", none)
    ahead.begin()
    ahead.timers.run(lambda: not ahead.timers.registered)
    assert ahead.problems[0].startswith("No process of Python could be started (not here). ")


def test_a_job_stops_it_and_it_goes_on_afterwards(ahead, blender):
    from gpbd.gpbd_addon.bake.stepped_job import DONE, SteppedJob

    class Short(SteppedJob):
        def _begin(self, scene):
            assert ahead.progress() is None and not ahead.timers.registered
            return self._run()

        def _run(self):
            yield from ()
            return DONE

    ahead.begin()
    ahead.timers.run(lambda: ahead.progress() is not None)
    job = Short(blender.context.scene)
    job.start()
    assert job.poll() and job.state == DONE
    assert ahead.timers.registered
