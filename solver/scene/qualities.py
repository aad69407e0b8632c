"""Qualities: the numbers behind the choices of time against accuracy, of the panel and of scripts."""

from __future__ import annotations

#: Substeps, iterations, solver error to stop below [mm] (0 is none), iterations of *Keep Length*; `Settings.quality`.
QUALITIES = {
    "INTERACTIVE": (3, 3, 0.0, 2),
    "DRAFT": (10, 3, 0.0, 4),
    "PRODUCTION": (24, 4, 0.0, 4),
    "REFERENCE": (80, 6, 0.0, 4),
    "ADAPTIVE": (24, 4, 0.1, 4),
}
