"""Shots as they come: bodies of libraries, overrides, muted bodies, colliders inside instances."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


@pytest.fixture
def library(blender, tmp_path):
    """A file with a flag that is baked there, 4 frames, and a character: a plain skirt that an override makes a cloth."""
    flag = scenes.cloth(blender, "Flag", pins=[0, 6], end=4)
    skirt = scenes.cloth(blender, "Skirt", pins=[0, 6], end=4, location=(3, 0, 1))
    for name, ob in (("Set", flag), ("Character", skirt)):
        collection = blender.data.collections.new(name)
        blender.context.scene.collection.children.link(collection)
        blender.context.scene.collection.objects.unlink(ob)
        collection.objects.link(ob)
    skirt.gpbd.density_area = 0.2
    skirt.gpbd.muted = True
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    assert scenes.bake(blender).state == "done"
    blender.data.objects["Skirt"].gpbd.muted = False
    blender.ops.wm.save_mainfile()
    blender.ops.wm.read_factory_settings(use_empty=True)
    return tmp_path / "library.blend"


def link(blender, path, name):
    with blender.data.libraries.load(str(path), link=True) as (_, into):
        into.collections = [name]
    return into.collections[0]


def instance(blender, collection, name, location=(0, 0, 0)):
    """An empty that shows a collection."""
    empty = blender.data.objects.new(name, None)
    empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", collection, location
    blender.context.scene.collection.objects.link(empty)
    return empty


def test_a_shot_with_all_of_them_bakes(blender, library):
    """A linked flag that plays its cache, an instanced floor, a muted body, a character that is overridden; and the
    character's settings are there when the file is opened again."""
    scene = blender.context.scene
    scene.collection.children.link(link(blender, library, "Set"))
    character = link(blender, library, "Character")
    character.override_hierarchy_create(scene, blender.context.view_layer, do_fully_editable=True)
    skirt = next(ob for ob in blender.data.objects if ob.override_library is not None)
    skirt.gpbd.density_area, skirt.gpbd.stvk_membrane.young_warp = 0.7, 123.0
    collection = blender.data.collections.new("Ground")
    floor = scenes.floor(blender)
    scene.collection.objects.unlink(floor)
    collection.objects.link(floor)
    instance(blender, collection, "Stage", (0, 0, 0.97))
    sheet = scenes.cloth(blender, "Sheet", end=4, location=(0, 0, 1))
    scenes.cloth(blender, "Muted", end=4, location=(0, 3, 1)).gpbd.muted = True
    scenes.save(blender, library.parent)
    job = scenes.bake(blender)
    assert job.state == "done", job.reason
    assert sorted(body.name for body in job.world.bodies) == ["Sheet", "Skirt"]
    assert [c.name for c in job.world.colliders] == ["Flag [library.blend]", "Stage > Floor"]
    fallen = scenes.cache(job, "Sheet")[-1][:, 2] + sheet.location.z
    assert fallen.min() > 0.97  # 20 mm and more above the floor; free it would be at 0.92
    name, wanted = skirt.name, skirt.gpbd.uuid
    blender.ops.wm.save_mainfile()
    blender.ops.wm.open_mainfile(filepath=blender.data.filepath)
    again = next(ob for ob in blender.data.objects if ob.override_library is not None)
    assert (again.name, again.gpbd.uuid, again.gpbd.body_type) == (name, wanted, "CLOTH")
    assert again.gpbd.density_area == pytest.approx(0.7) and again.gpbd.stvk_membrane.young_warp == 123
    blender.context.scene.frame_set(4)
    assert np.ptp(scenes.evaluated_positions(blender, again)[:, 2]) > 0.01  # it plays its own bake


def test_a_linked_body_without_a_cache_is_left_out_and_told(blender, library):
    scene = blender.context.scene
    scene.collection.children.link(link(blender, library, "Character"))
    scenes.cloth(blender, "Sheet", end=3)
    off = scenes.cloth(blender, "Off", end=3, location=(0, 3, 0))
    off.hide_viewport = True
    scenes.save(blender, library.parent)
    job = scenes.bake(blender)
    assert job.state == "done" and [body.name for body in job.world.bodies] == ["Sheet"]
    told = [text for text in job.report.warnings if "left out" in text]
    assert len(told) == 2 and "Off: is disabled" in told[0] and "Skirt [library.blend]: is linked" in told[1]


def test_a_cloth_lies_on_a_muted_one_that_plays(blender, tmp_path):
    """As far from it as bodies keep; without it, it would fall by 0.12 m."""
    low = scenes.cloth(blender, "Low", pins=range(49), end=5, location=(0, 0, 1))
    scenes.save(blender, tmp_path)
    assert scenes.bake(blender).state == "done"
    low.gpbd.muted = True
    high = scenes.cloth(blender, "High", end=5, location=(0, 0, 1.01), size=0.5)
    job = scenes.bake(blender)
    assert [c.name for c in job.world.colliders] == ["Low"]
    z = scenes.cache(job, "High")[-1][:, 2] + high.location.z
    assert 1.0 < z.min() < 1.01


def test_a_collider_may_change_its_vertices(blender, tmp_path):
    """A floor that is doubled in frame 4 and back in frame 7 holds the cloth as one that stays does, to 1 um: contact only
    begins anew. A message appears once, and a bake that is resumed meanwhile is the same to rounding."""
    flag = scenes.cloth(blender, "Flag", end=9, location=(0, 0, 0.05))
    floor = scenes.floor(blender)
    build = floor.modifiers.new("Array", "ARRAY")
    floor.modifiers.move(1, 0)
    build.relative_offset_displace = (0, 0, 0)
    scenes.save(blender, tmp_path)
    build.count = 1
    plain = scenes.cache(scenes.bake(blender)).copy()
    for frame, count in ((3, 1), (4, 2), (6, 2), (7, 1)):
        build.count = count
        build.keyframe_insert("count", frame=frame)
    job = scenes.bake(blender)
    assert job.state == "done", job.reason
    assert [text for text in job.report.warnings if "is another mesh" in text] == [
        "Floor: is another mesh at frame 4, of 18 vertices, so the simulation is made anew there and wherever it changes "
        "again, which takes time. Keep its vertices, if you can."
    ]
    made = scenes.cache(job).copy()
    assert np.array_equal(made[:3], plain[:3])
    height = made[-1][:, 2] + flag.location.z
    assert height.min() > 0.0
    assert np.abs(made - plain).max() < 1e-6
    scenes.bake(blender, frames=(1, 5))
    again = scenes.cache(scenes.bake(blender, resume=True))
    assert np.array_equal(again[:5], made[:5]) and np.abs(again - made).max() < 1e-6
