"""GPBD: cloth and soft bodies for Blender. Blender calls `register` and `unregister`; nothing is imported before.

Test runners execute this file too, outside Blender and under any folder name: keep it free of imports.
"""


def register() -> None:
    """Called by Blender when the extension is enabled."""
    from . import gpbd_addon

    gpbd_addon.register()


def unregister() -> None:
    """Called by Blender when the extension is disabled."""
    from . import gpbd_addon

    gpbd_addon.unregister()
