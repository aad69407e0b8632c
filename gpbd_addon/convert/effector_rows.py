"""Blender's weights of force fields, of Cloth and Soft Body alike."""

from __future__ import annotations

from .row import Row, Values, same

#: Weights that mean the same on both sides.
SAME = (
    "gravity", "force", "vortex", "magnetic", "wind", "curve_guide", "texture", "harmonic", "charge", "lennardjones",
    "turbulence", "drag", "smokeflow",
)  # fmt: skip


def _weight(name: str) -> Row:
    return Row(name, "the same", lambda b: {f"effector_weights.{name}": getattr(b.weights, name)}, same)


def _all(b) -> Values:
    return {"effector_weights.all": b.weights.all * b.field_acceleration}


EFFECTOR_ROWS = (
    Row("all", "times the acceleration that Blender's field gives this body: it pushes the area of a cloth, the vertices of "
        "a soft body; ours accelerates", _all, lambda b: b.field_acceleration),
    *(_weight(name) for name in SAME),
    Row("collection", "the same", lambda b: {"effector_weights.collection": b.weights.collection}),
    Row("boid", "of particles"),
    Row("apply_to_hair_growing", "of hair"),
)  # fmt: skip
