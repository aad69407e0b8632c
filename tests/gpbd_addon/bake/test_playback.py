"""The modifier that plays a body's cache: where it stands, how it is found."""

import pytest

from tests.gpbd_addon import scenes


@pytest.mark.parametrize(
    ("stack", "wanted"),
    [
        ([], ["GPBD Cloth"]),
        (["ARMATURE"], ["ARMATURE", "GPBD Cloth"]),
        (["ARMATURE", "SUBSURF"], ["ARMATURE", "GPBD Cloth", "SUBSURF"]),
        (["MIRROR", "SOLIDIFY", "SUBSURF"], ["MIRROR", "GPBD Cloth", "SOLIDIFY", "SUBSURF"]),
        (["MULTIRES"], ["GPBD Cloth", "MULTIRES"]),
    ],
)
def test_our_modifier_stands_before_the_first_that_adds_detail(blender, stack, wanted):
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.read import modifier

    ob = scenes.cloth(blender)
    for kind in stack:
        ob.modifiers.new(kind, kind)
    made = playback.ensure(ob)
    assert [md.name for md in ob.modifiers] == wanted
    assert made == modifier.find(ob) == playback.ensure(ob) and len(ob.modifiers) == len(wanted)
    assert playback.remove(ob) and modifier.find(ob) is None and not playback.remove(ob)
    assert [md.name for md in ob.modifiers] == stack


def test_our_modifier_is_found_under_another_name_and_others_are_not_taken_for_it(blender):
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.read import modifier

    ob = scenes.cloth(blender)
    ob.modifiers.new("Imported", "MESH_CACHE").filepath = "//other.mdd"
    assert modifier.find(ob) is None
    playback.play(ob, "/somewhere/a.pc2", 5)
    ob.gpbd.cache_file = "/somewhere/a.pc2"
    modifier.find(ob).name = "Simulation"
    assert modifier.find(ob).name == "Simulation"


def test_an_armature_after_our_modifier_is_told(blender):
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.read import modifier

    ob = scenes.cloth(blender)
    playback.ensure(ob)
    assert modifier.misplaced(ob) == {}
    rig = ob.modifiers.new("Rig", "ARMATURE")
    assert "'Rig' stands after 'GPBD Cloth'" in modifier.misplaced(ob)["Rig"]
    rig.show_viewport = False  # the render still has it
    assert "Rig" in modifier.misplaced(ob)
    rig.show_render = False
    assert modifier.misplaced(ob) == {}
