"""What a bake reads of one frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...solver.scene import Collider, Field, Grab, ReferenceFrame, Response, ShapeInputs
from . import keyed

Array = np.ndarray


@dataclass
class FrameData:
    """One frame of everything that moves by itself; holds no Blender reference.

    poses: body -> its mesh below our modifier [m], (n, 3), of bodies with pins. colliders: name -> vertices [m], (n, 3).
    inverses: body -> world space in metres to object space, (4, 4), with more than one sample a frame (samples, 4, 4).
    gravity [m/s^2], wind [m/s]: (3,). fields: that act. responses: body -> how it answers these. changed: colliders that
    are other meshes than at the frame before. shapes: cloth -> what shapes it, where any of that is read at every frame.
    attached: cloth -> where surfaces have what follows them [m], (k, 3). references: body -> what it takes along. grabs:
    body -> what an artist does to it by hand.
    numbers: those that may be animated; after the first frame what is other than there.
    """

    number: int
    poses: dict[str, Array]
    colliders: dict[str, Array]
    inverses: dict[str, Array]
    gravity: Array
    wind: Array
    fields: list[Field] = field(default_factory=list)
    responses: dict[str, Response] = field(default_factory=dict)
    changed: dict[str, Collider] = field(default_factory=dict)
    numbers: keyed.Numbers = field(default_factory=keyed.Numbers)
    shapes: dict[str, ShapeInputs] = field(default_factory=dict)
    attached: dict[str, Array] = field(default_factory=dict)
    references: dict[str, ReferenceFrame] = field(default_factory=dict)
    grabs: dict[str, Grab] = field(default_factory=dict)
