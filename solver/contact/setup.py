"""Setup of the contact system from the bodies and colliders of a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..device.cpu import LANES
from ..errors import SceneError
from ..model.model import Model
from ..model.rigid_motion import RigidMotion
from ..model.seams import met, stitches
from ..model.torn import at_tears, lips
from ..scene import Body, Collider, Motion, Plane, ShapeCollider, catalog
from .constraints.shapes import Shape, ShapeContacts
from .constraints.sides import InsideStart
from .constraints.warm_start import without_forces
from .contact import BodySurface, ColliderShape, Contact, PlaneShape
from .surfaces.crossed_ropes import crossed_ropes
from .surfaces.precision import far_away
from .surfaces.rules import lonely, rules_of


def make_contact(model: Model, rigid: RigidMotion | None = None) -> Contact | None:
    """The contact system of a model; None for a single body that touches neither colliders nor itself.

    Adds to the model's warnings oddities of its thicknesses, groups, colliders and coordinates.
    """
    model.warnings += far_away(model)
    contact = _contact_of(model, rigid)
    if contact is not None:
        contact.lists.warnings = model.warnings
        _warn(model, contact)
    return contact


def remade_contact(model: Model, rigid: RigidMotion | None, contact: Contact) -> Contact:
    """The contact system of a model with other numbers, which continues from where another is."""
    made = _contact_of(model, rigid)
    assert made is not None
    made.lists.warnings = model.warnings
    made.restore(contact.state(lists=False))
    return made


def torn_contact(model: Model, rigid: RigidMotion | None, contact: Contact) -> Contact:
    """The contact system of a model that is torn, which continues from where another is; pairs are named otherwise."""
    made = _contact_of(model, rigid)
    assert made is not None
    made.lists.warnings = model.warnings
    made.restore(without_forces(contact.state(lists=False)))
    return made


def _contact_of(model: Model, rigid: RigidMotion | None) -> Contact | None:
    scene = model.scene
    if not scene.colliders and len(scene.bodies) == 1 and not scene.bodies[0].self_contact:
        return None
    objects, rules = objects_of(model), rules_of(scene)
    shapes = _shapes(model, rules)
    return Contact(
        np.dtype(model.settings.dtype),
        objects.bodies,
        objects.rest,
        model.x_start,
        objects.colliders,
        objects.pose,
        objects.planes,
        rules=rules[:, : rules.shape[1] - len(shapes)],
        rigid=rigid,
        embedded=model.embedded,
        rigid_ties=model.rigid_ties,
        fixed=model.fixed,
        ties=_tie_distances(model),
        tied_at=met(model.x_start, stitches(model)),
        shapes=shapes,
    )


@dataclass(frozen=True)
class Objects:
    """Objects that may touch in a world, and their start.

    rest: of the bodies [m], (n, 3). pose: vertices of the collider meshes at the start [m], (m, 3); both relative to the
    model's origin.
    """

    bodies: list[BodySurface]
    colliders: list[ColliderShape]
    planes: list[PlaneShape]
    rest: np.ndarray
    pose: np.ndarray


def objects_of(model: Model) -> Objects:
    """The surfaces of the bodies and colliders of a model, whether contact acts on them or not."""
    scene = model.scene
    owner = np.searchsorted([part.stop for part in model.parts], model.surface[:, 0], side="right")
    tied = _tied(model)
    owners = np.searchsorted([part.stop for part in model.parts], tied, side="right")
    bodies, rest = [], []
    for number, part in enumerate(model.parts):
        body = part.body
        triangles, rows = model.surface[owner == number], range(part.start, part.stop)
        excluded, bound = model.rows(part.start + body.without_contact), tied[owners == number]
        rest.append(_smallest_rest(body))
        if part.surface_rows is not None and part.surface_triangles is not None:
            triangles, rows = part.surface_triangles, part.surface_rows
            excluded, bound = _coupled_to(excluded, model), _coupled_to(bound, model)
        bodies.append(
            BodySurface(
                body.name,
                triangles,
                rows.start,
                rows.stop,
                distance=model.vertex_distance[rows.start : rows.stop],
                thickness=part.kind.kept_at(body, float(model.body_thickness[number])),
                friction=model.vertex_friction[rows.start : rows.stop],
                itself=body.self_contact,
                loose=part.points,
                excluded=excluded,
                layer=body.layer or 0,
                tied=bound,
            )
        )
    shapes, poses, start = [], [np.zeros((0, 3))], 0
    for c in scene.colliders:
        if isinstance(c, Collider):
            depth = c.depth if c.one_sided else 0.0
            shapes.append(ColliderShape(c.name, c.touchable, c.friction, c.thickness, start, depth, c.side))
            poses.append(Motion(c.vertices, c.name).at(0.0, 1.0) - model.origin)
            start += len(poses[-1])
    planes = [
        PlaneShape(c.name, c.point - model.origin, c.normal, c.friction, c.thickness)
        for c in scene.colliders
        if isinstance(c, Plane)
    ]
    at_rest = _with_embedded(np.concatenate(rest) - model.origin, model)
    lip = at_tears(model)
    at_rest[lip] += lips(model, at_rest, lip)
    return Objects(bodies, shapes, planes, at_rest, np.concatenate(poses))


def _shapes(model: Model, rules: np.ndarray) -> ShapeContacts:
    """Shapes in the frame of the model. rules: see `rules_of`. Raises: SceneError if rigid bodies or embedded meshes would
    pass through them."""
    shapes = [c for c in model.scene.colliders if isinstance(c, ShapeCollider)]
    for part in model.parts if shapes else ():
        if part.body.kind == "rigid" or part.surface_rows is not None:
            raise SceneError(
                f"{part.body.name}: does not touch '{shapes[0].name}', a collider that is a shape; wanted cloths, ropes and "
                "soft bodies without a contact mesh. Use a mesh or a plane as collider."
            )
    of_model = [Shape(c.name, _moved(c, model.origin), c.friction, c.thickness) for c in shapes]
    return ShapeContacts(of_model, rules[:, rules.shape[1] - len(shapes) :])


def _moved(shape: ShapeCollider, origin: np.ndarray) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    return lambda points: shape.signed_distance(points + origin)


def _smallest_rest(body: Body) -> np.ndarray:
    """Rest positions [m], (n, 3), all of them as near to each other as those that shrink most: contact keeps apart no more
    than there is room at rest."""
    if body.shrink is None or body.shrink.max() <= 0:
        return body.rest
    centre = body.rest.mean(0)
    return centre + (1.0 - body.shrink.max()) * (body.rest - centre)


def _with_embedded(rest: np.ndarray, model: Model) -> np.ndarray:
    """Rest positions of all rows [m]: those of embedded surfaces follow from their tetrahedra."""
    rest = np.concatenate([rest, np.zeros((len(model.embedded.rows), 3))])
    model.embedded.place(rest)
    return rest


def _coupled_to(vertices: np.ndarray, model: Model) -> np.ndarray:
    """Rows of embedded points that some of these vertices move."""
    e = model.embedded
    return e.rows[(np.isin(e.corners, vertices) & (e.weights != 0)).any(1)]


def _tied(model: Model) -> np.ndarray:
    """Vertices that are bound to another body, or sewn to another of their own."""
    batches = [batch for batch in model.batches if catalog.energies()[batch.energy.NAME].element == "tie"]
    ends = [batch.index[:, :LANES].ravel()[batch.element >= 0] for batch in batches]
    of_rigid = model.rigid_ties.corners[model.rigid_ties.weights != 0]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *ends, of_rigid, stitches(model).ravel()]))


def _tie_distances(model: Model) -> np.ndarray:
    """Distance of the ties between bodies [m], the largest of several, -1 where there are none, (bodies, bodies); 0 of a
    body that is sewn, with itself."""
    rows = {part.body.name: number for number, part in enumerate(model.parts)}
    distances = np.full((len(rows), len(rows)), -1.0)
    for tie in model.scene.ties:
        one, other = rows[tie.body], rows[tie.other]
        distances[one, other] = distances[other, one] = max(distances[one, other], tie.distance)
    for number, part in enumerate(model.parts):
        if part.body.sewing is not None:
            distances[number, number] = 0.0
    return distances


def _warn(model: Model, contact: Contact) -> None:
    """Warn of a chosen thickness too large for its edges, of empty groups, and of colliders that are inside out."""
    model.warnings += lonely(model.scene)
    model.warnings += [
        f"{name}: is wound inside out; its other side is taken as the outside. Flip its normals."
        for name in contact.inside_out
    ]
    model.warnings += _of_inside_starts(model, contact)
    model.warnings += crossed_ropes(model)
    for part in model.parts:
        inside = (contact.capped >= part.start) & (contact.capped < part.stop)
        chosen, label = part.body.thickness, "Collision Distance (thickness)"
        if part.body.self_thickness is not None:
            chosen, label = part.body.self_thickness, "Self Distance (self_thickness)"
        if chosen is not None and inside.any():
            model.warnings.append(
                f"{part.body.name}: thickness {chosen:g} m is more than 0.45 of the edges at {inside.sum()} "
                f"vertices (first: vertex {contact.capped[inside][0] - part.start}); less is kept there between bodies. "
                f"Lower its {label}, or merge short edges."
            )


def _of_inside_starts(model: Model, contact: Contact) -> list[str]:
    """Return the warnings on bodies that start inside closed colliders, in part or wholly."""
    names, bodies, sentences = contact.names, len(model.parts), []
    for inside_start in contact.inside_starts:
        sentences += _of_inside_start(inside_start, names[inside_start.body], names[bodies + inside_start.collider])
    return sentences


def _of_inside_start(inside_start: InsideStart, body: str, collider: str) -> list[str]:
    if inside_start.coupled and inside_start.chosen and inside_start.wholly and not inside_start.stays:
        return [
            f"{body}: starts inside the closed collider {collider}, whose side is 'outside', "
            "but it cannot be led out as a whole. Start it outside."
        ]
    if inside_start.chosen or (inside_start.coupled and not inside_start.stays):
        return []
    if inside_start.stays:
        return [
            f"{body}: starts inside the closed collider {collider} and stays inside. Set Side of the collider to Inside if "
            "that is meant, to Outside if it should come out."
        ]
    most = (
        " As most of it is inside, it may not come apart from the collider."
        if 2 * inside_start.inside > inside_start.count
        else ""
    )
    return [
        f"{body}: {inside_start.inside} of {inside_start.count} vertices start inside the closed collider {collider}; they "
        f"are led out."
        f"{most} Set Side of the collider to Outside if that is meant, to Inside if all of it belongs inside."
    ]
