"""Bodies that continue where they are when others come, go or get another mesh, and starts of these at a later frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..body_kinds import BODY_KINDS
from ..read.body_input import BodyInput
from ..read.scene_input import World

#: Identity -> start and mesh of a body that has begun after the first frame, of `BodyInput`.
Late = dict[str, tuple[np.ndarray | None, np.ndarray]]


def kept(before: World, now: World, meshes_before: Mapping[str, Any], meshes: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of each body that continues, and its name before; they take over what belongs to their state.

    meshes: of `edits.meshes`. Written: now.
    """
    known, names = {body.uuid: body for body in before.bodies}, {}
    for body in now.bodies:
        was = known.get(body.uuid)
        if was is None or meshes_before.get(body.uuid) != meshes[body.uuid] or was.topology != body.topology:
            continue
        names[body.name] = was.name
        body.tetrahedra, body.start, body.pose = was.tetrahedra, was.start, was.pose
        if BODY_KINDS[body.kind].material is None:  # a rigid body, whose turn is that of the axes of this shape
            body.vertices = was.vertices
    return names


def late(now: World, kept: Mapping[str, str]) -> list[BodyInput]:
    """Return the bodies that begin."""
    return [body for body in now.bodies if body.name not in kept]


def note(world: World, late: Late) -> None:
    """Note the bodies that have begun after the first frame. Written: late."""
    late.clear()
    late |= {body.uuid: (body.start, body.pose) for body in world.bodies if body.pose is not None}


def take_up(world: World, late: Late) -> None:
    """Let bodies begin as noted. Written: world."""
    for body in world.bodies:
        if body.uuid in late:
            body.start, body.pose = late[body.uuid]
