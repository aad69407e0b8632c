"""Maps painted by nodes, drivers and modifiers are read at every frame, constant ones once."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes


def by_time(blender, ob, name, last=6.0):
    """Geometry Nodes that store scene frame / last as a point attribute, or a vertex group, of this name."""
    tree = blender.data.node_groups.new("Paint", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    store, value = tree.nodes.new("GeometryNodeStoreNamedAttribute"), tree.nodes.new("ShaderNodeValue")
    store.data_type, store.domain = "FLOAT", "POINT"
    store.inputs["Name"].default_value = name
    value.outputs[0].driver_add("default_value").driver.expression = f"frame / {last}"
    tree.links.new(begin.outputs[0], store.inputs["Geometry"])
    tree.links.new(value.outputs[0], store.inputs["Value"])
    tree.links.new(store.outputs["Geometry"], end.inputs[0])
    ob.modifiers.new("Paint", "NODES").node_group = tree
    return tree


@pytest.mark.parametrize("kind", ["attribute", "group", "modifier"])
def test_maps_are_those_of_their_frame(blender, kind):
    """1e-6: single precision. Two maps by one group are one reading."""
    flag = scenes.cloth(blender, end=6)
    if kind != "attribute":
        flag.vertex_groups.new(name="soft").add(range(49), 1 / 6, "REPLACE")
    if kind == "modifier":  # of vertices that the group does not have
        flag.vertex_groups["soft"].remove(range(49))
        edit = flag.modifiers.new("Edit", "VERTEX_WEIGHT_EDIT")
        edit.vertex_group, edit.use_add, edit.add_threshold = "soft", True, 0.0
        edit.driver_add("default_weight").driver.expression = "frame / 6.0"
    else:
        by_time(blender, flag, "soft")
    maps = flag.gpbd.maps
    maps.stretch_group = maps.bending_group = "soft"
    first, frame = scenes.read_frame(blender, 4)
    assert np.allclose(first.bodies[0].maps["stretch"].weights, 1 / 6, atol=1e-6)
    assert set(frame.numbers.maps["Flag"]) == {"stretch", "bending"}
    assert np.allclose(frame.numbers.maps["Flag"]["bending"], 4 / 6, atol=1e-6)
    assert frame.numbers.maps["Flag"]["stretch"] is frame.numbers.maps["Flag"]["bending"]


def test_groups_that_nothing_changes_are_read_once(blender, monkeypatch):
    """Nodes that store nothing, a modifier that writes another group, and one after ours leave a group alone."""
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.read import evaluated_mesh, modifier, scene_input

    flag = scenes.cloth(blender, pins=[0, 6], end=6)
    flag.vertex_groups.new(name="soft").add(range(20), 0.5, "REPLACE")
    flag.vertex_groups.new(name="other").add(range(20), 0.5, "REPLACE")
    settings = flag.gpbd
    settings.maps.stretch_group = settings.vertex_group_shrink = "soft"
    settings.shrink_max = 0.1
    tree = by_time(blender, flag, "elsewhere")
    tree.nodes.remove(next(node for node in tree.nodes if "Store" in node.bl_idname))
    tree.links.new(tree.nodes["Group Input"].outputs[0], tree.nodes["Group Output"].inputs[0])
    flag.modifiers.new("Edit", "VERTEX_WEIGHT_EDIT").vertex_group = "other"
    playback.ensure(flag)
    flag.modifiers.new("After", "VERTEX_WEIGHT_EDIT").vertex_group = "soft"
    assert [md.name for md in flag.modifiers][-1] == "After"
    asked = []
    weights = evaluated_mesh.weights

    def counted(ob, name, *rest):
        asked.append(name)
        return weights(ob, name, *rest)

    monkeypatch.setattr(evaluated_mesh, "weights", counted)
    first, frame = scenes.read_frame(blender, 3)
    once = list(asked)
    assert once.count("pins") == 1 and once.count("soft") <= 3
    assert not frame.numbers.maps and not frame.numbers.weights
    with modifier.switched_off([flag]):
        scene_input.read_frame(blender.context.scene, blender.context.view_layer.name, first, 4)
    assert asked == once


def test_pins_that_the_first_frame_has_not_are_told_of_once(blender):
    flag = scenes.cloth(blender, pins=range(7), end=6)
    edit = flag.modifiers.new("Edit", "VERTEX_WEIGHT_EDIT")
    edit.vertex_group, edit.use_add, edit.add_threshold = "pins", True, 0.0
    edit.driver_add("default_weight").driver.expression = "1.0 if frame > 3 else 0.0"
    first, _ = scenes.read_frame(blender, 3)
    assert not [text for text in first.warnings if "pin weight" in text]
    later, _ = scenes.read_frame(blender, 4)
    (told,) = [text for text in later.warnings if "pin weight" in text]
    assert told.startswith("Flag: 42 vertices get a pin weight at frame 4")


def test_a_cloth_that_is_painted_as_it_hangs_stretches_less(blender, tmp_path):
    """Ten times as stiff from the first frame on, and painted so after it: the difference left is that of the way, below a
    tenth of what the soft one is stretched by. Resumed at frame 6 it has the same bits."""
    drops = {}
    for name, last in (("soft", 1e6), ("painted", 2.0), ("stiff", 1.0)):
        blender.ops.wm.read_factory_settings(use_empty=True)
        flag = scenes.cloth(blender, pins=range(42, 49), end=12)
        flag.rotation_euler = (np.pi / 2, 0, 0)
        by_time(blender, flag, "stiff", last)
        flag.gpbd.maps.stretch_group, flag.gpbd.maps.stretch_low, flag.gpbd.maps.stretch_high = "stiff", 1.0, 10.0
        membrane = flag.gpbd.stvk_membrane
        membrane.young_warp = membrane.young_weft = membrane.shear = 20.0
        blender.context.scene.gpbd.substeps = 12
        scenes.save(blender, tmp_path)
        job = scenes.bake(blender)
        drops[name] = np.ptp(scenes.cache(job)[-1][:, 1])
        if name == "painted":
            whole = scenes.cache(job).copy()
            scenes.bake(blender, frames=(1, 6))
            assert np.array_equal(scenes.cache(scenes.bake(blender, resume=True)), whole)
    drawn = drops["soft"] - drops["stiff"]
    assert drawn > 0.02 and abs(drops["painted"] - drops["stiff"]) < 0.1 * drawn


def test_the_tetrahedra_of_a_soft_body_take_the_paint_of_their_frame(blender, tmp_path):
    """Weights of the nearest vertex of the mesh; half the cube's weight is half its mass within single precision."""
    jelly = scenes.soft(blender, end=4)
    by_time(blender, jelly, "heavy", 4.0)
    jelly.gpbd.maps.density_group, jelly.gpbd.maps.density_low, jelly.gpbd.maps.density_high = "heavy", 0.5, 1.5
    scenes.save(blender, tmp_path)
    first, frame = scenes.read_frame(blender, 4)
    body = first.bodies[0]
    built = body.build()
    weights = body.map_weights(frame.numbers.maps["Jelly"]["density"])
    assert len(weights) == len(built.vertices) and np.allclose(weights, 1.0)
    assert np.allclose(built.maps["density"].weights, 0.25)
    assert scenes.bake(blender).state == "done"
