"""Edits while the timeline plays: numbers act from the next frame that is read, structure continues from the pose of now."""

import numpy as np
import pytest

from tests.covering_set import long
from tests.gpbd_addon import scenes
from tests.gpbd_addon.live.playing import by_script


class Edit:
    """A value of Blender that becomes another, and back."""

    def __init__(self, owner, name, value):
        before = getattr(owner, name)
        self.owner, self.name = owner, name
        self.values = before if isinstance(before, float) else tuple(before), value  # Blender's vectors follow the property

    def do(self):
        self._set(self.values[1])

    def undo(self):
        self._set(self.values[0])

    def _set(self, value):
        setattr(self.owner, self.name, value)
        self.owner.id_data.update_tag()  # as editors do: a script's edit of a key is no notice to Blender


def numbers(blender, window):
    """Edits that a frame is read with, each of another kind."""
    scene, flag, ball = window.scene, blender.data.objects["Flag"], blender.data.objects["Ball"]
    wind, gpbd = blender.data.objects["Wind"], flag.gpbd
    pole = next(curve for curve in scene_curves(flag) if curve.data_path == "location" and curve.array_index == 0)
    return [
        Edit(ball.collision, "cloth_friction", 70.0),
        Edit(gpbd, "friction", 0.9),
        Edit(gpbd, "thickness", 0.03),
        Edit(ball, "location", (0.05, 0.0, 0.7)),
        Edit(gpbd.stvk_membrane, "young_warp", 4 * gpbd.stvk_membrane.young_warp),
        Edit(gpbd.discrete_shell, "bending_warp", 100 * gpbd.discrete_shell.bending_warp),
        Edit(gpbd, "density_area", 2 * gpbd.density_area),
        Edit(scene, "gravity", (1.0, 0.0, -9.81)),
        Edit(scene.gpbd, "wind", (0.0, 5.0, 0.0)),
        Edit(scene.gpbd, "air_density", 2.4),
        Edit(wind.field, "strength", 60.0),
        Edit(wind, "rotation_euler", (0.0, 0.6, 0.0)),
        Edit(gpbd.effector_weights, "gravity", 0.5),
        Edit(pole.keyframe_points[-1], "co", (30.0, 0.2)),
        Edit(scene.gpbd, "speed", 0.6),
    ]


def scene_curves(ob):
    from gpbd.gpbd_addon.read import keyed

    return keyed.curves(ob)


@pytest.fixture
def blown(blender, window):
    """The flag low over the ball, in a wind of Blender, with a painted map."""
    flag, ball = blender.data.objects["Flag"], blender.data.objects["Ball"]
    flag.animation_data_clear()
    scenes.move(flag, [1, 30], [(0, 0, 0.85), (0.1, 0, 0.85)])
    ball.animation_data_clear()
    ball.location = (0, 0, 0.6)
    scenes.field(blender, "WIND", 1.0)
    blender.data.objects["Wind"].rotation_euler = (0.0, 0.3, 0.0)
    group = flag.vertex_groups.new(name="stiff")
    group.add(list(range(0, 49, 2)), 1.0, "REPLACE")
    flag.gpbd.maps.bending_group = "stiff"
    window.scene.gpbd.frame_end = 60
    window.scene.frame_set(1)
    return flag


def read_at(window, edits, begin=14, between=2):
    """Do one edit after the other while it plays; return the first frame that was read with each."""
    read = []

    def at(frame):
        if frame >= begin and (frame - begin) % between == 0 and len(read) < len(edits):
            read.append(window.player.job.solved + 1 + window.player.job.worker.pending)
            edits[len(read) - 1].do()
            window.edited()

    window.play(begin + between * len(edits) + 2, at)
    window.wait(lambda: window.player._edited is None)
    return read


@pytest.mark.parametrize("every", [4, *long(1)])
def test_each_number_acts_from_the_frame_that_is_read_next_as_in_a_script_bit_for_bit(blender, window, blown, every):
    """Without each of them in turn, or every fourth, the script gives the same frames before it, and another one there."""
    edits = numbers(blender, window)
    window.play(4)
    job = window.player.job
    read = read_at(window, edits)
    assert window.player.job is job and len(set(read)) == len(edits)
    window.player.stop()
    cache, last = window.cache(), len(window.cache())

    def script(left_out=None, end=last):
        for edit in edits:
            edit.undo()

        def change(frame):
            for edit, first in zip(edits, read, strict=True):
                if frame == first and edit is not left_out:
                    edit.do()

        return by_script(blender, change, last=end)

    assert script().tobytes() == cache.tobytes()
    idle = []
    for edit, first in list(zip(edits, read, strict=True))[::every]:
        without = script(edit, min(first + 1, last))
        assert without[: first - 1].tobytes() == cache[: first - 1].tobytes(), edit.name
        if np.array_equal(without[first - 1 :], cache[first - 1 : len(without)]):
            idle.append(edit.name)
    assert not idle


def add_collider(blender, window):
    floor = scenes.floor(blender, "Shelf", 3.0)
    floor.location.z = 0.3


def delete_collider(blender, window):
    blender.data.objects.remove(blender.data.objects["Ball"])


def choose_another_model(blender, window):
    gpbd = blender.data.objects["Flag"].gpbd
    gpbd.stvk_membrane.use, gpbd.stiffening_membrane.use = False, True


def choose_pins(blender, window):
    flag = blender.data.objects["Flag"]
    flag.vertex_groups.new(name="corner").add([0], 1.0, "REPLACE")
    flag.gpbd.pin_group = "corner"


def paint_pins(blender, window):
    blender.data.objects["Flag"].vertex_groups["pins"].add([3], 1.0, "REPLACE")


def paint_map(blender, window):
    blender.data.objects["Flag"].vertex_groups["stiff"].add(list(range(49)), 1.0, "REPLACE")


def touch_itself(blender, window):
    blender.data.objects["Flag"].gpbd.self_contact = True


def choose_quality(blender, window):
    window.scene.gpbd.quality = "INTERACTIVE"


STRUCTURE = [
    add_collider, delete_collider, choose_another_model, choose_pins, paint_pins, paint_map, touch_itself, choose_quality,
]  # fmt: skip


@pytest.mark.parametrize("edit", STRUCTURE)
def test_structure_goes_on_from_the_pose_that_is_there(blender, window, blown, monkeypatch, edit):
    """2.5: largest motion in a frame after the edit against that before it. By then the flag is 0.15 m from its start."""
    monkeypatch.setattr(window.player, "QUIET", 0.0)
    changed = []

    def at(frame):
        if frame == 12:
            changed.append(window.player.job)
            edit(blender, window)
            window.edited()

    window.play(20, at)
    assert changed == [window.player.job]  # another one would have begun at the first frame
    window.player.stop()
    cache, changes = window.cache(), window.player.live_inputs.changes
    assert changes and window.player.live_inputs.solved >= 20 and len(cache) >= 20
    moved = np.abs(np.diff(cache, axis=0)).max((1, 2))
    assert np.abs(cache[10] - cache[0]).max() > 0.15 and moved[10:].max() < 2.5 * moved[4:10].max()


def choose_range_of_map(blender, window):
    blender.data.objects["Flag"].gpbd.maps.bending_high = 30.0


@pytest.mark.parametrize("choose", [choose_pins, choose_quality, choose_range_of_map, add_collider])
def test_a_choice_acts_from_the_frame_that_is_read_next_and_the_model_is_made_once(
    blender, window, blown, monkeypatch, choose
):
    """Before the look at all edits, which comes after a pause. 1e-7 m: of another bending in a frame."""
    plain, read, made = by_script(blender, last=16), [], []
    window.scene.frame_set(1)
    monkeypatch.setattr(window.player, "QUIET", np.inf)

    def at(frame):
        if frame == 12:
            read.append(window.player.job.solved + 1 + window.player.job.worker.pending)
            choose(blender, window)
            window.edited()
        if frame == 15:
            made.append(window.player.job.remade_at)

    window.play(16, at)
    window.player.QUIET = 0.0
    window.play(20)
    assert made[0] > 0 and window.player.job.remade_at == made[0] and window.player.live_inputs.changes
    window.player.stop()
    (frame,), cache = read, window.cache()
    assert plain[: frame - 1].tobytes() == cache[: frame - 1].tobytes()
    if choose is not add_collider:  # which is not reached yet
        assert np.abs(plain[frame - 1] - cache[frame - 1]).max() > 1e-7


def test_the_line_of_an_edit_names_few_changes(extension):
    """A preset has a dozen, which would fill the panel."""
    from gpbd.gpbd_addon.bake.differences import shown

    changes = ["'Flag' Weight (was 115 g/m²)", "'Flag' Friction (was 0.5)", "'Flag' mesh", "'Pole'"]
    assert shown(changes, 2) == "'Flag' Weight (was 115 g/m²), 'Flag' Friction (was 0.5) and 2 more"
    assert shown(changes, 4) == shown(changes) == ", ".join(changes)
