"""Features of the solver that a scene needs, known before it is built: the selection of kernels to compile ahead."""

from __future__ import annotations

import numpy as np

from .collider import Collider, Plane
from .scene import Scene
from .settings import Settings

#: Of methods that sweep by the kernels of another one, its name.
SWEEPS = {"pbd": "xpbd"}


def features(scene: Scene, settings: Settings) -> frozenset[str]:
    """Names of kinds of bodies, energies, contact and settings, such as "cloth", "energy:spring", "plane", "global step"."""
    names = {f"dtype:{settings.dtype}", f"method:{settings.method}"}
    names.add(f"sweeps:{SWEEPS.get(settings.method, settings.method)}")
    if settings.integrator != "bdf1":
        names.add(f"integrator:{settings.integrator}")
    for name in ("global_iterations", "error_tolerance", "tolerance", "quasi_static", "warm_start", "chebyshev"):
        if getattr(settings, name):
            names.add(name)
    if settings.local_iterations > 1:
        names.add("local_iterations")
    for body in scene.bodies:
        names |= _of_body(body)
    meshes = any(isinstance(collider, Collider) for collider in scene.colliders)
    if any(isinstance(collider, Plane) for collider in scene.colliders):
        names.add("plane")
    if meshes:
        names.add("collider")
    if any(getattr(collider, "one_sided", False) for collider in scene.colliders):
        names.add("one_sided")
    if scene.colliders or len(scene.bodies) > 1 or any(body.self_contact for body in scene.bodies):
        names.add("contact")
    if meshes or len(scene.bodies) > 1 or any(body.self_contact for body in scene.bodies):
        names.add("pairs")
    if not meshes and "pairs" in names and all(body.kind == "cloth" for body in scene.bodies):
        names.add("only_sheets")
    if "rigid" in names or "surface:mesh" in names:
        names.add("coupled")
    if scene.ties:
        names |= _of_ties(scene)
    if scene.air_density > 0 or any((body.resolved_response.air_density or 0) > 0 for body in scene.bodies):
        names.add("air")
    if scene.fields_move or scene.fields:
        names.add("fields")
    return frozenset(names)


def _of_ties(scene: Scene) -> set[str]:
    rigid = {body.name for body in scene.bodies if body.kind == "rigid"}
    to_rigid = [tie.body in rigid or tie.other in rigid for tie in scene.ties]
    names = {"rigid_ties"} if any(to_rigid) else set()
    return names if all(to_rigid) else names | {"ties", "energy:weak_constraint"}


def _of_body(body) -> set[str]:
    names = {body.kind}
    material = getattr(body, "material", None)
    if material is not None:
        materials = [material, *(region.material for region in body.regions)]
        for energies in (m.energies for m in materials):
            names |= {f"energy:{name}" for name in energies}
    if body.pins is not None:
        partly = (body.pins.weight > 0) & (body.pins.weight < 1)
        names |= {"energy:attachment"} if np.any(partly | body.pins.pulled) else set()
    if body.sewing is not None:
        names.add("energy:sewing")
    if getattr(body, "tearing", None) is not None or any(
        made is not None and made.strength is not None for made in (body.sewing, body.pins)
    ):
        names.add("tearing")
    if getattr(body, "surface", None) is not None:
        names.add(f"surface:{body.contact_surface}")
    return names
