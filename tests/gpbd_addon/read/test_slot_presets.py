"""Faces of a cloth that are of another fabric, by the material in their slot."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake
from tests.gpbd_addon.ui.test_panels import draw


@pytest.fixture
def flag(blender):
    """6 x 6 quads, those of the right half of another material in the second slot; pinned along the left."""
    ob = scenes.cloth(blender, pins=[0, 42])
    for name in ("plain", "patch"):
        ob.data.materials.append(blender.data.materials.new(name))
    ob.data.polygons.foreach_set("material_index", np.tile([0, 0, 0, 1, 1, 1], 6).astype(np.int32))
    return ob


def heavy_preset():
    from gpbd.solver.scene.presets import list_presets, read_preset

    fabrics = [read_preset(preset.path) for preset in list_presets("fabric")]
    return max((material for material in fabrics if material.table is None), key=lambda material: material.density)


def cloth_of(blender):
    from gpbd.gpbd_addon.read import scene_input

    scene = blender.context.scene
    world = scene_input.gather(scene, scene_input.view_layer_of(scene), scene_input.bodies_of(scene))
    return world, world.build().bodies[0]


def test_the_faces_of_a_slot_are_of_the_preset_that_its_material_names(blender, flag):
    """1e-9: masses are sums of the same areas."""
    from gpbd.solver.model.build import build
    from gpbd.solver.scene import Scene

    assert cloth_of(blender)[1].regions == []
    preset = heavy_preset()
    flag.data.materials["patch"].gpbd_preset = preset.name
    world, cloth = cloth_of(blender)
    (region,) = cloth.regions
    assert region.material == preset
    centres = cloth.vertices[cloth.triangles].mean(1)
    assert set(region.elements) == set(np.flatnonzero(centres[:, 0] > 0))
    mass = build(Scene([cloth]), world.settings).mass.sum()
    assert mass == pytest.approx(0.5 * (preset.density + cloth.material.density), rel=1e-9)


def test_slots_of_the_same_preset_are_one_region_and_faces_of_missing_slots_are_of_the_last(blender, flag):
    for material in flag.data.materials:
        material.gpbd_preset = heavy_preset().name
    flag.data.polygons.foreach_set("material_index", np.tile([0, 0, 0, 1, 1, 9], 6).astype(np.int32))
    (region,) = cloth_of(blender)[1].regions
    assert len(region.elements) == 72


def test_a_patch_changes_the_bake_and_what_it_is_resumed_from(blender, flag, tmp_path):
    from gpbd.solver.errors import GpbdError

    plain = scenes.cache(bake(blender, out=str(tmp_path / "a")))[-1]
    flag.data.materials["patch"].gpbd_preset = heavy_preset().name
    with pytest.raises(GpbdError):
        bake(blender, out=str(tmp_path / "a"), frames=(1, 8), resume=True)
    patched = scenes.cache(bake(blender, out=str(tmp_path / "b")))[-1]
    assert np.isfinite(patched).all() and np.abs(patched - plain).max() > 1e-4


def test_a_preset_that_is_missing_or_no_fabric_is_named_with_its_material(blender, flag):
    for preset, wanted in (("no such preset", "no preset has this name"), ("jelly", "wanted a fabric")):
        flag.data.materials["patch"].gpbd_preset = preset
        (problem,) = [text for text in scenes.check(blender) if "'patch'" in text]
        assert problem.startswith("Flag: ") and wanted in problem


def test_the_panel_draws_each_material_of_the_slots_once(blender, flag):
    assert [what for _, what in draw(blender, flag, "PHYSICS_PT_gpbd_material").drawn].count("gpbd_preset") == 2
    flag.data.materials.append(flag.data.materials[0])
    assert [what for _, what in draw(blender, flag, "PHYSICS_PT_gpbd_material").drawn].count("gpbd_preset") == 2
