"""Clearance of bodies from colliders at the start, and colliders thicker than it, or than the edges of a cloth.

Blender gives a new collider a thickness of 20 mm. It pushes away bodies that start nearer: a shirt stands off its wearer,
and contact on all vertices makes a frame several times as slow. A cloth with edges shorter than the thickness cannot rest on
the collider.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ...solver.scene import Collider
from ..body_kinds import BODY_KINDS
from . import collision_objects
from .body_input import BodyInput
from .scene_input import World

#: `gpbd.clearance` of a collider that no body starts near to.
FAR = -1.0
#: Share of the clearance that is kept for a collider's thickness, beside the bodies' own; share of a cloth's edge length, as
#: the automatic *Collision Distance* to colliders; both are rounded down to STEP, the least of our own [m].
SHARE, EDGE_SHARE, STEP = 0.5, 0.1, 5e-5


@dataclass(frozen=True)
class Padding:
    """A collider, by its full name, its thickness [m], the clearance of a body at the start, and the thickness that fits.
    setting: label of the property."""

    collider: str
    thickness: float
    clearance: float
    fits: float
    setting: str

    def __str__(self) -> str:
        keeps, room, fits = (1e3 * length for length in (self.thickness, self.clearance, self.fits))
        return (
            f"{self.collider}: keeps {keeps:.3g} mm, and a body starts {room:.3g} mm away; wanted less. "
            f"Set its {self.setting} to {fits:.3g} mm."
        )


@dataclass(frozen=True)
class Coarse:
    """A collider, by its full name, its thickness [m], a cloth with shorter edges, their median [m], and the thickness that
    is fine enough. setting: label of the property."""

    collider: str
    thickness: float
    body: str
    edge: float
    fits: float
    setting: str

    def __str__(self) -> str:
        keeps, edge, fits = (1e3 * length for length in (self.thickness, self.edge, self.fits))
        return (
            f"{self.collider}: keeps {keeps:.3g} mm, more than the edges of {self.body} are long, {edge:.3g} mm. "
            f"Set its {self.setting} to {fits:.3g} mm."
        )


def measure(world: World, scene: bpy.types.Scene) -> None:
    """Keep in each collider of the world how near a body starts to it, where that is nearer than its outer thickness."""
    for collider in world.colliders:
        ob = scene.objects.get(collider.name)
        if ob is not None and ob.is_editable:
            ob.gpbd.clearance = _clearance(collider, world.bodies)


def too_thick(scene: bpy.types.Scene) -> list[Padding]:
    """Return the colliders thicker than the last measured clearance; without those that already have the least thickness."""
    scale = scene.unit_settings.scale_length
    paddings = []
    for ob in collision_objects.find(scene, ()):
        thickness, clearance = collision_objects.thickness(ob, scale), ob.gpbd.clearance
        least = STEP if ob.gpbd.own_thickness else collision_objects.LEAST_OUTER * scale
        fits = max(least, _rounded(SHARE * clearance))
        if 0 <= clearance < thickness and fits < thickness - 1e-6:  # stored in single precision
            setting = collision_objects.thickness_label(ob, scale, fits)
            paddings.append(Padding(ob.name_full, thickness, clearance, fits, setting))
    return paddings


def too_coarse(world: World, scene: bpy.types.Scene) -> list[Coarse]:
    """Return the colliders of the world thicker than the edges of a cloth that they touch, without those of `too_thick`."""
    scale = scene.unit_settings.scale_length
    coarse: list[Coarse] = []
    thick = {padding.collider for padding in too_thick(scene)}
    edges = {body.name: _median_edge(body) for body in world.bodies if BODY_KINDS[body.kind].sheet}
    for collider in world.colliders:
        ob = scene.objects.get(collider.name)
        touched = {body.name: edges[body.name] for body in world.bodies if body.name in edges and _collide(collider, body)}
        if ob is None or not ob.is_editable or not collision_objects.may_be_used(ob):
            continue
        if collider.name in thick or not touched:
            continue
        body = min(touched, key=touched.__getitem__)
        fits = max(STEP, _rounded(EDGE_SHARE * touched[body]))
        if touched[body] < collider.thickness and fits < collider.thickness:
            setting = collision_objects.thickness_label(ob, scale, fits)
            coarse.append(Coarse(collider.name, collider.thickness, body, touched[body], fits, setting))
    return coarse


def _rounded(length: float) -> float:
    return float(np.floor(length / STEP) * STEP)


def _median_edge(body: BodyInput) -> float:
    """[m], of its mesh."""
    corners = body.vertices[body.triangles]
    return float(np.median(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)))


def _clearance(collider: Collider, bodies: list[BodyInput]) -> float:
    """The smallest distance [m] of a vertex that collides from the collider's faces, below its thickness, else FAR."""
    vertices, tree, nearest = np.asarray(collider.vertices), None, np.inf
    for body in bodies:
        if not _collide(collider, body):
            continue
        tree = tree or BVHTree.FromPolygons(vertices.tolist(), collider.triangles.tolist())
        start = body.vertices if body.start is None else body.start
        low, high = (limit(vertices, 0) for limit in (np.min, np.max))
        near = ((start >= low - collider.thickness) & (start <= high + collider.thickness)).all(1)
        for vertex in start[near if body.untouched is None else near & ~body.untouched].tolist():
            distance = tree.find_nearest(vertex, collider.thickness)[3]
            nearest = nearest if distance is None else min(nearest, distance)
    return float(nearest) if np.isfinite(nearest) else FAR


def _collide(collider: Collider, body: BodyInput) -> bool:
    return (collider.touches is None or body.name in collider.touches) and (
        body.touches is None or collider.name in body.touches
    )
