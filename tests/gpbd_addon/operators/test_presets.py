"""Adding a body, and the presets it takes its material from."""

from types import SimpleNamespace

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import Layout


@pytest.fixture
def ops(blender):
    """Our operators, on an object that becomes the active one."""

    def call(ob, name, /, **options):
        blender.context.view_layer.objects.active = ob
        return getattr(blender.ops.gpbd, name)(**options)

    return call


@pytest.fixture
def presets(blender, tmp_path, monkeypatch):
    """A folder of its own for the user's presets."""
    from gpbd.gpbd_addon.operators import save_preset
    from gpbd.gpbd_addon.ui import preset_menu

    for module in (save_preset, preset_menu):
        monkeypatch.setattr(module, "user_presets_folder", lambda: tmp_path)
    return tmp_path


def menu(blender, ob):
    layout = Layout(blender)
    blender.types.GPBD_MT_presets.draw(SimpleNamespace(layout=layout), SimpleNamespace(object=ob))
    return layout


def test_a_new_body_has_an_identity_a_preset_and_a_modifier_before_subdivision(blender, ops):
    ob = scenes.grid(blender)
    for kind in ("WAVE", "SUBSURF"):
        ob.modifiers.new(kind, kind)
    assert ops(ob, "add_body", body_type="CLOTH") == {"FINISHED"}
    assert [md.type for md in ob.modifiers] == ["WAVE", "MESH_CACHE", "SUBSURF"]
    assert ob.modifiers[1].name == "GPBD Cloth"
    assert ob.gpbd.uuid and ob.gpbd.preset and ob.gpbd.body_type == "CLOTH"


def test_changing_the_type_keeps_identity_and_place_in_the_stack(blender, ops):
    ob = scenes.cube(blender)
    ops(ob, "add_body", body_type="CLOTH")
    identity = ob.gpbd.uuid
    ops(ob, "add_body", body_type="SOFT_BODY")
    assert [md.name for md in ob.modifiers] == ["GPBD Soft Body"]
    assert ob.gpbd.uuid == identity and ob.gpbd.solid_model == "stable_neo_hookean"


def test_adding_a_body_again_keeps_its_material_and_puts_the_modifier_back(blender, ops):
    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    ob.gpbd.stvk_membrane.shear = 77
    ob.modifiers.clear()
    ops(ob, "add_body", body_type="CLOTH")
    assert ob.gpbd.stvk_membrane.shear == 77 and len(ob.modifiers) == 1


def test_two_bodies_have_two_identities(blender, ops):
    a, b = scenes.grid(blender, "a"), scenes.grid(blender, "b")
    for ob in (a, b):
        ops(ob, "add_body", body_type="CLOTH")
    assert a.gpbd.uuid != b.gpbd.uuid


def test_a_removed_body_is_as_it_was_before(blender, ops):
    ob = scenes.grid(blender)
    ob.modifiers.new("Subdivision", "SUBSURF")
    ops(ob, "add_body", body_type="CLOTH")
    ob.gpbd.pin_group, ob.gpbd.discrete_shell.bending_warp = "pins", 1
    ops(ob, "remove_body")
    assert [md.type for md in ob.modifiers] == ["SUBSURF"]
    fresh = scenes.grid(blender, "fresh").gpbd
    for name in ("body_type", "uuid", "pin_group", "preset", "density_area"):
        assert getattr(ob.gpbd, name) == getattr(fresh, name), name
    assert ob.gpbd.discrete_shell.bending_warp == fresh.discrete_shell.bending_warp


def test_edit_mode_is_refused_with_the_way_out(blender, ops):
    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match=r"leave it with Tab.*\nFlag: is in edit mode"):
        ops(ob, "add_body", body_type="CLOTH")
    blender.ops.object.mode_set(mode="OBJECT")
    assert ob.gpbd.body_type == "NONE" and not ob.modifiers


def test_objects_without_a_mesh_and_no_object_are_refused(blender, ops):
    lamp = blender.data.objects.new("Lamp", blender.data.lights.new("Lamp", "POINT"))
    blender.context.scene.collection.objects.link(lamp)
    with pytest.raises(RuntimeError, match=r"Lamp: is a light.*mesh"):
        ops(lamp, "add_body", body_type="CLOTH")
    with pytest.raises(RuntimeError, match="No object is active"):
        ops(None, "add_body", body_type="CLOTH")


def test_a_linked_object_is_refused(blender, ops, tmp_path):
    scenes.grid(blender)
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    blender.ops.wm.read_factory_settings(use_empty=True)
    with blender.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Flag"]
    ob = wanted.objects[0]
    blender.context.scene.collection.objects.link(ob)
    with pytest.raises(RuntimeError, match=r"Make Local.*\nFlag.*linked"):
        ops(ob, "add_body", body_type="CLOTH")
    assert ob.gpbd.body_type == "NONE"


def test_the_menu_offers_the_presets_of_the_kind_by_category(blender, ops, presets):
    from gpbd.solver.scene.presets import list_presets

    for body_type, kind in {"CLOTH": "fabric", "SOFT_BODY": "solid"}.items():
        ob = scenes.cube(blender)
        ops(ob, "add_body", body_type=body_type)
        drawn = menu(blender, ob).drawn
        wanted = list_presets(kind)
        imports = kind == "fabric"  # a published table
        assert len([1 for what, _ in drawn if what == "operator"]) == len(wanted) + imports
        legend = {"Measured", "Fitted to measurements", "Others are estimated"}
        assert {text for what, text in drawn if what == "label"} == {preset.category for preset in wanted} | legend


def test_a_preset_sets_the_material(blender, ops):
    from gpbd.solver.scene.presets import list_presets, read_preset

    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    for preset in list_presets("fabric"):
        assert ops(ob, "apply_preset", path=str(preset.path)) == {"FINISHED"}
        assert ob.gpbd.preset == preset.name
        assert ob.gpbd.density_area == pytest.approx(read_preset(preset.path).density, rel=1e-6)


def test_a_preset_that_is_missing_or_of_the_other_kind_changes_nothing(blender, ops, tmp_path):
    from gpbd.solver.scene.presets import list_presets

    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    before = ob.gpbd.preset_values
    with pytest.raises(RuntimeError, match=r"missing\.toml"):
        ops(ob, "apply_preset", path=str(tmp_path / "missing.toml"))
    with pytest.raises(RuntimeError, match="solid"):
        ops(ob, "apply_preset", path=str(list_presets("solid")[0].path))
    assert ob.gpbd.preset_values == before


def test_a_preset_of_ones_own_stands_in_the_menu_and_gives_the_same_material(blender, ops, presets):
    from gpbd.gpbd_addon.read import body_material

    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    before = len(menu(blender, ob).drawn)
    ob.gpbd.stvk_membrane.shear = 4321
    assert ops(ob, "save_preset", name="My Sail / 2") == {"FINISHED"}
    saved = body_material.material_of(ob)
    assert not body_material.is_changed(ob) and ob.gpbd.preset == "My Sail / 2"
    assert ("label", "My Presets") in menu(blender, ob).drawn and len(menu(blender, ob).drawn) == before + 2
    ops(ob, "remove_body")
    ops(ob, "add_body", body_type="CLOTH")
    ops(ob, "apply_preset", path=str(next(presets.rglob("*.toml"))))
    assert body_material.material_of(ob) == saved


def test_a_preset_of_ones_own_is_replaced_only_when_asked(blender, ops, presets):
    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    ops(ob, "save_preset", name="Sail")
    ob.gpbd.stvk_membrane.shear = 4321
    with pytest.raises(RuntimeError, match="there is a preset already"):
        ops(ob, "save_preset", name="Sail")
    assert ops(ob, "save_preset", name="Sail", overwrite=True) == {"FINISHED"}
    with pytest.raises(RuntimeError, match="wanted letters"):
        ops(ob, "save_preset", name=" / ")


def test_a_broken_preset_is_shown_and_hides_no_other(blender, ops, presets):
    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    before = len(menu(blender, ob).drawn)
    (presets / "broken.toml").write_text("not = [a preset")
    assert len(menu(blender, ob).drawn) == before + 2
    with pytest.raises(RuntimeError, match=r"broken\.toml"):
        ops(ob, "apply_preset", path=str(presets / "broken.toml"))


def test_checking_the_scene_reports_problems_without_baking(blender, ops):
    ob = scenes.grid(blender)
    ops(ob, "add_body", body_type="CLOTH")
    ob.gpbd.pin_group = "nothing of this name"
    assert ops(ob, "check_scene") == {"FINISHED"}
    assert not ob.modifiers[0].filepath


def test_a_preset_goes_to_all_selected_bodies_of_its_kind_and_one_undo_takes_it_back(blender, ops, capfd):
    from gpbd.solver.scene.presets import list_presets

    made = {"CLOTH": ("a", "b"), "SOFT_BODY": ("Jelly",)}
    for kind, names in made.items():
        for name in names:
            ops(scenes.cube(blender, name), "add_body", body_type=kind)
    plain = scenes.cube(blender, "Plain")
    for ob in blender.data.objects:
        ob.select_set(True)
    active = blender.context.view_layer.objects.active = blender.data.objects["a"]
    before = {ob.name: ob.gpbd.preset for ob in blender.data.objects}
    preset = next(one for one in list_presets("fabric") if one.name != active.gpbd.preset)
    blender.ops.ed.undo_push(message="before")
    assert ops(active, "apply_preset", path=str(preset.path), selected=True) == {"FINISHED"}
    told = "".join(capfd.readouterr())
    assert "Jelly" in told and "wanted a solid" in told and "Plain" not in told
    blender.ops.ed.undo_push(message="preset")
    after = {ob.name: ob.gpbd.preset for ob in blender.data.objects}
    assert after == before | {"a": preset.name, "b": preset.name} and plain.gpbd.body_type == "NONE"
    blender.ops.ed.undo()
    assert {ob.name: ob.gpbd.preset for ob in blender.data.objects} == before
