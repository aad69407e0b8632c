"""Damaged files of every kind in the cache folder: whatever reads them says so as a message, and nothing hangs."""

import errno
import functools
import json
import os
import shutil

import numpy as np
import pytest

from solver.cache import checkpoint
from solver.errors import GpbdError
from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache

#: Values in place of the required ones.
STRANGE = [
    None,
    True,
    -1,
    0,
    3.5,
    1e308,
    2**80,
    "",
    "x" * 300,
    "../../x",
    [],
    [[]],
    [None],
    {},
    {"frame": "x"},
    {"a": {"b": []}},
]
CASES = 100


@pytest.fixture
def baked(blender, tmp_path, monkeypatch):
    """The files of a bake of 4 frames, of two samples each, with a checkpoint after each."""
    from gpbd.gpbd_addon.bake import engine

    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    scenes.cloth(blender, n=2, end=4)
    blender.context.scene.gpbd.samples = 2
    scenes.save(blender, tmp_path)
    bake(blender)
    return tmp_path / "gpbd_cache"


def damage(folder, rng):
    """Change one file of the folder; return a description of the change."""
    paths = sorted(folder.iterdir())
    path = paths[rng.integers(len(paths))]
    content = path.read_bytes()
    kind = rng.choice(["bit", "short", "long", "empty", "noise", "gone", "value", "value", "value"])
    if kind == "value" and path.suffix == ".json":
        told = json.loads(content)
        key = list(told)[rng.integers(len(told))]
        told[key] = STRANGE[rng.integers(len(STRANGE))]
        path.write_text(json.dumps(told))
        return f"{path.name} {key} = {told[key]!r:.40}"
    if kind == "value" and path.suffix == ".npz":  # readable, but not the baked one
        arrays, identity = checkpoint.read(path)
        key = list(identity)[rng.integers(len(identity))]
        identity[key] = STRANGE[rng.integers(len(STRANGE))]
        name = list(arrays)[rng.integers(len(arrays))]
        arrays[name] = [np.zeros(0), np.array("x"), np.full(arrays[name].shape, np.nan)][rng.integers(3)]
        checkpoint.write(path, arrays, identity)
        return f"{path.name} {key} = {identity[key]!r:.40}, {name}"
    if kind == "gone":
        path.unlink()
    elif kind == "noise":
        path.write_bytes(rng.bytes(min(len(content), 5000)))
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "short":
        path.write_bytes(content[: rng.integers(len(content))])
    elif kind == "long":
        path.write_bytes(content + rng.bytes(50))
    else:
        bad = bytearray(content)
        bad[rng.integers(len(bad)) if rng.random() < 0.5 else rng.integers(min(len(bad), 64))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bad)
    return f"{path.name} {kind}"


@pytest.mark.slow
def test_malformed_caches_manifests_and_checkpoints_are_told_and_never_raise(blender, baked, tmp_path):
    """100 of them, each looked at, and two of verified, chosen, resumed, repaired, gone on with from a frame. More than a
    sixth have to be refused, or the damage would not reach what reads the files."""
    from gpbd.gpbd_addon.bake import frame_reports, overview, repair, versions

    scene, good = blender.context.scene, tmp_path / "good"
    baked.rename(good)
    steps = [
        lambda: repair.verify(scene),
        lambda: versions.choose(scene, 1),
        lambda: bake(blender, resume=True),
        lambda: repair.repair(scene),
        lambda: bake(blender, resume=True, from_frame=3),
    ]
    told = 0
    for seed in range(CASES):
        shutil.rmtree(baked, ignore_errors=True)
        shutil.copytree(good, baked)
        rng = np.random.default_rng(seed)
        done = damage(baked, rng)
        try:
            overview.look(scene)
            for version in versions.find(scene):
                version.sentence()
                for path in version.paths.values():
                    frame_reports.read(path)
            for step in (2 * steps)[seed % len(steps) :][:2]:
                try:
                    step()
                except GpbdError as error:
                    told += 1
                    assert str(error).endswith("."), done
        except Exception as error:
            raise AssertionError(f"seed {seed}: {done}") from error
    assert told > CASES // 6


def test_a_disk_that_is_full_in_the_middle_of_a_bake_keeps_the_frames_and_resumes(blender, tmp_path, monkeypatch):
    """A limit on file sizes stands in for the disk: first the cache does not fit any more, then a checkpoint."""
    resource, signal = pytest.importorskip("resource"), pytest.importorskip("signal")
    from gpbd.gpbd_addon.bake import engine, repair
    from gpbd.gpbd_addon.bake.job import BakeJob

    scenes.workers_in_threads(monkeypatch)
    monkeypatch.setattr(engine, "CHECKPOINT_SECONDS", 0.0)
    scenes.moving_flag(blender, tmp_path)
    whole = np.array(cache(bake(blender, frames=(1, 8))))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for number, limit in ((2, 32 + 49 * 12 * 4 + 100), (3, 32 + 49 * 12 * 6 + 100)):
            job = BakeJob(blender.context.scene, frames=(1, 8))
            job.on_frame = lambda job, limit=limit: (
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard)) if job.report.frames == 3 else None
            )
            with pytest.raises(GpbdError, match=r"cannot be written.*Free space"):
                job.run()
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            kept = cache(job)
            assert job.files.version == number and kept.tobytes() == whole[: len(kept)].tobytes() and len(kept) >= 3
            assert not list(tmp_path.rglob("*.part")) and not list(tmp_path.rglob("*.lock"))
            repair.repair(blender.context.scene)
            assert not [one.problems for one in repair.verify(blender.context.scene) if one.problems]
            again = bake(blender, frames=(1, 8), resume=True)
            assert again.files.version == number and cache(again).tobytes() == whole.tobytes()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


def test_a_disk_that_becomes_read_only_in_the_middle_of_a_bake_keeps_the_frames_and_resumes(blender, tmp_path, monkeypatch):
    """As a failing disk does: from the fourth frame on nothing is written any more, the lock file neither removed."""
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.solver.cache.pc2_writer import Pc2Writer

    scenes.moving_flag(blender, tmp_path)
    whole = np.array(cache(bake(blender)))

    def refused(what, *rest, known=None, **options):
        """Refuse paths in this folder only: other files are on other disks."""
        if known is None or str(tmp_path) in str(what):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return known(what, *rest, **options)

    def fail(job):
        if job.report.frames == 11:
            patch.setattr(Pc2Writer, "_write", refused)
            for name in ("fsync", "ftruncate"):
                patch.setattr(os, name, refused)
            for name in ("replace", "utime", "unlink"):
                patch.setattr(os, name, functools.partial(refused, known=getattr(os, name)))

    with monkeypatch.context() as patch:
        scenes.workers_in_threads(patch)
        job = BakeJob(blender.context.scene)
        job.on_frame = fail
        with pytest.raises(GpbdError, match=r"cannot be written \(Read-only file system\)"):
            job.run()
    assert job.files.frames == 11 and cache(job).tobytes() == whole[:11].tobytes()
    resumed = bake(blender, resume=True)
    assert resumed.files.version == 2 and cache(resumed).tobytes() == whole.tobytes()
    assert not list(tmp_path.rglob("*.lock"))
