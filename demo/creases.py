"""Three sheets that are folded over and let go: foil and paper keep a crease, a sheet that only springs back has none.

Absolute shape keys fold the mesh. Pins hold the half on the table, a stiff goal pulls the other half until a key lets go.
"""

from __future__ import annotations

import bpy
import numpy as np

from . import extension, stage

NAME = "creases"
FRAMES = 60
SHEET = (1, 8, 12, 18, 22, 26, 36, 60)
STILL = 60
LENGTH, WIDTH, RADIUS = 0.2, 0.12, 0.003  # m
COLUMNS, ROWS = 60, 12
#: Angle of the fold [degrees], in so many keys; frames where it begins, ends, and is let go.
ANGLE, KEYS = 170.0, 18
BEGIN, END, LET_GO = 2, 16, 20
#: Name, preset, whether it creases, colour, and where it lies [m].
SHEETS = (
    ("Foil", "aluminium_foil", True, (0.65, 0.66, 0.68), -0.16),
    ("Paper", "paper", True, (0.9, 0.88, 0.8), 0.0),
    ("Spring", "paper", False, (0.35, 0.55, 0.75), 0.16),
)


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="PRODUCTION")
    stage.floor(scene, colour=(0.42, 0.34, 0.27))
    for name, preset, creases, colour, y in SHEETS:
        ob = stage.add(scene, name, stage.grid(name, COLUMNS, ROWS, (LENGTH, 0, 0), (0, WIDTH, 0)), (0, y, 0.004))
        ob.data.vertices.foreach_set("co", _folded(0.0).astype(np.float32).ravel())
        ob.data.materials.append(stage.material(name, colour, roughness=0.35))
        extension.make_body(ob, "CLOTH", preset)
        if not creases:
            ob.gpbd.bend_model = "discrete_shell"
            ob.gpbd.discrete_shell.bending_warp = ob.gpbd.creasing_shell.bending_warp
            ob.gpbd.discrete_shell.bending_weft = ob.gpbd.creasing_shell.bending_weft
        _fold(ob)
    stage.camera(scene, (0.42, -0.5, 0.34), (-0.01, 0.0, 0.04), lens=50)
    return scene


def _folded(angle: float) -> np.ndarray:
    """The sheet, folded up by an angle [radians] about a rod across its middle [m], (n, 3)."""
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, COLUMNS + 1), np.linspace(-0.5, 0.5, ROWS + 1))
    s, y = (LENGTH * u).ravel(), (WIDTH * v).ravel()
    turned = np.clip(s / RADIUS, 0.0, angle)
    beyond = np.maximum(s - RADIUS * angle, 0.0)
    x = np.minimum(s, 0.0) + RADIUS * np.sin(turned) + beyond * np.cos(angle)
    return np.stack([x, y, RADIUS * (1 - np.cos(turned)) + beyond * np.sin(angle)], 1)


def _fold(ob: bpy.types.Object) -> None:
    """Keys that fold it, pins on the table, and a goal that follows the keys until it lets go."""
    for k in range(KEYS + 1):
        key = ob.shape_key_add(name=f"Fold {k}", from_mix=False)
        key.data.foreach_set("co", _folded(np.radians(ANGLE) * k / KEYS).astype(np.float32).ravel())
    keys = ob.data.shape_keys
    keys.use_relative = False
    for frame, key in ((BEGIN, keys.key_blocks[0]), (END, keys.key_blocks[-1])):
        keys.eval_time = key.frame
        keys.keyframe_insert("eval_time", frame=frame)
    x = _folded(0.0)[:, 0]
    for name, rows in (("Pins", x < -0.01), ("Flap", x >= -0.01)):
        ob.vertex_groups.new(name=name).add(np.flatnonzero(rows).tolist(), 1.0, "REPLACE")
    settings = ob.gpbd
    settings.pin_group, settings.use_goal, settings.goal_group = "Pins", True, "Flap"
    settings.goal_frequency, settings.goal_damping_ratio = 200.0, 1.0
    for frame, weight in ((LET_GO, 1.0), (LET_GO + 1, 0.0)):
        settings.goal_weight = weight
        settings.keyframe_insert("goal_weight", frame=frame)
