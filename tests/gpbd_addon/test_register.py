"""Enabling and disabling the extension leaves Blender as it was."""

from __future__ import annotations


def hooks(bpy) -> dict[str, list]:
    """Return everything that calls into the extension: handlers, and draw functions in Blender's own panels and menus."""
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    handlers = {name: found for name, found in lists.items() if isinstance(found, list)}
    drawn = (bpy.types.PHYSICS_PT_add, bpy.types.OBJECT_MT_modifier_add, bpy.types.OBJECT_MT_modifier_add_physics)
    drawers = {menu.__name__: list(getattr(menu.draw, "_draw_funcs", [])) for menu in drawn}
    ours = {}
    for name, functions in (handlers | drawers).items():
        ours[name] = [f for f in functions if (getattr(f, "__module__", None) or "").startswith("gpbd.")]
    return ours


def test_disabling_takes_everything_back_and_enabling_again_restores_it(blender, extension):
    before = hooks(blender)
    operators = set(dir(blender.ops.gpbd))
    assert any(before.values())
    assert {"add_body", "bake", "resume", "clear_cache"} <= operators
    extension.unregister()
    try:
        assert not any(hooks(blender).values())
        assert not dir(blender.ops.gpbd)
        assert not hasattr(blender.types.Object, "gpbd")
        assert not hasattr(blender.types.Scene, "gpbd")
    finally:
        extension.register()
    assert {name: len(found) for name, found in hooks(blender).items()} == {n: len(f) for n, f in before.items()}
    assert set(dir(blender.ops.gpbd)) == operators
