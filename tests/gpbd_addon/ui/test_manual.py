"""F1 on our fields and buttons."""

import pytest


def test_every_pattern_has_its_page(blender):
    from gpbd.gpbd_addon.ui import manual

    for _, page in manual.PAGES:
        assert (manual.GUIDE / f"{page}.md").is_file()
    prefix, mapping = manual.manual()
    assert prefix.startswith("file:") and prefix.endswith("/guide/") and len(mapping) == len(manual.PAGES)


@pytest.mark.parametrize(
    ("identifier", "page"),
    [
        ("bpy.types.GPBD_PG_object.pin_hold", "pins"),
        ("bpy.types.GPBD_PG_maps.stretch_low", "keys_and_maps"),
        ("bpy.types.GPBD_PG_scene.substeps", "quality_and_time"),
        ("bpy.types.GPBD_PG_stvk_membrane.young_warp", "fabrics"),
        ("bpy.types.GPBD_PG_scene.device", "gpu"),
        ("bpy.ops.gpbd.install_cuda", "gpu"),
        ("bpy.ops.gpbd.drape", "drape"),
        ("bpy.ops.gpbd.bake", "first_cloth"),
    ],
)
def test_f1_finds_the_page(blender, identifier, page):
    """As Blender looks: lower case, the first pattern that fits."""
    from bl_operators.wm import WM_OT_doc_view_manual

    url = WM_OT_doc_view_manual._lookup_rna_url(identifier.lower())
    assert url.endswith(f"/docs/guide/{page}.md")


def test_every_property_and_operator_of_ours_has_a_page(blender):
    from bl_operators.wm import WM_OT_doc_view_manual

    from gpbd.gpbd_addon import operators, properties

    names = [f"bpy.ops.{cls.bl_idname}" for cls in operators.CLASSES]
    for cls in properties.CLASSES:
        names += [f"bpy.types.{cls.__name__}.{prop.identifier}" for prop in cls.bl_rna.properties]
    found = [WM_OT_doc_view_manual._lookup_rna_url(name.lower(), verbose=False) for name in names]
    assert len(found) > 200 and all(url is not None and url.startswith("file:") for url in found)


def test_an_installed_extension_opens_its_site(blender, tmp_path, monkeypatch):
    """Blender calls for the map each time, so it finds the present pages."""
    from bl_operators.wm import WM_OT_doc_view_manual

    from gpbd.gpbd_addon.ui import manual

    (tmp_path / "site" / "guide").mkdir(parents=True)
    monkeypatch.setattr(manual, "SITE", tmp_path / "site")
    assert WM_OT_doc_view_manual._lookup_rna_url("bpy.ops.gpbd.drape") == (tmp_path / "site/guide/drape.html").as_uri()
    assert manual.front_page.__wrapped__() == (tmp_path / "site/index.html").as_uri()


def test_the_panel_has_a_button_that_opens_the_guide(blender):
    from types import SimpleNamespace

    pressed = SimpleNamespace(url="")
    layout = SimpleNamespace(operator=lambda name, **shown: pressed if name == "wm.url_open" else None)
    panel = blender.types.PHYSICS_PT_gpbd
    panel.draw_header_preset(SimpleNamespace(layout=layout), blender.context)
    assert pressed.url.endswith("/docs/README.md") and "url" in blender.ops.wm.url_open.get_rna_type().properties
