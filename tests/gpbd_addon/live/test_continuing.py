"""Bodies that come, go or get another mesh while the timeline plays: the others continue where they are."""

import numpy as np
import pytest

from solver.cache import pc2
from tests.gpbd_addon import scenes


@pytest.fixture
def banner(blender, window, monkeypatch):
    """Another cloth far from the flag, which touches nothing: what contact remembers begins anew."""
    monkeypatch.setattr(window.player, "QUIET", 0.0)
    ball = blender.data.objects["Ball"]
    ball.animation_data_clear()
    ball.location.x = 50
    return hung(blender, "Banner", 5)


def hung(blender, name, along):
    body = scenes.cloth(blender, name, pins=[0], n=4, end=30, size=0.5)
    scenes.move(body, [1, 30], [(along, 0, 1), (along + 0.29, 0, 1)])
    return body


def come(blender, banner):
    hung(blender, "Late", -5)


def come_as_copy(blender, banner):
    """As Blender's *Duplicate Objects*, with the identity and the modifier of the cache."""
    late = banner.copy()
    late.data, late.name = banner.data.copy(), "Late"
    late.animation_data_clear()
    late.location = (-5, 0, 1)
    blender.context.collection.objects.link(late)


def go(blender, banner):
    blender.data.objects.remove(banner)


def get_another_mesh(blender, banner):
    banner.data.vertices[12].co.z += 0.05
    banner.data.update()


def get_more_vertices(blender, banner):
    banner.modifiers.new("Subdivision", "SUBSURF")
    banner.modifiers.move(len(banner.modifiers) - 1, 0)


def get_another_name(blender, banner):
    banner.name = "Aa"


#: Frame of the edit, and the last.
EDITED, LAST = 6, 12
EDITS = [come, go, get_another_mesh]
EDITS += [pytest.param(edit, marks=pytest.mark.long) for edit in (come_as_copy, get_more_vertices, get_another_name)]


def frames_of(window, name):
    (version,) = window.files.find(window.scene)
    return np.array(pc2.read_frames(version.paths[name]))


@pytest.fixture(scope="module")
def played():
    """Frames without an edit, once they were played."""
    return {}


@pytest.mark.parametrize("edit", EDITS)
def test_other_bodies_continue_and_this_one_begins_in_its_animated_shape(blender, window, banner, played, edit):
    """1e-4 m, a hundredth of the motion in a frame: iterations begin without the result of the step before. Where it begins
    1e-5 m: single precision at another origin."""
    from gpbd.gpbd_addon.read import modifier

    if not played:
        window.play(LAST)
        window.player.end()
        played |= {name: frames_of(window, name)[:LAST] for name in ("Flag", "Banner")}
        window.scene.frame_set(1)
    job = []

    def at(frame):
        if frame == EDITED:
            job.append(window.player.job)
            edit(blender, banner)
            window.edited()

    assert window.play(LAST, at) == list(range(1, LAST + 1))
    assert window.player.job is job[0]  # another one would have begun at the first frame
    window.player.stop()
    assert window.player.live_inputs.changes
    flag = frames_of(window, "Flag")[:LAST]
    assert np.abs(np.diff(flag, axis=0)).max((1, 2))[EDITED:].min() > 0.01
    assert flag[:EDITED].tobytes() == played["Flag"][:EDITED].tobytes()
    assert np.abs(flag - played["Flag"]).max() < 1e-4
    if edit is go:
        return
    name = {come: "Late", come_as_copy: "Late", get_another_name: "Aa"}.get(edit, "Banner")
    late = frames_of(window, name)[:LAST]
    assert len(late) == LAST
    if edit is get_another_name:
        assert np.abs(late - played["Banner"]).max() < 1e-4
        return
    begun = int(np.flatnonzero(np.abs(np.diff(late, axis=0)).max((1, 2)) > 1e-6)[0])  # it stands until then
    assert EDITED - 1 <= begun <= EDITED + 2
    body = blender.data.objects[name]
    with modifier.switched_off([body]):
        shape = scenes.evaluated_positions(blender, body)
    assert np.abs(late[begun] - shape).max() < 1e-5
    assert np.abs(late[LAST - 1] - late[begun]).max() > 0.01


def test_a_seam_joins_cloth_where_it_is(blender, window, banner):
    """2.5 times the largest motion of the frames before: the pose of the same vertices and faces is kept."""
    flag = blender.data.objects["Flag"]
    flag.gpbd.use_sewing_springs = True
    flag.gpbd.sewing_force_max = 0.5

    def sew(a, b):
        flag.data.edges.add(1)
        flag.data.edges[-1].vertices = (a, b)
        flag.data.update()

    def at(frame):
        if frame == 10:
            sew(42, 48)
            window.edited()

    sew(43, 47)

    assert window.play(20, at) == list(range(1, 21))
    window.player.stop()
    assert window.player.live_inputs.changes
    cache = frames_of(window, "Flag")
    moved = np.abs(np.diff(cache, axis=0)).max((1, 2))
    assert np.abs(cache[9] - cache[0]).max() > 0.1 and moved[9:].max() < 2.5 * moved[4:9].max()
    apart = np.linalg.norm(cache[:, 42] - cache[:, 48], axis=1)
    assert apart[19] < apart[9] - 0.03


def test_it_goes_on_after_a_rest_with_bodies_that_came_and_settings_that_changed(blender, window, banner, monkeypatch):
    """2.5 times the largest motion of the frames before: the pose is kept."""

    def at(frame):
        if frame == 6:
            come(blender, banner)
            window.edited()
        if frame == 9:
            blender.data.objects["Flag"].gpbd.density_area *= 2
            window.edited()

    window.play(12, at)
    window.wait(lambda: window.player._edited is None)
    monkeypatch.setattr(window.player, "REST", 0.0)
    window.wait(lambda: window.player.job is None)
    assert window.play(20) == list(range(12, 21)) and len(window.player.live_inputs.changes) == 2
    window.player.stop()
    for name in ("Flag", "Banner", "Late"):
        moved = np.abs(np.diff(frames_of(window, name), axis=0)).max((1, 2))
        assert moved[11:].max() < 2.5 * moved[7:11].max(), name


def test_without_another_body_it_begins_again(blender, window, monkeypatch):
    monkeypatch.setattr(window.player, "QUIET", 0.0)
    begun = []

    def at(frame):
        if frame == 8 and not begun:
            begun.append(window.player.job)
            get_another_mesh(blender, blender.data.objects["Flag"])
            window.edited()

    window.play(10, at)
    assert window.player.job is not begun[0] and not window.player.live_inputs.changes
