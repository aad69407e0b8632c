"""Compile Kernels in Preferences."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.gpbd_addon.ui.test_panels import Layout


def processes_below(process):
    """Ids of the processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(parts[1]) == process:
            found.append(int(path.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are listed in /proc")
def test_kernels_are_compiled_beside_blender_and_stopping_leaves_no_process(blender, tmp_path, monkeypatch):
    """Stopped after the first few of hundreds; those are kept. 20 s: a busy machine."""
    from gpbd.gpbd_addon.bake.kernel_job import KernelJob
    from gpbd.solver.device import jit

    monkeypatch.setattr(jit, "_folder", tmp_path)
    job = KernelJob(blender.context.scene)
    job.start()
    longest = 0.0
    while not job.progress:
        began = time.perf_counter()
        assert not job.poll(), job.problems or job.error
        longest = max(longest, time.perf_counter() - began)
        time.sleep(0.01)
    compilers = processes_below(job.worker.process_id)
    assert compilers and job.status.startswith("Compiling kernels ") and longest < 0.1
    job.cancel()
    assert job.poll() and job.state == "cancelled"
    until = time.monotonic() + 20.0
    while any(Path(f"/proc/{process}").exists() for process in compilers):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert list(tmp_path.rglob("*.nbc"))


def test_preferences_have_the_button(blender):
    from gpbd.gpbd_addon.ui.preferences import GPBD_preferences

    layout = Layout(blender)
    rna = SimpleNamespace(properties=GPBD_preferences.__annotations__)
    GPBD_preferences.draw(SimpleNamespace(layout=layout, bl_rna=rna), blender.context)
    assert ("prop", "compile_ahead") in layout.drawn
    assert ("operator", "gpbd.compile_kernels") in layout.drawn
