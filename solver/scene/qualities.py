"""Qualities: the numbers behind the choices of time against accuracy that the panel offers, for scripts too."""

from __future__ import annotations

from typing import Any

from . import checks
from .settings import Settings

#: Substeps, iterations, solver error to stop below [mm] (0 is none), iterations of *Keep Length*.
QUALITIES = {
    "DRAFT": (10, 3, 0.0, 4),
    "PRODUCTION": (24, 4, 0.0, 4),
    "REFERENCE": (80, 6, 0.0, 4),
    "ADAPTIVE": (24, 4, 0.1, 4),
}


def settings_of(quality: str, **others: Any) -> Settings:
    """Settings of a quality, named as in `QUALITIES`, in any case. others: further fields of `Settings`.

    Raises: SceneError.
    """
    name = checks.one_of("Settings", "quality", checks.text("Settings", "quality", quality).upper(), QUALITIES)
    substeps, iterations, error, global_iterations = QUALITIES[name]
    return Settings(
        substeps=substeps,
        iterations=iterations,
        error_tolerance=1e-3 * error or None,
        global_iterations=global_iterations,
        **others,
    )
