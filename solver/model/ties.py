"""Ties of a scene: which surface vertices are bound to which triangles, and which bodies that holds.

Those of a rigid body are no elements: they move the body as a whole (`rigid_ties`).
"""

from __future__ import annotations

import numpy as np

from ..energies import weak_constraint
from ..errors import SceneError
from ..scene import Rope, Scene
from ..topology.nearest_triangle import nearest_triangles
from ..topology.surface_checks import triangle_areas
from .element_group import ElementGroup
from .model import BodyPart
from .rigid_motion import RigidShape
from .rigid_ties import RigidTies, rigid_ties

Array = np.ndarray


def tie_groups(
    scene: Scene, parts: list[BodyPart], x: Array, surfaces: list[Array], shapes: list[RigidShape]
) -> tuple[list[ElementGroup], RigidTies]:
    """Return an element group for each tie without a rigid body, and all ties with one.

    x: of all vertices, for the proximity search of ties [m], (n, 3). surfaces: triangles of each body, with indices into x,
    (t, 3). shapes: of the rigid bodies.
    Raises: SceneError if no vertex of a tie is near enough.
    """
    rows = {part.body.name: number for number, part in enumerate(parts)}
    groups, corners_of_rigid, weights_of_rigid = [], [np.zeros((0, 4), np.int64)], [np.zeros((0, 4))]
    for tie in scene.ties:
        are_rigid = [parts[rows[name]].kind.is_rigid for name in (tie.body, tie.other)]
        if all(are_rigid):
            raise SceneError(
                f"Tie from '{tie.body}' to '{tie.other}': both are rigid bodies, which ties do not join; wanted a rope, a "
                "cloth or a soft body at one end. Put a short rope between them, and tie it to both."
            )
        surface, other = surfaces[rows[tie.body]], surfaces[rows[tie.other]]
        vertices = np.unique(surface)
        if tie.vertices is not None:
            vertices = np.intersect1d(vertices, parts[rows[tie.body]].start + tie.vertices)
            if not len(vertices):
                raise SceneError(
                    f"Tie from '{tie.body}' to '{tie.other}': none of its {len(tie.vertices)} vertices is of the surface of "
                    f"'{tie.body}'; wanted some. Name others, or None for all."
                )
        nearest, _ = nearest_triangles(x[vertices], x, other, tie.distance)
        near = nearest >= 0
        if not near.any():
            _, closest = nearest_triangles(x[vertices], x, other, np.inf)
            raise SceneError(
                f"Tie from '{tie.body}' to '{tie.other}': no surface vertex is within {tie.distance:g} m; the nearest is at "
                f"{closest.min():.3g} m. Move the bodies together, or raise the distance."
            )
        corners = other[nearest[near]]
        is_segment = corners[:, 1] == corners[:, 2]
        elements = np.column_stack([vertices[near], corners[:, :2], np.where(is_segment, -1, corners[:, 2])])
        if any(are_rigid):
            corners_of_rigid.append(np.where(elements < 0, elements[:, :1], elements))
            weights_of_rigid.append(weak_constraint.weights(x, elements))
            continue
        area = _areas(parts[rows[tie.body]], x, surface)[vertices[near]]
        groups.append(ElementGroup(weak_constraint.NAME, {"stiffness": tie.stiffness}, x, elements, 0, None, area))
    return groups, rigid_ties(x, np.concatenate(corners_of_rigid), np.concatenate(weights_of_rigid), shapes)


def check_held(scene: Scene, parts: list[BodyPart]) -> None:
    """Raises: SceneError if gravity pulls on a body that nothing could hold, which has no pose at rest."""
    for part in parts:
        if not part.kind.can_rest:
            raise SceneError(
                f"{part.body.name}: a quasi-static solve has no inertia, which a {part.kind.label} moves by; wanted cloths "
                "and soft bodies. Switch No Inertia (quasi_static) off, or make it a collider."
            )
    if scene.colliders or not scene.gravity.any():
        return
    held = {body.name for body in scene.bodies if body.pins is not None and body.pins.act}
    for _ in scene.bodies:
        held |= {name for tie in scene.ties if {tie.body, tie.other} & held for name in (tie.body, tie.other)}
    for body in scene.bodies:
        if body.name not in held:
            raise SceneError(
                f"{body.name}: nothing holds it against gravity, so it has no pose at rest; wanted pins, ties or a collider "
                "for a quasi-static solve. Pin it, or switch No Inertia (quasi_static) off."
            )


def _areas(part: BodyPart, x: Array, surface: Array) -> Array:
    """Area of each vertex [m^2], (n,); of a rope that of its halves of edges, seen from one side."""
    rope = part.body
    if not isinstance(rope, Rope):
        return vertex_areas(x, surface)
    ends = surface[:, :2]
    half = 0.5 * np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1)
    return np.bincount(ends.ravel(), np.repeat(half, 2) * 2 * rope.radius[ends.ravel() - part.start], len(x))


def vertex_areas(x: Array, triangles: Array) -> Array:
    """A third of the area of the triangles at each vertex [m^2], (n,)."""
    return np.bincount(triangles.ravel(), np.repeat(triangle_areas(x, triangles) / 3, 3), len(x))
