"""Rules of the pairs of objects that touch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...scene import Body, Collider, Plane, Scene


def rules_of(scene: Scene) -> np.ndarray:
    """Return whether bodies (rows) touch bodies, then collider meshes, then planes (columns), each in the scene's order,
    bool.

    Two objects touch if each says so. Contact of a body with itself is not decided here.
    """
    meshes = [c for c in scene.colliders if isinstance(c, Collider)]
    planes = [c for c in scene.colliders if isinstance(c, Plane)]
    columns: list[Body | Collider | Plane] = [*scene.bodies, *meshes, *planes]
    return np.array([[_says(one, other) and _says(other, one) for other in columns] for one in scene.bodies], bool)


def lonely(scene: Scene) -> list[str]:
    """A sentence for each object whose `touches` leaves nothing that it could touch."""
    rules = rules_of(scene)
    columns = [c for c in scene.colliders if isinstance(c, Collider)] + [c for c in scene.colliders if isinstance(c, Plane)]
    bodies, objects = rules.shape
    others = rules & ~np.eye(bodies, objects, dtype=np.bool_)
    found: list[Any] = [item for item, row in zip(scene.bodies, others, strict=True) if not row.any()]
    found += [c for c, column in zip(columns, others[:, len(scene.bodies) :].T, strict=True) if not column.any()]
    return [
        f"{item.name}: touches nothing: {_reason(item)}. Add something to its group, or clear the field."
        for item in found
        if item.touches is not None
    ]


def _says(one: Body | Collider | Plane, other: Body | Collider | Plane) -> bool:
    if not getattr(other, "enabled", True):
        return False
    return one.touches is None or other.name in one.touches or one is other


def _reason(item: Body | Collider | Plane) -> str:
    if not item.touches:
        return "the group of what it touches is empty"
    return f"none of what it names ({', '.join(item.touches)}) is another object that touches it"
