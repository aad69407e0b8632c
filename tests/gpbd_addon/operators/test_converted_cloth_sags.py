"""Cloth of Blender's that is converted hangs as it hung: its springs are a sheet whose stiffness their mesh decides."""

from pathlib import Path

import numpy as np
import pytest

from tests.gpbd_addon import scenes

#: Blender's own presets, beside its scripts.
PRESETS = ("Cotton", "Denim", "Leather", "Rubber", "Silk")
FRAMES, LAST = 300, 40


@pytest.fixture
def hung(blender):
    """Makes a square of 1 m of a preset, pinned, that Blender has let hang; the object, and z of a vertex over the last
    frames [m], which leather continues swinging in a little."""

    def hang(preset, n, pins, vertex):
        ob = scenes.grid(blender, "Sheet", n, location=(0, 0, 0))
        ob.vertex_groups.new(name="pins").add(pins, 1.0, "REPLACE")
        md = ob.modifiers.new("Own", "CLOTH")
        script = next(Path(path) for path in blender.utils.script_paths() if (Path(path) / "presets/cloth").is_dir())
        with blender.context.temp_override(cloth=md):
            text = (script / f"presets/cloth/{preset}.py").read_text(encoding="utf-8")
            for line in text.splitlines():
                if line.startswith("bpy.context.cloth.settings."):
                    name, value = line.removeprefix("bpy.context.cloth.settings.").split(" = ")
                    was = type(getattr(md.settings, name))
                    setattr(md.settings, name, value == "True" if was is bool else was(float(value)))
        md.settings.vertex_group_mass = "pins"
        md.collision_settings.use_collision = False
        md.point_cache.frame_end = blender.context.scene.frame_end = FRAMES
        z = []
        for frame in range(1, FRAMES + 1):
            blender.context.scene.frame_set(frame)
            if frame > FRAMES - LAST:
                z.append(scenes.evaluated_positions(blender, ob)[vertex, 2])
        return ob, np.array(z)

    return hang


def converted_z(blender, ob, vertex):
    """Return the rest height of the vertex of the converted cloth [m]."""
    from gpbd import solver
    from gpbd.gpbd_addon.operators import convert_from_blender
    from gpbd.gpbd_addon.read import modifier, scene_input
    from gpbd.solver.settle import settle

    scene = blender.context.scene
    scene.frame_set(1)
    done, left_out = convert_from_blender.convert(scene, [ob])
    assert not left_out and list(done) == [ob.name]
    with modifier.switched_off([ob]):
        world = scene_input.gather(scene, blender.context.view_layer.name, [ob], (1, 1))
    world.air_density = 0.0
    rest = settle(world.build(), solver.Settings(threads=1), tolerance=0.01)
    assert rest.settled
    return rest.positions[ob.name][vertex, 2]


def corners(n):
    return [0, n, n * (n + 1), (n + 1) ** 2 - 1], (n // 2) * (n + 1) + n // 2


@pytest.mark.parametrize("preset", ["Cotton", *(pytest.param(name, marks=pytest.mark.long) for name in PRESETS[1:])])
def test_a_sheet_on_four_corners_sags_as_much(preset, blender, hung):
    """10 % of the sag, of equal mass. The five differ by up to 9 % at 10 quads a side, by 2 % at 20."""
    pins, middle = corners(10)
    ob, z = hung(preset, 10, pins, middle)
    assert converted_z(blender, ob, middle) == pytest.approx(z.mean(), rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS)
def test_a_fine_sheet_on_four_corners_sags_as_much(preset, blender, hung):
    """10 % as at half the resolution, where the same numbers of Blender's are half as stiff and a quarter of the weight."""
    pins, middle = corners(20)
    ob, z = hung(preset, 20, pins, middle)
    assert converted_z(blender, ob, middle) == pytest.approx(z.mean(), rel=0.1)


def test_a_clamped_sheet_of_leather_bends_as_far(blender, hung):
    """10 % of the way of the free edge, which bending decides: two rows are held. Blender's swings by 2 %."""
    n = 10
    free = (n // 2) * (n + 1) + n
    ob, z = hung("Leather", n, [j * (n + 1) + i for j in range(n + 1) for i in (0, 1)], free)
    assert np.ptp(z) < 0.06 * -z.mean()
    assert converted_z(blender, ob, free) == pytest.approx(z.mean(), rel=0.1)
