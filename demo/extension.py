"""The extension of this clone, in Blender as a module: imported as the package `gpbd`, as Blender imports extensions."""

from __future__ import annotations

import atexit
import importlib.util
import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parent.parent


def enable() -> None:
    """Register the extension under any folder name. `disable` runs when Python ends, unless it ran before.

    Blender 4.5 as a module hangs at exit while a handler is registered.
    """
    if hasattr(bpy.types.Object, "gpbd"):
        return  # someone has registered it before us
    spec = importlib.util.spec_from_file_location("gpbd", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["gpbd"] = package
    spec.loader.exec_module(package)
    package.register()
    atexit.register(disable)


def disable() -> None:
    """Unregister the extension. A Blender with a window has freed its editors by the time Python ends: call it before."""
    atexit.unregister(disable)
    sys.modules["gpbd"].unregister()


def make_body(ob: bpy.types.Object, body_type: str, card: str) -> None:
    """Make a body as an artist does in the Physics tab: GPBD Cloth or GPBD Soft Body, then a material card of the menu.

    body_type: CLOTH or SOFT_BODY. card: the card's file name without its ending.
    """
    folder = "fabrics" if body_type == "CLOTH" else "solids"
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type=body_type)
    bpy.ops.gpbd.apply_preset(path=str(ROOT / "presets" / folder / f"{card}.toml"))
