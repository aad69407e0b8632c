"""Presets are seen and found: pictures, facts in words, the gallery, the asset library and its shelf."""

from types import SimpleNamespace

import numpy as np
import pytest

from solver.scene.presets import FOLDER
from solver.scene.presets import list_presets as all_presets
from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import Layout

PRESETS = all_presets()
#: Largest picture, and all of them together [bytes].
LARGEST, TOGETHER = 12_000, 400_000


def test_every_preset_has_a_small_picture_that_shows_something(blender):
    """About the middle is a colour of its material, not of the background."""
    from gpbd.gpbd_addon import picture_file
    from gpbd.gpbd_addon.read import preset_facts

    for preset in PRESETS:
        path = preset_facts.picture(preset)
        assert path is not None and 0 < path.stat().st_size <= LARGEST, preset.name
        pixels = picture_file.read(path)[..., :3]
        assert pixels.shape[0] == pixels.shape[1], preset.name
        away = np.abs(pixels - pixels[0, -1]).max(2) > 0.08
        assert 0.05 < away.mean() < 0.6, preset.name


def test_there_is_no_picture_without_a_preset_and_all_are_small():
    pictures = list((FOLDER / "pictures").glob("*.jpg"))
    assert {path.stem for path in pictures} == {preset.path.stem for preset in PRESETS}
    assert sum(path.stat().st_size for path in pictures) < TOGETHER


def test_drape_coefficients_are_those_of_the_tables_that_pages_show(blender):
    """Within three points of docs/reference/presets.md, whose meshes are of 8 mm and not 12."""
    from gpbd.gpbd_addon.read import preset_facts

    drapes = preset_facts._drapes()
    assert set(drapes) == {preset.path.stem for preset in PRESETS if preset.kind == "fabric"}
    for name, value in {"denim": 0.83, "cotton_poplin": 0.71, "wool_suiting": 0.59, "jersey": 0.42, "felt": 0.92}.items():
        assert drapes[name] == pytest.approx(value, abs=0.03), name


def test_facts_are_in_words(blender):
    from gpbd.gpbd_addon.read import preset_facts

    for preset in PRESETS:
        facts = preset_facts.facts(preset)
        assert ("g/m²" if preset.kind == "fabric" else "kg/m³") in facts[0], preset.name
        assert any(fact.startswith(f"{preset.grade.title()}: ") for fact in facts), preset.name
        assert facts[-1].startswith("Source: "), preset.name
        assert (preset.kind == "fabric") == any(fact.startswith("Drape coefficient") for fact in facts), preset.name


def test_the_grades_are_all_explained(blender):
    from gpbd.gpbd_addon.read import preset_facts
    from gpbd.solver.scene.presets import GRADES

    assert set(preset_facts.GRADES) == set(GRADES)


@pytest.fixture
def gallery(blender, tmp_path, monkeypatch):
    """A cloth, and a folder of its own for the user's presets."""
    from gpbd.gpbd_addon.operators import apply_preset_asset, make_preset_library
    from gpbd.gpbd_addon.ui import preset_gallery

    for module in (preset_gallery, apply_preset_asset, make_preset_library):
        monkeypatch.setattr(module, "user_presets_folder", lambda: tmp_path)
    monkeypatch.setattr(make_preset_library, "presets_library_folder", lambda: tmp_path / "library")
    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="CLOTH")
    blender.context.window_manager.gpbd_preset_search = ""
    return ob


@pytest.mark.parametrize(
    "typed, found",
    [
        ("denim", {"denim", "twill_3_1"}),
        ("jeans", {"denim"}),
        ("cotton MEASURED", {"chino", "cotton_poplin", "denim"}),
        ("zzz", set()),
    ],
)
def test_they_are_found_by_name_and_tags(gallery, typed, found):
    from gpbd.gpbd_addon.ui import preset_gallery

    assert {preset.path.stem for preset in preset_gallery.shown("fabric", typed)} == found


def test_a_choice_in_the_gallery_sets_the_material(blender, gallery):
    manager = blender.context.window_manager
    manager.gpbd_preset_search = "jeans"
    path = str(FOLDER / "fabrics" / "denim.toml")
    manager.gpbd_preset_gallery = path
    assert gallery.gpbd.preset == "Denim, 11 oz" and manager.gpbd_preset_gallery == path


def test_the_gallery_tells_all_of_the_bodys_preset(blender, gallery):
    blender.ops.gpbd.apply_preset(path=str(FOLDER / "fabrics" / "silk.toml"))
    layout = Layout(blender)
    context = SimpleNamespace(
        object=gallery, window_manager=blender.context.window_manager, preferences=blender.context.preferences, region=None
    )
    blender.types.GPBD_PT_preset_gallery.draw(SimpleNamespace(layout=layout), context)
    told = " ".join(text for what, text in layout.drawn if what == "label")
    assert "g/m²" in told and "Drape coefficient" in told and "Estimated: typical of its kind" in told


def test_the_panel_names_the_presets_of_the_slots(blender, gallery):
    """A material dragged onto a cloth replaces the fabric of faces; the menu still names that of the body."""
    from gpbd.gpbd_addon.ui import preset

    def shown():
        layout = Layout(blender)
        preset.draw_slots(layout, SimpleNamespace(preferences=blender.context.preferences, region=None), gallery)
        return [note[1] for note in layout.drawn]

    gallery.data.materials.append(blender.data.materials.new("Collar"))
    assert shown() == []
    gallery.data.materials[0].gpbd_preset = "Denim, 11 oz"
    assert shown() == ["Slot Materials: Denim, 11 oz"]


def test_the_library_has_all_presets_with_pictures_facts_and_tags(blender, gallery, tmp_path):
    (tmp_path / "mine.toml").write_text((FOLDER / "fabrics" / "silk.toml").read_text().replace("Silk", "My own silk"))
    old = blender.data.materials.new("Denim, 11 oz")
    libraries = blender.context.preferences.filepaths.asset_libraries
    assert blender.ops.gpbd.make_preset_library() == {"FINISHED"}
    assert libraries["GPBD Presets"].path.rstrip("/\\") == str(tmp_path / "library")
    assert [material.name for material in blender.data.materials] == [old.name] == ["Denim, 11 oz"]
    file = tmp_path / "library" / "gpbd_presets.blend"
    assert file.stat().st_size < 3e6
    with blender.data.libraries.load(str(file), assets_only=True) as (there, wanted):
        assert len(there.materials) == len(PRESETS) + 1
        wanted.materials = ["Wool suiting"]
    wool = wanted.materials[0]
    data = wool.asset_data
    assert wool.gpbd_preset == "Wool suiting" and "Measured: " in data.description
    assert {"fabric", "measured"} <= {tag.name for tag in data.tags}
    assert tuple(wool.preview.image_size) == (192, 192)
    catalogues = (tmp_path / "library" / "blender_assets.cats.txt").read_text()
    assert data.catalog_id in catalogues
    assert {"GPBD", "GPBD/Fabric", "GPBD/Fabric/Wool", "GPBD/Rope"} <= {
        line.split(":")[1] for line in catalogues.splitlines()[2:]
    }
    assert blender.ops.gpbd.make_preset_library() == {"FINISHED"}
    assert [one.name for one in libraries].count("GPBD Presets") == 1
    libraries.remove(libraries["GPBD Presets"])


def test_a_click_in_the_shelf_sets_all_selected_bodies(blender, gallery):
    other = scenes.grid(blender, "Other")
    blender.context.view_layer.objects.active = other
    blender.ops.gpbd.add_body(body_type="CLOTH")
    for ob in (gallery, other):
        ob.select_set(True)
    done = blender.ops.gpbd.apply_preset_asset(relative_asset_identifier="gpbd_presets.blend/Material/Leather, garment")
    assert done == {"FINISHED"} and gallery.gpbd.preset == other.gpbd.preset == "Leather, garment"
    jelly = next(preset for preset in PRESETS if preset.path.stem == "jelly").name
    with pytest.raises(RuntimeError, match="is a solid; wanted a fabric"):
        blender.ops.gpbd.apply_preset_asset(relative_asset_identifier=f"gpbd_presets.blend\\Material\\{jelly}")


def test_a_material_of_the_library_on_a_slot_makes_its_faces_of_that_fabric(blender, gallery, tmp_path):
    from gpbd.gpbd_addon.read import slot_presets

    blender.ops.gpbd.make_preset_library()
    with blender.data.libraries.load(str(tmp_path / "library" / "gpbd_presets.blend")) as (_, wanted):
        wanted.materials = ["Leather, garment"]
    gallery.data.materials.append(wanted.materials[0])  # as Blender drops it
    blender.context.view_layer.update()
    (region,) = slot_presets.read(gallery.evaluated_get(blender.context.view_layer.depsgraph))
    assert region.material.name == "Leather, garment"
    libraries = blender.context.preferences.filepaths.asset_libraries
    libraries.remove(libraries["GPBD Presets"])
