"""A bake continues, with a message, when the objects and the scene that it was made from have other names by now."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache


@pytest.fixture
def shot(blender, tmp_path, monkeypatch):
    """Two flags, two colliders of which one is touched alone, and a wind, in a saved file; a checkpoint after each frame."""
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    flag = scenes.moving_flag(blender, tmp_path)
    scenes.cloth(blender, "Awning", pins=[0, 6], end=12, location=(3, 0, 1)).gpbd.object_contact = False
    scenes.floor(blender).location.z = -1.0
    scenes.field(blender, "WIND", 3.0)
    touched = blender.data.collections.new("touched")
    touched.objects.link(blender.data.objects["Ball"])
    flag.gpbd.contact_collection = touched
    scenes.save(blender, tmp_path)
    return flag


#: Each name ends up in another place of the alphabet.
NAMES = {"Flag": "A flag", "Ball": "Zeppelin", "Wind": "Breeze", "Awning": "Roof"}


def rename(blender, names=None):
    for old, new in (names or NAMES).items():
        blender.data.objects[old].name = new
    blender.context.scene.name = "Shot 2"


def both(job):
    return {name.split()[-1].lower(): np.array(cache(job, name)).tobytes() for name in job.files.paths}


def test_a_renamed_scene_is_resumed_to_the_same_bits_and_nothing_is_outdated(blender, shot):
    from gpbd.gpbd_addon.bake import overview

    whole = bake(blender)
    wanted = [np.array(cache(whole, name)).tobytes() for name in ("Flag", "Awning")]
    bake(blender, frames=(1, 5))
    rename(blender)
    found = overview.look(blender.context.scene)
    assert found.changed == [] and found.resumable.number == 2
    resumed = bake(blender, resume=True)
    assert resumed.files.version == 2
    assert [np.array(cache(resumed, name)).tobytes() for name in ("A flag", "Roof")] == wanted
    assert overview.look(blender.context.scene).changed == []


def test_bake_from_here_and_repair_know_renamed_objects(blender, shot):
    from gpbd.gpbd_addon.bake import repair

    whole = bake(blender, frames=(1, 8))
    wanted = [np.array(cache(whole, name)).tobytes() for name in ("Flag", "Awning")]
    rename(blender)
    job = bake(blender, frames=(1, 8), resume=True, from_frame=5)
    assert job.files.version == 2 and job.files.changed == []
    assert [np.array(cache(job, name)).tobytes() for name in ("A flag", "Roof")] == wanted
    path = job.files.paths["A flag"]
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert not [one.problems for one in repair.repair(blender.context.scene) if one.problems]
    assert path.read_bytes() == content


def test_a_copy_makes_nothing_outdated_whatever_the_original_is_called(blender, shot):
    """Blender copies the identity; the copy has no bake of its own yet."""
    from gpbd.gpbd_addon.bake import overview

    bake(blender, frames=(1, 3))
    shot.name = "Tablecloth"
    copy = shot.copy()
    blender.context.collection.objects.link(copy)
    copy.location.x += 3
    blender.context.view_layer.update()
    found = overview.look(blender.context.scene)
    assert found.changed == [] and found.playing.complete and found.twins[copy.name] == "Tablecloth"


def test_what_has_changed_is_told_by_the_new_names(blender, shot):
    from gpbd.gpbd_addon.bake import overview
    from gpbd.solver.errors import CacheError

    bake(blender, frames=(1, 4))
    rename(blender)
    shot.gpbd.density_area *= 2
    blender.data.objects["Zeppelin"].collision.cloth_friction = 9
    (flag, ball) = overview.look(blender.context.scene).changed
    assert flag.startswith("'A flag' Weight or Density") and ball.startswith("'Zeppelin' Friction")
    with pytest.raises(CacheError, match="'A flag' Weight or Density"):
        bake(blender, resume=True)


def test_a_body_that_takes_the_name_of_another_is_not_it(blender, shot):
    """The names are swapped; bodies have identities."""
    from gpbd.gpbd_addon.bake import overview

    whole = bake(blender, frames=(1, 6))
    wanted = [np.array(cache(whole, name)).tobytes() for name in ("Flag", "Awning")]
    bake(blender, frames=(1, 3))
    rename(blender, {"Flag": "x", "Awning": "Flag"})
    blender.data.objects["x"].name = "Awning"
    assert overview.look(blender.context.scene).changed == []
    resumed = bake(blender, frames=(1, 6), resume=True)
    assert [np.array(cache(resumed, name)).tobytes() for name in ("Awning", "Flag")] == wanted


def test_two_that_are_alike_are_not_taken_for_each_other(extension):
    from gpbd.gpbd_addon.bake.renaming import as_now

    then = {"bodies": {}, "colliders": {"A": {"n": 1}, "B": {"n": 1}, "C": {"n": 2}}, "fields": ["Wind", "Vortex"]}
    now = {"bodies": {}, "colliders": {"X": {"n": 1}, "Y": {"n": 1}, "Z": {"n": 2}}, "fields": ["Breeze", "Vortex"]}
    assert list(as_now(then, now)["colliders"]) == ["A", "B", "Z"]
    assert as_now(then, now)["fields"] == ["Breeze", "Vortex"]


def test_renaming_during_a_bake_neither_stops_it_nor_changes_a_bit(blender, shot):
    """The scene, its view layer, bodies, a collider that changes its vertices, the target of an attachment, a field and the
    fields that act on a body; new objects take the old names."""
    from tests.gpbd_addon.bake.test_bake_stopped import polled

    scene, awning = blender.context.scene, blender.data.objects["Awning"]
    rod = scenes.cube(blender, "Rod", 0.2, (3.5, 0.5, 1.0))
    scenes.move(rod, [1, 12], [(3.5, 0.5, 1.0), (3.5, 0.5, 1.3)])
    awning.vertex_groups.new(name="end").add([48], 1.0, "REPLACE")
    held = awning.gpbd.attachments.add()
    held.target, held.vertex_group, held.distance = rod, "end", 0.3
    scenes.field(blender, "TURBULENCE", 2.0)
    blown = blender.data.collections.new("blown")
    blown.objects.link(blender.data.objects["Wind"])
    shot.gpbd.effector_weights.collection = blown
    ball = blender.data.objects["Ball"]
    made_finer = ball.modifiers.new("Subdivision", "SUBSURF")
    ball.modifiers.move(1, 0)
    made_finer.levels = 0
    made_finer.keyframe_insert("levels", frame=7)
    made_finer.levels = 1
    made_finer.keyframe_insert("levels", frame=8)
    whole = bake(blender)
    wanted = [np.array(cache(whole, name)).tobytes() for name in ("Flag", "Awning")]
    assert any("is another mesh at frame 8" in told for told in whole.report.warnings)
    job = polled(blender, 2)
    rename(blender, {**NAMES, "Rod": "Curtain rail", "Turbulence": "Air", "Floor": "Ground"})
    scene.view_layers[0].name = "Beauty"
    scenes.floor(blender, "Ball").location.z = 0.5
    scenes.cube(blender, "Rod")
    while not job.poll(10):
        pass
    assert job.state == "done" and job.report.frames == 12
    assert [np.array(cache(job, name)).tobytes() for name in ("Flag", "Awning")] == wanted
    assert blender.data.objects["A flag"].modifiers[0].filepath.endswith(job.files.paths["Flag"].name)
