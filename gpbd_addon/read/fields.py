"""Blender's force fields as the solver's, at the depsgraph's frame; and their unused settings, in words.

Strengths are accelerations in m/s^2, as on Blender's particles of 1 kg, distances are Blender's units.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...solver.scene import Field
from . import evaluated_mesh, grid_fields, object_names

Array = np.ndarray

#: Blender's kinds -> those of the solver; boids have no effect on other objects.
KINDS = {
    "FORCE": "force", "WIND": "wind", "VORTEX": "vortex", "MAGNET": "magnetic", "HARMONIC": "harmonic", "CHARGE": "charge",
    "LENNARDJ": "lennard_jones", "TURBULENCE": "turbulence", "DRAG": "drag", "TEXTURE": "texture",
    "FLUID_FLOW": "fluid_flow", "GUIDE": "curve_guide",
}  # fmt: skip
SHAPES = {"POINT": "point", "LINE": "line", "PLANE": "plane", "SURFACE": "surface", "POINTS": "points"}
SIDES = {"BOTH": "both", "POSITIVE": "positive", "NEGATIVE": "negative"}
#: Kinds that Blender gives neither noise nor flow, or no flow; a curve guide has no axis for falloff.
QUIET, STILL = {"texture", "curve_guide"}, {"texture", "curve_guide", "harmonic", "drag"}
#: Curves that a path leads along are of one of these types.
CURVES = {"CURVE", "FONT", "SURFACE"}


def find(scene: bpy.types.Scene, called: object_names.Called = object_names.now) -> list[bpy.types.Object]:
    """Objects that have a field, in the order of their names."""
    sources = [ob for ob in scene.objects if ob.field is not None and ob.field.type != "NONE"]
    return sorted(sources, key=called)


def read(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    scale: float,
    box: tuple[Array, Array],
    called: object_names.Called = object_names.now,
) -> list[Field]:
    """The fields that act. scale: metres of a Blender unit. box: lowest and highest corner of all bodies at the first
    frame [m]. called: gives their names. Raises: SceneError."""
    fps = scene.render.fps / scene.render.fps_base
    named = ((called(ob), ob.evaluated_get(depsgraph)) for ob in find(scene, called))
    fields = (_read(name, ob, scale, fps, box) for name, ob in named)
    return [one for one in fields if one is not None]


def unused(scene: bpy.types.Scene) -> list[str]:
    """Return a sentence for each field of the scene, or setting of one, without effect on bodies."""
    sentences = [sentence for ob in find(scene) for sentence in _unused(ob)]
    for ob in scene.objects:
        for system in ob.particle_systems:
            sources = [getattr(system.settings, f"force_field_{k}", None) for k in (1, 2)]
            if any(source is not None and source.type not in ("NONE", "BOID") for source in sources):
                sentences.append(
                    f"{ob.name}: the particles of '{system.name}' have force fields, which do not act on bodies. Give the "
                    "field to an object, such as the emitter with the shape Every Point."
                )
    return sentences


def _read(name: str, ob: bpy.types.Object, scale: float, fps: float, box: tuple[Array, Array]) -> Field | None:
    settings = ob.field
    kind = KINDS.get(settings.type)
    if kind is None or not ob.is_evaluated or not (settings.apply_to_location or kind == "curve_guide"):
        return None
    if kind == "texture" and settings.texture is None:
        return None
    if settings.type == "WIND" and ob.original.gpbd.wind_as_air:
        kind_values: dict[str, Any] = {"as_air": True}
    else:
        kind_values = {"flow": 0.0 if kind in STILL else settings.flow, "along_normal": settings.wind_factor}
    shape = shape_of(ob)
    geometry = _geometry(ob, kind, shape, scale)
    if geometry is None:
        return None
    matrix = evaluated_mesh.world_matrix(ob, scale)
    axis = matrix[:3, 2] if matrix[:3, 2].any() else np.array([0.0, 0.0, 1.0])
    strength, size, damping = settings.strength, settings.size * scale, settings.harmonic_damping
    if kind == "harmonic":
        size = settings.rest_length * scale
    elif kind == "drag":
        strength, damping = settings.linear_drag, settings.quadratic_drag  # named the other way round in Blender
    elif kind == "curve_guide":
        strength, damping = _speed(ob, geometry["points"], fps), fps
    source = (ob, settings, scale, box)
    if kind == "texture":
        kind_values |= grid_fields.texture(*source)
    elif kind == "fluid_flow":
        flow = grid_fields.fluid(ob, settings, scale)
        if flow is None:
            return None
        kind_values |= flow
    angular = settings.falloff_type == "CONE"
    across = 1.0 if angular else scale
    least = settings.guide_minimum if kind == "curve_guide" else settings.distance_min if settings.use_min_distance else 0.0
    return Field(
        name,
        kind,
        strength=strength,
        location=matrix[:3, 3],
        axis=axis,
        shape=shape,
        falloff=settings.falloff_type.lower(),
        power=settings.falloff_power,
        min_distance=least * scale,
        max_distance=settings.distance_max * scale if settings.use_max_distance else None,
        radial_power=settings.radial_falloff,
        min_radius=settings.radial_min * across if settings.use_radial_min else 0.0,
        max_radius=settings.radial_max * across if settings.use_radial_max else None,
        side=SIDES[settings.z_direction],
        inverse_square=kind == "force" and settings.use_gravity_falloff,
        noise=0.0 if kind in QUIET else settings.noise,
        seed=settings.seed,
        size=size,
        damping=damping,
        in_world=settings.use_global_coords,
        unit=scale,
        **geometry,
        **kind_values,
    )


def shape_of(ob: bpy.types.Object) -> str:
    """Return the shape of a field's source; an object without a mesh is a point."""
    shape = SHAPES[ob.field.shape]
    if ob.field.type == "GUIDE" or (shape == "surface" and ob.type != "MESH"):
        return "point"
    return shape


def _geometry(ob: bpy.types.Object, kind: str, shape: str, scale: float) -> dict[str, Any] | None:
    """Return the geometry of the shape, for `Field`; None if it is empty, so that no field acts."""
    if kind == "curve_guide":
        points = _path(ob, scale) if ob.type in CURVES else np.zeros((0, 3))
        return {"points": points} if len(points) > 1 else None
    if shape not in ("surface", "points"):
        return {}
    if ob.type != "MESH" or not len(ob.data.vertices) or (shape == "surface" and not len(ob.data.polygons)):
        return None
    x = evaluated_mesh.world_positions(ob, scale)
    if shape == "surface":
        return {"points": x, "triangles": evaluated_mesh.world_triangles(ob)}
    normals = np.empty(3 * len(x), np.float32)
    ob.data.vertex_normals.foreach_get("vector", normals)
    turned = normals.reshape(-1, 3) @ np.array(ob.matrix_world, float)[:3, :3].T
    return {"points": x, "normals": turned / np.maximum(np.linalg.norm(turned, axis=1), 1e-30)[:, None]}


def _path(ob: bpy.types.Object, scale: float) -> Array:
    """The points of a curve's first spline, as it is drawn [m], (k, 3)."""
    mesh = ob.to_mesh()
    try:
        x = evaluated_mesh.local_positions(mesh).astype(float) if mesh is not None else np.zeros((0, 3))
    finally:
        ob.to_mesh_clear()
    splines = ob.data.splines
    if len(splines) and len(x) and splines[0].use_cyclic_u:
        x = np.concatenate([x, x[:1]])
    matrix = evaluated_mesh.world_matrix(ob, scale)
    return x @ matrix[:3, :3].T + matrix[:3, 3]


def _speed(ob: bpy.types.Object, points: Array, fps: float) -> float:
    """Return the speed of motion along the whole path in the curve's path duration [m/s]."""
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return length / max(ob.data.path_duration / fps, 1e-9)


def _unused(ob: bpy.types.Object) -> Iterable[str]:
    settings = ob.field
    name = settings.bl_rna.properties["type"].enum_items[settings.type].name
    if settings.type == "BOID":
        yield f"{ob.name}: is a Boid field, which only boids follow. Use a Force field instead."
        return
    if KINDS.get(settings.type) is None:
        yield f"{ob.name}: is a {name} field, which bodies do not know. Use another kind."
        return
    if settings.type == "GUIDE":
        if ob.type not in CURVES:
            yield f"{ob.name}: is a Curve Guide and no curve. Give the field to a curve."
        elif (
            settings.guide_kink_type != "NONE"
            or settings.guide_clump_amount
            or settings.guide_free
            or settings.use_guide_path_weight
        ):
            yield f"{ob.name}: clump, kink, free time and weights of a guide are those of hair. Expect a plain path."
        return
    if not settings.apply_to_location:
        yield f"{ob.name}: Location is off, so the {name} field does nothing to bodies. Switch Affect Location on."
    if settings.use_absorption:
        yield f"{ob.name}: colliders do not absorb its {name} field: Absorption is not used. Keep bodies out of its reach."
    if settings.type == "TEXTURE" and settings.texture is None:
        yield f"{ob.name}: the Texture field has no texture. Choose one."
    elif settings.type == "TEXTURE" and grid_fields.is_flat(settings):
        yield f"{ob.name}: Nabla is 0, so the Texture field has no slope and does nothing. Set Nabla to 0.1."
    if settings.type == "FLUID_FLOW":
        yield from grid_fields.unused_fluid(ob, settings)
    if settings.shape in ("SURFACE", "POINTS") and ob.type != "MESH":
        does = "acts from the object's origin" if settings.shape == "SURFACE" else "does nothing"
        yield f"{ob.name}: has no mesh, so its {name} field {does}. Choose another shape."
    elif settings.shape in ("SURFACE", "POINTS") and ob.gpbd.body_type != "NONE":
        yield f"{ob.name}: is simulated, and its {name} field comes from where its mesh is without. Use the shape Point."
