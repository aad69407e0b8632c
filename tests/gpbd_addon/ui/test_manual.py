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
