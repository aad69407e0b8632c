"""Shape inputs at a frame: of a cloth rest shape, shrink, pressure, sewing, of a rope shrink; from `object.gpbd`."""

from __future__ import annotations

import hashlib
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import Pressure, Sewing, ShapeInputs
from ..body_kinds import BODY_KINDS
from . import changing_groups, evaluated_mesh, tearing

Array = np.ndarray
#: Weights of groups that nothing changes, by name.
Known = dict[str, Array]


def rest(ob: bpy.types.Object, there: bpy.types.Object, scale: float) -> Array | None:
    """The rest shape key [m], (n, 3), world space; None without one. there: the evaluated object.

    Raises: SceneError if it is missing, or has another number of vertices than are simulated.
    """
    name = ob.gpbd.rest_shape_key
    if not name:
        return None
    keys = ob.data.shape_keys
    if keys is None or name not in keys.key_blocks:
        known = "none" if keys is None else ", ".join(key.name for key in keys.key_blocks)
        raise SceneError(
            f"{ob.name}: the rest shape key '{name}' is missing; the shape keys are: {known}. Choose one of them in the "
            "Shape panel, or clear the field."
        )
    points, n, of = keys.key_blocks[name].data, len(there.data.vertices), tearing.points(there)
    if len(points) != (n if of is None else of.max() + 1):
        raise SceneError(
            f"{ob.name}: the rest shape key '{name}' has {len(points)} vertices; {n} are simulated. Move modifiers that add "
            "vertices after the GPBD modifier, or clear the field."
        )
    x = np.empty(3 * len(points), np.float32)
    points.foreach_get("co", x)
    matrix = evaluated_mesh.world_matrix(there, scale)
    return x.reshape(-1, 3)[slice(None) if of is None else of] @ matrix[:3, :3].T + matrix[:3, 3]


def loose_edges(mesh: bpy.types.Mesh) -> Array:
    """Edges without faces, (k, 2)."""
    edges = evaluated_mesh.edges(mesh)
    of_faces = np.empty(len(mesh.loops), np.int32)
    if len(of_faces):
        mesh.attributes[".corner_edge"].data.foreach_get("value", of_faces)
    return np.delete(edges, np.unique(of_faces), 0)


def shrink(there: bpy.types.Object, known: Known) -> Any:
    """A number or one of each vertex, (n,); None for none. Raises: SceneError if the group is missing."""
    settings = there.gpbd
    if settings.vertex_group_shrink:
        low, high = settings.shrink_min, settings.shrink_max
        return low + (high - low) * _weights(there, settings.vertex_group_shrink, "Shrink Group", known)
    return settings.shrink_min or None


def pressure(there: bpy.types.Object, known: Known) -> Pressure | None:
    """Raises: SceneError if the group is missing."""
    settings = there.gpbd
    if not (settings.use_pressure and _is_sheet(there)):
        return None
    group = settings.vertex_group_pressure
    return Pressure(
        uniform=settings.uniform_pressure_force,
        ambient=settings.pressure_factor,
        target_volume=settings.target_volume if settings.use_pressure_volume else None,
        fluid_density=settings.fluid_density,
        weight=_weights(there, group, "Pressure Group", known) if group else np.asarray(1.0),
    )


def sewing(there: bpy.types.Object) -> Sewing | None:
    """Raises: SceneError if there is no edge without faces, or the group is missing."""
    settings = there.gpbd
    if not settings.use_sewing_springs:
        return None
    edges = loose_edges(there.data)
    if not len(edges):
        raise SceneError(
            f"{there.name}: is to be sewn and has no edge without faces; wanted some, each from one side of a seam to the "
            "other. Bridge the borders by edges alone, or switch Sewing off."
        )
    weight, strength = _sewing_weight(there, edges, {}), settings.seam_strength or None
    return Sewing(edges, force=settings.sewing_force_max or None, weight=weight, strength=strength)


def at(there: bpy.types.Object, stitches: Array | None, pose: Array | None, known: Known) -> ShapeInputs:
    """Read the shape inputs at the depsgraph's frame.

    stitches: of `sewing` at the first frame. pose: its mesh there [m], (n, 3), if that is its rest shape. known: cache of
    groups that do not change; written.
    """
    return ShapeInputs(
        rest_vertices=pose,
        shrink=0.0 if (shares := shrink(there, known)) is None else shares,
        pressure=pressure(there, known),
        sewing_weight=None if stitches is None else _sewing_weight(there, stitches, known),
    )


def changes(ob: bpy.types.Object) -> bool:
    """Return whether any of the inputs has to be read at every frame."""
    settings = ob.gpbd
    if not _is_sheet(ob):
        return _shrinks(ob)
    return bool(_shrinks(ob) or settings.use_dynamic_mesh or settings.use_pressure or settings.use_sewing_springs)


def _is_sheet(ob: bpy.types.Object) -> bool:
    settings: Any = ob.gpbd
    return BODY_KINDS[settings.body_type].sheet


def _shrinks(ob: bpy.types.Object) -> bool:
    settings: Any = ob.gpbd
    return bool(settings.vertex_group_shrink or settings.shrink_min or _is_animated(ob, "gpbd.shrink_min"))


def identity(shape: ShapeInputs | None, made: Sewing | None) -> dict[str, JsonValue]:
    """Return JSON values that must be equal for a cache to be continued; unused inputs are left out."""
    values: dict[str, Any] = {}
    if shape is not None and np.any(shape.shrink):
        values["shrink"] = _hash(shape.shrink)
    if shape is not None and shape.pressure is not None:
        p = shape.pressure
        values["pressure"] = [p.uniform, p.ambient, p.target_volume, p.fluid_density, _hash(p.weight)]
    if made is not None:
        values["sewing"] = [_hash(made.edges), made.force, _hash(made.weight), made.strength]
    return values


def _sewing_weight(there: bpy.types.Object, edges: Array, known: Known) -> Any:
    """Return the weight of each stitch: the smaller of its ends'."""
    settings = there.gpbd
    if not settings.vertex_group_sewing:
        return settings.sewing_strength
    return settings.sewing_strength * _weights(there, settings.vertex_group_sewing, "Sewing Group", known)[edges].min(1)


def _weights(there: bpy.types.Object, group: str, purpose: str, known: Known) -> Array:
    if group in known:
        return known[group]
    clipped = np.clip(evaluated_mesh.weights(there, group, purpose).astype(float), 0.0, 1.0)
    assert there.original is not None
    if not changing_groups.may_change(there.original, there, group):
        known[group] = clipped
    return clipped


def _is_animated(ob: bpy.types.Object, path: str) -> bool:
    data = ob.animation_data
    if data is None:
        return False
    if any(driver.data_path == path for driver in data.drivers):
        return True
    layers = () if data.action is None else data.action.layers
    bags = (bag for layer in layers for strip in layer.strips for bag in strip.channelbags)
    return any(curve.data_path == path for bag in bags for curve in bag.fcurves)


def _hash(values: Any) -> str:
    return hashlib.sha1(np.ascontiguousarray(values).tobytes(), usedforsecurity=False).hexdigest()


def measured_edges(ob: bpy.types.Object, there: bpy.types.Object, pose: Array, scale: float) -> tuple[Array, Array]:
    """Edges of a body's mesh, (e, 2), and their lengths at rest [m]. pose: its mesh [m], (n, 3)."""
    unstretched = rest(ob, there, scale) if BODY_KINDS[ob.gpbd.body_type].sheet and not ob.gpbd.use_dynamic_mesh else None
    ends = evaluated_mesh.edges(there.data)
    x = pose if unstretched is None else unstretched
    return ends, np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1)


def first(ob: bpy.types.Object, there: bpy.types.Object, made: Sewing | None, pose: Array) -> ShapeInputs | None:
    """Return the shape inputs of a cloth or a rope if one of them is read at every frame. pose: its mesh [m], (n, 3)."""
    if not changes(ob):
        return None
    return at(there, None if made is None else made.edges, pose if ob.gpbd.use_dynamic_mesh and _is_sheet(ob) else None, {})
