"""Settings of a scene that settles, and the features of the solver that it needs then."""

from __future__ import annotations

from .features import features
from .scene import Scene
from .settings import Settings


def at_rest(requested: Settings) -> Settings:
    """Whatever method the scene is animated with: its rest is that of the energies, and sweeps get there."""
    return Settings(
        fps=requested.fps,
        iterations=max(requested.iterations, 10),
        dtype="float64",
        threads=requested.threads,
        integrator="bdf1",
        global_iterations=max(requested.global_iterations, 8),
    )


def features_at_rest(scene: Scene, requested: Settings) -> frozenset[str]:
    """`features` of the scene without air and fields, with the settings that it settles with."""
    return features(scene, at_rest(requested)) - {"air", "fields"}
