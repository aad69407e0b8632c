"""GPBD Rigid Body in Blender: added, read, baked, and played as an exact motion."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake, cache, save

SIZE = 0.4


def crate(bpy, end=8, **settings):
    """A cube whose lower side is 50 mm above z = 0."""
    ob = scenes.cube(bpy, "Crate", SIZE, (0, 0, 0.25))
    bpy.context.view_layer.objects.active = ob
    assert bpy.ops.gpbd.add_body(body_type="RIGID") == {"FINISHED"}
    scene = bpy.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, end
    scene.gpbd.substeps, scene.gpbd.iterations = 4, 4
    for name, value in settings.items():
        setattr(ob.gpbd, name, value)
    return ob


def test_a_rigid_body_is_added_with_its_modifier_and_without_a_preset(blender):
    ob = crate(blender)
    assert ob.gpbd.body_type == "RIGID"
    assert [m.name for m in ob.modifiers] == ["GPBD Rigid Body"]
    assert ob.gpbd.preset == ""


@pytest.mark.parametrize(
    ("settings", "mass"), [({"density_volume": 500.0}, 500 * SIZE**3), ({"mass_by": "MASS", "mass": 7.0}, 7.0)]
)
def test_density_or_mass_reach_the_solver(blender, settings, mass):
    """1e-5: what float32 vertices and settings give."""
    from gpbd.gpbd_addon.read import body_reading
    from gpbd.solver.model.bodies import kind_of

    ob = crate(blender, **settings)
    body = body_reading.read(ob, blender.context.evaluated_depsgraph_get(), 1.0).build()
    assert kind_of(body).contribution(body, 0, np.zeros(3)).mass.sum() == pytest.approx(mass, rel=1e-5)


def test_a_baked_rigid_body_keeps_its_shape_and_stops_on_the_floor(blender, tmp_path):
    """Distances of corners stay to 4e-6 m, float32; the millimetre and the floor's outer thickness are kept to a
    tenth of a millimetre."""
    ob = crate(blender, end=12, initial_spin=(0.0, 0.0, 2.0))
    scenes.floor(blender)
    save(blender, tmp_path)
    job = bake(blender)
    data = cache(job, "Crate")
    assert job.state == "done"
    assert len(data) == 12
    gaps = [np.linalg.norm(x[:, None] - x[None], axis=2) for x in (data[0], data[-1])]
    assert abs(gaps[1] - gaps[0]).max() < 4e-6
    assert np.linalg.norm((data[-1][4] - data[0][4])[:2]) > 0.02  # it turned about z until it lay
    lowest = (data[-1][:, 2] + 0.25).min()
    kept = 0.001 + blender.data.objects["Floor"].collision.thickness_outer
    assert lowest == pytest.approx(kept, abs=1e-4)
    blender.context.scene.frame_set(12)
    assert scenes.evaluated_positions(blender, ob).tobytes() == data[11].tobytes()


@pytest.mark.parametrize("surface", ["TETRAHEDRA", "MESH"])
def test_a_soft_body_touches_with_what_is_chosen(blender, surface):
    from gpbd.gpbd_addon.read import body_reading

    ob = scenes.soft(blender)
    ob.gpbd.contact_surface = surface
    body = body_reading.read(ob, blender.context.evaluated_depsgraph_get(), 1.0).build()
    assert body.contact_surface == surface.lower()
    assert len(body.surface_triangles) == 12
