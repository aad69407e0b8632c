"""Collision partners of an object, body or collider: the two fields of the panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...solver.errors import SceneError
from . import evaluated_mesh, object_names

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object

Array = np.ndarray


def touches(settings: GPBD_PG_object, called: object_names.Called = object_names.now) -> list[str] | None:
    """Return the names of collision partners: the objects of its collection and of nested ones; None for all.

    Without *Object Collisions* it is the object alone.
    """
    if not settings.object_contact:
        return [called(settings.id_data)]
    if settings.contact_collection is None:
        return None
    return sorted(called(ob) for ob in settings.contact_collection.all_objects)


def untouched(ob: bpy.types.Object, there: bpy.types.Object) -> Array | None:
    """Vertices with at least half the weight in its No Collision Group, (n,) bool; None without a group.

    there: the object evaluated. Raises: SceneError if the group is missing or has no such vertex.
    """
    group = ob.gpbd.no_contact_group
    if not group:
        return None
    in_group = evaluated_mesh.weights(there, group, "No Collision Group") >= 0.5
    if not in_group.any():
        raise SceneError(
            f"{ob.name_full}: no vertex has a weight of 0.5 or more in the No Collision Group '{group}'. Assign some, or "
            "clear the field."
        )
    return in_group


def without_contact(untouched: Array | None) -> Array:
    """Return the numbers of vertices without contact, (k,). untouched: of `untouched`."""
    return np.zeros(0, np.int64) if untouched is None else np.flatnonzero(untouched)
