"""Reading of bodies from Blender, on the main thread."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ...solver.cache.pc2 import topology_hash
from ...solver.errors import SceneError
from ...solver.scene import ShapeInputs, checks
from ..body_kinds import BODY_KINDS
from . import (
    body_material,
    contact_choice,
    evaluated_mesh,
    following,
    keyed,
    line,
    modifier,
    painted,
    pin_groups,
    shape,
    slot_presets,
    start_shape,
    tearing,
)
from .body_input import BodyInput

Array = np.ndarray


def read(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> BodyInput:
    """Read the body at the depsgraph's frame, with its own modifier switched off. scale: metres of a Blender unit.

    Raises: SceneError, naming the object.
    """
    modifier.check_editable(ob)
    if ob.data.is_editmode:
        raise SceneError(f"{ob.name}: is in edit mode, where its mesh is not up to date. Leave edit mode, then bake again.")
    there = evaluated_mesh.evaluated(ob, depsgraph)
    mesh = there.data
    settings = ob.gpbd
    kind = BODY_KINDS[settings.body_type]
    own_line = line.read(ob, there, scale) if kind.line else None
    if own_line is None and not len(mesh.polygons):
        raise SceneError(
            f"{ob.name}: has {len(mesh.vertices)} vertices and no faces below its GPBD modifier; wanted at least one face. "
            "Fill the mesh, or remove GPBD from it."
        )
    speed = np.array(settings.initial_velocity, dtype=np.float64)
    spin = np.array(settings.initial_spin, dtype=np.float64)
    vertices = checks.vertices(ob.name, "vertices", evaluated_mesh.world_positions(there, scale))
    sewing = shape.sewing(there) if kind.sheet else None
    return BodyInput(
        name=ob.name,
        uuid=settings.uuid,
        kind=settings.body_type,
        vertices=vertices,
        triangles=evaluated_mesh.world_triangles(there),
        topology=topology_hash(len(mesh.vertices), evaluated_mesh.triangles(mesh) if own_line is None else own_line.edges),
        material=None if kind.material is None else body_material.material_of(ob),
        weights=pin_groups.weights(there, settings.pin_group) if keyed.follows(settings) else None,
        hold=settings.pin_hold,
        pin_frequency=settings.pin_frequency,
        pin_damping=settings.pin_damping,
        pin_strength=keyed.pin_strength(ob),
        goal=pin_groups.goal(settings, there) if keyed.pulls(settings) else None,
        goal_strength=settings.goal_weight,
        maps=painted.read(ob, there),
        uv=evaluated_mesh.vertex_uv(there, settings.uv_map) if settings.uv_map and "uv_map" in kind.rows else None,
        velocity=speed if speed.any() else None,
        thickness=settings.thickness or None,
        self_thickness=(settings.self_thickness or None) if kind.material is not None else None,
        friction=body_material.short(settings.friction),
        self_contact=settings.self_contact,
        tet_method=settings.tet_method,
        edge_fraction=settings.tet_resolution,
        start=start_shape.read(ob, there, scale),
        contact_surface=settings.contact_surface.lower(),
        density=settings.density_volume,
        mass=settings.mass if settings.mass_by == "MASS" else None,
        spin=spin if spin.any() else None,
        touches=contact_choice.touches(settings),
        untouched=contact_choice.untouched(ob, there),
        layer=settings.layer or None,
        regions=slot_presets.read(there) if kind.material == "fabric" else [],
        rest=shape.rest(ob, there, scale) if kind.sheet and not settings.use_dynamic_mesh else None,
        shape=shape.first(ob, there, sewing, vertices) if kind.sheet or kind.line else None,
        sewing=sewing,
        tearing=tearing.read(there) if kind.sheet or kind.line else None,
        line=own_line,
        flexibility=body_material.short(settings.flexibility),
        cluster_size=settings.cluster_size or None,
        follow=following.identity(ob),
        measured=shape.measured_edges(ob, there, vertices, scale) if settings.use_value_attributes else None,
    )


def shape_at(
    body: BodyInput, ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, poses: Mapping[str, Array]
) -> ShapeInputs:
    """Read the shape inputs of a cloth at this frame. poses: of bodies there. Raises: SceneError."""
    stitches = None if body.sewing is None else body.sewing.edges
    pose = poses[body.name] if body.is_dynamic else None
    return shape.at(evaluated_mesh.evaluated(ob, depsgraph), stitches, pose, body.known_groups)


def pose(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float, n_vertices: int, frame: int) -> Array:
    """Its mesh below our modifier at this frame [m], (n, 3). Raises: SceneError if the number of vertices changed."""
    vertices = evaluated_mesh.world_positions(evaluated_mesh.evaluated(ob, depsgraph), scale)
    if len(vertices) != n_vertices:
        raise SceneError(
            f"{ob.name}: has {len(vertices)} vertices at frame {frame}, {n_vertices} at the first frame. "
            "Keep the number: move the modifier that changes it after the GPBD modifier."
        )
    return checks.vertices(f"{ob.name} at frame {frame}", "vertices", vertices)
