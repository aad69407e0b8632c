"""The Blender side of GPBD: properties, operators, panels, and what joins them to the solver."""

from __future__ import annotations


def _modules() -> tuple:
    """In the order in which they are registered: each needs those before it."""
    from . import handlers, operators, properties, translations, ui
    from .command_line import main as command_line

    return translations, properties, operators, ui, handlers, command_line


def register() -> None:
    """Called by the extension's root when Blender enables it."""
    for module in _modules():
        module.register()


def unregister() -> None:
    """Undo `register` in reverse."""
    for module in reversed(_modules()):
        module.unregister()
