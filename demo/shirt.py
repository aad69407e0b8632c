"""A cotton shirt on a mannequin that turns and lifts its arms."""

from __future__ import annotations

import math
from typing import Any

import bpy
import mathutils
import numpy as np

from . import extension, modelled, stage

NAME = "shirt"
FRAMES = 96
SHEET = (1, 12, 24, 36, 48, 60, 72, 96)
STILL = 60
GAP = 0.02  # m, between the skin and the shirt at the start
EDGE = 0.016  # m, of the shirt's faces
SHOULDER, ELBOW, WRIST = (0.17, 0.0, 1.41), (0.4, 0.0, 1.21), (0.56, 0.0, 1.0)  # m, of the left arm
SLEEVE, HEM, COLLAR = 0.36, 0.88, 0.085  # m: where the sleeves end, the height of the hem, the radius of the collar
#: Frame -> turn of the chest, lift of the arms, bend of the elbows [degrees].
POSES = {1: (0, 0, 0), 18: (0, 0, 0), 36: (25, 25, 20), 60: (-25, 25, 20), 80: (0, 0, 0)}


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene)
    mannequin = modelled.melted("Mannequin", _balls(), EDGE)
    mannequin.data.materials.append(stage.material("Plaster", (0.75, 0.7, 0.64), roughness=0.7))
    shirt = _shirt(scene, mannequin)
    _animate(scene, mannequin)
    stage.collide(mannequin)
    extension.make_body(shirt, "CLOTH", "cotton_poplin")
    _finish(shirt)
    stage.camera(scene, (1.3, -2.6, 1.55), (0.0, 0.0, 1.28), lens=52)
    return scene


def _balls() -> list[modelled.Ball]:
    """Return the balls of the figure, which looks along -y."""
    balls: list[modelled.Ball] = [
        ((0, 0, 1.12), (0.155, 0.105, 0.3)),
        ((0, 0, 1.3), (0.18, 0.115, 0.15)),
        ((0, 0, 0.92), (0.165, 0.115, 0.14)),
        ((0, -0.01, 1.68), (0.08, 0.1, 0.12)),
    ]
    balls += modelled.limb((0, 0.01, 1.4), (0, 0, 1.6), 0.075, 0.052)
    balls += modelled.limb((-SHOULDER[0], 0, SHOULDER[2]), SHOULDER, 0.06, 0.06)
    for side in (-1, 1):
        shoulder, elbow, wrist = ((side * x, y, z) for x, y, z in (SHOULDER, ELBOW, WRIST))
        balls += modelled.limb(shoulder, elbow, 0.056, 0.043) + modelled.limb(elbow, wrist, 0.043, 0.032)
        balls += modelled.limb((side * 0.085, 0, 0.9), (side * 0.09, 0, 0.08), 0.085, 0.05)
    return balls


def _shirt(scene: bpy.types.Scene, mannequin: bpy.types.Object) -> bpy.types.Object:
    """The skin, moved out, meshed evenly, and cut open at hem, sleeves and collar."""
    shirt = stage.add(scene, "Shirt", mannequin.data.copy())
    shirt.data.materials.clear()
    out: Any = shirt.modifiers.new("Out", "DISPLACE")
    out.strength, out.mid_level = GAP, 0.0
    modelled.even(shirt, EDGE, smooth=2)
    x = modelled.positions(shirt)
    head = (np.hypot(x[:, 0], x[:, 1]) < COLLAR) & (x[:, 2] > SHOULDER[2])
    modelled.keep(shirt, (x[:, 2] > HEM) & (np.abs(x[:, 0]) < SLEEVE) & ~head & (x[:, 2] < 1.55))
    shirt.data.materials.append(stage.material("Cotton", (0.12, 0.3, 0.55), roughness=0.8))
    return shirt


def _finish(shirt: bpy.types.Object) -> None:
    """Finish the baked cloth for renders: smooth, and with a thickness at its hems."""
    smooth: Any = shirt.modifiers.new("Smooth", "SUBSURF")
    smooth.levels, smooth.render_levels = 0, 2
    thick: Any = shirt.modifiers.new("Thickness", "SOLIDIFY")
    thick.thickness, thick.offset, thick.show_viewport = 0.002, 1.0, False


def _animate(scene: bpy.types.Scene, mannequin: bpy.types.Object) -> None:
    """An armature, whose bones have smooth weights, and the poses."""
    rig = stage.add(scene, "Rig", bpy.data.armatures.new("Rig"))
    x = modelled.positions(mannequin)
    chest = modelled.step(x[:, 2], 0.95, 1.2)
    weights = {"hips": 1 - chest}
    bones = {"hips": ((0, 0, 0.85), (0, 0, 1.0), None), "chest": ((0, 0, 1.0), (0, 0, 1.4), "hips")}
    for name, side in (("left", 1), ("right", -1)):
        shoulder, elbow, wrist = (tuple(np.array(p) * (side, 1, 1)) for p in (SHOULDER, ELBOW, WRIST))
        bones |= {f"upper {name}": (shoulder, elbow, "chest"), f"lower {name}": (elbow, wrist, f"upper {name}")}
        arm = modelled.step(side * x[:, 0], SHOULDER[0] - 0.05, SHOULDER[0] + 0.06) * (x[:, 2] > HEM)
        fore = modelled.step(side * x[:, 0], ELBOW[0] - 0.04, ELBOW[0] + 0.04)
        weights |= {f"upper {name}": arm * (1 - fore), f"lower {name}": arm * fore}
        chest = chest * (1 - arm)
    weights["chest"] = chest
    _bones(rig, bones)
    for name, values in weights.items():
        group = mannequin.vertex_groups.new(name=name)
        for k in np.flatnonzero(values > 1e-3).tolist():
            group.add([k], float(values[k]), "REPLACE")
    mannequin.modifiers.new("Armature", "ARMATURE").object = rig
    for frame, (turn, lift, bend) in POSES.items():
        _turn(rig, "chest", (0, 0, 1), turn, frame)
        for name, side in (("left", 1), ("right", -1)):
            _turn(rig, f"upper {name}", (0, -side, 0), lift, frame)
            _turn(rig, f"lower {name}", (0, -side, 0), bend, frame)


def _bones(rig: bpy.types.Object, bones: dict[str, Any]) -> None:
    """Head, tail [m] and parent of each, by name."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent) in bones.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = rig.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")


def _turn(rig: bpy.types.Object, name: str, axis: tuple[float, float, float], degrees: float, frame: int) -> None:
    """Key the rotation of a bone about an axis of the world, as it is at rest."""
    bone = rig.pose.bones[name]
    rest = bone.bone.matrix_local.to_3x3()
    turned = rest.inverted() @ mathutils.Matrix.Rotation(math.radians(degrees), 3, mathutils.Vector(axis)) @ rest
    bone.rotation_quaternion = turned.to_quaternion()
    bone.keyframe_insert("rotation_quaternion", frame=frame)
