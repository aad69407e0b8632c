"""Shows the GPBD panels in Blender's own window, one at a time: `blender --python tools/panel_pictures.py -- OUT`.

For each it makes a file OUT/<name>.shown with its place in the window, and waits until the photographer removes the file, as
`tools/photograph.py` does: Blender itself takes no picture if a processor draws its window. Blender then ends.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parent.parent
#: Name of a picture -> module of `gpbd_addon.ui` with the panel that is open in it, "" for those that always are.
PICTURES = {
    "panel": "", "panel_material": "material", "panel_simulation": "simulation", "panel_collisions": "collisions",
    "panel_cache": "cache", "panel_painted": "maps", "panel_shape": "shape", "panel_field_weights": "field_weights",
}  # fmt: skip
#: Of the tab with the panels [pixels].
WIDTH = 420
#: Between two looks, and how often Blender draws before a picture is right [s].
LOOK, DRAWN = 0.2, 8


def steps(out: Path) -> Iterator[None]:
    """Yield wherever Blender is to draw."""
    _scene()
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    area.type = "PROPERTIES"
    with bpy.context.temp_override(window=window, area=area):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=WIDTH / area.width)
    yield
    area = min((area for area in window.screen.areas if area.type == "PROPERTIES"), key=lambda area: area.x)
    area.spaces.active.context = "PHYSICS"
    region = next(region for region in area.regions if region.type == "WINDOW")
    bpy.utils.unregister_class(bpy.types.PHYSICS_PT_add)  # buttons of all kinds of physics, above ours
    for name, module in PICTURES.items():
        shown = _show(module)
        for _ in range(DRAWN):
            area.tag_redraw()
            yield
        mark = out / f"{name}.shown"
        mark.write_text(f"{region.width}x{region.height}+{region.x}+{window.height - region.y - region.height}")
        while mark.exists():
            yield
        for panel in reversed(shown):
            bpy.utils.unregister_class(panel)
    for cls in _panels():  # which the extension takes away at its end
        bpy.utils.register_class(cls)


def _scene() -> None:
    """A cloth with a stiff hem on a sphere, baked twice: the second time with wind from a frame on."""
    from gpbd.gpbd_addon.bake import overview
    from gpbd.gpbd_addon.bake.job import BakeJob

    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    scene: Any = bpy.context.scene
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5)
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=24, size=2.0, location=(0.0, 0.0, 0.7))
    bpy.context.object.name = "Tablecloth"
    bpy.ops.gpbd.add_body(body_type="CLOTH")
    cloth: Any = bpy.context.object
    hem = [vertex.index for vertex in cloth.data.vertices if max(abs(vertex.co.x), abs(vertex.co.y)) > 0.9]
    cloth.vertex_groups.new(name="Hem").add(hem, 1.0, "REPLACE")
    maps = cloth.gpbd.maps
    maps.bending_group, maps.bending_high = "Hem", 10.0
    scene.frame_end = 24
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(tempfile.mkdtemp()) / "tablecloth.blend"))
    BakeJob(scene).run()
    scene.gpbd.wind = (2.0, 0.0, 0.0)
    BakeJob(scene, resume=True, from_frame=12).run()
    overview.look(scene)


def _show(module: str) -> list[Any]:
    """Show our panels, this one open. Blender has no function to open one, and stores open ones by name: they get
    another."""
    for cls in reversed(_panels()):
        if cls.is_registered:
            bpy.utils.unregister_class(cls)
    shown: list[Any] = []
    made_as: dict[str, str] = {}  # panel -> its replacement
    for cls in _panels():
        is_open = not shown or cls.__module__.endswith(f".{module}")
        name = f"{cls.__name__}_shown_{module or 'gpbd'}"
        closed = {"HIDE_HEADER"} if "HIDE_HEADER" in getattr(cls, "bl_options", ()) else {"DEFAULT_CLOSED"}
        attributes: dict[str, Any] = {"bl_idname": name, "bl_options": set() if is_open else closed}
        if getattr(cls, "bl_parent_id", ""):
            attributes["bl_parent_id"] = made_as[cls.bl_parent_id]
        panel = type(name, (cls,), attributes)
        made_as[getattr(cls, "bl_idname", cls.__name__)] = name
        bpy.utils.register_class(panel)
        shown.append(panel)
    return shown


def _panels() -> list[Any]:
    """Return the extension's panels, the parent of the others first."""
    from gpbd.gpbd_addon import ui

    panels = [cls for cls in ui.CLASSES if issubclass(cls, bpy.types.Panel)]
    return [cls for cls in panels if "INSTANCED" not in getattr(cls, "bl_options", ())]  # without popovers


def main(out: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from demo import extension

    extension.enable()
    bpy.context.preferences.view.show_splash = False
    going = steps(out)

    def leave() -> None:
        extension.disable()
        bpy.ops.wm.quit_blender()

    def go_on() -> float | None:
        goes_on = False
        try:
            goes_on = next(going, going) is not going
        finally:
            if not goes_on:  # at the end, or after an error, which Blender then prints
                bpy.app.timers.register(leave)
        return LOOK if goes_on else None

    bpy.app.timers.register(go_on, first_interval=1.0)


if __name__ == "__main__":
    main(Path(sys.argv[sys.argv.index("--") + 1]))
