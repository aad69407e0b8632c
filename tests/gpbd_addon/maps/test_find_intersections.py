"""Intersections, as an artist finds them: faces selected in edit mode, and a sentence."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import draw


@pytest.fixture
def crossing(blender):
    """A sheet at z = 1, and one that stands upright through it from border to border at x = 0.07."""
    flat = scenes.cloth(blender, "Flat")
    upright = scenes.cloth(blender, "Upright", location=(0.07, 0.011, 1.02))
    upright.rotation_euler = (0, np.pi / 2, 0)
    blender.context.view_layer.objects.active = flat
    return flat, upright


def find(blender):
    from gpbd.gpbd_addon.maps import intersections

    return intersections.find(blender.context.scene)


def selected(ob):
    """Middles of the selected faces, in object mode."""
    return np.array([face.center for face in ob.data.polygons if face.select]).reshape(-1, 3)


def test_the_faces_that_cross_are_selected_in_edit_mode_and_no_others(blender, crossing):
    """Exact: the row of six faces of each sheet that the other one goes through."""
    flat, upright = crossing
    assert blender.ops.gpbd.find_intersections() == {"FINISHED"}
    assert flat.mode == upright.mode == "EDIT"
    blender.ops.object.mode_set(mode="OBJECT")
    assert len(selected(flat)) == len(selected(upright)) == 6
    assert np.allclose(selected(flat)[:, 0], 1 / 12)
    assert np.allclose(selected(upright)[:, 0], 1 / 12)
    chosen = [v.index for v in flat.data.vertices if v.select]
    assert len(chosen) == 14  # both sides of the row, and nothing of the former selection


def test_it_says_what_passes_through_what_and_where(blender, crossing):
    (place,) = find(blender).locations
    assert (place.one, place.other) == ("Flat", "Upright")
    assert abs(place.point[0] - 0.07) < 1 / 6
    assert f"{place.count} of Flat with Upright near (" in str(place)


def test_without_intersections_nothing_is_selected_and_edit_mode_is_left(blender, crossing):
    flat, upright = crossing
    upright.location.x = 2.0
    blender.ops.object.mode_set(mode="EDIT")
    assert blender.ops.gpbd.find_intersections() == {"FINISHED"}
    assert find(blender).count == 0
    assert flat.mode == "OBJECT"


def test_a_sheet_through_itself_and_through_a_collider_is_found_and_colliders_among_themselves_are_not(blender):
    flag = scenes.cloth(blender, n=8)
    for vertex in flag.data.vertices:  # a roof upside down, its wings crossing above the ridge
        x = vertex.co.x
        vertex.co.x, vertex.co.z = 0.3 * abs(x) * -np.sign(x) + 0.1 * np.sign(x), abs(x)
    blender.context.view_layer.objects.active = flag
    scenes.floor(blender, "Floor").location.z = 1.31
    scenes.floor(blender, "Other").rotation_euler.x = 1.0
    found = {(place.one, place.other) for place in find(blender).locations}
    assert ("Flag", "Flag") in found
    assert ("Flag", "Floor") in found
    assert ("Floor", "Other") not in found and ("Other", "Floor") not in found


def test_the_mesh_of_the_current_frame_counts_also_below_a_subdivision(blender, tmp_path):
    """The flag falls through the frame's second body, which does not touch: only the baked pose crosses it."""
    flag = scenes.cloth(blender, end=8)
    upright = scenes.cloth(blender, "Upright", pins=range(49), end=8, location=(0.07, 0.011, 0.3))
    upright.rotation_euler = (0, np.pi / 2, 0)
    scenes.save(blender, tmp_path)
    scenes.bake(blender, names=["Flag"])
    flag.modifiers.new("Finer", "SUBSURF")
    blender.context.scene.frame_set(1)
    assert find(blender).count == 0
    blender.context.scene.frame_set(8)
    assert find(blender).count > 5


@pytest.mark.parametrize("surface", ["TETRAHEDRA", "MESH"])
def test_it_says_of_what_reports_count_other_faces(blender, surface, capfd):
    """Statistics count what collides; a soft body's mesh only where that is it."""
    jelly = scenes.soft(blender)
    jelly.gpbd.contact_surface = surface
    blender.context.view_layer.objects.active = jelly
    assert blender.ops.gpbd.find_intersections() == {"FINISHED"}
    told = capfd.readouterr().out
    assert "no edge passes through a face" in told
    assert ("Of Jelly Statistics count the tetrahedra's skin" in told) == (surface == "TETRAHEDRA")


def test_a_shown_mesh_that_is_not_the_own_one_is_told(blender, crossing):
    from gpbd.solver.errors import SceneError

    crossing[0].modifiers.new("Finer", "SUBSURF")
    with pytest.raises(SceneError, match=r"Flat: \d+ vertices are shown"):
        find(blender)
    assert not blender.context.window_manager.gpbd_status


def test_what_is_left_is_told_at_the_end_of_a_bake_and_stays_in_the_panel(blender, tmp_path):
    """Two sheets that cross and are pinned all over cannot come apart."""
    flat = scenes.cloth(blender, "Flat", pins=range(49), end=3)
    upright = scenes.cloth(blender, "Upright", pins=range(49), end=3, location=(0.07, 0.011, 1.02))
    upright.rotation_euler = (0, np.pi / 2, 0)
    scenes.save(blender, tmp_path)
    job = scenes.bake(blender)
    (place,) = job.report.intersection_locations
    assert job.report.numbers()["intersections"] == place.count == find(blender).count
    (told,) = [text for text in job.report.warnings if "pass through" in text]
    assert f"At frame 3 {place.count} edges" in told and "Flat with Upright" in told and "Find Intersections" in told
    layout = draw(blender, flat)
    assert f"{place.count} intersections at frame 3" in layout.text()
    assert ("operator", "gpbd.find_intersections") in layout.drawn and ("prop", "self_contact") in layout.drawn
    blender.context.scene.frame_set(1)
    blender.context.view_layer.objects.active = flat
    assert blender.ops.gpbd.find_intersections(frame=3) == {"FINISHED"}
    assert blender.context.scene.frame_current == 3 and flat.mode == "EDIT"
    assert flat.modifiers[0].show_on_cage  # the faces are seen where they are at this frame
    blender.ops.object.mode_set(mode="OBJECT")
    assert len(selected(flat)) == 6
    upright.location.x = 5.0
    job = scenes.bake(blender)
    assert not [text for text in job.report.warnings if "pass through" in text]
    assert "intersections at frame" not in draw(blender, flat).text()


def test_unresolved_collisions_are_told_with_their_first_frame_and_place(extension):
    from gpbd.gpbd_addon.bake.report import BakeReport
    from gpbd.solver.report.frame_report import Report
    from gpbd.solver.report.location import Location

    report = BakeReport()
    for pinched in ((), (Location("Coat", "Arm", 3, (0.1, 0.2, 1.5)),), (Location("Coat", "Arm", 9, (0.1, 0.2, 1.5)),)):
        report.add(Report(seconds=1.0, unresolved_locations=pinched))
    (told,) = report.contact_left(start=10)
    assert told.startswith("2 frames") and "frame 11, 3 of Coat with Arm near (0.1, 0.2, 1.5) m" in told
