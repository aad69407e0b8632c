"""For tests in Blender as a module: the repository is imported as the package `gpbd`, as Blender imports extensions."""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Presets, settings and kernel caches of the person who runs the tests stay out of them. Read by Blender when it is imported.
os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="gpbd-blender-"))
# What unsaved files bake outlives Blender on purpose; here it goes with the tests, not with a process that one of them
# starts. Read by Blender when it is imported.
TEMPORARY = "gpbd-temporary-"
if TEMPORARY not in os.environ.get("TMPDIR", ""):
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix=TEMPORARY)
    atexit.register(shutil.rmtree, os.environ["TMPDIR"], ignore_errors=True)


def import_extension():
    """The repository as the package `gpbd`, whatever its folder is called."""
    if "gpbd" not in sys.modules:
        spec = importlib.util.spec_from_file_location("gpbd", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
        module = importlib.util.module_from_spec(spec)
        sys.modules["gpbd"] = module
        spec.loader.exec_module(module)
    return sys.modules["gpbd"]


def _clear_hooks() -> None:
    """Blender 4.5 hangs at exit while one of our handlers or timers is still registered."""
    import bpy

    for name in dir(bpy.app.handlers):
        hooks = getattr(bpy.app.handlers, name)
        if isinstance(hooks, list):
            hooks[:] = [hook for hook in hooks if not hook.__module__.startswith("gpbd.")]


@pytest.fixture(scope="session")
def extension():
    """The package `gpbd`, registered for the session."""
    pytest.importorskip("bpy", reason="Blender is not installed as a module")
    package = import_extension()
    package.register()
    atexit.register(_clear_hooks)
    yield package
    package.unregister()
    _clear_hooks()


@pytest.fixture
def blender(extension):
    """`bpy` with an empty factory scene, unsaved, and the extension registered."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy
