"""`python -m gpbd_addon bake FILE ...` from the repository, with Blender as a module; see `command_line/main.py`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path


def _package() -> str:
    """The name of this package inside the extension's: its relative imports need a root, as Blender gives them one."""
    if __package__ and "." in __package__:
        return __package__
    root = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location("gpbd", root / "__init__.py", submodule_search_locations=[str(root)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{root} cannot be imported as a package")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpbd"] = module
    spec.loader.exec_module(module)
    return "gpbd.gpbd_addon"


def main() -> int:
    """The exit code."""
    try:
        import bpy  # noqa: F401 - whether it is there
    except ImportError:
        print("This Python has no bpy module. Use: blender -b FILE --command gpbd bake", file=sys.stderr)
        return 2
    name = _package()
    addon = importlib.import_module(name)
    addon.register()
    try:
        command_line = importlib.import_module(f"{name}.command_line.main")
        return command_line.main(sys.argv[1:], "python -m gpbd_addon", takes_file=True)
    finally:
        addon.unregister()  # Blender 4.5 hangs at exit while a handler is registered


if __name__ == "__main__":
    sys.exit(main())
