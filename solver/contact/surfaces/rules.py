"""Rules of the pairs of objects that touch."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ...scene import Collider, Plane, Scene, ShapeCollider
from ...scene.body import Body

#: An object that may touch others.
Item: TypeAlias = Body | Collider | Plane | ShapeCollider


def rules_of(scene: Scene) -> np.ndarray:
    """Return whether bodies (rows) touch bodies, then collider meshes, planes and shapes (columns), each in the scene's
    order, bool.

    Two objects touch if each says so. Contact of a body with itself is not decided here.
    """
    columns = [*scene.bodies, *_colliders(scene)]
    return np.array([[_says(one, other) and _says(other, one) for other in columns] for one in scene.bodies], bool)


def lonely(scene: Scene) -> list[str]:
    """A sentence for each object whose `touches` leaves nothing that it could touch. One that names itself alone says so."""
    rules = rules_of(scene)
    columns = _colliders(scene)
    bodies, objects = rules.shape
    others = rules & ~np.eye(bodies, objects, dtype=np.bool_)
    untouched: list[Item] = [item for item, row in zip(scene.bodies, others, strict=True) if not row.any()]
    untouched += [c for c, column in zip(columns, others[:, len(scene.bodies) :].T, strict=True) if not column.any()]
    return [
        f"{item.name}: touches nothing: {_reason(item)}. Add something to its group, or clear the field."
        for item in untouched
        if item.touches is not None and list(item.touches) != [item.name]
    ]


def _colliders(scene: Scene) -> list[Item]:
    return [c for kind in (Collider, Plane, ShapeCollider) for c in scene.colliders if isinstance(c, kind)]


def _says(one: Item, other: Item) -> bool:
    if not getattr(other, "enabled", True):
        return False
    return one.touches is None or other.name in one.touches or one is other


def _reason(item: Item) -> str:
    if not item.touches:
        return "the group of what it touches is empty"
    return f"none of what it names ({', '.join(item.touches)}) is another object that touches it"
