"""Files of builds of 0.1.0 before its release, in which properties have other names, keep their meaning."""

import pytest

from tests.gpbd_addon import scenes


@pytest.fixture
def migration(extension):
    from gpbd.gpbd_addon.properties import migration

    return migration


def store(owner, name, value):
    """Writes a value as Blender keeps those of declared properties: apart since 5.0, with custom properties before."""
    if hasattr(owner, "bl_system_properties_get"):
        owner = owner.bl_system_properties_get(do_create=True)
    owner[name] = value


def old_file(blender, path, **fields):
    """A file with a scene, a material and a mesh as builds of 0.1.0 before its release stored them."""
    scene = blender.context.scene
    store(scene, "gpbd", fields)
    material = blender.data.materials.new("patch")
    store(material, "gpbd_card", "denim")
    ob = scenes.cloth(blender)
    ob.data.materials.append(material)
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name="GPBD Settled").value = 1.0
    action = blender.data.actions.new("Flag GPBD Gauges")
    ob.animation_data_create().action = action
    curve = action.fcurve_ensure_for_datablock(ob, '["gpbd_residual"]')
    bag = action.layers[0].strips[0].channelbags[0]
    curve.group = bag.groups.new("GPBD Gauges")
    blender.ops.wm.save_as_mainfile(filepath=str(path))


def test_a_file_with_old_names_keeps_its_meaning(blender, migration, tmp_path):
    """0 is a shape key, the first item of the result; the threshold is stored in single precision."""
    old_file(blender, tmp_path / "old.blend", settle_result=0, settle_tolerance=0.02, air_density=3.5)
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
    settings = blender.context.scene.gpbd
    assert settings.drape_result == "SHAPE_KEY" and settings.air_density == 3.5
    assert settings.rest_threshold == pytest.approx(0.02, rel=1e-6)
    assert blender.data.materials["patch"].gpbd_preset == "denim"
    names = set(migration.stored(blender.context.scene)["gpbd"].keys())
    assert not names & set(migration.SCENE_FIELDS)
    keys = blender.data.objects["Flag"].data.shape_keys.key_blocks
    assert keys.keys() == ["Basis", "GPBD Draped"] and keys[1].value == 1.0
    (action,) = blender.data.actions
    assert action.name == "Flag GPBD Statistics"
    assert action.layers[0].strips[0].channelbags[0].groups.keys() == ["GPBD Statistics"]


def test_materials_appended_from_an_old_file_keep_their_preset(blender, tmp_path):
    old_file(blender, tmp_path / "old.blend")
    blender.ops.wm.read_homefile(use_empty=True)
    with blender.data.libraries.load(str(tmp_path / "old.blend")) as (there, here):
        here.materials = list(there.materials)
    assert blender.data.materials["patch"].gpbd_preset == "denim"


def test_self_collisions_of_an_old_file_are_on_for_cloth_that_says_nothing_and_off_for_soft_bodies(blender, tmp_path):
    """Properties switched on or off stay so."""
    for kind in ("CLOTH", "SOFT_BODY"):
        for said in (None, False, True):
            ob = scenes.grid(blender, f"{kind} {said}")
            ob.gpbd.body_type = kind
            if said is not None:
                ob.gpbd.self_contact = said
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
    on = {name for name, ob in blender.data.objects.items() if ob.gpbd.self_contact}
    assert on == {"CLOTH None", "CLOTH True", "SOFT_BODY True"}


def test_what_the_file_says_under_the_new_name_goes_before_the_old(blender, migration):
    scene = blender.context.scene
    scene.gpbd.rest_threshold = 0.1
    migration.stored(scene)["gpbd"]["settle_tolerance"] = 0.2
    migration.migrate()
    assert scene.gpbd.rest_threshold == pytest.approx(0.1, rel=1e-6)


def test_the_paper_s_model_is_offered_only_where_it_is_in_use(blender):
    """A saved file that uses it keeps it, and another model can be chosen instead; then it is no longer offered."""
    ob = scenes.soft(blender)
    settings = ob.gpbd
    with pytest.raises(TypeError, match="not found in"):
        settings.solid_model = "paper_neo_hookean"
    settings.stable_neo_hookean.use, settings.paper_neo_hookean.use = False, True
    assert settings.solid_model == "paper_neo_hookean"
    settings.solid_model = "neo_hookean"
    assert settings.neo_hookean.use and not settings.paper_neo_hookean.use
    with pytest.raises(TypeError, match="not found in"):
        settings.solid_model = "paper_neo_hookean"


def test_a_range_that_an_old_file_has_set_stays_and_one_that_was_switched_off_too(blender, tmp_path):
    from gpbd.gpbd_addon.read.scene_input import frame_range

    def again():
        blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
        blender.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
        return blender.context.scene

    store(blender.context.scene, "gpbd", {"frame_end": 48})
    scene = again()
    assert scene.gpbd.own_range and frame_range(scene) == (1, 48)
    scene.gpbd.own_range = False
    assert frame_range(again()) == (1, 250)


def test_maps_of_an_old_file_go_from_0_to_1_where_it_says_nothing_else_and_new_ones_from_1_to_10(blender, tmp_path):
    """Also where the old body is appended to a file with a new one."""
    old = scenes.cloth(blender, "Old", pins=[0])
    old.gpbd.maps.stretch_group = old.gpbd.maps.bending_group = "pins"
    old.gpbd.maps.bending_high = 5.0
    old.gpbd.maps.ends_known = False  # as one that knew of none
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    blender.ops.wm.read_homefile(use_empty=True)
    new = scenes.cloth(blender, "New", pins=[0])
    new.gpbd.maps.stretch_group = "pins"
    with blender.data.libraries.load(str(tmp_path / "old.blend")) as (_, here):
        here.objects = ["Old"]
    blender.context.scene.collection.objects.link(here.objects[0])
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "new.blend"))
    old, new = (blender.data.objects[name].gpbd.maps for name in ("Old", "New"))
    assert (old.stretch_low, old.stretch_high) == (0.0, 1.0) and (old.bending_low, old.bending_high) == (0.0, 5.0)
    assert (new.stretch_low, new.stretch_high) == (1.0, 10.0)


def test_wind_fields_of_an_old_file_stay_the_speed_of_the_air_and_new_ones_push(blender, migration, tmp_path):
    """A file saved by a version that knows fields is not migrated, also when it is loaded again."""
    scenes.cloth(blender)
    old, scene = scenes.field(blender, "WIND"), blender.context.scene
    migration.keep_wind()
    assert old.gpbd.wind_as_air and scene.gpbd.fields_known
    old.gpbd.wind_as_air = False
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    blender.ops.wm.open_mainfile(filepath=str(tmp_path / "new.blend"))
    assert not blender.data.objects["Wind"].gpbd.wind_as_air
