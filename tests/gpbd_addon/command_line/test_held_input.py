"""A bake that ends with its input ends as well when nobody ends that: the process is not kept by what waits for it."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.gpbd_addon import scenes

ROOT = Path(__file__).resolve().parents[3]


def test_what_waits_for_the_input_keeps_nothing_of_blender(extension):
    """A thread that waits to the end keeps the names of its file."""
    from gpbd.gpbd_addon.command_line import held_input

    of_blender = [name for name, value in vars(held_input).items() if "bpy" in (name, getattr(value, "__name__", ""))]
    assert of_blender == []


@pytest.mark.slow  # a process that imports Blender
def test_a_process_whose_input_is_held_open_ends_with_its_command(blender, tmp_path):
    """Without a body to bake it says so and ends. A minute is ten times the start of Blender on a busy machine."""
    scenes.grid(blender)
    scenes.save(blender, tmp_path)
    command = [sys.executable, "-m", "gpbd_addon", "bake", str(tmp_path / "shot.blend"), "--end-with-input"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    late = threading.Timer(60.0, process.kill)
    late.start()
    try:
        text, code = process.stdout.read(), process.wait()
    finally:
        late.cancel()
        process.communicate()
    assert code == 1 and "no GPBD bodies" in text
