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
        ("bpy.types.GPBD_PG_object.follow_share", "pins"),
        ("bpy.types.GPBD_PG_object.uniform_pressure_force", "shape"),
        ("bpy.types.GPBD_PG_attachment.distance", "shape"),
        ("bpy.types.GPBD_PG_object.outer_thickness", "collisions"),
        ("bpy.types.GPBD_PG_object.material_thickness", "fabrics"),
        ("bpy.types.GPBD_PG_object.rope_radius", "ropes"),
        ("bpy.types.GPBD_PG_effector_weights.wind", "wind"),
        ("bpy.types.GPBD_PG_object.own_air", "wind"),
        ("bpy.types.GPBD_PG_plastic_neo_hookean.yield_stress", "creases"),
        ("bpy.types.GPBD_PG_stable_neo_hookean.poisson", "soft_and_rigid_bodies"),
        ("bpy.types.GPBD_PG_grab.stiffness", "live"),
        ("bpy.types.GPBD_PG_scene.live_timing", "live"),
        ("bpy.types.GPBD_PG_scene.cache_folder", "versions"),
        ("bpy.types.GPBD_PG_scene.frame_end", "first_cloth"),
        ("bpy.ops.gpbd.rope_from_curve", "ropes"),
        ("bpy.ops.gpbd.keep_live", "live"),
        ("bpy.ops.gpbd.bake_selected", "versions"),
        ("bpy.ops.gpbd.copy_to_selected", "from_blender"),
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
