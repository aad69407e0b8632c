"""Gravity and wind of a Blender scene."""

from __future__ import annotations

import bpy
import numpy as np


def gravity(scene: bpy.types.Scene) -> np.ndarray:
    """[m/s^2], (3,); zero where the scene's gravity is switched off."""
    return np.array(scene.gravity, dtype=np.float64) if scene.use_gravity else np.zeros(3)


def wind(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Velocity of the air [m/s], (3,), the same everywhere.

    The sum of the wind of the GPBD scene panel and, for each Wind force field, its strength in m/s along the object's
    own +Z axis. Falloff, noise and flow of the field are not used.
    """
    velocity = np.array(scene.gpbd.wind, dtype=np.float64)
    for ob in scene.objects:
        if ob.field is not None and ob.field.type == "WIND":
            there = ob.evaluated_get(depsgraph)
            if there.is_evaluated:
                axis = np.array(there.matrix_world, dtype=np.float64)[:3, 2]
                velocity += there.field.strength * axis / max(float(np.linalg.norm(axis)), 1e-30)
    return velocity
