"""The README's first cloth in Blender's own window, step by step: `blender --python tools/first_cloth.py -- OUT`.

Each step is the operator of a click or a key, a second apart so that it can be seen. It waits for the cloth to move after
`Space`, and for the end of the bake. It prints, and writes to OUT/first_cloth.json, clicks and keys of each step, seconds
from the press of *GPBD Cloth* to moving cloth and from the first step to the end, and the part of them for compilation,
which happens once. Blender stays open, or ends with `--quit` after OUT. The extension is the installed one, else that of
this clone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parent.parent
#: Seconds between two steps, and between two looks at the bake.
PAUSE, LOOK = 1.0, 0.1


@dataclass(frozen=True)
class Step:
    """words: of the README. clicks: of the mouse, and keys, that they take; numbers that are typed are a key each."""

    words: str
    clicks: int
    keys: int
    do: Callable[[], Any]


def _sphere() -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6)


def _delete_cube() -> None:
    bpy.ops.object.delete(use_global=False)


def _collision() -> None:
    _show_physics()
    bpy.ops.object.modifier_add(type="COLLISION")


def _grid() -> None:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=60, size=2.0, location=(0.0, 0.0, 1.0))


def _smooth() -> None:
    bpy.ops.object.shade_smooth()


def _cloth() -> None:
    bpy.ops.gpbd.add_body(body_type="CLOTH")


def _draft() -> None:
    bpy.context.scene.gpbd.quality = "DRAFT"


def _play() -> None:
    if not bpy.app.background:
        bpy.ops.screen.animation_play()


def _bake() -> None:
    bpy.ops.gpbd.bake("INVOKE_DEFAULT")


STEPS = (
    Step("Delete the cube of the start scene", 0, 2, _delete_cube),
    Step(
        "*Add > Mesh > UV Sphere*; click the box *Add UV Sphere*, at the lower left of the viewport, so that it opens, and "
        "type *Radius* 0.6 m",
        5,
        2,
        _sphere,
    ),
    Step("In the *Physics* tab press Blender's own **Collision**", 2, 0, _collision),
    Step("*Add > Mesh > Grid*, and in its box 60 by 60 subdivisions, size 2 m, *Location Z* 1 m", 7, 8, _grid),
    Step("*Object > Shade Smooth*", 2, 0, _smooth),
    Step("Press **GPBD Cloth** in the *Physics* tab", 1, 0, _cloth),
    Step("choose *Draft*", 1, 0, _draft),
    Step("**Press `Space`.**", 0, 1, _play),
    Step("Press **Bake**", 1, 0, _bake),
)


def _show_physics() -> None:
    """The tab that Blender's click on it shows; there is none without a window."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.spaces.active.context = "PHYSICS"


def _in_view(do: Callable[[], Any]) -> None:
    """Run it as from the 3D view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        do()


def _is_playing() -> bool:
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


class Walk:
    """The steps, one a call of Blender's timer. It waits for motion before the last one, then for the end of the bake."""

    def __init__(self, out: Path, ends: bool = False):
        """ends: Blender, when the walk does."""
        self.out, self.ends, self.left, self.began = out, ends, list(STEPS), time.perf_counter()
        self.pressed = self.moving = 0.0
        self.baking = False
        self.compiling, self._looked = 0.0, self.began

    def __call__(self) -> float | None:
        status, now = bpy.context.window_manager.gpbd_status, time.perf_counter()
        if _is_playing():
            if bpy.context.scene.frame_current == bpy.context.scene.frame_start:
                return LOOK
            self.moving = now
            _in_view(_play)
        if self.left:
            step = self.left.pop(0)
            if step.do is _cloth:
                self.pressed = now
            _in_view(step.do)
            return LOOK if _is_playing() else PAUSE
        self.baking = self.baking or bool(status)
        if status.startswith("Compiling"):
            self.compiling += now - self._looked
        self._looked = now
        if status or not self.baking:
            return LOOK
        self._tell(now - self.began)
        if self.ends:
            bpy.ops.wm.quit_blender()
        return None

    def _tell(self, whole: float) -> None:
        body, pauses = bpy.data.objects["Grid"], PAUSE * sum(step.do in (_cloth, _draft) for step in STEPS)
        summary = {
            "steps": [{"words": step.words, "clicks": step.clicks, "keys": step.keys} for step in STEPS],
            "clicks": sum(step.clicks for step in STEPS),
            "keys": sum(step.keys for step in STEPS),
            "seconds_from_the_press_to_moving_cloth": self.moving - self.pressed,
            "of_which_pauses": pauses,
            "seconds_to_the_end": whole,
            "of_which_compiling": self.compiling,
            "baked": body.gpbd.cache_info,
        }
        print(
            f"first cloth: {summary['clicks']} clicks, {summary['keys']} keys; cloth moves "
            f"{self.moving - self.pressed:.1f} s after the press of GPBD Cloth, of which {pauses:.0f} s are pauses; "
            f"{whole:.1f} s in all, of which {self.compiling:.1f} s compiling. {body.gpbd.cache_info}",
            flush=True,
        )
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "first_cloth.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


def enable() -> None:
    """Enable the installed extension, else that of this clone."""
    if not hasattr(bpy.types.Object, "gpbd"):
        sys.path.insert(0, str(ROOT))
        from demo import extension

        extension.enable()


if __name__ == "__main__":
    enable()
    bpy.context.preferences.view.show_splash = False
    given = sys.argv[sys.argv.index("--") + 1 :]
    bpy.app.timers.register(Walk(Path(given[0]), "--quit" in given[1:]), first_interval=PAUSE)
