"""Panels, menus and buttons of the extension are registered."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest


@pytest.mark.parametrize("room", ["ui", "operators"])
def test_every_class_that_blender_shows_is_registered(blender, extension, room):
    """A panel that is missing in the list of its room draws in no test, and nobody misses it."""
    package = import_module(f"gpbd.gpbd_addon.{room}")
    shown = (blender.types.Panel, blender.types.Menu, blender.types.Operator)
    missing = []
    for _, name, _ in pkgutil.iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{name}")
        for cls in vars(module).values():
            if isinstance(cls, type) and issubclass(cls, shown) and cls.__module__ == module.__name__:
                missing += [cls.__name__] * (not cls.is_registered)
    assert not missing
