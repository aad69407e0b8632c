"""A published fabric from its file to the material of a cloth."""

import json
import re
from types import SimpleNamespace

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import Layout, draw
from tests.solver.scene.test_fabric_table import published
from tests.test_presets import OF_YARNS


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
    assert any(kind == "picture" for kind, _ in drawn)
    assert any(kind == "prop" and what.removesuffix("_shown") == "density_area" for kind, what in drawn)
    said = text_of(drawn)
    for fact in (
        "At 10% along V 0.8 times the tension along U", "Data of stretch: -60% to +90% along U", "radius from 6.2 mm",
    ):  # fmt: skip
        assert fact in said
    image = response_picture.pixels(body_material.table_of(ob.gpbd))
    for colour in response_picture.COLOURS[:3]:
        assert (abs(image[64:, :, :3] - colour).max(2) < 1e-6).sum() > 30
    ob.gpbd.fabric_table = ""
    assert "Choose a fabric made of yarns" in text_of(draw(blender, ob, "PHYSICS_PT_gpbd_material").drawn)


def text_of(drawn):
    """Its labels, whose lines are as long as the panel is wide: 31 characters in one of 240 pixels."""
    labels = [what for kind, what in drawn if kind == "label"]
    assert max(map(len, labels)) <= 31
    return " ".join(labels)


@pytest.mark.parametrize("name", OF_YARNS)
def test_every_shipped_fabric_of_yarns_has_its_picture_and_facts(blender, name):
    """Both directions are compared where both have data, so wovens at some per cent. Garter stitch opens along its wales
    with next to no force, some hundred times less than along its courses."""
    from gpbd.gpbd_addon.maps import response_picture
    from gpbd.gpbd_addon.ui import fabric_of_yarns
    from gpbd.solver.scene.presets import load_material

    table = load_material(name).table
    image = response_picture.pixels(table)
    for half, colours in ((image[64:], response_picture.COLOURS[:3]), (image[:64], response_picture.COLOURS[3:])):
        for colour in colours:
            assert (abs(half[:, :, :3] - colour).max(2) < 1e-6).any()
    ratio = re.search(r"At ([\d.]+)% along V ([\d.]+) times", " ".join(fabric_of_yarns.facts(table)))
    assert 0.0 < float(ratio[1]) <= 10.0 and 0.02 < float(ratio[2]) < 1000.0


def test_the_licence_is_shown_where_a_fabric_is_chosen_and_when_it_is_imported(blender, imported, tmp_path, capfd):
    from gpbd.gpbd_addon.operators import import_fabric
    from gpbd.solver.scene.published_fabric import LICENCE

    layout = Layout(blender)
    operator = import_fabric.GPBD_OT_import_fabric
    known = blender.ops.gpbd.import_fabric.get_rna_type()
    operator.draw(SimpleNamespace(layout=layout, bl_rna=known), None)
    lines = [what for kind, what in layout.drawn if kind == "label"]
    assert " ".join(lines) == LICENCE and max(map(len, lines)) <= import_fabric.LINE
    capfd.readouterr()
    blender.ops.gpbd.import_fabric(filepath=str(tmp_path / "own_knit.json"), overwrite=True)
    assert LICENCE in "".join(capfd.readouterr())
