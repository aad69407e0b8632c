"""Drape: a shape key or a start shape, against the solver and against a bake that follows."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes

PINS = [0, 1, 2, 3, 4, 5, 6]  # a side of the grid


@pytest.fixture
def hung(blender, tmp_path):
    """A sheet that is held by a side in the plane z = 1, as a saved file."""
    flag = scenes.cloth(blender, pins=PINS, end=4)
    blender.context.scene.gpbd.substeps = 24
    blender.context.view_layer.objects.active = flag
    scenes.save(blender, tmp_path)
    return flag


def attribute(ob, name="gpbd_start"):
    x = np.empty(len(ob.data.vertices) * 3, np.float32)
    ob.data.attributes[name].data.foreach_get("vector", x)
    return x.reshape(-1, 3)


def coordinates(ob):
    x = np.empty(len(ob.data.vertices) * 3, np.float32)
    ob.data.attributes["position"].data.foreach_get("vector", x)
    return x.reshape(-1, 3)


def test_the_start_shape_hangs_and_the_mesh_stays_as_it_is(blender, hung):
    """A sheet of 1 m hangs a metre below its pins, but for the roundness of its fold: 10 %."""
    before = coordinates(hung)
    assert blender.ops.gpbd.drape(result="START") == {"FINISHED"}
    start = attribute(hung)
    assert coordinates(hung).tobytes() == before.tobytes() and hung.data.shape_keys is None
    assert np.abs(start[PINS] - before[PINS]).max() < 1e-6
    assert start[:, 2].min() == pytest.approx(-1.0, rel=0.1)


def test_a_bake_from_the_start_shape_begins_there_and_stays(blender, hung):
    """Frame 1 is the start to float32; 5 mm in 3 frames for the residual forces, where a free fall makes 77 mm. The
    mesh is still the rest shape of the cloth: it hangs stretched."""
    blender.ops.gpbd.drape(result="START", threshold=0.005)
    start = attribute(hung)
    job = scenes.bake(blender)
    data = scenes.cache(job)
    assert np.abs(data[0] - start).max() < 1e-6
    assert np.abs(data[-1] - start).max() < 5e-3
    assert 0 < job.report.max_stretch < 0.05


def test_a_start_shape_that_was_removed_is_gone(blender, hung):
    blender.ops.gpbd.drape(result="START")
    assert blender.ops.gpbd.remove_start.poll()
    blender.ops.gpbd.remove_start()
    assert not blender.ops.gpbd.remove_start.poll()
    assert np.abs(scenes.cache(scenes.bake(blender))[0] - coordinates(hung)).max() < 1e-6


def test_the_shape_key_shows_the_same_shape_and_a_second_drape_replaces_it(blender, hung):
    """1 mm: both drape from the same mesh; a key is what Blender shows."""
    blender.ops.gpbd.drape(result="START")
    start = attribute(hung)
    blender.ops.gpbd.remove_start()
    for _ in range(2):
        blender.ops.gpbd.drape(result="SHAPE_KEY")
        assert [key.name for key in hung.data.shape_keys.key_blocks] == ["Basis", "GPBD Draped"]
        assert hung.data.shape_keys.key_blocks["GPBD Draped"].value == 1
        assert np.abs(scenes.evaluated_positions(blender, hung) - start).max() < 1e-3


def test_other_shape_keys_keep_their_values_and_are_not_counted_twice(blender, hung):
    """The draped mesh is shown as it was solved, with the other key still at one half."""
    hung.shape_key_add(name="Basis")
    key = hung.shape_key_add(name="Up")
    for k in PINS:
        key.data[k].co.z += 0.2
    key.value = 0.5
    below = scenes.evaluated_positions(blender, hung)[PINS]
    blender.ops.gpbd.drape(result="SHAPE_KEY")
    assert key.value == 0.5
    assert np.abs(scenes.evaluated_positions(blender, hung)[PINS] - below).max() < 1e-6


def test_modifiers_whose_work_is_in_the_key_are_switched_off_and_named(blender, hung, capfd):
    hook = hung.modifiers.new("Wave", "WAVE")
    hung.modifiers.move(0, 0)
    blender.ops.gpbd.add_body(body_type="CLOTH")  # puts our modifier behind it
    blender.ops.gpbd.drape(result="SHAPE_KEY")
    assert not hook.show_viewport and hung.modifiers["GPBD Cloth"].show_viewport
    assert "'Wave'" in capfd.readouterr().out


def test_drape_is_for_the_current_frame(blender, hung):
    """Pins stand where the animation has them at frame 20: the object has moved, and nothing swings."""
    scenes.move(hung, [1, 20], [(0, 0, 1), (3, 0, 1)])
    blender.context.scene.frame_set(20)
    blender.ops.gpbd.drape(result="START")
    assert blender.context.scene.frame_current == 20
    assert np.abs(attribute(hung)[PINS] - coordinates(hung)[PINS]).max() < 1e-6
    assert np.abs(attribute(hung)[:, 0]).max() < 0.6


def test_a_soft_body_begins_where_it_draped(blender, tmp_path):
    """The visible mesh begins at the draped shape to 1e-5 m, float32 sums of four corners; it then keeps to it within 5 mm,
    as eight corners determine its inside."""
    jelly = scenes.soft(blender, pins=[1, 3, 5, 7], end=4)
    blender.context.scene.gpbd.substeps, blender.context.scene.gpbd.iterations = 12, 8
    scenes.save(blender, tmp_path)
    blender.ops.gpbd.drape(result="START")
    start = attribute(jelly)
    assert 1e-3 < np.abs(start - coordinates(jelly)).max() < 0.2
    data = scenes.cache(scenes.bake(blender), "Jelly")
    assert np.abs(data[0] - start).max() < 1e-5
    assert np.abs(data[-1] - start).max() < 5e-3


def test_the_inside_of_a_soft_body_follows_an_affine_map_exactly(extension):
    """1e-9: least squares in double precision recovers every affine map."""
    from solver.topology.faces import boundary_faces
    from solver.topology.moved_inside import move_inside
    from tests.validation.meshes import cube

    x, tetrahedra = cube(3, 0.5)
    surface = x[np.unique(boundary_faces(tetrahedra)[0])]
    matrix = np.array([[1.1, 0.2, 0], [0, 0.9, 0.1], [0, 0, 1.2]])
    found = move_inside(surface, surface @ matrix + 0.3, x, tetrahedra)
    assert np.abs(found - (x @ matrix + 0.3)).max() < 1e-9


def test_the_inside_goes_to_where_the_surface_is(extension):
    """1 mm of a bend of 10 cm: the surface is prescribed, smoothness only determines the rest."""
    from solver.topology.embedding import embed, reconstruct
    from solver.topology.faces import boundary_faces
    from solver.topology.moved_inside import move_inside
    from tests.validation.meshes import cube

    x, tetrahedra = cube(4, 1.0)
    surface = x[np.unique(boundary_faces(tetrahedra)[0])]
    bent = surface + 0.1 * np.sin(np.pi * surface[:, [2, 2, 2]]) * [1, 0, 0]
    found = move_inside(surface, bent, x, tetrahedra)
    owner, weights = embed(surface, x, tetrahedra)
    assert np.abs(reconstruct(found, tetrahedra[owner], weights) - bent).max() < 1e-3


def test_a_start_shape_of_a_mesh_that_was_edited_is_refused(blender, hung):
    """A vertex that is added later has a start at the object's origin."""
    blender.ops.gpbd.drape(result="START", steps=60)
    hung.data.vertices.add(1)
    with pytest.raises(RuntimeError, match=r"was made for 49 vertices, .* the mesh has 50 vertices"):
        blender.ops.gpbd.bake()
    blender.ops.gpbd.remove_start()
    assert blender.ops.gpbd.bake() == {"FINISHED"}


def test_a_start_shape_is_part_of_what_a_bake_is_resumed_from(blender, hung):
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.solver.errors import CacheError

    scenes.bake(blender)
    blender.ops.gpbd.drape(result="START")
    with pytest.raises(CacheError, match="start"):
        BakeJob(blender.context.scene, resume=True).run()


@pytest.mark.parametrize("trouble", ["mirror", "shared", "absolute", "empty"])
def test_what_cannot_be_draped_is_refused_with_the_way_out(blender, hung, trouble):
    """And nothing is changed."""
    wanted = {
        "mirror": "Apply the",
        "shared": "Make Single User",
        "absolute": "choose 'Start'",
        "empty": "has no GPBD bodies",
    }
    if trouble == "mirror":
        blender.ops.gpbd.add_body(body_type="CLOTH")
        hung.modifiers.new("Mirror", "MIRROR")
        hung.modifiers.move(1, 0)
    elif trouble == "shared":
        blender.data.objects.new("twin", hung.data)
    elif trouble == "absolute":
        hung.shape_key_add(name="Basis")
        hung.data.shape_keys.use_relative = False
    else:
        hung.gpbd.body_type = "NONE"
    with pytest.raises(RuntimeError, match=wanted[trouble]):
        blender.ops.gpbd.drape(result="SHAPE_KEY")
    assert "gpbd_start" not in hung.data.attributes


def test_a_cloth_that_nothing_holds_is_told(blender, tmp_path, capfd):
    flag = scenes.cloth(blender)
    scenes.save(blender, tmp_path)
    blender.ops.gpbd.drape(result="START", steps=60)
    assert "Pin the bodies" in capfd.readouterr().out and "gpbd_start" in flag.data.attributes


def test_a_job_that_is_cancelled_changes_nothing(blender, hung):
    from gpbd.gpbd_addon.bake.drape_job import CANCELLED, DrapeJob

    job = DrapeJob(blender.context.scene, "START", 1e-4, 100000)
    job.start()
    while not job.progress:
        job.poll(0.05)
    job.stop()
    assert job.state == CANCELLED and "gpbd_start" not in hung.data.attributes
    assert hung.modifiers[0].show_viewport


def test_a_body_deleted_meanwhile_is_named(blender, hung):
    from gpbd.gpbd_addon.bake.drape_job import FAILED, DrapeJob

    job = DrapeJob(blender.context.scene, "START", 0.02, 3000)
    job.start()
    blender.data.objects.remove(hung)
    while not job.poll(1.0):
        pass
    assert job.state == FAILED and "Flag: is no longer in the scene" in str(job.error)


@pytest.fixture
def draping(blender, hung):
    """A drape that continues as in a window, once it has begun to fall."""
    from gpbd.gpbd_addon.bake.drape_job import START, DrapeJob

    job = DrapeJob(blender.context.scene, START, 1e-4, 20000)
    job.start()
    while job._rest is None or job._rest.step < 40:
        assert not job.poll(0.2)
    yield job
    job.stop()


def settings_of(md):
    return {name: getattr(md, name) for name in ("filepath", "factor", "frame_start", "show_viewport")}


def test_a_drape_is_seen_while_it_goes_on_and_kept_as_it_is(blender, hung, draping):
    """Bit for bit; and the modifier is unchanged, as is the mesh."""
    (md,) = hung.modifiers
    before, mesh = settings_of(md), coordinates(hung)
    draping.show()
    shown = scenes.evaluated_positions(blender, hung)
    assert np.abs(shown - mesh).max() > 1e-3 and settings_of(md) != before
    step = draping._rest.step
    draping.keep()
    while not draping.poll(0.2):
        pass
    assert draping.state == "done" and draping._rest.step == step
    assert attribute(hung).tobytes() == shown.tobytes()
    assert settings_of(md) == before and coordinates(hung).tobytes() == mesh.tobytes()


def test_a_drape_that_is_stopped_leaves_nothing(blender, hung, draping):
    (md,) = hung.modifiers
    before = settings_of(md)
    draping.show()
    blender.ops.wm.save_mainfile()  # the preview is no file of this one
    assert settings_of(md) == before
    draping.show()
    draping.cancel()
    while not draping.poll(0.2):
        pass
    assert draping.state == "cancelled" and settings_of(md) == before
    assert "gpbd_start" not in hung.data.attributes and not draping._preview._open


def test_what_is_grabbed_while_it_drapes_stays_where_it_is_held(blender, hung, draping):
    """1e-5 m: single precision of the start shape, and of where it was held."""
    from gpbd.gpbd_addon.bake import hands

    draping.show()
    there = scenes.evaluated_positions(blender, hung)
    hands.grab(hung.gpbd.uuid, [42, 48], [1.0, 1.0], np.inf, (0, 0, 0))
    draping.poll(5.0)
    held = []
    for _ in range(3):
        while not draping.news:
            draping.poll(0.2)
        draping.show()
        held.append(scenes.evaluated_positions(blender, hung)[[42, 48]])
        assert not draping.poll(0.2)
    draping.keep()
    while not draping.poll(0.2):
        pass
    assert np.ptp(held[1:], axis=0).max() < 1e-5 and not list(hands.all_of())
    assert np.abs(attribute(hung)[[42, 48]] - held[-1]).max() < 1e-5 and np.abs(held[-1] - there[[42, 48]]).max() < 0.2
