from pathlib import Path

import pytest

from solver.errors import PresetError
from solver.scene import Material
from solver.scene import presets as materials

GOOD = (materials.FOLDER / "fabrics" / "cotton_poplin.toml").read_text(encoding="utf-8")


def _preset(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_cotton_and_jelly_are_found_by_their_common_names():
    assert materials.load_material("cotton") == materials.load_material("cotton_poplin")
    assert materials.load_material("Cotton Poplin").kind == "fabric"
    assert materials.load_material("jelly").kind == "solid"


def test_an_unknown_name_is_refused_with_those_that_exist():
    with pytest.raises(PresetError, match=r"Material 'cotton_popli': no preset .* cotton_poplin"):
        materials.load_material("cotton_popli")


@pytest.mark.parametrize(
    "old, new, found",
    [
        ("density = 0.115", "", "lacks the key 'density'"),
        ("density = 0.115", "density = -1", "density is -1 kg/m"),
        ("density = 0.115", 'density = "heavy"', "density is 'heavy'; wanted a number"),
        ("density = 0.115", "density = true", "density is True; wanted a number"),
        ("density = 0.115", "density = nan", "density is nan"),
        ("friction = 0.45", "friction = 0.45\nbend = 1.42", "unknown key 'bend'"),
        ("shear = 50.6", "", "energies.stvk_membrane lacks the key 'shear'"),
        ("shear = 50.6", "shear = 50.6\nsheer = 1", "energies.stvk_membrane has the unknown key 'sheer'"),
        ("shear = 50.6", "shear = 0", "stvk_membrane.shear is 0 N/m"),
        ("[energies.discrete_shell]", "[energies.mass_spring]", "unknown energy 'mass_spring'"),
        ('kind = "fabric"', 'kind = "solid"', "which a solid does not have"),
        ('kind = "fabric"', 'kind = "metal"', "kind is 'metal'; wanted one of fabric, solid"),
        ('grade = "measured"', 'grade = "certain"', "grade is 'certain'; wanted one of measured, fitted, estimated"),
        ('category = "Cotton"', 'category = ""', "category is ''; wanted a text"),
        ('aliases = ["cotton", "poplin", "shirting"]', 'aliases = "cotton"', "aliases is 'cotton'; wanted a list"),
        ("shear = 50.6", "shear = = 2", "not a TOML file"),
        ("[targets.density]", "[targets.weight]", "unknown target 'weight'; wanted one of density, bending_length"),
        ("range = [0.1, 0.16]", "range = [0.16, 0.1]", "targets.density.range is .*; wanted two numbers above 0, the lower"),
        ("range = [0.1, 0.16]", "range = 0.1", "targets.density.range is 0.1; wanted two numbers"),
        ("range = [0.1, 0.16]", "", "targets.density is .*; wanted the keys range and source"),
    ],
)
def test_a_wrong_card_is_refused_with_file_and_finding(tmp_path, old, new, found):
    assert old in GOOD
    path = _preset(tmp_path, GOOD.replace(old, new))
    with pytest.raises(PresetError, match=found) as caught:
        materials.read_preset(path)
    assert str(path) in str(caught.value)


def test_a_preset_without_energies_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(PresetError, match="lacks the key 'energies'"):
        materials.read_preset(_preset(tmp_path, GOOD[: GOOD.index("[energies")]))
    with pytest.raises(PresetError, match=r"none\.toml: the preset cannot be read"):
        materials.read_preset(tmp_path / "none.toml")


def test_a_written_card_reads_back_with_the_same_numbers(tmp_path):
    """Names with quotes, line breaks and other scripts included; floats are written with all their digits."""
    material = materials.load_material("denim").changed(
        name='Müller\'s "best"\n\x7f 布', category="My own", source="C:\\cloth\tnotes", grade="measured", friction=1 / 3
    )
    path = tmp_path / "new" / "best.toml"
    materials.write_preset(path, material)
    assert materials.read_preset(path) == material
    assert [p.name for p in path.parent.iterdir()] == ["best.toml"]
    assert "# kg/m^2" in path.read_text(encoding="utf-8") and "# N/m" in path.read_text(encoding="utf-8")


def test_materials_made_in_scripts_can_be_saved(tmp_path):
    for material in (Material.fabric(0.1, (900, 700), 60), Material.solid(1000, 1e5, 0.45)):
        path = tmp_path / f"{material.kind}.toml"
        materials.write_preset(path, material)
        again = materials.read_preset(path)
        assert again.energies == material.energies and again.density == material.density
        assert again.category == "My materials"


def test_a_preset_is_not_overwritten_unawares(tmp_path):
    path = _preset(tmp_path, GOOD)
    material = materials.load_material("denim")
    with pytest.raises(PresetError, match="there is a preset already"):
        materials.write_preset(path, material)
    assert path.read_text(encoding="utf-8") == GOOD
    materials.write_preset(path, material, overwrite=True)
    assert materials.read_preset(path) == material


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PresetError, match="cannot be written"):
        materials.write_preset(tmp_path / "file" / "x.toml", materials.load_material("denim"))
    with pytest.raises(PresetError, match=r"wanted '\.toml'"):
        materials.write_preset(tmp_path / "x.txt", materials.load_material("denim"))


def test_the_users_cards_are_listed_and_go_first(tmp_path):
    (tmp_path / "fabrics").mkdir()
    _preset(tmp_path / "fabrics", GOOD.replace("density = 0.115", "density = 0.5"), "cotton_poplin.toml")
    _preset(tmp_path, GOOD.replace('"cotton", ', ""), "house_cloth.toml")
    assert materials.load_material("cotton_poplin", tmp_path).density == 0.5
    assert materials.load_material("cotton_poplin").density == 0.115
    assert materials.load_material("house cloth", tmp_path).density == 0.115
    assert len(materials.list_presets("fabric", tmp_path)) == len(materials.list_presets("fabric")) + 2


def test_an_alias_of_two_cards_is_refused_but_the_files_name_is_not(tmp_path):
    for name in ("one.toml", "two.toml"):
        _preset(tmp_path, GOOD.replace('"cotton"', '"house"'), name)
    with pytest.raises(PresetError, match="Material 'house': 2 presets have this name"):
        materials.load_material("house", tmp_path)
    assert materials.load_material("one", tmp_path).density == 0.115


def test_a_broken_card_is_shown_and_hides_no_other(tmp_path):
    _preset(tmp_path, "density = ", "broken.toml")
    presets = materials.list_presets("solid", tmp_path)
    assert presets[-1].name == "broken" and presets[-1].category == materials.UNREADABLE and "TOML" in presets[-1].error
    assert presets[:-1] == materials.list_presets("solid")


def test_a_changed_file_is_read_again(tmp_path):
    path = _preset(tmp_path, GOOD)
    assert "Cotton poplin" in [preset.name for preset in materials.list_presets("fabric", tmp_path) if preset.path == path]
    path.write_text(GOOD.replace("Cotton poplin", "Something of another length"), encoding="utf-8")
    assert "Something of another length" in [preset.name for preset in materials.list_presets("fabric", tmp_path)]


def test_an_unknown_kind_is_refused():
    with pytest.raises(PresetError, match="kind is 'metal'"):
        materials.list_presets("metal")


def test_a_preset_may_use_any_energy_that_its_kind_has(tmp_path):
    tether = "\n[energies.long_range_attachment]\nslack = 0.02\ncompliance = 0\n"
    limit = "\n[energies.strain_limit]\nlimit = 0.1\ncompliance = 1e-4\n"
    bend = "\n[energies.isometric_bending]\nbending = 1e-5\n"
    material = materials.read_preset(_preset(tmp_path, GOOD + tether + limit + bend))
    assert material.energies["strain_limit"] == {"limit": 0.1, "compliance": 1e-4}
    materials.write_preset(tmp_path / "again.toml", material)
    assert materials.read_preset(tmp_path / "again.toml") == material
    solid = (materials.FOLDER / "solids" / "jelly.toml").read_text(encoding="utf-8")
    assert "volume" in materials.read_preset(_preset(tmp_path, solid + "\n[energies.volume]\ncompliance = 1e-6\n")).energies
    with pytest.raises(PresetError, match="'isometric_bending' acts on a hinge, which a solid does not have"):
        materials.read_preset(_preset(tmp_path, solid + bend))
    with pytest.raises(PresetError, match="'attachment' acts on a vertex, which a fabric does not have"):
        materials.read_preset(_preset(tmp_path, GOOD + "\n[energies.attachment]\n"))


def test_targets_are_read_with_range_and_source(tmp_path):
    target = materials.read_targets(_preset(tmp_path, GOOD))["density"]
    assert target.holds(0.115) and not target.holds(0.2)
    assert "g/m^2" in target.source
    assert materials.read_targets(_preset(tmp_path, GOOD[: GOOD.index("[targets")])) == {}
