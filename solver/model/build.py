"""Scene -> Model, in this order: bodies, pins, rows of visible meshes, ties, batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..scene import Cloth, Scene, Settings
from .batches import make_batches
from .bodies import kind_of
from .bodies.deformable import shrunk_lengths
from .bodies.kind import Contribution
from .coupled import embed_surfaces
from .element_group import ElementGroup
from .flat_sheets import flat_sheets
from .model import BodyPart, Embedded, Model
from .parts import attachment_groups, make_part
from .tearing_edges import of_bodies
from .ties import check_held, tie_groups

Array = np.ndarray


def build(scene: Scene, settings: Settings) -> Model:
    """The arrays of a scene.

    Raises: TopologyError, SceneError, MaterialError, each naming the body.
    """
    h = 1.0 / (settings.fps * settings.substeps)
    origin = np.mean([body.vertices.mean(0) for body in scene.bodies], axis=0)
    brought, parts = _bodies(scene, origin)
    both = list(zip(brought, parts, strict=True))
    warnings = [warning for c in brought for warning in c.warnings]
    mass = np.concatenate([c.mass for c in brought])
    x = np.concatenate([body.vertices for body in scene.bodies]) - origin
    tearing = of_bodies([c.tearing for c in brought], [part.start for part in parts], len(mass))
    weld = None if tearing is None else tearing.weld(np.zeros(len(tearing), bool))
    surfaces = [c.surface + part.start for c, part in both]
    groups = [group for c in brought for group in c.groups]
    groups += attachment_groups(parts, mass, x)
    embedded = embed_surfaces(parts, len(mass))
    tied = np.concatenate([scene.tied_at.get(body.name, body.vertices) for body in scene.bodies]) - origin
    ties, of_rigid = tie_groups(scene, parts, tied, surfaces, [c.rigid for c in brought if c.rigid is not None])
    groups += ties
    if settings.quasi_static:
        check_held(scene, parts)
        if scene.air_density > 0:
            warnings.append("The air does not act in a quasi-static solve, which has no velocities. Set its density to 0.")
        groups = [undamped(group) for group in groups]
    v = np.concatenate([c.velocities for c in brought])
    cloths = [(part.body, part.start) for part in parts if isinstance(part.body, Cloth)]
    x, v, mass, fixed = _with_embedded(embedded, x, v, mass, _fixed(both, len(mass)))
    return Model(
        scene=scene,
        settings=settings,
        h=h,
        origin=origin,
        parts=parts,
        x_start=x,
        v_start=v,
        mass=mass,
        fixed=fixed,
        batches=make_batches(
            groups, h, np.dtype(settings.dtype), h * h / whole_masses(mass, weld), settings.device == "cpu", weld
        ),
        edges=np.concatenate([c.edges + part.start for c, part in both]).astype(np.int32),
        edge_lengths=np.concatenate([shrunk_lengths(part.body.rest, part.body.shrink, c.edges) for c, part in both]),
        surface=np.concatenate(surfaces).astype(np.int32),
        blown=np.concatenate([_blown(c) + part.start for c, part in both]).astype(np.int32),
        blown_lines=np.concatenate([c.blown_lines + part.start for c, part in both]).astype(np.int32),
        line_diameters=np.concatenate([c.line_diameters for c in brought]),
        tetrahedra=np.concatenate([c.tetrahedra + part.start for c, part in both]).astype(np.int32),
        tetrahedron_body=np.concatenate([np.full(len(c.tetrahedra), k, np.int32) for k, c in enumerate(brought)]),
        body_volumes=np.array([c.volume for c in brought]),
        vertex_distance=per_vertex([c.kept_from_colliders for c in brought], parts),
        vertex_friction=per_vertex([c.friction for c in brought], parts),
        body_thickness=np.array([c.kept_between_bodies for c in brought]),
        flat_sheets=flat_sheets(cloths, fixed, np.dtype(settings.dtype)),
        rigid=[c.rigid for c in brought if c.rigid is not None],
        rigid_ties=of_rigid,
        embedded=embedded,
        warnings=warnings,
        tearing=tearing,
        weld=np.zeros(0, np.int64) if weld is None else weld,
    )


def _bodies(scene: Scene, origin: Array) -> tuple[list[Contribution], list[BodyPart]]:
    """Return each body's part of the model, and its rows; a body follows the one before."""
    brought: list[Contribution] = []
    parts: list[BodyPart] = []
    for body in scene.bodies:
        kind, start = kind_of(body), parts[-1].stop if parts else 0
        brought.append(kind.contribution(body, start, origin))
        parts.append(make_part(body, kind, brought[-1], start))
    return brought, parts


def _fixed(both: list[tuple[Contribution, BodyPart]], count: int) -> Array:
    """Vertices that no force moves: pinned ones, and all of some bodies, (count,) bool."""
    fixed = np.zeros(count, bool)
    for brought, part in both:
        fixed[part.pinned] = True
        if brought.fixed:
            fixed[part.start : part.stop] = True
    return fixed


def undamped(group: ElementGroup) -> ElementGroup:
    """Damping resists motion; at rest there is none."""
    return replace(group, values={**group.values, "damping": 0.0}) if "damping" in group.values else group


def _with_embedded(embedded: Embedded, x: Array, v: Array, mass: Array, fixed: Array) -> tuple[Array, Array, Array, Array]:
    """The same arrays with the rows of embedded points at their ends; no force moves these, so their mass is of no use."""
    count = len(embedded.rows)
    if not count:
        return x, v, mass, fixed
    x, v = (np.concatenate([values, np.zeros((count, 3))]) for values in (x, v))
    embedded.place(x)
    return x, v, np.concatenate([mass, np.ones(count)]), np.concatenate([fixed, np.ones(count, bool)])


def whole_masses(mass: Array, weld: Array | None) -> Array:
    """Return the mass of the vertex that each copy is part of [kg], (n,). mass: of the copies. weld: of `make_batches`."""
    return mass if weld is None else np.bincount(weld, mass, len(mass))[weld]


def _blown(c: Contribution) -> np.ndarray:
    return np.concatenate([c.surface, c.surface]) if c.blown is None else c.blown


def per_vertex(values: Sequence[Array | float], parts: list[BodyPart]) -> Array:
    """Numbers of each body, one for all or one a vertex, at its vertices, then at the points of its visible mesh that have
    rows, (n,)."""
    of_vertices = [np.broadcast_to(value, part.stop - part.start) for value, part in zip(values, parts, strict=True)]
    coupled = []
    for value, at, part in zip(values, of_vertices, parts, strict=True):
        if part.surface_rows is not None and part.embedded is not None:
            at_points = (at[part.embedded.corners] * part.embedded.weights).sum(1)
            coupled.append(at_points if np.ndim(value) else np.full(len(at_points), value))
    return np.concatenate([*of_vertices, *coupled])
