"""GPBD: cloth, soft bodies and ropes by generalized position-based dynamics. No Blender here; `scene/` describes it.

The import is cheap: the first `Simulation` imports Numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import (
    CacheError,
    GpbdError,
    MaterialError,
    PresetError,
    SceneError,
    TetrahedralizationError,
    TopologyError,
    UnstableError,
)
from .scene import (
    Cloth,
    Collider,
    Field,
    Goal,
    Grab,
    Map,
    Material,
    Pins,
    Plane,
    Pressure,
    ReferenceFrame,
    Region,
    Response,
    Rigid,
    Rope,
    Scene,
    Settings,
    Sewing,
    ShapeCollider,
    ShapeInputs,
    ShapeMatched,
    SoftBody,
    Tearing,
    Tie,
)
from .scene.presets import load_material
from .topology.splitting import split_edges

if TYPE_CHECKING:
    from .simulation import Frame, FrameInputs, Simulation

__all__ = [
    "CacheError",
    "Cloth",
    "Collider",
    "Field",
    "Frame",
    "FrameInputs",
    "Goal",
    "GpbdError",
    "Grab",
    "Map",
    "Material",
    "MaterialError",
    "Pins",
    "Plane",
    "PresetError",
    "Pressure",
    "ReferenceFrame",
    "Region",
    "Response",
    "Rigid",
    "Rope",
    "Scene",
    "SceneError",
    "Settings",
    "Sewing",
    "ShapeCollider",
    "ShapeInputs",
    "ShapeMatched",
    "Simulation",
    "SoftBody",
    "Tearing",
    "TetrahedralizationError",
    "Tie",
    "TopologyError",
    "UnstableError",
    "load_material",
    "split_edges",
]

_LAZY = ("Frame", "FrameInputs", "Simulation")


def __getattr__(name: str):
    if name in _LAZY:
        from . import simulation

        return getattr(simulation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
