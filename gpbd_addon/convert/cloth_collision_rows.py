"""Collision properties of Blender's Cloth, and their counterparts."""

from __future__ import annotations

from ..read.collision_objects import FRICTION_FACTOR
from .cloth_source import ClothSource
from .row import Row, Values

#: Blender's default distance [units].
USUAL = 0.015
IMPULSE = "not needed: a substep with an unresolved contact is solved again in shorter ones"


def _collection(b: ClothSource) -> Values:
    return {"contact_collection": b.collision.collection} if b.collision.use_collision else {}


def _untouched(b: ClothSource) -> Values:
    at = b.collision
    return {"no_contact_group": at.vertex_group_object_collisions or at.vertex_group_self_collisions}


CLOTH_COLLISION_ROWS = (
    Row("use_collision", "the same", lambda b: {"object_contact": b.collision.use_collision}),
    Row("distance_min", "the same, at most a quarter of an edge; 0.015, which Blender begins with, is automatic: what suits "
        "the mesh", lambda b: {"thickness": b.distance(b.collision.distance_min, USUAL)}),
    Row("friction", f"times {FRICTION_FACTOR}, a Coulomb coefficient, as colliders are read",
        lambda b: {"friction": b.collision.friction * FRICTION_FACTOR},
        lambda b: FRICTION_FACTOR),
    Row("damping", "a cloth keeps no speed along the normal of a contact, which is 1"),
    Row("collection", "the same; it then collides with no other body that is not in it", _collection),
    Row("use_self_collision", "the same", lambda b: {"self_contact": b.collision.use_self_collision}),
    Row("self_distance_min", "the same, at most a quarter of an edge; where it equals the other, 0, which is as that one",
        lambda b: {"self_thickness": b.distance(b.collision.self_distance_min, b.collision.distance_min)}),
    Row("self_friction", "the friction with itself is the other; a collider's own sets that with it apart"),
    Row("vertex_group_self_collisions", "one group for both: that of objects, else this; weights from 0.5 on", _untouched),
    Row("vertex_group_object_collisions", "one group for both; weights from 0.5 on", _untouched),
    Row("collision_quality", "not needed: contacts are found and solved in every substep"),
    Row("impulse_clamp", IMPULSE),
    Row("self_impulse_clamp", IMPULSE),
)  # fmt: skip
