"""Texts of panels in German and Japanese have room in a narrow sidebar."""

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui import measured_layout


def panels():
    from gpbd.gpbd_addon import ui

    return [cls.__name__ for cls in ui.CLASSES if cls.__name__.startswith("PHYSICS_PT_gpbd")]


@pytest.fixture
def narrow(extension, monkeypatch):
    from gpbd.gpbd_addon import translations
    from gpbd.gpbd_addon.ui import label_width, live, material, quality, value_row

    for module in (label_width, live, material, quality, value_row):
        monkeypatch.setattr(module, "row_width", lambda: measured_layout.ROW)

    def in_language(file):
        monkeypatch.setattr(translations, "language", lambda: file)

    return in_language


def of_every_kind(blender, kind):
    """Return a body with all of its panels open and most rows shown."""
    blender.ops.mesh.primitive_ico_sphere_add(subdivisions=1)
    ob = blender.context.object
    if kind == "ROPE":
        blender.ops.object.mode_set(mode="EDIT")
        blender.ops.mesh.delete(type="ONLY_FACE")
        blender.ops.object.mode_set(mode="OBJECT")
    blender.ops.gpbd.add_body(body_type=kind)
    ob.vertex_groups.new(name="Hem")
    settings = ob.gpbd
    settings.use_goal = settings.use_pressure = settings.use_sewing_springs = settings.own_air = True
    settings.use_tearing = kind in ("CLOTH", "ROPE")
    for name in ("stretch", "shear", "bending", "damping", "friction", "pin_stiffness", "pin_strength"):
        setattr(settings.maps, f"{name}_group", "Hem")
    settings.pin_group, settings.follow_share = "Hem", 0.5
    settings.attachments.add()
    settings.grabs.add()
    return ob


@pytest.mark.parametrize("language", ["", "de.json", "ja.json"])
def test_no_text_of_a_panel_is_cut_at_227_pixels(blender, narrow, language):
    """The sidebar of a window of 1380 pixels. Half a pixel: widths of texts are rounded."""
    from gpbd.gpbd_addon.body_kinds import BODY_KINDS

    narrow(language)
    cut = {}
    for kind in BODY_KINDS:
        if kind != "NONE":
            cut |= dict.fromkeys(measured_layout.cut_texts(blender, of_every_kind(blender, kind), panels()), kind)
    floor = scenes.floor(blender)
    cut |= dict.fromkeys(measured_layout.cut_texts(blender, floor, panels()), "collider")
    assert not cut, "\n".join(f"{kind}: {text}" for text, kind in cut.items())
