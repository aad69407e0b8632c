"""Verify and Repair: damage is named, and repaired where possible."""

import pytest

from solver.cache import pc2 as frames
from solver.counted import counted
from tests.covering_set import long
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache


@pytest.fixture
def moving(blender, tmp_path, monkeypatch):
    """The moving flag, with a checkpoint after each frame."""
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    return scenes.moving_flag(blender, tmp_path)


def flip(path, index, n_vertices=49):
    """Damages a byte of a frame."""
    content = bytearray(path.read_bytes())
    content[32 + index * n_vertices * 12 + 6] ^= 1
    path.write_bytes(content)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("frame", [1, 2, *long(6), 8])
def test_one_damaged_frame_is_made_again_and_every_other_file_stays(blender, moving, monkeypatch, frame):
    """One of two bodies is damaged: frame 1 is the start itself, frame 2 comes before the first checkpoint, 8 is the last.
    Only the frames between the checkpoint before and the damaged frame are solved."""
    from gpbd.gpbd_addon.bake import engine, repair

    scenes.cloth(blender, "Banner", end=12, location=(3, 0, 1))
    scene = blender.context.scene
    job = bake(blender, frames=(1, 8))
    whole = files(job.files.folder)
    assert not [one.problems for one in repair.verify(scene) if one.problems]
    flip(job.files.paths["Flag"], frame - 1)
    look = repair.VerifyJob(scene)
    look.run()
    flag = next(one for one in look.checked if one.object == "Flag")
    assert flag.damaged == [frame] and flag.frames == frame - 1 and f"(frame {frame})" in flag.problems[0]
    begun = f"the checkpoint after {frame - 1}" if frame > 2 else "the start"
    solved = 0 if frame == 1 else 1
    assert look.planned == [
        f"Solve frame {frame} of Flag again from {begun}, {counted(solved, 'frame', 'frames')} in all.",
        "Keep 7 other frames of Flag.",
    ]
    advance, asked = engine.Engine.advance, []
    monkeypatch.setattr(engine.Engine, "advance", lambda self, data: (asked.append(data.number), advance(self, data)))
    found = {one.object: one for one in repair.repair(scene)}
    assert not found["Flag"].problems and not found["Banner"].problems and not found["Banner"].done
    assert files(job.files.folder) == whole and asked == [frame][:solved]
    assert scene.frame_current == 1 and moving.modifiers[0].show_viewport


def test_frames_that_are_missing_at_the_end_of_one_body_are_made_again(blender, moving):
    """The file was cut off; its manifest and the other body know better."""
    from gpbd.gpbd_addon.bake import repair

    scenes.cloth(blender, "Banner", end=12, location=(3, 0, 1))
    job = bake(blender, frames=(1, 8))
    whole = files(job.files.folder)
    path = job.files.paths["Flag"]
    path.write_bytes(whole[path.name][: 32 + 5 * 49 * 12 + 100])
    job.files.checkpoints.path(5).write_bytes(b"damaged")
    found = {one.object: one for one in repair.repair(blender.context.scene)}
    assert not found["Flag"].problems and not found["Banner"].problems
    del whole[job.files.checkpoints.path(5).name]
    assert files(job.files.folder) == whole


def test_a_cache_that_repair_cannot_restore_is_not_sent_to_it_again(blender, moving):
    from gpbd.gpbd_addon.bake import repair

    job = bake(blender, frames=(1, 4))
    job.files.paths["Flag"].write_bytes(b"noise")
    (one,) = repair.verify(blender.context.scene)
    assert "Press Repair" in one.problems[0]
    (one,) = repair.repair(blender.context.scene)
    assert one.problems and all(text.endswith("PC2 file. Choose another version, or bake again.") for text in one.problems)


def test_where_the_scene_has_changed_no_frame_and_no_checkpoint_goes(blender, moving):
    """A checkpoint names the changes; a start from frame 1 shows them by the frames that come out."""
    from gpbd.gpbd_addon.bake import repair

    job = bake(blender, frames=(1, 8))
    moving.gpbd.density_area *= 3
    for frame, told in ((6, "Change back 'Flag' Weight or Density"), (3, "Change back"), (2, "comes out otherwise")):
        whole = files(job.files.folder)
        flip(job.files.paths["Flag"], frame - 1)
        damaged = files(job.files.folder)
        (one,) = repair.repair(blender.context.scene)
        assert told in one.problems[0] and one.damaged == [frame] and files(job.files.folder) == damaged
        job.files.paths["Flag"].write_bytes(whole[job.files.paths["Flag"].name])
    moving.gpbd.density_area /= 3
    flip(job.files.paths["Flag"], 3)
    assert not repair.repair(blender.context.scene)[0].problems and files(job.files.folder) == whole


def test_soft_bodies_are_made_again_with_the_tetrahedra_that_they_had(blender, tmp_path, monkeypatch):
    from gpbd.gpbd_addon.bake import engine, repair

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    scenes.soft(blender, pins=[0, 1, 2, 3], end=6, method="TETWILD")
    scenes.save(blender, tmp_path)
    job = bake(blender)
    whole = files(job.files.folder)
    for frame in (1, 4):
        flip(job.files.paths["Jelly"], frame, 8)
        assert not repair.repair(blender.context.scene)[0].problems and files(job.files.folder) == whole


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
    flag = next(one for one in verify.checked if one.object == "Flag")
    assert flag.damaged == [3] and flag.frames == 2 and len(flag.problems) == 2 and verify.progress <= 1.0
    assert blender.ops.gpbd.verify_cache() == {"FINISHED"}
    for kind, steps in ((VerifyJob, 0), (RepairJob, 0), (RepairJob, 1), (RepairJob, 3)):
        stopped = kind(scene)
        stopped.start()
        while stopped.worker.pending and steps:
            stopped.poll(10)
            steps -= 1
        stopped.cancel()
        assert stopped.poll() and stopped.state == "cancelled" and not list(job.files.folder.glob("*.lock"))
    assert blender.ops.gpbd.repair_cache() == {"FINISHED"}
    assert len(cache(job)) == 4 and frames.verify(job.files.paths["Flag"]) == [] and job.files.checkpoints.frames() == [2, 4]
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


def test_frames_that_bake_from_here_took_over_are_copied_from_the_version_before(blender, moving):
    """Whatever the settings are now. Without that version the plan says which settings the frame needs."""
    from gpbd.gpbd_addon.bake import repair, trash, versions

    first = bake(blender, frames=(1, 8))
    moving.gpbd.density_area *= 3
    second = bake(blender, frames=(1, 8), resume=True, from_frame=5)
    assert second.files.version == 2
    path, whole = second.files.paths["Flag"], files(first.files.folder)
    for frame, wanted in (
        (3, ["Copy frame 3 of Flag from v1.", "Keep 7 other frames of Flag."]),
        (7, ["Solve frame 7 of Flag again from the checkpoint after 6, 1 frame in all.", "Keep 7 other frames of Flag."]),
    ):
        flip(path, frame - 1)
        look = repair.VerifyJob(blender.context.scene)
        look.run()
        assert look.planned == wanted
        (one,) = repair.repair(blender.context.scene)
        assert one.done and not one.problems and files(first.files.folder) == whole
    trash.delete(blender.context.scene, [moving], {1})
    assert [one.number for one in versions.find(blender.context.scene)] == [2]
    flip(path, 2)
    look = repair.VerifyJob(blender.context.scene)
    look.run()
    assert look.planned[1].startswith("Solving frame 3 of Flag needs the settings of then: 'Flag' Weight or Density")
    (one,) = repair.repair(blender.context.scene)
    assert one.damaged == [3] and "Change back 'Flag' Weight or Density" in one.problems[0]
    moving.gpbd.density_area /= 3
    assert not repair.repair(blender.context.scene)[0].problems
    assert path.read_bytes() == whole[path.name]
