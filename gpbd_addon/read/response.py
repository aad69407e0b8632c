"""Response of a body to gravity, air and force fields: its own numbers at the depsgraph's frame."""

from __future__ import annotations

import bpy

from ...solver.scene import Response
from ..properties.effector_weights import KINDS
from . import evaluated_mesh, object_names


def of_bodies(
    names: list[str],
    bodies: list[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
    scale: float,
    called: object_names.Called = object_names.now,
) -> dict[str, Response]:
    """Return the responses by the names of the bodies. See `read`."""
    return {
        name: read(ob, evaluated_mesh.evaluated(ob, depsgraph), scale, called)
        for name, ob in zip(names, bodies, strict=True)
    }


def read(
    ob: bpy.types.Object, there: bpy.types.Object, scale: float, called: object_names.Called = object_names.now
) -> Response:
    """Read the response of a body. there: the evaluated object. scale: metres of a Blender unit. called: gives names of
    objects."""
    settings = there.gpbd
    weights = settings.effector_weights
    own_air = (settings.air_density, settings.drag, settings.lift) if settings.own_air else (None, None, None)
    return Response(
        gravity=weights.gravity,
        fields=weights.all,
        kinds={kind: getattr(weights, name) for name, kind in KINDS.items() if getattr(weights, name) != 1.0},
        only=_only(ob, weights.collection, called),
        charge=settings.charge,
        size=settings.point_size * scale,
        air_density=own_air[0],
        drag=own_air[1],
        lift=own_air[2],
    )


def _only(ob: bpy.types.Object, collection: bpy.types.Collection | None, called: object_names.Called) -> list[str] | None:
    """Return the names of objects whose fields act on a body: of a collection, or of all, without its own; None for all."""
    if collection is None and (ob.field is None or ob.field.type == "NONE"):
        return None
    owners = bpy.data.objects if collection is None else collection.all_objects
    return sorted(called(one) for one in owners if one.name_full != ob.name_full and one.field is not None)
