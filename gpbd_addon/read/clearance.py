"""How near bodies start to colliders, and whose outer thickness is more than that.

Blender gives a new collider 20 mm. Bodies that start nearer are pushed away by it: a shirt stands off its wearer, and what
is pushed everywhere takes several times as long.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ...solver.scene import Collider
from . import collision_objects
from .body_input import BodyInput
from .scene_input import World

#: `gpbd.clearance` of a collider that no body starts near to.
FAR = -1.0
#: The smallest outer thickness that Blender takes [Blender units]; what is left to it of the clearance, beside the distance
#: that bodies keep of their own; and what it is rounded down to [m].
LEAST, SHARE, STEP = 1e-3, 0.5, 1e-4


@dataclass(frozen=True)
class Padding:
    """A collider, by its full name, the distance [m] that it keeps, at which a body starts, and to which it is set if it is
    to fit."""

    collider: str
    thickness: float
    clearance: float
    fits: float

    def __str__(self) -> str:
        keeps, room, fits = (1e3 * length for length in (self.thickness, self.clearance, self.fits))
        return (
            f"{self.collider}: keeps {keeps:.3g} mm, and a body starts {room:.3g} mm away; wanted less. "
            f"Set its Thickness Outer to {fits:.3g} mm."
        )


def measure(world: World, scene: bpy.types.Scene) -> None:
    """Keeps in each collider of the world how near a body starts to it, where that is nearer than its outer thickness."""
    for collider in world.colliders:
        ob = scene.objects.get(collider.name)
        if ob is not None and ob.is_editable:
            ob.gpbd.clearance = _clearance(collider, world.bodies)


def too_thick(scene: bpy.types.Scene) -> list[Padding]:
    """The colliders that keep more than the clearance that was measured last; what is as thin as can be is none."""
    scale = scene.unit_settings.scale_length
    found = []
    for ob in collision_objects.find(scene, ()):
        thickness, clearance = ob.collision.thickness_outer, ob.gpbd.clearance / scale
        fits = max(LEAST, np.floor(SHARE * clearance * scale / STEP) * STEP / scale)
        if 0 <= clearance < thickness and fits < thickness - 1e-6:  # stored in single precision
            found.append(Padding(ob.name_full, thickness * scale, clearance * scale, fits * scale))
    return found


def _clearance(collider: Collider, bodies: list[BodyInput]) -> float:
    """The smallest distance [m] of a vertex that collides from the collider's faces, below its thickness, else FAR."""
    tree, nearest = None, np.inf
    for body in bodies:
        if not _collide(collider, body):
            continue
        tree = tree or BVHTree.FromPolygons(collider.vertices.tolist(), collider.triangles.tolist())
        start = body.vertices if body.start is None else body.start
        low, high = (limit(collider.vertices, 0) for limit in (np.min, np.max))
        near = ((start >= low - collider.thickness) & (start <= high + collider.thickness)).all(1)
        for vertex in start[near if body.untouched is None else near & ~body.untouched].tolist():
            distance = tree.find_nearest(vertex, collider.thickness)[3]
            nearest = nearest if distance is None else min(nearest, distance)
    return float(nearest) if np.isfinite(nearest) else FAR


def _collide(collider: Collider, body: BodyInput) -> bool:
    return (collider.touches is None or body.name in collider.touches) and (
        body.touches is None or collider.name in body.touches
    )
