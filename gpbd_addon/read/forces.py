"""Gravity and uniform wind of a Blender scene."""

from __future__ import annotations

import bpy
import numpy as np


def gravity(scene: bpy.types.Scene) -> np.ndarray:
    """[m/s^2], (3,); zero where the scene's gravity is switched off."""
    return np.array(scene.gravity, dtype=np.float64) if scene.use_gravity else np.zeros(3)


def wind(scene: bpy.types.Scene) -> np.ndarray:
    """Return the velocity of the air [m/s], (3,): that of the Simulation panel. `read.fields` has that of fields."""
    return np.array(scene.gpbd.wind, dtype=np.float64)
