"""What a hand does to bodies that play live."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.live.playing import by_script

CORNER = [42, 43, 35]  # of the flag's lower end
SHARES = np.array([1.0, 0.5, 0.25], np.float32)


@pytest.fixture
def hands(window):
    from gpbd.gpbd_addon.bake import hands

    yield hands
    hands.clear()


def reads(window, hands, monkeypatch):
    """The places of the hand, as frames were read with them, and whether it was held then: frame -> (place, held)."""
    found, of_frame = {}, hands.of_frame

    def watched(world):
        holds = list(hands.all_of())
        if holds:
            found[window.player.job.solved + 1] = holds[0].place, holds[0].is_held
        return of_frame(world)

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
    cache, kept = window.cache(), window.player.kept
    assert kept.grabbed == min(found) and not kept.changes
    plain, found = by_script(blender), dict(found)
    assert {held for _, held in found.values()} == {False, True}
    assert cache[: min(found) - 1].tobytes() == plain[: min(found) - 1].tobytes()
    assert np.abs(cache[20] - plain[20]).max() > 0.02
    assert cache.tobytes() == by_script(blender, grabs=as_script(found, start, 30.0)).tobytes()


def test_the_first_frame_starts_again_without_the_hand(blender, window, hands):
    flag = blender.data.objects["Flag"]

    def at(frame):
        if frame == 5:
            hands.grab(flag.gpbd.uuid, CORNER, SHARES, np.inf, np.zeros(3))

    window.play(12, at)
    assert window.player.kept.is_mixed
    window.scene.frame_set(1)
    assert not list(hands.all_of())
    window.play(12)
    window.player.stop()
    assert window.cache().tobytes() == by_script(blender, last=len(window.cache())).tobytes()
    assert not window.player.kept.is_mixed


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


def test_settings_that_make_the_model_anew_leave_what_is_held(blender, window, hands):
    flag = blender.data.objects["Flag"]

    def edit(frame):
        if frame == 6:
            hands.grab(flag.gpbd.uuid, CORNER, SHARES, np.inf, np.zeros(3))
        if frame == 10:
            window.scene.gpbd.substeps += 2
            window.edited()

    assert window.play(20, edit) == list(range(1, 21))
    window.player.stop()
    assert window.player.kept.changes


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


def test_a_soft_body_is_grabbed_by_the_tetrahedra_that_its_surface_carries(blender, tmp_path, window, hands):
    """It hangs from the vertices at its top, where they are held, and falls where they are let go."""
    for name in ("Flag", "Ball"):
        blender.data.objects.remove(blender.data.objects[name])
    body = scenes.cube(blender, "Block", 0.3, (0, 0, 1))
    body.gpbd.body_type = "SOFT_BODY"
    window.edited()
    x = np.array([vertex.co for vertex in body.data.vertices])
    top = np.flatnonzero(x[:, 2] > x[:, 2].max() - 1e-6)

    def at(frame):
        if frame == 2:
            hands.grab(body.gpbd.uuid, top, np.ones(len(top)), np.inf, np.zeros(3))
        if frame == 12:
            hands.let_go(body.gpbd.uuid, None)

    window.play(20, at)
    window.player.stop()
    (version,) = window.files.find(window.scene)
    from solver.cache import pc2

    frames = np.array(pc2.read_frames(version.paths["Block"]))
    assert abs(frames[11][top, 2].mean() - frames[4][top, 2].mean()) < 0.01
    assert frames[19][:, 2].mean() < frames[12][:, 2].mean() - 0.2
