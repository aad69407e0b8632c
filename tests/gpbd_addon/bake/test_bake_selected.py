"""A bake of some bodies, which the others meet as their caches play them."""

import numpy as np
import pytest

from solver.cache import pc2
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake
from tests.gpbd_addon.ui import test_panels


@pytest.fixture
def two(blender, tmp_path):
    """A flag that lies on a sheet of cloth, whose corners are pinned, and both baked together. The sheet is lifted fast."""
    board = scenes.cloth(blender, "Board", pins=range(49), end=8, location=(0, 0, 1))
    flag = scenes.cloth(blender, "Flag", end=8, size=0.6, location=(0, 0, 1.05))
    scenes.move(board, [1, 8], [(0, 0, 1), (0, 0, 1.6)])
    scenes.save(blender, tmp_path)
    bake(blender)
    return flag, board


def select(blender, *bodies):
    for ob in blender.context.view_layer.objects:
        ob.select_set(ob in bodies)
    blender.context.view_layer.objects.active = bodies[0]


def heights(blender, ob, frame):
    blender.context.scene.frame_set(frame)
    return scenes.world_positions(blender, ob)[:, 2]


def test_the_selected_body_meets_what_the_others_did(blender, two):
    """It is lifted by a sheet that plays its cache, which stays unchanged. 0.01 m: a pinned sheet is not compliant, so
    one-way coupling is the same as two-way."""
    from gpbd.gpbd_addon.bake import cache_path

    flag, board = two
    before = cache_path.of(board), cache_path.of(board).read_bytes()
    together = heights(blender, flag, 8)
    select(blender, flag)
    assert blender.ops.gpbd.bake_selected() == {"FINISHED"}
    assert cache_path.version_of(cache_path.of(flag)) == 2
    assert (cache_path.of(board), cache_path.of(board).read_bytes()) == before
    alone = heights(blender, flag, 8)
    assert alone.min() > heights(blender, board, 8).mean() > 1.55
    assert np.abs(alone - together).max() < 0.01
    made_from = pc2.read_manifest(cache_path.of(flag))["made_from"]
    assert made_from["playing"] == {"Board": before[0].stem}


def test_the_active_body_is_not_baked_with_selected_ones(blender, two):
    """A box selects without a new active object."""
    from gpbd.gpbd_addon.operators import bake_selected

    flag, board = two
    select(blender, flag)
    blender.context.view_layer.objects.active = board
    assert bake_selected._bodies(blender.context) == [flag]
    flag.select_set(False)
    assert bake_selected._bodies(blender.context) == [board]


def test_without_a_cache_the_others_are_left_out_and_told(blender, tmp_path):
    scenes.cloth(blender, "Board", pins=range(49), end=4)
    flag = scenes.cloth(blender, "Flag", end=4, location=(0, 0, 1.05))
    scenes.save(blender, tmp_path)
    job = bake(blender, names=["Flag"])
    wanted = "Board: is not among the bodies that are baked and has no cache that plays, so it is left out. Bake it first"
    assert any(wanted in warning for warning in job.report.warnings) and not job.world.colliders
    assert heights(blender, flag, 4).max() < 1.04


def test_resume_goes_on_with_the_selected_bodies_alone(blender, two):
    from gpbd.gpbd_addon.bake import cache_path

    flag, board = two
    select(blender, flag)
    scene = blender.context.scene
    blender.ops.gpbd.bake_selected()
    whole = cache_path.of(flag).read_bytes()
    blender.ops.gpbd.clear_cache(what="ONE", version=2)
    scene.gpbd.frame_end = 4
    blender.ops.gpbd.choose_version(number=1)
    blender.ops.gpbd.bake_selected()
    scene.gpbd.frame_end = 8
    assert blender.ops.gpbd.resume() == {"FINISHED"}
    assert cache_path.of(flag).read_bytes() == whole
    assert cache_path.version_of(cache_path.of(board)) == 1


def test_it_is_outdated_when_another_body_plays_another_version(blender, two):
    from gpbd.gpbd_addon.bake import overview, versions

    flag, _ = two
    bake(blender, names=["Board"])
    select(blender, flag)
    blender.ops.gpbd.bake_selected()
    scene = blender.context.scene
    known = overview.look(scene)
    assert [(one.number, set(one.paths)) for one in known.versions] == [
        (3, {"Flag"}),
        (2, {"Board"}),
        (1, {"Flag", "Board"}),
    ]
    assert known.playing.number == 3 and known.changed == []
    listed = test_panels.draw(blender, flag, "PHYSICS_PT_gpbd_cache").drawn
    assert {("label", "Flag"), ("label", "Board"), ("label", "Board, Flag")} <= set(listed)
    versions.choose(scene, 1)
    versions.choose(scene, 3)
    assert overview.look(scene).changed == ["version of 'Board'"]


def test_a_muted_body_alone_is_refused(blender, two):
    flag, _ = two
    flag.gpbd.muted = True
    select(blender, flag)
    with pytest.raises(RuntimeError, match="Flag"):
        blender.ops.gpbd.bake_selected()
    select(blender, flag)
    flag.select_set(False)
    blender.context.view_layer.objects.active = None
    assert not blender.ops.gpbd.bake_selected.poll()
