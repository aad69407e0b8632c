"""Properties in the .blend file: `object.gpbd`, `scene.gpbd`, `material.gpbd_preset`; on the WindowManager, a bake."""

from typing import Any

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from ...solver.scene.presets import list_presets
from ..user_folder import user_presets_folder
from .announced import announce
from .attachment import GPBD_PG_attachment
from .effector_weights import GPBD_PG_effector_weights
from .energy_groups import ENERGY_GROUPS
from .finding import GPBD_PG_finding
from .grab import GPBD_PG_grab
from .map_properties import GPBD_PG_maps
from .object_properties import GPBD_PG_object
from .scene_properties import GPBD_PG_scene

#: No frame of a timeline.
NOWHERE = -(2**31)
OWN_GROUPS = GPBD_PG_attachment, GPBD_PG_grab, GPBD_PG_effector_weights, GPBD_PG_maps
CLASSES = (*ENERGY_GROUPS.values(), *OWN_GROUPS, GPBD_PG_object, GPBD_PG_scene, GPBD_PG_finding)


def _fabric_presets(self: bpy.types.bpy_struct, context: bpy.types.Context, typed: str) -> list[str]:
    return [preset.name for preset in list_presets("fabric", user_presets_folder()) if not preset.error]


def register() -> None:
    announce((*ENERGY_GROUPS.values(), *OWN_GROUPS, GPBD_PG_object, GPBD_PG_scene))
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    ob: Any = bpy.types.Object
    scene: Any = bpy.types.Scene
    manager: Any = bpy.types.WindowManager
    material: Any = bpy.types.Material
    material.gpbd_preset = StringProperty(
        name="Fabric Preset",
        description=(
            "Fabric preset of the faces with this material; empty: the fabric of the body. "
            "The body keeps one collision distance and friction"
        ),
        search=_fabric_presets,
        options=set(),
    )
    ob.gpbd = PointerProperty(type=GPBD_PG_object, override={"LIBRARY_OVERRIDABLE"})
    scene.gpbd = PointerProperty(type=GPBD_PG_scene)
    manager.gpbd_progress = FloatProperty(name="GPBD Progress", min=0, max=1, options={"SKIP_SAVE"})
    manager.gpbd_status = StringProperty(name="GPBD Status", options={"SKIP_SAVE"})
    manager.gpbd_findings = CollectionProperty(type=GPBD_PG_finding, options={"SKIP_SAVE"})
    manager.gpbd_numbers = StringProperty(name="GPBD Numbers", options={"SKIP_SAVE"})
    manager.gpbd_problems = StringProperty(name="GPBD Problems", options={"SKIP_SAVE"})
    manager.gpbd_baked_to = IntProperty(
        name="GPBD Baked To", description="Where a bake has just left the timeline", default=NOWHERE, options={"SKIP_SAVE"}
    )


def unregister() -> None:
    owners: list[tuple[Any, str]] = [
        (bpy.types.WindowManager, "gpbd_baked_to"),
        (bpy.types.WindowManager, "gpbd_findings"),
        (bpy.types.WindowManager, "gpbd_problems"),
        (bpy.types.WindowManager, "gpbd_numbers"),
        (bpy.types.WindowManager, "gpbd_status"),
        (bpy.types.WindowManager, "gpbd_progress"),
        (bpy.types.Scene, "gpbd"),
        (bpy.types.Object, "gpbd"),
        (bpy.types.Material, "gpbd_preset"),
    ]
    for owner, name in owners:
        delattr(owner, name)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
