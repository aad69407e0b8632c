"""Grabs of bodies that play live."""

import numpy as np
import pytest

from solver.cache import pc2
from tests.gpbd_addon import scenes
from tests.gpbd_addon.live.playing import by_script

CORNER = [42, 43, 35]  # of the flag's lower end
SHARES = np.array([1.0, 0.5, 0.25], np.float32)


@pytest.fixture
def hands(window):
    from gpbd.gpbd_addon.bake import hands

    yield hands
    hands.clear()


def test_of_several_grabs_one_is_released_and_others_stay(blender, hands):
    """Grabs of different numbers of vertices: one by the escape key, then all by X."""
    body = blender.data.objects["Flag"].gpbd.uuid
    held, drawn = (hands.grab(body, rows, np.ones(len(rows)), 50.0, np.zeros(3)) for rows in (CORNER, [0, 1]))
    hands.pin(held)
    assert hands.let_go(body, drawn.vertices) and list(hands.all_of()) == [held]
    hands.grab(body, [5], np.ones(1), 50.0, np.zeros(3))
    assert hands.let_go(body, None) and not list(hands.all_of())


def reads(window, hands, monkeypatch):
    """The places of the hand, as frames were read with them, and whether it was held then: frame -> (place, held)."""
    found, of_frame = {}, hands.of_frame

    def watched(world, frame):
        holds = list(hands.all_of())
        if holds:
            found[frame] = holds[0].place, holds[0].is_held
        return of_frame(world, frame)

    monkeypatch.setattr(hands, "of_frame", watched)
    return found


def as_script(found, start, stiffness):
    """The same by the solver's API."""
    from gpbd.solver.scene import Grab

    springs = stiffness * SHARES.astype(float) / SHARES.astype(float).sum()

    def grabs(frame):
        if frame not in found:
            return {}
        place, held = found[frame]
        before = found[frame - 1][0] if frame - 1 in found else start
        way = np.zeros(3) if held else place.astype(float) - before.astype(float)
        return {"Flag": Grab(CORNER, np.inf if held else springs, way, 0.05)}

    return grabs


def test_a_grab_is_in_the_frames_as_a_script_has_it_bit_for_bit(blender, window, hands, monkeypatch):
    """Drawn at from 8 to 16, held to 22, let go."""
    flag, found, start = blender.data.objects["Flag"], reads(window, hands, monkeypatch), np.zeros(3, np.float32)
    holds = []

    def at(frame):
        if frame == 8:
            holds.append(hands.grab(flag.gpbd.uuid, CORNER, SHARES, 30.0, start))
        if 8 < frame < 16:
            hands.move(holds[0], start + np.float32(0.03) * (frame - 8))
        if frame == 16:
            hands.pin(holds[0])
        if frame == 22:
            assert hands.let_go(flag.gpbd.uuid, CORNER) and not list(hands.all_of())

    assert window.play(30, at) == list(range(1, 31))
    window.player.stop()
    cache, kept = window.cache(), window.player.live_inputs
    assert kept.grabbed == min(found) and not kept.changes
    plain, found = by_script(blender), dict(found)
    assert {held for _, held in found.values()} == {False, True}
    assert cache[: min(found) - 1].tobytes() == plain[: min(found) - 1].tobytes()
    assert np.abs(cache[20] - plain[20]).max() > 0.02
    assert cache.tobytes() == by_script(blender, grabs=as_script(found, start, 30.0)).tobytes()


@pytest.mark.long
def test_an_artists_session_is_as_a_script_that_does_the_same_bit_for_bit(blender, window, hands, monkeypatch):
    """100 frames: another stiffness at 30, a collider moved at 50, grabbed from 60 to 80; back to 20, and played again."""
    flag, ball, read = blender.data.objects["Flag"], blender.data.objects["Ball"], {}
    ball.animation_data_clear()
    window.scene.gpbd.frame_end = 100
    start, holds = np.array([0.1, 0.2, 0.3], np.float32), []
    found = reads(window, hands, monkeypatch)

    def stiffen():
        flag.gpbd.stvk_membrane.young_warp *= 4

    def move():
        ball.location.z += 0.2

    def at(frame):
        for when, change in ((30, stiffen), (50, move)):
            if frame == when:
                read[change] = window.player.job.solved + 1 + window.player.job.worker.pending
                change()
                window.edited()
        if frame == 60:
            holds.append(hands.grab(flag.gpbd.uuid, CORNER, SHARES, 20.0, start))
        if 60 < frame < 80:
            hands.move(holds[0], start + np.float32(0.02) * (frame - 60))
        if frame == 80:
            hands.let_go(flag.gpbd.uuid, None)

    assert window.play(100, at) == list(range(1, 101))
    window.wait(lambda: window.player._edited is None)
    before = window.cache()
    window.scene.frame_set(20)
    assert window.play(100) == list(range(20, 101))
    window.player.stop()
    cache, changes, found = window.cache(), window.player.live_inputs.changes, dict(found)
    assert len(changes) == 2 and cache.tobytes() == before.tobytes()  # the kept frames play
    flag.gpbd.stvk_membrane.young_warp /= 4
    ball.location.z -= 0.2

    def again(frame):
        for change, first in read.items():
            if frame == first:
                change()

    alone = by_script(blender, again, last=100, grabs=as_script(found, start, 20.0))
    assert cache.tobytes() == alone.tobytes()


def test_what_was_recorded_is_done_again_by_a_bake_bit_for_bit(blender, window, hands):
    """Drawn at, held, let go, and drawn at once more."""
    flag = blender.data.objects["Flag"]
    holds = []

    def at(frame):
        if frame in (5, 20):
            holds.append(hands.grab(flag.gpbd.uuid, CORNER, SHARES, 30.0, (0.1, 0.2, 0.3)))
        if 5 < frame < 12 or 20 < frame < 26:
            hands.move(holds[-1], holds[-1].place + np.float32(0.03))
        if frame == 12:
            hands.pin(holds[-1])
        if frame in (16, 26):
            hands.let_go(flag.gpbd.uuid, None)

    window.play(30, at)
    window.player.stop()
    cache = window.cache()
    blender.context.view_layer.objects.active = flag
    assert blender.ops.gpbd.record_grabs() == {"FINISHED"}
    assert [item.is_held for item in flag.gpbd.grabs] == [False, True, False] and window.player.live_inputs is None
    job = scenes.bake(blender)
    assert scenes.cache(job).tobytes() == cache.tobytes()
    window.scene.frame_set(1)
    for count in (2, 1, 0):
        assert blender.ops.gpbd.remove_grab(index=0) == {"FINISHED"}
        left = {curve.data_path for curve in flag_curves(flag)}
        assert {path for path in left if "grabs" in path} == {f"gpbd.grabs[{k}].on" for k in range(count)}
    names = [ob.name for ob in blender.data.objects] + [group.name for group in flag.vertex_groups]
    assert not [name for name in names if name.startswith("GPBD Hand")]
    assert np.abs(scenes.cache(scenes.bake(blender)) - cache).max() > 0.02


def flag_curves(flag):
    from gpbd.gpbd_addon.read import keyed

    return list(keyed.curves(flag))


def test_the_first_frame_starts_again_without_the_hand(blender, window, hands):
    flag = blender.data.objects["Flag"]

    def at(frame):
        if frame == 5:
            hands.grab(flag.gpbd.uuid, CORNER, SHARES, np.inf, np.zeros(3))

    window.play(12, at)
    assert window.player.live_inputs.is_mixed
    window.scene.frame_set(1)
    assert not list(hands.all_of())
    window.play(12)
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=len(window.cache())).tobytes()
    assert not window.player.live_inputs.is_mixed


def test_playback_stops_once_at_the_last_frame_before_it_discards_grabs(blender, window, hands, monkeypatch):
    """The second time is a request to play it again. Without grabs the timeline plays on."""
    from gpbd.gpbd_addon.live import last_frame

    flag, window.scene.frame_end = blender.data.objects["Flag"], 12
    monkeypatch.setattr(last_frame, "stop_playback", lambda: None)  # there is no window

    def wrap():
        window.playing = True
        window.scene.frame_set(1)  # what Blender does after the last frame
        window.playing = False
        return window.scene.frame_current

    window.play(12)
    assert wrap() == 1
    window.play(12, lambda frame: frame == 12 and hands.grab(flag.gpbd.uuid, CORNER, SHARES, np.inf, np.zeros(3)))
    window.scene.frame_end = 14
    window.play(14)
    assert window.player.live_inputs.grabbed is not None
    assert wrap() == 14 and list(hands.all_of())
    assert wrap() == 1 and not list(hands.all_of())


def test_what_is_held_stays_so_over_a_rest(blender, window, hands, monkeypatch):
    """1e-6 m: single precision, in object space of an object that moves."""
    flag = blender.data.objects["Flag"]
    monkeypatch.setattr(window.player, "REST", 0.0)
    window.play(6)
    hands.grab(flag.gpbd.uuid, CORNER, SHARES, np.inf, np.zeros(3))
    window.play(10)
    window.wait(lambda: window.player.job is None)
    window.play(16)
    window.player.stop()
    cache, places = window.cache(), []
    for frame in range(8, 17):
        window.scene.frame_set(frame)
        matrix = np.array(flag.matrix_world)
        places.append(cache[frame - 1][CORNER] @ matrix[:3, :3].T + matrix[:3, 3])
    assert np.ptp(places, axis=0).max() < 1e-6


def test_settings_that_make_the_model_anew_leave_what_is_held(blender, window, hands, monkeypatch):
    flag = blender.data.objects["Flag"]
    monkeypatch.setattr(window.player, "QUIET", 0.0)  # the rest of the frames may take less

    def edit(frame):
        if frame == 6:
            hands.grab(flag.gpbd.uuid, CORNER, SHARES, np.inf, np.zeros(3))
        if frame == 10:
            window.scene.gpbd.substeps += 2
            window.edited()

    assert window.play(20, edit) == list(range(1, 21))
    window.player.stop()
    assert window.player.live_inputs.changes


def test_a_frozen_body_stays_while_others_go_on(blender, window, hands):
    flag = blender.data.objects["Flag"]
    flag.animation_data_clear()
    flag.gpbd.pin_group = ""
    blender.context.view_layer.objects.active = flag

    def at(frame):
        if frame in (6, 12):
            assert blender.ops.gpbd.freeze() == {"FINISHED"}
            assert hands.is_frozen(flag.gpbd.uuid) == (frame == 6)

    window.play(20, at)
    window.player.stop()
    cache = window.cache()
    assert np.abs(cache[11] - cache[8]).max() < 1e-6  # single precision
    assert np.abs(cache[17] - cache[14]).max() > 0.01


@pytest.mark.parametrize("result", ["START", "SHAPE_KEY"])
def test_the_shape_of_a_frame_becomes_where_the_simulation_begins(blender, window, hands, result):
    flag = blender.data.objects["Flag"]
    window.play(14)
    window.scene.frame_set(11)
    there = window.cache()[10]
    blender.context.view_layer.objects.active = flag
    assert blender.ops.gpbd.apply_shape(result=result) == {"FINISHED"}
    if result == "START":
        found = np.array([value.vector for value in flag.data.attributes["gpbd_start"].data], np.float32)
        assert found.tobytes() == there.tobytes()
    else:
        assert np.abs(scenes.evaluated_positions(blender, flag) - there).max() < 1e-6  # sums of keys
        window.player.stop()
        assert not flag.modifiers[0].show_viewport
        scenes.bake(blender, frames=(1, 2))
        assert flag.modifiers[0].show_viewport and flag.modifiers[0].show_render


def cube_of(body_type):
    def make(blender):
        body = scenes.cube(blender, "Block", 0.3, (0, 0, 1))
        body.gpbd.body_type = body_type
        x = np.array([vertex.co for vertex in body.data.vertices])
        return body, np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-6)

    return make


def rope(blender):
    body = scenes.edges(blender, "Block", 12, 0.5, (0, 0, 1))
    body.gpbd.body_type = "ROPE"
    return body, np.array([0, 1])


@pytest.mark.parametrize("make", [cube_of("SOFT_BODY"), cube_of("RIGID"), rope])
def test_each_kind_of_body_is_drawn_at_held_and_let_go(blender, window, hands, make):
    """It follows the hand by a spring, hangs from the vertices that are held, and falls where they are let go."""
    for name in ("Flag", "Ball"):
        blender.data.objects.remove(blender.data.objects[name])
    body, held = make(blender)
    window.edited()
    hold = []

    def at(frame):
        if frame == 2:
            hold.append(hands.grab(body.gpbd.uuid, held, np.ones(len(held)), 2e4, np.zeros(3)))
        if 4 <= frame < 8:
            hands.move(hold[0], hold[0].place + np.array([0.0, 0.05, 0.0], np.float32))
        if frame == 14:
            hands.pin(hold[0])
        if frame == 20:
            hands.let_go(body.gpbd.uuid, None)

    window.play(28, at)
    window.player.stop()
    (version,) = window.files.find(window.scene)
    frames = np.array(pc2.read_frames(version.paths["Block"]))
    assert frames[12][held, 1].mean() - frames[2][held, 1].mean() == pytest.approx(0.2, abs=0.1)
    assert np.abs(frames[18][held] - frames[16][held]).max() < 1e-5  # single precision
    assert frames[18][held, 2].mean() > frames[2][held, 2].mean() - 0.15
    assert frames[27][held, 2].mean() < frames[20][held, 2].mean() - 0.2
