"""Live play, driven as Blender's window drives it: the hooks of a frame change, and the timer between two of them."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from solver.cache import pc2
from tests.covering_set import long
from tests.gpbd_addon import scenes
from tests.gpbd_addon.live.playing import LONGEST, by_script
from tests.gpbd_addon.test_register import hooks


def test_playing_solves_each_frame_as_the_solver_does_bit_for_bit(blender, window):
    shown = window.play(30)
    assert shown == list(range(1, 31))  # the timeline waits: no frame is left out
    flag = blender.data.objects["Flag"]
    for frame in (30, 7, 21):  # the kept frames play
        window.scene.frame_set(frame)
        assert scenes.evaluated_positions(blender, flag).tobytes() == window.cache()[frame - 1].tobytes()
    window.player.stop()
    alone = by_script(blender)
    assert len(alone) == 30 and np.ptp(alone, axis=0).max() > 0.1
    assert window.cache().tobytes() == alone.tobytes()


def test_a_step_forward_solves_one_frame_and_a_jump_ahead_catches_up(blender, window):
    window.go_to(2)
    assert window.player.job.solved == 2
    window.go_to(9)
    assert window.player.job.solved == 9 and window.scene.frame_current == 9
    shown = scenes.evaluated_positions(blender, blender.data.objects["Flag"])
    assert shown.tobytes() == window.cache()[8].tobytes()
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=9).tobytes()


def test_the_speed_is_the_solvers_and_goes_where_solved_frames_play(window, monkeypatch):
    """0.05 s between frames are a slow window's; the solver's own seconds are in its reports."""
    from gpbd.gpbd_addon.live import state

    window.play(6, lambda frame: time.sleep(0.05))
    job, fps = window.player.job, window.scene.render.fps
    now = state.of(window.scene)
    assert now.rate == pytest.approx(1.0 / np.median(job.report.seconds))
    assert now.slower == pytest.approx(fps / now.rate if fps > state.SLOWER * now.rate else 0.0)
    drawn = []
    monkeypatch.setattr(window.player, "redraw_views", lambda: drawn.append(True))
    monkeypatch.setattr(window.player, "_tell", lambda: None)  # of the frame that may still be solved
    window.scene.frame_set(2)
    window.playing = True
    window.wait(lambda: not job.is_working)
    window.ticks(4)
    assert state.of(window.scene).rate == 0.0 and drawn == [True]


def test_the_solver_goes_on_while_the_timeline_waits_for_it(blender, window):
    """Blender tries the next frame only at the scene's rate: a solver that waited for it would show every other one."""
    window.playing = True
    window.scene.frame_set(2)
    assert window.scene.frame_current == 1
    window.wait(lambda: window.player.job.solved == 3)
    window.scene.frame_set(2)
    window.ticks()
    assert window.scene.frame_current == 2 and window.player.job.solved == 3  # it is ahead: edits act soon
    window.playing = False
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=3).tobytes()


def test_edits_act_from_the_next_frame_on_and_a_new_play_is_of_the_last_settings(blender, window):
    """Stiffness at 10, the collider at 20. Read frames are one ahead of the frame that is shown."""
    flag, ball, read = blender.data.objects["Flag"], blender.data.objects["Ball"], {}
    ball.animation_data_clear()

    def soften():
        flag.gpbd.density_area *= 2

    def move():
        ball.location.x += 0.25

    def edit(frame):
        for at, change in ((10, soften), (20, move)):
            if frame == at:
                read[change] = window.player.job.solved + 1 + window.player.job.worker.pending
                change()
                window.edited()

    window.play(30, edit)
    window.wait(lambda: window.player._edited is None)
    assert window.player.live_inputs.changes and max(read.values()) <= 22
    window.player.stop()
    mixed = window.cache()

    def again(frame):
        for change, first in read.items():
            if frame == first:
                change()

    flag.gpbd.density_area /= 2
    ball.location.x -= 0.25
    assert mixed.tobytes() == by_script(blender, again).tobytes()
    window.scene.frame_set(1)
    window.play(30)
    window.player.stop()
    clean = window.cache()
    assert not window.player.live_inputs.changes and clean.tobytes() == by_script(blender).tobytes()
    assert clean.tobytes() != mixed.tobytes()


def test_settings_that_a_frame_cannot_be_read_with_make_the_model_anew_where_the_bodies_are(blender, window):
    def edit(frame):
        if frame == 10:
            window.scene.gpbd.substeps += 2
            window.edited()

    assert window.play(20, edit) == list(range(1, 21))
    window.player.stop()
    frames, substeps = window.cache(), window.scene.gpbd.substeps
    window.scene.gpbd.substeps -= 2
    other = by_script(blender, last=20)
    assert substeps == 5 and frames[:10].tobytes() == other[:10].tobytes()
    moved = np.abs(np.diff(other, axis=0)).max((1, 2))
    assert 0 < np.abs(frames[11:14] - other[11:14]).max() < moved[10:13].min()  # by less than a frame: it continues


def test_another_mesh_begins_again(blender, window):
    window.play(8)
    blender.data.objects["Flag"].data.vertices[24].co.z += 0.05
    blender.data.objects["Flag"].data.update()
    window.edited()
    window.wait(lambda: window.player._edited is None)
    window.wait(lambda: window.player.job.report.frames >= 8)
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=8).tobytes()


def test_an_edit_at_rest_starts_it_again_up_to_the_frame_that_is_seen(blender, window):
    window.play(6)
    blender.data.objects["Flag"].gpbd.density_area *= 2
    window.edited()
    assert window.player.job.solved >= 6
    window.wait(lambda: window.player._edited is None)
    window.wait(lambda: window.player.job.report.frames >= 6)
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=6).tobytes() and not window.player.live_inputs.changes


def test_an_undo_on_the_way_to_a_frame_does_not_end_the_way(blender, window):
    from gpbd.gpbd_addon.bake import watch

    window.play(6)
    window.scene.frame_set(12)
    window.ticks()
    watch._stop_for_undo()
    watch._play_after_undo()
    window.edited()
    window.wait(lambda: window.player.solved(window.scene) >= 12)


def test_a_later_end_is_played_to_while_it_runs(blender, window):
    window.scene.gpbd.frame_end = 6
    window.play(6)
    assert window.player.job.is_at_end
    window.scene.gpbd.frame_end = 9
    window.play(9)
    assert window.cache().shape[0] == 9 and window.player.live_inputs.changes == []


def test_the_newest_frame_is_shown_where_the_timeline_does_not_wait(blender, window):
    window.scene.gpbd.live_timing = "NEWEST"
    window.playing = True
    for frame in range(2, 31):
        window.scene.frame_set(frame)
        assert window.scene.frame_current == frame
        window.ticks(1)
    window.wait(lambda: window.player.job.solved == 30)
    window.playing = False
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender).tobytes()  # frames are dropped, never the physics


def test_keep_is_offered_for_whole_and_unchanged_frames_and_makes_a_version(blender, window):
    from gpbd.gpbd_addon.bake import overview, versions
    from gpbd.gpbd_addon.live import state

    window.play(12)
    assert state.keepable(window.scene) is None and not blender.ops.gpbd.keep_live.poll()
    window.play(30)
    window.player.stop()
    overview.look(window.scene)
    before = window.cache()
    assert blender.ops.gpbd.keep_live() == {"FINISHED"}
    (version,) = versions.find(window.scene)
    assert not version.live and version.plays and version.complete
    assert np.array(pc2.read_frames(version.paths["Flag"])).tobytes() == before.tobytes()
    assert pc2.verify(version.paths["Flag"]) == []
    window.scene.frame_set(1)
    window.scene.frame_set(2)
    assert window.player.job is None  # a bake plays
    assert blender.ops.gpbd.go_live() == {"FINISHED"}
    window.scene.frame_set(1)
    window.go_to(3)
    assert len(window.cache()) == 3 and len(versions.find(window.scene)) == 2


def test_a_bake_takes_the_place_of_live_play(blender, window):
    window.play(5)
    assert window.player.job is not None
    job = scenes.bake(blender, frames=(1, 6))
    assert job.state == "done" and scenes.cache(job).tobytes() == by_script(blender, last=6).tobytes()
    window.scene.frame_set(7)
    assert window.player.running(window.scene) is None


def test_it_goes_on_where_it_was_after_a_rest(blender, window, monkeypatch):
    monkeypatch.setattr(window.player, "REST", 0.0)
    window.play(7)
    window.wait(lambda: window.player.job is None)
    window.play(14)
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=len(window.cache())).tobytes()


def test_a_body_that_is_deleted_ends_it(blender, window):
    window.play(5)
    blender.data.objects.remove(blender.data.objects["Flag"])
    window.edited()
    window.wait(lambda: window.player.job is None)


def test_saving_and_rendering_end_it_and_its_frames_stay(blender, window, monkeypatch):
    from gpbd.gpbd_addon.bake import live_view

    def stays(frames):
        assert window.player.job is None and len(window.cache()) >= frames
        (version,) = window.files.find(window.scene)
        assert pc2.verify(version.paths["Flag"]) == []

    window.play(4)
    blender.ops.wm.save_mainfile()
    stays(4)
    window.play(7)
    with monkeypatch.context() as patch:
        patch.setattr(live_view, "is_rendering", lambda: True)
        window.ticks(1)
        stays(7)
    window.play(9)


def test_what_cannot_be_simulated_is_said_and_the_timeline_goes_on(blender, window):
    window.scene.gpbd.method = "XPBD"
    flag = blender.data.objects["Flag"]
    flag.data.vertices[0].co.x = np.inf
    window.playing = True
    window.scene.frame_set(2)
    until = time.monotonic() + LONGEST
    while not window.player.problem and time.monotonic() < until:
        window.player.tick()
    assert "Flag" in window.player.problem
    window.scene.frame_set(3)
    assert window.scene.frame_current == 3


def children():
    """Return the running processes that this one has started, where the system lists them."""
    stats = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stats.append((path.parent.name, path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()))
        except OSError:
            continue  # it has ended meanwhile
    return {number for number, (state, parent, *_) in stats if int(parent) == os.getpid() and state != "Z"}


@pytest.mark.parametrize("cycles", [3, *long(50)])
def test_cycles_of_play_stop_undo_load_and_disable_leave_nothing(blender, extension, window, cycles, monkeypatch):
    from gpbd.gpbd_addon.bake import hands, watch
    from gpbd.gpbd_addon.live import player
    from gpbd.solver.device import worker

    modifiers = len(blender.data.objects["Flag"].modifiers)
    before, threads, operators = hooks(blender), threading.active_count(), set(dir(blender.ops.gpbd))
    file, processes = blender.data.filepath, children() - {str(one.process_id) for one in worker._processes}
    blender.ops.wm.save_mainfile()
    for cycle in range(cycles):
        window.scene = blender.context.scene
        window.play(4)
        hands.grab(blender.data.objects["Flag"].gpbd.uuid, [40], [1.0], 10.0, (0, 0, 0))
        blender.ops.ed.undo_push(message="an edit")
        window.play(5)
        if cycle % 2:
            watch._stop_for_undo()
        blender.ops.wm.open_mainfile(filepath=file)
        assert player.job is None and player.live_inputs is None and not watch._running and not list(hands.all_of())
        assert not blender.app.timers.is_registered(player.tick)
        assert {name: len(found) for name, found in hooks(blender).items()} == {n: len(f) for n, f in before.items()}
        assert len(blender.data.objects["Flag"].modifiers) == modifiers
        if cycle % 3 == 2:
            window.scene = blender.context.scene
            window.play(3)
            extension.unregister()
            assert not any(hooks(blender).values()) and not worker._processes and not dir(blender.ops.gpbd)
            assert children() <= processes
            assert not blender.app.timers.is_registered(player.tick) and threading.active_count() <= threads
            extension.register()
            assert set(dir(blender.ops.gpbd)) == operators
            blender.ops.wm.open_mainfile(filepath=file)
    window.scene = blender.context.scene
    window.play(4)
    extension.unregister()
    try:
        assert not any(hooks(blender).values()) and not worker._processes and children() <= processes
        assert not blender.app.timers.is_registered(player.tick) and threading.active_count() <= threads
    finally:
        extension.register()


def test_a_3d_view_shows_the_problem_that_prevents_live_play(extension, monkeypatch):
    """The panel may be scrolled away; the remedy comes first, as there."""
    from gpbd.gpbd_addon.live import overlay, player, state

    problem = "Sheet: none of its vertices is within 0.01 m of 'Hanger', to which it is to be attached. Raise the distance."
    monkeypatch.setattr(player, "is_on", lambda scene: True)
    idle = state.LiveState("", None, 0.0, 0.0, problem, ())
    assert overlay.lines(None, idle)[0] == "GPBD: Raise the distance" and "'Hanger'" in overlay.lines(None, idle)[1]
    assert overlay.lines(None, state.LiveState("Preparing", None, 0.0, 0.0, "", ())) == ["GPBD: Preparing"]
    assert overlay.lines(None, state.LiveState("", None, 0.0, 0.0, "", ())) == []
    monkeypatch.setattr(player, "is_on", lambda scene: False)  # a bake plays, or Live is off
    assert overlay.lines(None, idle) == []
