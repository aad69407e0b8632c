"""A published fabric from its file to the material of a cloth."""

import json

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import draw
from tests.solver.scene.test_fabric_table import published


@pytest.fixture
def imported(blender, tmp_path, monkeypatch):
    """An own knit, imported."""
    from gpbd.gpbd_addon.operators import import_fabric

    monkeypatch.setattr(import_fabric, "user_presets_folder", lambda: tmp_path / "own")
    (tmp_path / "own_knit.json").write_text(json.dumps(published()))
    assert blender.ops.gpbd.import_fabric(filepath=str(tmp_path / "own_knit.json")) == {"FINISHED"}
    return tmp_path / "own" / "fabrics" / "own_knit.toml"


def test_an_imported_fabric_is_a_material_that_the_file_keeps(blender, imported):
    """Applied, the body stretches and bends by the table alone; and the table is in the .blend file, not beside it."""
    from gpbd.gpbd_addon.read import body_material

    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="CLOTH")
    assert blender.ops.gpbd.apply_preset(path=str(imported)) == {"FINISHED"}
    assert ob.gpbd.stretch_model == "hylc" and ob.gpbd.bend_model == "NONE"
    for path in (imported, *imported.parent.glob("data/*")):
        path.unlink()
    material = body_material.material_of(ob)
    assert list(material.energies) == ["hylc"] and material.density == pytest.approx(0.3)
    assert len(material.table.curves) == 5 and not body_material.is_changed(ob)


def test_a_fabric_is_not_replaced_unless_asked(blender, imported, tmp_path):
    with pytest.raises(RuntimeError, match="there is a preset already"):
        blender.ops.gpbd.import_fabric(filepath=str(tmp_path / "own_knit.json"))
    assert blender.ops.gpbd.import_fabric(filepath=str(tmp_path / "own_knit.json"), overwrite=True) == {"FINISHED"}


def test_the_material_panel_shows_what_a_fabric_of_yarns_is_like(blender, imported):
    """The picture has a curve of each colour: 30 pixels at least, of 120 that it is wide, where others cover it."""
    from gpbd.gpbd_addon.maps import response_picture
    from gpbd.gpbd_addon.read import body_material

    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type="CLOTH")
    blender.ops.gpbd.apply_preset(path=str(imported))
    drawn = draw(blender, ob, "PHYSICS_PT_gpbd_material").drawn
    said = [one[1] for one in drawn if one[0] == "label"]
    assert any(one[0] == "picture" for one in drawn)
    assert "At 10% along V 0.8 times the tension along U" in said and "Data of stretch: -60% to +90% along U" in said
    image = response_picture.pixels(body_material.table_of(ob.gpbd))
    for colour in response_picture.COLOURS[:3]:
        assert (abs(image[64:, :, :3] - colour).max(2) < 1e-6).sum() > 30
    ob.gpbd.fabric_table = ""
    said = [one[1] for one in draw(blender, ob, "PHYSICS_PT_gpbd_material").drawn if one[0] == "label"]
    assert "Choose a fabric made of yarns" in said
