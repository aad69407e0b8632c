"""User's description of a scene: bodies, pins, materials, colliders and settings. Validated data in SI units.

Nothing here imports Numba or Blender. `model.build` turns a `Scene` into the arrays that the solver runs on.
"""

from .body import Body
from .cloth import Cloth
from .collider import Collider, Plane
from .deformable import Deformable, Region
from .field import Field
from .goal import Goal
from .grab import Grab
from .maps import Map
from .material import Material
from .motion import Motion
from .pins import Pins
from .pressure import Pressure
from .reference_frame import ReferenceFrame
from .response import Response
from .rigid import Rigid
from .rope import Rope
from .scene import Scene
from .settings import Settings
from .sewing import Sewing
from .shape import ShapeInputs
from .shape_collider import ShapeCollider
from .shape_matched import ShapeMatched
from .soft_body import SoftBody
from .tearing import Tearing
from .tie import Tie

__all__ = [
    "Body",
    "Cloth",
    "Collider",
    "Deformable",
    "Field",
    "Goal",
    "Grab",
    "Map",
    "Material",
    "Motion",
    "Pins",
    "Plane",
    "Pressure",
    "ReferenceFrame",
    "Region",
    "Response",
    "Rigid",
    "Rope",
    "Scene",
    "Settings",
    "Sewing",
    "ShapeCollider",
    "ShapeInputs",
    "ShapeMatched",
    "SoftBody",
    "Tearing",
    "Tie",
]
