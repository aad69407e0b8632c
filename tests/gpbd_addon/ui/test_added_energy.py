"""An energy in a folder of one's own (GPBD_ENERGIES) appears in the material panel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ADDED = ROOT / "tests" / "solver" / "energies" / "added"

DRAWN = """
import json, os
from tests.gpbd_addon.conftest import _clear_hooks, import_extension
package = import_extension()
package.register()
import bpy
from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import draw
bpy.ops.wm.read_factory_settings(use_empty=True)
ob = scenes.grid(bpy)
bpy.context.view_layer.objects.active = ob
bpy.ops.gpbd.add_body(body_type="CLOTH")
items = [item.identifier for item in ob.gpbd.bl_rna.properties["stretch_model"].enum_items]
ob.gpbd.stretch_model = "plain_membrane"
drawn = [list(one) for one in draw(bpy, ob, "PHYSICS_PT_gpbd_material").drawn]
package.unregister()
_clear_hooks()
print(json.dumps([items, drawn]), flush=True)
os._exit(0)
"""


@pytest.mark.slow
def test_the_material_panel_offers_an_added_energy_and_its_numbers():
    pytest.importorskip("bpy", reason="Blender is not installed as a module")
    environment = os.environ | {"GPBD_ENERGIES": str(ADDED)}
    command = [sys.executable, "-c", DRAWN]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    items, drawn = json.loads(done.stdout.splitlines()[-1])
    assert "plain_membrane" in items
    names = {what.removesuffix("_shown") for kind, what, *_ in drawn if kind == "prop"}
    assert {"young", "poisson"} <= names
