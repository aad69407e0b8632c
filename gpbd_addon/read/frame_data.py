"""Input of a bake at one frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...solver.scene import Collider, Field, Grab, ReferenceFrame, Response, ShapeInputs
from . import keyed

Array = np.ndarray


@dataclass
class FrameData:
    """One frame of all prescribed motion; holds no Blender reference.

    poses: body -> its mesh below our modifier [m], (n, 3), of bodies with pins. colliders: name -> vertices [m], (n, 3).
    inverses: body -> world space in metres to object space, (4, 4), with more than one sample a frame (samples, 4, 4).
    gravity [m/s^2], wind [m/s]: (3,). fields: acting fields. responses: body -> response to these. changed: colliders
    with another mesh than at the frame before. shapes: cloth -> shape inputs, if one of them is read at every frame.
    attached: cloth -> targets of vertices on surfaces [m], (k, 3). references: body -> motion of its reference frame. grabs:
    body -> its recorded grab. numbers: animated ones; after the first frame the differences from it.
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
