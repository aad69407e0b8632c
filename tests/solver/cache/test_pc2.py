"""The cache files: what a crash, a full disk and a foreign mesh leave behind."""

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from solver.cache import atomic_write, pc2_writer
from solver.cache import pc2 as frames
from solver.cache.pc2_writer import Pc2Writer, complete
from solver.errors import CacheError

ROOT = Path(__file__).parents[3]
TRIANGLES = np.array([[0, 1, 2], [2, 1, 3]])
TOPOLOGY = frames.topology_hash(4, TRIANGLES)


def poses(count, n=4):
    return np.random.default_rng(1).normal(size=(count, n, 3)).astype(np.float32)


def written(path, data, start=1, **fields):
    writer = Pc2Writer(path, data.shape[1], start, {"topology": TOPOLOGY, **fields})
    for pose in data:
        writer.append(pose)
    writer.close()
    return path


def test_frames_come_back_bit_for_bit_with_the_manifest(tmp_path):
    data = poses(5)
    path = written(tmp_path / "a.pc2", data, start=11, settings={"substeps": 8})
    assert frames.read_frames(path).tobytes() == data.tobytes()
    assert frames.read_header(path) == frames.Header(4, 11.0, 5)
    manifest = frames.read_manifest(path)
    assert manifest["settings"] == {"substeps": 8} and manifest["frames"] == 5 and manifest["start"] == 11
    assert frames.verify(path) == []


def test_the_file_is_the_pc2_layout_that_blender_documents(tmp_path):
    raw = written(tmp_path / "a.pc2", poses(2)).read_bytes()
    assert struct.unpack("<12siiffi", raw[:32]) == (b"POINTCACHE2\0", 1, 4, 1.0, 1.0, 2)
    assert len(raw) == 32 + 2 * 4 * 12


def test_each_frame_is_whole_in_the_file_as_soon_as_it_is_appended(tmp_path):
    data = poses(3)
    writer = Pc2Writer(tmp_path / "a.pc2", 4, 1, {"topology": TOPOLOGY})
    for k, pose in enumerate(data):
        writer.append(pose)
        assert frames.read_header(tmp_path / "a.pc2").n_frames == k + 1
        assert np.array_equal(frames.read_frames(tmp_path / "a.pc2"), data[: k + 1])
    writer.close()


def test_an_older_cache_stays_until_the_first_frame_of_the_new_one(tmp_path):
    path = written(tmp_path / "a.pc2", poses(5))
    writer = Pc2Writer(path, 4, 1, {"topology": TOPOLOGY})
    writer.close()
    assert frames.verify(path) == [] and frames.read_header(path).n_frames == 5


def test_a_killed_process_leaves_whole_frames_that_can_be_resumed(tmp_path):
    path = tmp_path / "a.pc2"
    script = f"""
import os, numpy as np
from solver.cache import atomic_write, pc2_writer
from solver.cache import pc2 as frames
from solver.cache.pc2_writer import Pc2Writer, complete
w = Pc2Writer({str(path)!r}, 4, 1, {{"topology": {TOPOLOGY!r}}})
for k in range(7):
    w.append(np.full((4, 3), k))
w._write(w.header.offset(7), np.ones(5, "<f4"))  # killed in the middle of a frame
os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 9
    assert frames.read_header(path).n_frames == 7
    writer = Pc2Writer.resume(path, 4, TOPOLOGY, keep=6)
    writer.append(np.full((4, 3), 60))
    writer.close()
    assert frames.read_frames(path)[:, 0, 0].tolist() == [0, 1, 2, 3, 4, 5, 60]
    assert frames.verify(path) == []


def test_a_cache_never_stands_without_its_manifest(tmp_path, monkeypatch):
    """A process may be killed after any file has got its name."""
    path, put, found = tmp_path / "a.pc2", atomic_write.put_in_place, []

    def put_and_look(part, goal, durable=False):
        put(part, goal, durable)
        found.append((goal.suffix, not path.exists() or bool(frames.read_manifest(path))))

    monkeypatch.setattr(atomic_write, "put_in_place", put_and_look)
    monkeypatch.setattr(pc2_writer, "put_in_place", put_and_look)
    written(path, poses(3))
    assert found[:2] == [(".json", True), (".pc2", True)] and all(described for _, described in found)
    assert complete(path, [{}] * 3) == 3 and frames.verify(path) == []


def test_a_file_cut_short_offers_only_its_whole_frames(tmp_path):
    path = written(tmp_path / "a.pc2", poses(5))
    os.truncate(path, 32 + 48 * 3 + 10)
    assert frames.read_header(path).n_frames == 3 and len(frames.read_frames(path)) == 3
    assert any("knows 5 frames, the cache holds 3" in problem for problem in frames.verify(path))


def test_verify_names_the_first_frame_that_changed(tmp_path):
    path = written(tmp_path / "a.pc2", poses(5), start=101)
    with open(path, "r+b") as file:
        file.seek(32 + 2 * 48)
        file.write(b"\1")
    (problem,) = frames.verify(path)
    assert frames.damaged_frames(path) == [103]
    assert "(frame 103)" in problem and str(path) in problem


@pytest.mark.parametrize(
    ("n", "triangles", "message"), [(5, TRIANGLES, "4 vertices; this one has 5"), (4, TRIANGLES[:1], "other faces")]
)
def test_resuming_with_another_mesh_is_refused(tmp_path, n, triangles, message):
    path = written(tmp_path / "a.pc2", poses(5))
    with pytest.raises(CacheError, match=message):
        Pc2Writer.resume(path, n, frames.topology_hash(n, triangles), keep=2)
    assert frames.verify(path) == []


def test_resuming_after_more_frames_than_there_are_is_refused(tmp_path):
    path = written(tmp_path / "a.pc2", poses(5))
    with pytest.raises(CacheError, match="holds 5 frames; wanted 6"):
        Pc2Writer.resume(path, 4, TOPOLOGY, keep=6)


@pytest.mark.parametrize("content", [b"", b"POINTCACHE2\0", b"x" * 100, frames.HEADER.pack(frames.MAGIC, 1, 4, 1, 1, 0)])
def test_what_is_no_cache_is_refused_by_name(tmp_path, content):
    path = tmp_path / "broken.pc2"
    path.write_bytes(content)
    with pytest.raises(CacheError, match=r"broken\.pc2.*bake again"):
        frames.read_header(path)


def test_a_missing_or_damaged_manifest_is_refused_by_name(tmp_path):
    path = written(tmp_path / "a.pc2", poses(2))
    for text in ("{", "[]", json.dumps({"format": 99}), json.dumps({"format": 1})):
        frames.manifest_path(path).write_text(text)
        with pytest.raises(CacheError, match=r"a\.json"):
            frames.read_manifest(path)
    frames.manifest_path(path).unlink()
    with pytest.raises(CacheError, match=r"a\.json"):
        frames.read_manifest(path)


@pytest.mark.parametrize(
    "fields",
    [{"hashes": None}, {"hashes": {}}, {"hashes": [1, 2]}, {"hashes": "ab"}, {"n_vertices": "4"}, {"n_vertices": True}],
)
def test_a_manifest_of_the_wrong_kinds_is_refused(tmp_path, fields):
    path = written(tmp_path / "a.pc2", poses(2))
    beside = frames.manifest_path(path)
    beside.write_text(json.dumps(json.loads(beside.read_text()) | fields))
    with pytest.raises(CacheError, match=r"a\.json: is damaged at '(hashes|n_vertices)'; wanted 'hashes'"):
        frames.verify(path)
    with pytest.raises(CacheError, match=r"a\.json"):
        Pc2Writer.resume(path, 4, TOPOLOGY, keep=2)


def test_damaged_files_raise_nothing_but_cache_errors_and_verify_sees_them(tmp_path):
    """A changed bit of a cache is reported by `verify`, as an error or a sentence, but for the count of frames, which a
    killed bake may leave behind its data; one of a manifest may be in a part that is not compared."""
    path = written(tmp_path / "a.pc2", poses(3))
    beside = frames.manifest_path(path)
    rng = np.random.default_rng(5)
    for file in (path, beside):
        content = file.read_bytes()
        for place in rng.integers(0, len(content), 150):
            bad = bytearray(content)
            bad[place] ^= 1 << int(rng.integers(8))
            file.write_bytes(bad)
            try:
                told = frames.verify(path)
            except CacheError as error:
                told = [str(error)]
            count_only = frames.COUNT_OFFSET <= place < frames.HEADER.size
            assert told or file == beside or count_only, place
        for length in range(0, len(content), 7):
            file.write_bytes(content[:length])
            try:
                assert frames.verify(path)
            except CacheError as error:
                assert str(tmp_path) in str(error)
        file.write_bytes(content)
    beside.write_text("[" * 100_000)
    with pytest.raises(CacheError, match=r"a\.json: is damaged"):
        frames.read_manifest(path)


def test_a_damaged_early_frame_is_not_gone_on_from(tmp_path):
    """Also where the manifest is older than the frame: then the checkpoint's hash of all frames decides."""
    path = written(tmp_path / "a.pc2", poses(5), start=101)
    known = frames.hash_of_all(frames.read_manifest(path)["hashes"][:4])
    whole = path.read_bytes()
    Pc2Writer.resume(path, 4, TOPOLOGY, 4, known).abandon()
    assert path.read_bytes() == whole, "nothing is cut before the first new frame"
    with open(path, "r+b") as file:
        file.seek(32 + 1 * 48 + 5)
        file.write(b"\1")
    damaged = path.read_bytes()
    with pytest.raises(CacheError, match=r"a\.pc2: 1 of the 4 frames .* \(first: frame 102\).*Repair"):
        Pc2Writer.resume(path, 4, TOPOLOGY, 4, known)
    manifest = frames.read_manifest(path)
    frames.manifest_path(path).write_text(json.dumps(manifest | {"hashes": manifest["hashes"][:1]}))
    with pytest.raises(CacheError, match="not the one that was being baked, or is damaged"):
        Pc2Writer.resume(path, 4, TOPOLOGY, 4, known)
    assert path.read_bytes() == damaged


def test_a_frame_that_is_not_finite_never_reaches_the_file(tmp_path):
    data = poses(3)
    writer = Pc2Writer(tmp_path / "a.pc2", 4, 1, {"topology": TOPOLOGY})
    writer.append(data[0])
    data[1, 2, 1] = np.nan
    for wrong in (data[1], data[2, :3]):
        with pytest.raises(CacheError, match="wanted finite"):
            writer.append(wrong)
    writer.append(data[2])
    writer.close()
    assert np.array_equal(frames.read_frames(tmp_path / "a.pc2"), data[[0, 2]])


def test_a_full_disk_is_told_and_keeps_the_frames_before(tmp_path):
    """A limit on file sizes stands in for the disk: the write is cut in the middle of the fourth frame."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    data = poses(5, 100)
    path = tmp_path / "a.pc2"
    writer = Pc2Writer(path, 100, 1, {"topology": TOPOLOGY})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (32 + 1200 * 3 + 500, hard))
    try:
        with pytest.raises(CacheError, match=r"a\.pc2.*Free space.*bake again"):
            for pose in data:
                writer.append(pose)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert np.array_equal(frames.read_frames(path), data[:3])
    resumed = Pc2Writer.resume(path, 100, TOPOLOGY, keep=3)
    resumed.append(data[3])
    resumed.close()
    assert frames.verify(path) == []


def test_a_cache_that_was_closed_after_an_error_is_not_begun_anew(tmp_path):
    data = poses(3)
    writer = Pc2Writer(tmp_path / "a.pc2", 4, 1, {"topology": TOPOLOGY})
    writer.append(data[0])
    writer.abandon()
    with pytest.raises(CacheError, match="is closed after an error"):
        writer.append(data[1])
    assert frames.read_frames(tmp_path / "a.pc2").tobytes() == data[:1].tobytes()


def test_a_manifest_is_completed_where_its_writer_was_ended(tmp_path):
    data = poses(4)
    path = tmp_path / "a.pc2"
    writer = Pc2Writer(path, 4, 1, {"topology": TOPOLOGY})
    for pose in data:
        writer.append(pose)  # the first writes the manifest, the others come within a second
    writer.abandon()
    assert len(frames.read_manifest(path)["hashes"]) < 4
    assert complete(path, [{}, {"error": 1.0}]) == 4 and frames.verify(path) == []
    assert frames.read_manifest(path)["reports"] == [{}, {"error": 1.0}]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"file.*Choose another Cache Folder"):
        Pc2Writer(tmp_path / "file" / "a.pc2", 4, 1, {"topology": TOPOLOGY}).append(poses(1)[0])


def test_a_frame_of_16641_vertices_costs_well_below_two_milliseconds(tmp_path):
    """The bound is 4 ms, twice the aim, because machines that run tests are busy; the median hides single stalls."""
    pose = poses(1, 16641)[0]
    writer = Pc2Writer(tmp_path / "a.pc2", 16641, 1, {"topology": TOPOLOGY})
    seconds = []
    for _ in range(60):
        begin = time.perf_counter()
        writer.append(pose)
        seconds.append(time.perf_counter() - begin)
    writer.close()
    assert np.median(seconds) < 0.004
