"""Inputs of a bake, as Blender stores them: read at any frame without evaluation, so that a panel can list later changes.
Animated properties are identified by their keyframes, not by their values.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...solver.errors import GpbdError
from ..body_kinds import BODY_KINDS
from ..identifiers import ATTRIBUTES_MODIFIER, START_ATTRIBUTE, TEAR_WELD
from ..properties import effector_weights
from ..properties.map_properties import LABELS
from ..properties.shape_properties import ShapeProperties
from ..read import (
    body_material,
    collision_objects,
    contact_choice,
    evaluated_mesh,
    fields,
    following,
    forces,
    grabs,
    keyed,
    scene_input,
    slot_presets,
    taking_part,
    time_stretching,
)
from ..read.shape import loose_edges
from . import cache_path, extension_version

if TYPE_CHECKING:
    from ..properties.object_properties import GPBD_PG_object

#: Name of a setting -> its value, None where it is animated.
Still = Callable[[str], Any]
#: Weights of vertex groups, which take long to read: (mesh, group) -> hash. `forget` drops those of a mesh that was edited.
_weights: dict[tuple[int, str], str | None] = {}


def forget(meshes: Iterable[bpy.types.Mesh] | None = None) -> None:
    """The groups of these meshes, or of all, may have changed."""
    edited = None if meshes is None else {mesh.session_uid for mesh in meshes}
    for known in [known for known in _weights if edited is None or known[0] in edited]:
        del _weights[known]


def read(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> dict[str, Any]:
    """JSON values in the structure of `World.identity`, for `differences`."""
    of_scene, settings, still = _animated(scene), scene.gpbd, _still(scene, "gpbd")
    bodies = list(bodies)
    known: dict[str, Any] = {
        "solver": extension_version.version(),
        "start": scene_input.frame_range(scene)[0] if scene.frame_start <= scene.frame_end or settings.own_range else None,
        "settings": _settings(scene, of_scene),
        **time_stretching.identity(time_stretching.factor(scene)),
        "gravity": None if of_scene & {"gravity", "use_gravity"} else forces.gravity(scene).tolist(),
        "wind": still("wind"),
        "air": [still(name) for name in AIR],
        "fields": {ob.name_full: _field(ob) for ob in fields.find(scene)},
        "animation": _keyframes([scene]),
        "bodies": {ob.name: body(ob) for ob in bodies},
        **({"playing": playing} if (playing := _playing(scene, bodies)) else {}),
        "colliders": {ob.name_full: _collider(ob) for ob in collision_objects.find(scene, _bodies(scene))},
    }
    return known


AIR = ("air_density", "drag", "lift")


def _playing(scene: bpy.types.Scene, baked: list[bpy.types.Object]) -> dict[str, str]:
    """The caches that other bodies play meanwhile, by the name of the body."""
    others = [ob for ob in taking_part.passive(scene, {ob.gpbd.uuid for ob in baked}) if ob not in baked]
    return {ob.name_full: path.stem for ob in others if (path := cache_path.of(ob)) is not None}


def _bodies(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    return [ob for ob in scene.objects if ob.gpbd.body_type != "NONE"]


def _settings(scene: bpy.types.Scene, animated: set[str]) -> dict[str, Any]:
    fields = scene_input.settings_of(scene).__dict__
    same = "threads", "device"  # which make no other bake, but for what iterations leave
    return {name: value for name, value in fields.items() if name not in same and f"gpbd.{name}" not in animated}


def body(ob: bpy.types.Object) -> dict[str, Any]:
    """Return the same of one body."""
    settings = ob.gpbd
    kind, still = BODY_KINDS[settings.body_type], _still(ob, "gpbd")
    return {
        "uuid": settings.uuid,
        "kind": settings.body_type,
        "mesh": mesh(ob),
        "start": _attribute(ob.data, START_ATTRIBUTE),
        "pins": [settings.pin_group, _group(ob, settings.pin_group)],
        "maps": [[group, _group(ob, group)] for group in _painted(settings.maps)] + _factors(settings.maps, still),
        "uv": settings.uv_map,
        "regions": slot_presets.names(ob),
        "animation": _keyframes(_movers(ob)),
        "modifiers": [[md.type, md.name] for md in ob.modifiers if not _is_of_cache(md)],
        "material": _material(ob, kind.material, still) if kind.material is not None else None,
        "thickness": still("thickness") or None,
        "pin numbers": [still(name) for name in ("pin_hold", "pin_frequency", "pin_damping")],
        "friction": still("friction"),
        "self_contact": settings.self_contact,
        "contact": [contact_choice.touches(settings), _group(ob, settings.no_contact_group), settings.layer],
        "velocity": list(settings.initial_velocity),
        "tetrahedra": [settings.tet_method, settings.tet_resolution, settings.contact_surface],
        "rigid": [settings.mass_by, still("mass"), still("density_volume"), list(settings.initial_spin)],
        "rope": [still(name) for name in ("rope_radius", "rope_is_straight", "rope_roll", "turn_start", "turn_end")],
        "clusters": [still(name) for name in ("flexibility", "cluster_size")],
        "response": _response(settings, still),
        **({"self_thickness": distance} if (distance := still("self_thickness")) else {}),
        **({"pin strength": strength} if (strength := still("pin_strength")) != 0 else {}),
        **({"goal": _goal(ob, still)} if settings.use_goal else {}),
        **(
            {"tearing": [still("tear_strength"), still("rope_strength"), settings.fracture_energy]}
            if settings.use_tearing
            else {}
        ),
        **(
            {"pre-cut": [settings.precut_edges, settings.precut_share]}
            if settings.use_tearing and settings.precut_edges != "NONE"
            else {}
        ),
        **({"shaping": shaped} if (shaped := _shape(ob, still)) else {}),
        **({"grabs": [*done, _keyframes(grabs.hands([ob]))]} if (done := grabs.identity(ob)) else {}),
        **({} if (followed := following.identity(ob)) is None else {"follow": [still("follow_share"), *followed]}),
    }


def _goal(ob: bpy.types.Object, still: Still) -> list[Any]:
    numbers = [still(name) for name in ("goal_weight", "goal_frequency", "goal_damping_ratio")]
    return [ob.gpbd.goal_group, _group(ob, ob.gpbd.goal_group), *numbers]


def _is_of_cache(md: bpy.types.Modifier) -> bool:
    """Return whether a modifier plays a cache."""
    return md.type == "MESH_CACHE" or md.name in (ATTRIBUTES_MODIFIER, TEAR_WELD)


def _still(owner: bpy.types.bpy_struct, group: str) -> Still:
    """Return a reader of settings of a group of an ID: None for animated ones, whose value is that of the current frame."""
    animated, settings = _animated(owner), getattr(owner, group)

    def value(name: str) -> Any:
        if {f"{group}.{name}", f"{group}.{name}_shown", f"{group}.{name}_mm"} & animated:
            return None
        number = functools.reduce(getattr, name.split("."), settings)
        is_vector = isinstance(number, bpy.types.bpy_prop_array)
        return list(number) if is_vector else number

    return value


def _response(settings: GPBD_PG_object, still: Still) -> list[Any]:
    weights = settings.effector_weights
    names = None if weights.collection is None else sorted(ob.name_full for ob in weights.collection.all_objects)
    kinds = [still(f"effector_weights.{name}") for name in ("gravity", "all", *effector_weights.KINDS)]
    return [names, kinds, still("charge"), still("point_size"), [settings.own_air, *map(still, AIR)]]


def _field(ob: bpy.types.Object) -> str:
    """Return the hash of a force field's settings, of its placement unless it is animated, and of its keyframes."""
    digest = hashlib.sha1(usedforsecurity=False)
    for prop in ob.field.bl_rna.properties:
        value = getattr(ob.field, prop.identifier)
        if prop.identifier != "rna_type" and f"field.{prop.identifier}" not in _animated(ob):
            digest.update(f"{prop.identifier} {getattr(value, 'name_full', value)}".encode())
    digest.update(str(ob.gpbd.wind_as_air).encode())
    movers = _movers(ob)
    if not any(one.animation_data or one.constraints for one in movers if isinstance(one, bpy.types.Object)):
        digest.update(np.array(ob.matrix_world, np.float32).tobytes())
    digest.update(_keyframes(movers).encode())
    return digest.hexdigest()


def _painted(maps: Any) -> list[str]:
    return [getattr(maps, f"{name}_group") for name in LABELS]


def _factors(maps: Any, still: Still) -> list[float]:
    used = [name for name in LABELS if getattr(maps, f"{name}_group")]
    return [still(f"maps.{name}_{end}") for name in used for end in ("low", "high")]


def _shape(ob: bpy.types.Object, still: Still) -> dict[str, Any]:
    """Return the shape properties of a cloth that differ from their defaults."""
    settings = ob.gpbd
    shape: dict[str, Any] = {}
    if len(settings.attachments):
        shape["attachments"] = [
            [
                None if one.target is None else one.target.name_full,
                one.vertex_group,
                one.distance,
                _group(ob, one.vertex_group),
            ]
            for one in settings.attachments
        ]
    for name in ShapeProperties.__annotations__:
        if name == "attachments":
            continue
        value, prop = still(name), settings.bl_rna.properties[name]
        if value is not None and value != prop.default:
            shape[name] = [value, _group(ob, value)] if isinstance(value, str) else value
    if settings.use_sewing_springs:
        shape["seams"] = hashlib.sha1(loose_edges(ob.data).tobytes(), usedforsecurity=False).hexdigest()
    keys = ob.data.shape_keys
    if settings.rest_shape_key and keys is not None and settings.rest_shape_key in keys.key_blocks:
        points = keys.key_blocks[settings.rest_shape_key].data
        x = np.empty(3 * len(points), np.float32)
        points.foreach_get("co", x)
        shape["rest"] = hashlib.sha1(x.tobytes(), usedforsecurity=False).hexdigest()
    return shape


def _material(ob: bpy.types.Object, kind: str, still: Still) -> dict[str, Any] | None:
    try:
        known = body_material.fields(body_material.material_of(ob))
    except GpbdError:
        return None  # a bake reports its fault
    names = {"density": "density_area" if kind == "fabric" else "density_volume", "friction": "friction"}
    names |= {"thickness": "material_thickness"} if kind == "fabric" else {}
    known |= {field: None for field, name in names.items() if still(name) is None}
    for energy, values in known["energies"].items():
        values |= {name: None for name in values if still(f"{energy}.{name}") is None}
    return known


def _collider(ob: bpy.types.Object) -> dict[str, Any]:
    still = _still(ob, "collision")
    return {
        "mesh": mesh(ob),
        "animation": _keyframes(_movers(ob)),
        "friction": None if still("cloth_friction") is None else collision_objects.friction(ob),
        "thickness": _outer_thickness(still, _still(ob, "gpbd")),
        "depth": [still("thickness_inner"), still("use_culling") or still("use_normal")],
        "side": ob.gpbd.collider_side,
        "contact": [contact_choice.touches(ob.gpbd), _group(ob, ob.gpbd.no_contact_group)],
    }


def _outer_thickness(still: Still, gpbd: Still) -> Any:
    """Blender's, or in a list those that count."""
    chosen, blenders = gpbd("own_thickness"), still("thickness_outer")
    if chosen is False:
        return blenders
    return [gpbd("outer_thickness")] if chosen else [gpbd("outer_thickness"), blenders]


def mesh(ob: bpy.types.Object, placed: bool = True) -> str:
    """Return the hash of vertices and faces, and, where placed, of the object's placement unless it is animated."""
    digest, data = hashlib.sha1(usedforsecurity=False), ob.data
    positions = np.empty(3 * len(data.vertices), np.float32)
    data.attributes["position"].data.foreach_get("vector", positions) if len(data.vertices) else None
    corners = np.empty(len(data.loops), np.int32)
    data.attributes[".corner_vert"].data.foreach_get("value", corners) if len(data.loops) else None
    digest.update(positions.tobytes())
    digest.update(corners.tobytes())
    digest.update(str(len(data.polygons)).encode())
    if not len(data.polygons):
        digest.update(evaluated_mesh.edges(data).tobytes() if len(data.edges) else b"")
    if placed and not any(one.animation_data or one.constraints for one in _movers(ob) if isinstance(one, bpy.types.Object)):
        digest.update(np.array(ob.matrix_world, np.float32).tobytes())
    return digest.hexdigest()


def _attribute(mesh: bpy.types.Mesh, name: str) -> str | None:
    attribute = mesh.attributes.get(name)
    if attribute is None:
        return None
    values = np.empty(3 * len(attribute.data), np.float32)
    attribute.data.foreach_get("vector", values)
    return hashlib.sha1(values.tobytes(), usedforsecurity=False).hexdigest()


def _group(ob: bpy.types.Object, name: str) -> str | None:
    if not name or name not in ob.vertex_groups or ob.mode == "EDIT":
        return None
    key = ob.data.session_uid, name
    if key not in _weights:
        weights = evaluated_mesh.weights(ob, name)
        _weights[key] = hashlib.sha1(weights.tobytes(), usedforsecurity=False).hexdigest()
    return _weights[key]


def _movers(ob: bpy.types.Object) -> list[bpy.types.ID]:
    """Return the IDs that can animate an object's placement and shape: itself, its parents, its shape keys and the objects
    of its modifiers, with theirs."""
    movers: list[bpy.types.ID] = []
    waiting: list[bpy.types.ID | None] = [ob]
    while waiting:
        one = waiting.pop()
        if one is None or one in movers:
            continue
        movers.append(one)
        if isinstance(one, bpy.types.Object):
            waiting += [one.parent, getattr(one.data, "shape_keys", None)]
            waiting += [getattr(md, "object", None) for md in one.modifiers]
            waiting.append(one.gpbd.follow_object)
    return movers


def _keyframes(owners: Iterable[Any]) -> str:
    """Return the hash of all keyframes and drivers of the owners."""
    digest = hashlib.sha1(usedforsecurity=False)
    for owner in owners:
        for curve in keyed.curves(owner):
            if curve.data_path.startswith('["'):
                continue  # custom properties, among them the curves of our own statistics
            points = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", points)
            digest.update(f"{curve.data_path} {curve.array_index}".encode())
            digest.update(points.tobytes())
    return digest.hexdigest()


def _animated(owner: bpy.types.bpy_struct) -> set[str]:
    return {curve.data_path for curve in keyed.curves(owner)}
