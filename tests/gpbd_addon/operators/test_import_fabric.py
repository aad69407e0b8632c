"""A published fabric from its file to the material of a cloth."""

import json

import pytest

from tests.gpbd_addon import scenes
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
