"""Settings of the solver that only some methods use: shown and passed on with these only."""

from __future__ import annotations

from typing import Any

from ...solver.scene.settings import GLOBAL_STEP_METHODS, SLEEP_METHODS, STATIC_METHODS

#: Field of `scene.gpbd` and of `solver.Settings` -> the methods that use it.
USED_BY = {
    "global_iterations": GLOBAL_STEP_METHODS,
    "local_iterations": ("gpbd", "gpbd_jacobi"),
    "quasi_static": STATIC_METHODS,
    "sleep": SLEEP_METHODS,
    "relaxation": ("pbng",),
    "chebyshev": ("pbng",),
}


def used_settings(world: Any) -> list[str]:
    """Return the settings that the method of a scene's world uses."""
    return [name for name, methods in USED_BY.items() if world.method.lower() in methods]
