"""Verify and Repair: what is damaged is named, and what can be made again is."""

import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache


@pytest.fixture
def moving(blender, tmp_path, monkeypatch):
    """The moving flag, with a checkpoint after each frame."""
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    return scenes.moving_flag(blender, tmp_path)


def test_a_damaged_cache_is_repaired_and_resumed_to_the_same_bits(blender, moving):
    """Of two bodies: both end before the damaged frame of one, and the bake goes on from the checkpoint there."""
    from gpbd.gpbd_addon.bake import repair

    scenes.cloth(blender, "Banner", end=12, location=(3, 0, 1))
    scene = blender.context.scene
    job = bake(blender, frames=(1, 8))
    whole = {name: path.read_bytes() for name, path in job.files.paths.items()}
    assert not [one.problems for one in repair.verify(scene) if one.problems]
    content = bytearray(whole["Flag"])
    content[32 + 5 * 49 * 12 + 6] ^= 1
    job.files.paths["Flag"].write_bytes(content)
    job.files.checkpoints.path(4).write_bytes(b"damaged")
    found = {one.object: one for one in repair.verify(scene)}
    assert found["Flag"].damaged == [6] and found["Flag"].frames == 5 and "(frames 6)" in found["Flag"].problems[0]
    found = {one.object: one for one in repair.repair(scene)}
    assert found["Flag"].frames == found["Banner"].frames == 5 and found["Flag"].done and not found["Flag"].problems
    assert job.files.checkpoints.frames() == [2, 3, 5]
    again = bake(blender, frames=(1, 8), resume=True)
    assert {name: path.read_bytes() for name, path in again.files.paths.items()} == whole


def test_verify_and_repair_are_stopped_and_leave_no_lock(blender, moving):
    """A damaged frame, a damaged checkpoint, and a body that was never baked."""
    from gpbd.gpbd_addon.bake.repair import RepairJob, VerifyJob

    scene = blender.context.scene
    job = bake(blender, frames=(1, 4))
    scenes.cloth(blender, "Banner", end=12, location=(3, 0, 1))
    content = bytearray(job.files.paths["Flag"].read_bytes())
    content[32 + 2 * 49 * 12 + 6] ^= 1
    job.files.paths["Flag"].write_bytes(content)
    job.files.checkpoints.path(3).write_bytes(b"damaged")
    verify = VerifyJob(scene)
    verify.run()
    flag = next(one for one in verify.found if one.object == "Flag")
    assert flag.damaged == [3] and flag.frames == 2 and len(flag.problems) == 2 and verify.progress <= 1.0
    assert blender.ops.gpbd.verify_cache() == {"FINISHED"}
    for kind, steps in ((VerifyJob, 0), (RepairJob, 0), (RepairJob, 1), (RepairJob, 3)):
        stopped = kind(scene)
        stopped.start()
        while stopped.worker.asked and steps:
            stopped.poll(10)
            steps -= 1
        stopped.cancel()
        assert stopped.poll() and stopped.state == "cancelled" and not list(job.files.folder.glob("*.lock"))
    assert blender.ops.gpbd.repair_cache() == {"FINISHED"}
    assert len(cache(job)) == 2 and job.files.checkpoints.frames() == [2]
    assert not list(job.files.folder.glob("*.lock"))


def test_a_lost_manifest_and_header_are_made_again(blender, moving):
    from gpbd.gpbd_addon.bake import repair

    scene = blender.context.scene
    job = bake(blender, frames=(1, 5))
    path = job.files.paths["Flag"]
    whole, manifest = path.read_bytes(), frames.read_manifest(path)
    path.write_bytes(bytes(16) + whole[16:])
    (one,) = repair.repair(scene)
    assert path.read_bytes() == whole and not one.problems
    frames.manifest_path(path).write_bytes(b"")
    (one,) = repair.repair(scene)
    assert not one.problems and len(one.done) == 2
    again = frames.read_manifest(path)
    assert again["hashes"] == manifest["hashes"] and again["topology"] == manifest["topology"]
    assert bake(blender, frames=(1, 6), resume=True).state == "done"
