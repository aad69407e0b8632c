"""Limits of drawing a window: it reads no disk, walks no objects and renames no button when a value changes."""

import builtins
import os
from types import SimpleNamespace

import bpy
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui import test_panels


class Without:
    """Stands for something of Blender's, without some of its attributes."""

    def __init__(self, owner, *names):
        self.__dict__.update(owner=owner, names=names)

    def __getattr__(self, name):
        assert name not in self.names, f"{name} is walked"
        return getattr(self.owner, name)

    def __setattr__(self, name, value):
        setattr(self.owner, name, value)


@pytest.fixture
def flag(blender, tmp_path):
    """A cloth with a cache, a copy that shares it, and a collider that leaves it no room."""
    flag = scenes.cloth(blender)
    flag.modifiers.new("GPBD Cloth", "MESH_CACHE")
    reports = [{}, {"error": 0.5, "seconds": 0.5}, {"error": 0.25, "seconds": 0.5, "intersections": 2}]
    test_panels.write_cache(flag, tmp_path / "a.pc2", len(flag.data.vertices), reports=reports)
    blender.context.scene.collection.objects.link(flag.copy())
    floor = scenes.floor(blender)
    floor.collision.thickness_outer, floor.gpbd.clearance = 0.02, 0.004
    return flag


def panels(ob):
    """Names of those that show an object; popovers are drawn when they are opened."""
    from gpbd.gpbd_addon import ui

    known = [cls for cls in ui.CLASSES if issubclass(cls, bpy.types.Panel)]
    known = [cls for cls in known if "INSTANCED" not in getattr(cls, "bl_options", ())]
    return [cls.__name__ for cls in known if cls.poll(SimpleNamespace(object=ob))]


def operators():
    from gpbd.gpbd_addon import operators

    return [cls for cls in operators.CLASSES if issubclass(cls, bpy.types.Operator) and hasattr(cls, "poll")]


def test_panels_and_buttons_read_no_disk_and_walk_no_objects(blender, flag, monkeypatch):
    """The overview has both, and is updated after an event."""
    from gpbd.gpbd_addon.bake import overview

    flag.gpbd.heat_map = True
    names, scene = panels(flag), blender.context.scene
    known = overview.look(scene)
    assert known.reports and known.headers and known.too_thick and known.twins == {"Flag": "Flag.001", "Flag.001": "Flag"}

    def refused(*_, **__):
        raise AssertionError("the disk is read")

    with monkeypatch.context() as patched:
        patched.setattr(overview, "of", lambda scene: known)
        patched.setattr(bpy, "data", Without(bpy.data, "objects"))
        for module, reads in ((os, ("stat", "listdir", "scandir", "open")), (builtins, ("open",))):
            for name in reads:
                patched.setattr(module, name, refused)
        seen = Without(scene, "objects")
        layout = test_panels.draw(blender, flag, *names, scene=seen)
        context = SimpleNamespace(
            object=flag, scene=seen, window_manager=blender.context.window_manager, selected_objects=[flag], mode="OBJECT"
        )
        polled = [cls.poll(context) for cls in operators()]
    assert any(polled)
    said = layout.text()
    for words in ("A copy: 'Flag.001'", "starts 4 mm away", "2 intersections", "0.5 s a frame"):
        assert words in said


def test_no_button_changes_its_name_with_a_value(blender, flag, monkeypatch):
    """Versions are a list, whose rows have the versions' names."""
    names, buttons = panels(flag), []
    plain = test_panels.Layout.operator

    def operator(self, name, text=None, **options):
        buttons.append((name, text))
        return plain(self, name, **options)

    monkeypatch.setattr(test_panels.Layout, "operator", operator)

    def drawn():
        buttons.clear()
        test_panels.draw(blender, flag, *names)
        return {(name, text) for name, text in buttons if name != "gpbd.choose_version" and text != ""}

    scene, before = blender.context.scene, drawn()
    blender.context.view_layer.objects.active = flag
    assert blender.ops.gpbd.show_statistics() == {"FINISHED"}
    scene.frame_set(3)
    scene.objects["Floor"].collision.thickness_outer = 0.03
    scene.objects["Floor"].gpbd.clearance = 0.006
    assert drawn() == before


def test_live_is_a_button_while_a_bake_of_another_folder_plays(blender, flag):
    """The timeline plays such a bake as well as one of the file's folder."""
    for folder in ("//gpbd_cache", "//elsewhere"):
        blender.context.scene.gpbd.cache_folder = folder
        assert ("operator", "gpbd.go_live") in test_panels.draw(blender, flag, "PHYSICS_PT_gpbd").drawn


def test_a_cache_that_has_gone_since_the_disk_was_looked_at_is_told(blender, flag):
    from gpbd.gpbd_addon.bake import cache_path
    from gpbd.gpbd_addon.operators import show_statistics
    from gpbd.solver.cache.pc2 import manifest_path
    from gpbd.solver.errors import CacheError

    assert show_statistics.reports_of(flag).frames
    manifest_path(cache_path.of(flag)).unlink()
    with pytest.raises(CacheError, match=r"Flag: has no cache.*Bake it first"):
        show_statistics.reports_of(flag)
