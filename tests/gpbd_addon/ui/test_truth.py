"""Truth of panels and reports, in words and units that artists read."""

from types import SimpleNamespace

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import Layout, draw


def test_shares_are_shown_in_percent_and_stored_as_they_were(blender):
    settings = blender.context.scene.gpbd
    assert settings.rest_threshold_percent == pytest.approx(5.0)
    settings.heat_map_range_percent = 12.0
    assert settings.heat_map_range == pytest.approx(0.12)
    assert settings.bl_rna.properties["rest_threshold_percent"].subtype == "PERCENTAGE"
    assert settings.bl_rna.properties["error_tolerance"].unit == "CAMERA"  # in Blender the one that is in millimetres


def test_thicknesses_are_shown_in_millimetres_whatever_the_scale_and_typed_in_any_unit(blender):
    """But in an imperial scene, which has its own."""
    from gpbd.gpbd_addon.properties.number import field_of

    flag, units = scenes.cloth(blender), blender.context.scene.unit_settings
    flag.gpbd.material_thickness = 0.00025
    for scale in (1.0, 0.01):
        units.scale_length = scale
        assert field_of(flag.gpbd, "material_thickness") == "material_thickness_mm"
        assert flag.gpbd.material_thickness_mm == pytest.approx(0.25)
    flag.gpbd.thickness_mm = blender.utils.units.to_value("METRIC", "CAMERA", "0.2 cm")
    assert flag.gpbd.thickness == pytest.approx(0.002)
    assert blender.utils.units.to_string("METRIC", "CAMERA", 0.25, precision=3) == "0.25 mm"
    flag.gpbd.keyframe_insert("thickness_mm", frame=1)
    flag.gpbd.thickness_mm = 6.0
    flag.gpbd.keyframe_insert("thickness_mm", frame=9)
    blender.context.scene.frame_set(1)
    assert flag.gpbd.thickness == pytest.approx(0.002)
    blender.context.scene.frame_set(9)
    assert flag.gpbd.thickness == pytest.approx(0.006)
    units.system = "IMPERIAL"
    assert field_of(flag.gpbd, "material_thickness") == "material_thickness_shown"
    assert field_of(flag.gpbd, "density_area") == "density_area_shown" and field_of(flag.gpbd, "friction") == "friction"


def test_the_status_bar_has_sentences_and_a_remedy_says_of_what(extension):
    from gpbd.gpbd_addon import messages

    told = []
    operator = SimpleNamespace(report=lambda levels, text: told.append(text))
    text = "Grid: has Blender's Cloth too, which moves its mesh. Remove it."
    messages.report(operator, "WARNING", text)
    messages.report(operator, "ERROR", text)
    assert told[0] == "Grid: remove it. Grid: has Blender's Cloth too, which moves its mesh"
    assert told[1].splitlines()[0] == "Grid: remove it. "
    assert messages.two_lines("Floor: keeps 20 mm. Set its Thickness Outer to 6 mm.")[0].startswith("Floor: set its")
    assert messages.two_lines("Flag: is a lamp. Choose a mesh.")[0] == "Choose a mesh"


def test_resume_is_offered_only_where_there_is_something_to_go_on_with(blender, tmp_path):
    scenes.moving_flag(blender, tmp_path)
    scene = blender.context.scene
    scene.gpbd.frame_end = 6
    assert not blender.ops.gpbd.resume.poll()
    scenes.bake(blender)
    assert not blender.ops.gpbd.resume.poll()
    scene.gpbd.frame_end = 8
    assert blender.ops.gpbd.resume.poll()


def test_a_report_names_the_frames_of_the_scene_and_no_numbers_of_what_was_not_solved(extension):
    from gpbd.gpbd_addon.bake.report import BakeReport

    report = BakeReport(wanted=24, start=1001)
    assert report.sentence() == "no frame of 1001 to 1024"
    frame = SimpleNamespace(
        seconds=0.5, error=1e-3, contacts=0, intersection_locations=(), unresolved_locations=(), max_stretch=0.02,
        volume_change=0.0,
    )  # fmt: skip
    for _ in range(12):
        report.add(frame)
    assert report.sentence().startswith("frames 1001 to 1012 of 1001 to 1024, 0.5 s a frame, largest solver error 1 mm")
    report.wanted = 12
    assert report.sentence().startswith("frames 1001 to 1012, 0.5 s")


def test_numbers_are_shown_without_an_exponent(extension):
    from gpbd.gpbd_addon.bake.plain_number import PlainNumber
    from gpbd.gpbd_addon.bake.statistics import STATISTICS

    shown = [f"{PlainNumber(number):.2g}" for number in (0.0, 6.9e-5, 0.0012, 4.4, 124.0, 123456.0)]
    assert shown == ["0", "<0.001", "0.0012", "4.4", "120", "120000"]
    assert f"{PlainNumber(0.0123):.2%}" == "1.23%"
    assert STATISTICS["error"].text(0.124) == "120 mm" and STATISTICS["error"].text(6.9e-8) == "<0.001 mm"


def test_that_a_check_found_nothing_stays_in_the_panel_until_it_is_taken_away(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    blender.ops.gpbd.check_scene()
    findings = blender.context.window_manager.gpbd_findings
    assert [found.good for found in findings] == [True]
    text = draw(blender, flag, "PHYSICS_PT_gpbd").text()
    assert "The scene is ready to bake: checked at" in text and "to look at" not in text
    blender.ops.gpbd.fix_finding(index=-1)
    assert "ready to bake" not in draw(blender, flag, "PHYSICS_PT_gpbd").text()


def test_after_a_bake_the_panel_says_how_to_see_it_until_one_has_gone_elsewhere(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    scene = blender.context.scene
    blender.ops.gpbd.bake()
    assert "Press Space to play" in draw(blender, flag, "PHYSICS_PT_gpbd").text()
    scene.gpbd.live = False
    new = scenes.cloth(blender, "New", location=(3, 0, 1))
    assert "Not baked yet" in (text := draw(blender, new, "PHYSICS_PT_gpbd").text()) and "Press Space" not in text
    scene.frame_set(5)
    assert "Press Space" not in draw(blender, flag, "PHYSICS_PT_gpbd").text()


def test_the_first_frame_is_one_click_away_where_the_timeline_goes_on_after_the_bake(blender, tmp_path):
    """Space plays to the end of the timeline first, which is still."""
    flag, scene = scenes.moving_flag(blender, tmp_path), blender.context.scene
    blender.ops.gpbd.bake()
    assert scene.frame_end == 250
    scene.frame_set(12)
    blender.context.window_manager.gpbd_baked_to = 12  # as where the window goes along
    layout = draw(blender, flag, "PHYSICS_PT_gpbd")
    assert ("operator", "screen.frame_jump") in layout.drawn and "Press Space to play" in layout.text()
    scene.frame_set(1)
    layout = draw(blender, flag, "PHYSICS_PT_gpbd")
    assert ("operator", "screen.frame_jump") not in layout.drawn and "Press Space to play" in layout.text()
    scene.frame_end = 12
    scene.frame_set(12)
    layout = draw(blender, flag, "PHYSICS_PT_gpbd")
    assert ("operator", "screen.frame_jump") not in layout.drawn and "Press Space to play" in layout.text()


def test_a_gpu_that_is_not_wanted_is_not_missed(blender, tmp_path):
    from gpbd.gpbd_addon.bake import devices
    from gpbd.solver.device.cuda.probe import DetectedDevices

    flag = scenes.moving_flag(blender, tmp_path)
    devices.take(DetectedDevices(why="CUDA: no driver is there; wanted one of NVIDIA's. Install it, or set Device to CPU."))
    try:
        scene = blender.context.scene
        assert "set Device to CPU" not in draw(blender, flag, "PHYSICS_PT_gpbd_simulation").text()
        scene.gpbd.device = "CUDA"
        assert "set Device to CPU" in draw(blender, flag, "PHYSICS_PT_gpbd_simulation").text()
    finally:
        devices.end()


def test_a_row_has_one_dot_for_keys(blender):
    """Blender adds one of its own to a field, unless the row says that it has one."""
    from gpbd.gpbd_addon.ui import value_row

    made = []

    class Layout:
        def __init__(self):
            self.use_property_split = self.use_property_decorate = True

        def split(self, factor):
            part = Layout()
            made.append(part)
            return part

        def column(self, align=False):
            part = Layout()
            part.use_property_split, part.use_property_decorate = self.use_property_split, self.use_property_decorate
            return part

        row = column

    columns = value_row._columns(Layout(), 0.4, 0.2)
    assert made and not any(part.use_property_decorate for part in columns[:1])
    assert not made[0].use_property_split and not made[0].use_property_decorate


def test_while_something_runs_no_empty_box_is_drawn(blender, tmp_path):
    """It would be a dark bar."""
    from gpbd.gpbd_addon.bake import playback
    from gpbd.gpbd_addon.ui import bake_state

    boxes = []

    class Boxes(Layout):
        def box(self):
            boxes.append(Layout(self.bpy))
            return boxes[-1]

    flag = scenes.moving_flag(blender, tmp_path)
    scenes.save(blender, tmp_path)
    playback.ensure(flag)
    context, manager = blender.context, blender.context.window_manager
    context.scene.gpbd.live = False
    bake_state.draw(Boxes(blender), context, flag)
    manager.gpbd_status = "Frame 2 of 12"
    try:
        bake_state.draw(Boxes(blender), context, flag)
    finally:
        manager.gpbd_status = ""
    assert len(boxes) == 1 and boxes[0].drawn


def test_the_asset_shelf_is_asked_for_before_the_window_shows_a_scene(extension):
    from gpbd.gpbd_addon.ui.preset_shelf import GPBD_AST_presets

    assert not GPBD_AST_presets.poll(SimpleNamespace(mode="OBJECT"))


def test_a_line_of_check_scene_goes_with_its_object_and_follows_its_name(blender, tmp_path):
    """`Flag` is part of the name of the other, and the name of what both have: only the subject names an object."""
    flag = scenes.moving_flag(blender, tmp_path)
    pole = scenes.cloth(blender, "Flag.001", location=(3, 0, 1), end=3)
    for ob in (flag, pole):
        ob.modifiers.new("old", "CLOTH")
    blender.ops.gpbd.check_scene()

    def lines():
        return draw(blender, flag, "PHYSICS_PT_gpbd").text()

    assert "Flag: has Blender's Cloth too" in lines() and "Flag.001: has Blender's Cloth too" in lines()
    pole.name = "Pole"
    assert "Pole: has Blender's Cloth too" in lines() and "Flag.001" not in lines()
    number = next(k for k, one in enumerate(blender.context.window_manager.gpbd_findings) if "Flag.001:" in one.text)
    assert blender.ops.gpbd.fix_finding(index=number) == {"FINISHED"} and "old" not in pole.modifiers
    pole.modifiers.new("old", "CLOTH")
    blender.ops.gpbd.check_scene()
    blender.data.objects.remove(pole)
    assert "Pole" not in lines() and "1 to look at" in lines() and "Flag: has Blender's Cloth too" in lines()


def test_the_line_of_an_unsaved_file_goes_once_the_file_is_saved(blender, tmp_path):
    flag = scenes.cloth(blender, end=3)
    blender.ops.gpbd.check_scene()
    assert "The file is not saved" in draw(blender, flag, "PHYSICS_PT_gpbd").text()
    scenes.save(blender, tmp_path)
    assert "to look at" not in draw(blender, flag, "PHYSICS_PT_gpbd").text()
