"""*Outdated*: what differs from what the playing bake was made from, in the words of the panels."""

from types import SimpleNamespace

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake


@pytest.fixture
def moving(blender, tmp_path):
    return scenes.moving_flag(blender, tmp_path)


def overview(blender):
    from gpbd.gpbd_addon.bake import overview

    return overview.look(blender.context.scene)


def test_what_changed_since_the_bake_is_said_and_nothing_where_nothing_did(blender, moving):
    bake(blender, frames=(1, 3))
    scene = blender.context.scene

    def changed():
        from gpbd.gpbd_addon.bake import made_from

        made_from.forget()  # as an edit in a window does
        return overview(blender).changed

    scene.frame_set(3)
    assert changed() == []
    scene.gpbd.substeps += 1
    assert changed() == ["Substeps (was 3)"]
    scene.gpbd.substeps -= 1
    there = moving.data.vertices[3].co.x
    moving.data.vertices[3].co.x += 0.01
    assert changed() == ["'Flag' mesh"]
    moving.data.vertices[3].co.x = there
    moving.vertex_groups["pins"].add([3], 1.0, "REPLACE")
    moving.gpbd.density_area *= 2
    assert changed() == ["'Flag' Pin Group", "'Flag' Weight or Density (was 150 g/m²)"]
    moving.vertex_groups["pins"].remove([3])
    moving.gpbd.density_area /= 2
    scenes.move(blender.data.objects["Ball"], [1, 12], [(0, 0, 0.6), (0, 0, 0.8)])
    assert changed() == ["'Ball' animation"]
    blender.context.view_layer.objects.active = moving
    moving.select_set(True)
    blender.ops.object.mode_set(mode="EDIT")
    assert changed() == ["'Ball' animation"], "as it was before: what is being edited is not known"
    blender.ops.object.mode_set(mode="OBJECT")
    blender.data.objects.remove(blender.data.objects["Ball"])
    assert changed() == ["'Ball' is gone"]


def test_of_a_body_of_another_kind_the_kind_alone_is_named(blender, moving):
    from gpbd.solver.errors import CacheError

    bake(blender, frames=(1, 3))
    moving.gpbd.body_type = "RIGID"
    assert overview(blender).changed == ["'Flag' kind of body"]
    with pytest.raises(CacheError, match=r"or change back 'Flag' kind of body\."):
        bake(blender, frames=(1, 4), resume=True)


def test_shape_goal_and_rope_are_named_as_in_their_panels(blender, moving):
    """A rope has the properties too; they are compared in every body."""
    settings = moving.gpbd
    bake(blender, frames=(1, 3))
    settings.use_goal = settings.use_sewing_springs = True
    settings.shrink_min, settings.rope_radius = 0.1, 0.5
    assert overview(blender).changed == [
        "'Flag' Radius, Straight at Rest or Turn", "'Flag' Goal", "'Flag' Shrink", "'Flag' Sewing",
    ]  # fmt: skip


def test_the_dialog_of_a_bake_knows_an_edit_of_this_moment(blender, moving, monkeypatch):
    """In the background `overview.of` would update by itself; here it does not."""
    from gpbd.gpbd_addon.bake import overview as overviews
    from gpbd.gpbd_addon.operators import bake as operator

    bake(blender, frames=(1, 3))
    before = overview(blender)
    monkeypatch.setattr(overviews, "of", lambda scene: before)
    monkeypatch.setattr(operator, "bpy", SimpleNamespace(app=SimpleNamespace(background=False)))
    blender.context.scene.gpbd.substeps += 1
    asked = []
    manager = SimpleNamespace(invoke_confirm=lambda *args, message, **more: asked.append(message))
    context = SimpleNamespace(scene=blender.context.scene, window_manager=manager)
    operator.GPBD_OT_bake.invoke(SimpleNamespace(), context, None)
    assert asked[0].endswith("Changed since: Substeps (was 3).")


def test_of_a_body_with_keys_what_has_none_is_compared_and_what_has_is_known_by_them(blender, moving):
    moving.gpbd.keyframe_insert("friction", frame=1)
    ball = blender.data.objects["Ball"]
    ball.collision.keyframe_insert("thickness_outer", frame=1)
    bake(blender, frames=(1, 3))
    assert overview(blender).changed == []
    moving.gpbd.friction = 0.9  # until Blender evaluates the keys again
    ball.collision.thickness_outer = 0.5
    assert overview(blender).changed == []
    weight = 1e3 * moving.gpbd.density_area
    moving.gpbd.pin_hold, moving.gpbd.density_area, ball.collision.cloth_friction = 0.5, 0.4, 1.0
    assert overview(blender).changed == [
        f"'Flag' Weight or Density (was {weight:.4g} g/m²)", "'Flag' Pin Hold, Pin Stiffness or Pin Damping",
        "'Ball' Friction (was 0.4)",
    ]  # fmt: skip


def test_a_thickness_of_our_own_is_told_where_it_counts(blender, moving):
    ball = blender.data.objects["Ball"]
    bake(blender, frames=(1, 3))
    ball.gpbd.outer_thickness = 1e-4
    assert overview(blender).changed == []
    ball.gpbd.own_thickness = True
    assert overview(blender).changed == ["'Ball' Thickness Outer or Own Thickness"]


def test_one_key_makes_nothing_outdated_but_what_it_is_of(blender, moving):
    bake(blender, frames=(1, 3))
    moving.gpbd.keyframe_insert("pin_hold", frame=1)
    assert overview(blender).changed == ["'Flag' animation", "'Flag' Pin Hold, Pin Stiffness or Pin Damping"]
    moving.gpbd.keyframe_delete("pin_hold", frame=1)
    moving.gpbd.stvk_membrane.keyframe_insert("young_warp", frame=1)
    moving.gpbd.keyframe_insert("density_area_shown", frame=1)
    assert overview(blender).changed == [
        "'Flag' animation", "'Flag' Weight or Density (was 150 g/m²)", "'Flag' Stretch Warp (was 1000 N/m)",
    ]  # fmt: skip
