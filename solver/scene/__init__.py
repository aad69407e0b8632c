"""What a user describes: bodies, pins, materials, colliders and settings. Validated data in SI units.

Nothing here imports Numba or Blender. `model.build` turns a `Scene` into the arrays that the solver runs on.
"""

from .bodies import Cloth, Region, Rigid, SoftBody
from .collider import Collider, Plane
from .material import Material
from .motion import Motion
from .pins import Pins
from .scene import Scene
from .settings import Settings
from .tie import Tie

__all__ = [
    "Cloth",
    "Collider",
    "Material",
    "Motion",
    "Pins",
    "Plane",
    "Region",
    "Rigid",
    "Scene",
    "Settings",
    "SoftBody",
    "Tie",
]
