"""Command line: its output, files and exit codes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes

ROOT = Path(__file__).resolve().parents[3]


def module(*argv):
    """`python -m gpbd_addon ...` as a user has it."""
    command = [sys.executable, "-m", "gpbd_addon", *argv]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_bake_prints_a_line_a_frame_and_the_file_plays_afterwards(blender, command, shot):
    code, lines = command("bake", "--frames", "1-3")
    assert code == 0
    assert [line["event"] for line in lines] == ["start", "frame", "frame", "frame", "saved", "done"]
    assert [line["frame"] for line in lines if line["event"] == "frame"] == [1, 2, 3]
    assert lines[-1]["frames"] == 3 and lines[-1]["max_stretch"] >= 0
    blender.ops.wm.open_mainfile(filepath=str(shot))
    flag = blender.data.objects["Flag"]
    data = frames.read_frames(blender.path.abspath(flag.modifiers[0].filepath))
    blender.context.scene.frame_set(3)
    assert scenes.evaluated_positions(blender, flag).tobytes() == data[2].tobytes()


def test_the_file_is_left_alone_where_asked_or_where_nothing_changed(command, shot):
    before = shot.read_bytes()
    code, lines = command("bake", "--frames", "1-2", "--no-save")
    assert code == 0 and shot.read_bytes() == before and any("not saved" in line["text"] for line in lines)
    command("bake", "--frames", "1-2")
    saved = shot.read_bytes()
    code, lines = command("resume", "--frames", "1-2")
    assert code == 0 and shot.read_bytes() == saved and "saved" not in [line["event"] for line in lines]


def test_objects_and_out_are_obeyed(command, shot, tmp_path):
    code, lines = command("bake", "--frames", "1-2", "--objects", "Other", "--out", str(tmp_path / "farm"))
    (start,) = (line for line in lines if line["event"] == "start")
    assert code == 0 and start["objects"] == ["Other"]
    assert "Flag: is not among the bodies that are baked" in lines[0]["text"]
    assert [path.name[:5] for path in (tmp_path / "farm").glob("*.pc2")] == ["Other"]
    assert not (tmp_path / "gpbd_cache").exists()


def test_resume_goes_on(command, shot):
    command("bake", "--frames", "1-2")
    code, lines = command("resume")
    assert code == 0 and [line["frame"] for line in lines if line["event"] == "frame"] == [3, 4]


def test_verify_tells_a_changed_cache_from_a_good_one(blender, command, shot):
    assert command("verify")[0] == 1
    command("bake")
    code, lines = command("verify")
    assert code == 0 and [line["object"] for line in lines if line["event"] == "verified"] == ["Flag", "Other"]
    path = blender.path.abspath(blender.data.objects["Flag"].modifiers[0].filepath)
    with open(path, "r+b") as file:
        file.seek(100)
        file.write(b"x")
    code, lines = command("verify")
    assert code == 1 and [line["event"] for line in lines] == ["problem", "verified"]
    assert lines[0]["damaged"] == [1] and lines[1]["frames"] == 4


def test_repair_makes_a_damaged_frame_again(blender, command, shot):
    """The same bits as a bake that nothing has damaged."""
    command("bake")
    path = Path(blender.path.abspath(blender.data.objects["Flag"].modifiers[0].filepath))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"x")
    code, lines = command("repair")
    assert code == 0 and [line["event"] for line in lines] == ["repaired", "verified", "verified"]
    assert {line["frames"] for line in lines if line["event"] == "verified"} == {4} and path.read_bytes() == whole


def test_continue_begins_anew_where_there_is_nothing_to_go_on_from(command, shot):
    for wanted, made in (("1-2", [1, 2]), ("1-4", [3, 4]), ("1-4", [])):
        code, lines = command("bake", "--continue", "--frames", wanted)
        assert code == 0 and [line["frame"] for line in lines if line["event"] == "frame"] == made
        assert lines[-1]["frames"] == int(wanted[-1])


def test_settings_hold_for_one_bake_and_the_file_keeps_its_own(blender, command, shot):
    code, lines = command("bake", "--set", "scene.substeps=5", "--set", "*.friction=0.125", "--threads", "1")
    assert code == 0
    blender.ops.wm.open_mainfile(filepath=str(shot))
    assert blender.context.scene.gpbd.substeps == 3 and blender.data.objects["Flag"].gpbd.friction != 0.125
    manifest = frames.read_manifest(lines[-1]["caches"]["Flag"])
    assert (manifest["settings"]["substeps"], manifest["settings"]["threads"]) == (5, 1)
    code, lines = command("info")
    assert [line["event"] for line in lines] == ["scene", "body", "body", "version", "outdated"]
    assert "substeps" in lines[-1]["text"].lower()
    code, lines = command("resume")  # with the file's settings it is another bake
    assert code == 1 and "repeat the --set and --quality of that bake" in lines[-1]["text"]
    code, lines = command("resume", "--set", "scene.substeps=5", "--set", "*.friction=0.125", "--frames", "1-5")
    assert code == 0 and lines[-1]["frames"] == 5
    code, lines = command("resume", "--from", "4", "--frames", "1-6", "--set", "scene.substeps=4")
    assert code == 0 and lines[-1]["frames"] == 6, lines


def test_info_lists_bodies_and_presets_lists_presets(command, shot):
    command("bake", "--objects", "Flag")
    code, lines = command("info")
    assert code == 0 and [(line["object"], line["frames"]) for line in lines[1:3]] == [("Flag", 4), ("Other", 0)]
    (version,) = lines[3:]
    assert (version["version"], version["frames"], version["wanted"], version["plays"]) == (1, 4, 4, True)
    code, lines = command("presets")
    assert code == 0 and {line["kind"] for line in lines} == {"fabric", "solid", "rope", "shape"}


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ([], 2),
        (["fly"], 2),
        (["bake", "--frames", "abc"], 2),
        (["--help"], 0),
        (["bake", "--help"], 0),
        (["bake", "--frames", "5-1"], 1),
        (["bake", "--objects", "Nobody"], 1),
        (["resume"], 1),
    ],
)
def test_exit_codes_of_wrong_input(blender, shot, argv, code, capsys):
    from gpbd.gpbd_addon.command_line import main as cli

    assert cli.main(argv) == code
    if code == 1:
        assert capsys.readouterr().err.strip()


def test_a_simulation_that_fails_returns_three_and_keeps_its_frames(blender, command, shot, monkeypatch):
    scenes.unstable_at(monkeypatch, 3)
    code, lines = command("bake")
    assert code == 3 and lines[-1]["event"] == "error" and "Frame 3" in lines[-1]["text"]
    assert frames.read_header(blender.path.abspath(blender.data.objects["Flag"].modifiers[0].filepath)).n_frames == 2


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is ended in another way here")
def test_a_bake_whose_solver_is_killed_returns_six_and_goes_on(command, shot, monkeypatch):
    from gpbd.gpbd_addon.command_line import bake

    def kill(told, job):
        if job.report.frames == 12:
            os.kill(job.worker.process_id, signal.SIGKILL)

    with monkeypatch.context() as during:
        during.setattr(bake.BakeLog, "frame", kill)
        code, lines = command("bake", "--frames", "1-200")
    assert code == 6 and lines[-1]["code"] == 6 and "killed" in lines[-1]["text"]
    code, lines = command("bake", "--continue", "--frames", "1-30")
    first = next(line["frame"] for line in lines if line["event"] == "frame")
    assert code == 0 and first > 1 and lines[-1]["frames"] == 30


@pytest.mark.slow
def test_ctrl_c_ends_after_a_frame_with_130_and_can_be_resumed(blender, one_solver, tmp_path):
    """In a process of its own, from the start of Python on."""
    scenes.cloth(blender, pins=[0], end=3000)
    file = str(tmp_path / "shot.blend")
    blender.ops.wm.save_as_mainfile(filepath=file)
    process = module("bake", file, "--json")
    for line in process.stdout:
        if '"frame": 5' in line:
            process.send_signal(signal.SIGINT)
            break
    rest = process.stdout.read()
    assert process.wait(60) == 130, rest
    cache = next((tmp_path / "gpbd_cache").glob("*.pc2"))
    kept = frames.read_header(cache).n_frames
    assert 5 <= kept < 3000 and frames.verify(cache) == []
    assert f"Frames up to {kept} are kept. Resume goes on after frame {kept}." in rest
    again = module("resume", file, "--frames", f"1-{kept + 2}")
    output = again.communicate(timeout=120)[0]
    assert again.returncode == 0, output
    assert frames.read_header(cache).n_frames == kept + 2


def test_a_file_that_does_not_exist_or_is_no_blend_returns_one(tmp_path):
    (tmp_path / "text.blend").write_text("hello")
    for name in ("none.blend", "text.blend"):
        process = module("info", str(tmp_path / name))
        output = process.communicate(timeout=120)[0]
        assert process.returncode == 1 and name in output


def test_the_command_is_registered_with_blender(extension):
    from gpbd.gpbd_addon.command_line import main as cli

    assert cli._command is not None
