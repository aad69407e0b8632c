"""Migration of files that builds of 0.1.0 wrote before its release, with other names of some properties.

Values move from the old name to the new one as they are stored. What such a file leaves to a default is today's: its cloth
collides with itself unless that was switched off; its soft bodies do so where that was switched on; its bakes have the
range of the timeline unless they had one of their own; its Wind fields are the speed of the air; its
maps go from 0 to 1. Call `migrate` when a file was loaded or appended from.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import DRAPED_KEY, STATISTICS_GROUP
from .map_properties import LABELS, OLD_HIGH, OLD_LOW

#: Old name -> new one: of fields of `scene.gpbd`, and of properties of materials.
SCENE_FIELDS = {"settle_result": "drape_result", "settle_tolerance": "rest_threshold"}
MATERIAL_PROPERTIES = {"gpbd_card": "gpbd_preset"}
#: Names that shape keys and groups of F-curves had.
OLD_KEY, OLD_GROUP = "GPBD Settled", "GPBD Gauges"


def migrate() -> None:
    """Rename properties with old names in the open file; a file of today stays as it is."""
    for ob in bpy.data.objects:
        settings = ob.gpbd
        kind = BODY_KINDS.get(settings.body_type)
        if kind is not None and not kind.self_contact and not settings.is_property_set("self_contact"):
            settings.self_contact = False
        _keep_ends(settings.maps)
    for scene in bpy.data.scenes:
        fields = (stored(scene) or {}).get("gpbd")
        _rename(fields, SCENE_FIELDS)
        if fields is not None:
            _keep_range(scene.gpbd)
    for material in bpy.data.materials:
        _rename(stored(material), MATERIAL_PROPERTIES)
    for keys in bpy.data.shape_keys:
        key = keys.key_blocks.get(OLD_KEY)
        if key is not None:
            key.name = DRAPED_KEY
    for action in bpy.data.actions:
        if action.name.endswith(OLD_GROUP):
            action.name = action.name.removesuffix(OLD_GROUP) + STATISTICS_GROUP
        for group in _groups(action):
            if group.name == OLD_GROUP:
                group.name = STATISTICS_GROUP


def mark() -> None:
    """Mark a file before it is saved: its wind strengths need no migration."""
    for scene in _simulated():
        scene.gpbd.fields_known = True


def keep_wind() -> None:
    """Migrate Wind fields of a loaded file: they gave the speed of the air where no other field acted."""
    for scene in _simulated():
        winds = [] if scene.gpbd.fields_known else scene.objects
        for ob in winds:
            if ob.field is not None and ob.field.type == "WIND":
                ob.gpbd.wind_as_air = True
        scene.gpbd.fields_known = True


def _keep_ends(maps: Any) -> None:
    """Maps went from 0 to 1 where a file said nothing else."""
    painted = [] if maps.ends_known else [name for name in LABELS if getattr(maps, f"{name}_group")]
    for name in painted:
        for end, value in ((f"{name}_low", OLD_LOW), (f"{name}_high", OLD_HIGH)):
            if not maps.is_property_set(end):
                setattr(maps, end, value)
        maps.ends_known = True


def _simulated() -> list[Any]:
    """Scenes with bodies."""
    return [scene for scene in bpy.data.scenes if any(ob.gpbd.body_type != "NONE" for ob in scene.objects)]


def _keep_range(settings: bpy.types.bpy_struct) -> None:
    """Keep a range that was set, with the former defaults for its unset ends; an unset range becomes the timeline's."""
    old = {"frame_start": 1, "frame_end": 120}
    if not settings.is_property_set("own_range") and any(settings.is_property_set(name) for name in old):
        for name, value in old.items():
            setattr(settings, name, getattr(settings, name) if settings.is_property_set(name) else value)


def stored(owner: bpy.types.bpy_struct) -> Any:
    """Return the container of the values of an ID's declared properties: separate since 5.0, with custom ones before."""
    get = getattr(owner, "bl_system_properties_get", None)
    return owner if get is None else get()


def _rename(values: Any, names: dict[str, str]) -> None:
    for old, new in names.items():
        if values is not None and old in values.keys():  # noqa: SIM118 - an ID is no mapping
            value = values[old]
            del values[old]
            if new not in values.keys():  # noqa: SIM118
                values[new] = value


def _groups(action: bpy.types.Action) -> list[Any]:
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [group for bag in bags for group in bag.groups]
