"""The statistics of a bake: kept with the cache, in the panel, the Graph Editor, a table."""

import csv
import io
import json

import pytest

from solver.cache import pc2 as frames
from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import draw


@pytest.fixture
def flag(blender, tmp_path):
    flag = scenes.moving_flag(blender, tmp_path)
    blender.context.view_layer.objects.active = flag
    return flag


def reports_of(flag):
    from gpbd.gpbd_addon.bake import cache_path, frame_reports

    return frame_reports.read(cache_path.of(flag))


def curves_of(ob):
    action = ob.animation_data.action
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return {curve.data_path: curve for bag in bags for curve in bag.fcurves}


def test_the_cache_keeps_the_report_of_every_frame(blender, flag):
    """Six digits of each number: 1e-5."""
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.solver.report.numbers import numbers

    seen = []
    job = BakeJob(blender.context.scene)
    job.on_frame = lambda job: seen.append((job.frame, job.report.last))
    job.run()
    kept = reports_of(flag)
    assert len(kept.frames) == 12 and kept.at(1) == {} and kept.at(13) == {}
    for number, report in seen[1:]:
        assert kept.at(number) == numbers(report)
        assert kept.at(number)["elastic_energy"] == pytest.approx(report.elastic_energy, rel=1e-5)
    assert kept.seconds_a_frame > 0


def test_a_resumed_bake_has_the_reports_of_both_parts(blender, flag):
    from gpbd.gpbd_addon.bake.job import BakeJob

    whole = [dict(found) for found in (scenes.bake(blender), reports_of(flag).frames)[1]]
    job = BakeJob(blender.context.scene)
    job.on_frame = lambda job: job.cancel() if job.frame == 5 else None
    job.run()
    assert len(reports_of(flag).frames) < 12
    scenes.bake(blender, resume=True)
    again = reports_of(flag).frames
    assert [f["elastic_energy"] for f in again] == [f["elastic_energy"] for f in whole]


def test_an_older_cache_without_reports_plays_resumes_and_says_nothing(blender, flag):
    job = scenes.bake(blender, frames=(1, 6))
    path = job.files.paths["Flag"]
    manifest = frames.read_manifest(path)
    del manifest["reports"]
    frames.manifest_path(path).write_text(json.dumps(manifest))
    assert reports_of(flag) is None and not blender.ops.gpbd.show_statistics.poll()
    scenes.bake(blender, resume=True)
    assert reports_of(flag).at(6) == {} and reports_of(flag).at(8)["error"] > 0


def test_the_panel_shows_the_numbers_of_the_current_frame(blender, flag):
    scenes.bake(blender)
    scene, name = blender.context.scene, "PHYSICS_PT_gpbd_statistics"
    texts = []
    for frame in (1, 5, 12):
        scene.frame_set(frame)
        texts.append(draw(blender, flag, name).text())
    assert "was not solved" in texts[0] and "Solver Error" in texts[1] and texts[1] != texts[2]
    found = reports_of(flag).at(5)
    assert f"{1e3 * found['error']:.2g} mm" in texts[1]
    assert f"{found['max_stretch']:.2%}" in texts[1] and f"{found['kinetic_energy']:.3g} J" in texts[1]


def test_the_graph_has_each_statistic_at_each_frame_and_keeps_the_artists_curves(blender, flag):
    """1e-6: float32 keys."""
    scenes.bake(blender)
    before = set(curves_of(flag))
    assert blender.ops.gpbd.show_statistics() == {"FINISHED"}
    blender.ops.gpbd.show_statistics()  # again: replaces
    curves = curves_of(flag)
    curve = curves['["gpbd_error"]']
    assert curve.group.name == "GPBD Statistics" and curve.lock
    assert [int(point.co[0]) for point in curve.keyframe_points] == list(range(2, 13))
    for frame, found in reports_of(flag).solved():
        assert curve.evaluate(frame) == pytest.approx(found["error"], rel=1e-6)
        assert curves['["gpbd_max_stretch"]'].evaluate(frame) == pytest.approx(found["max_stretch"], rel=1e-6)
    blender.context.scene.frame_set(7)
    assert flag["gpbd_error"] == pytest.approx(reports_of(flag).at(7)["error"], rel=1e-6)
    blender.ops.gpbd.show_statistics(remove=True)
    assert set(curves_of(flag)) == before and not [key for key in flag.keys() if key.startswith("gpbd_")]  # noqa: SIM118
    blender.context.scene.frame_set(12)
    assert flag.location.x == pytest.approx(0.4)


def test_the_graph_of_an_object_without_animation_leaves_nothing_behind(blender, tmp_path):
    other = scenes.cloth(blender, "Other", pins=[0], end=3)
    scenes.save(blender, tmp_path)
    blender.context.view_layer.objects.active = other
    scenes.bake(blender)
    blender.ops.gpbd.show_statistics()
    assert len(curves_of(other)) >= 6 and len(blender.data.actions) == 1
    blender.ops.gpbd.show_statistics(remove=True)
    assert len(blender.data.actions) == 0


def test_the_table_has_a_line_a_frame_with_the_numbers_of_the_reports(blender, flag, tmp_path):
    scenes.bake(blender)
    blender.ops.gpbd.export_statistics(filepath=str(tmp_path / "statistics.csv"))
    with open(tmp_path / "statistics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["object"], int(row["frame"])) for row in rows] == [("Flag", k) for k in range(2, 13)]
    for row in rows:
        assert float(row["error"]) == reports_of(flag).at(int(row["frame"]))["error"]
    with pytest.raises(RuntimeError, match="cannot be written"):
        blender.ops.gpbd.export_statistics(filepath=str(tmp_path / "nowhere" / "statistics.csv"))


def test_the_command_line_prints_the_table_of_all_bodies_or_writes_a_file(blender, flag, tmp_path, capsys):
    """Blender prints its version to standard output too, so a table needs a file of its own."""
    from gpbd.gpbd_addon.command_line import main as cli

    scenes.cloth(blender, "Other", end=12, location=(4, 0, 1))
    scenes.bake(blender)
    capsys.readouterr()
    assert cli.main(["info", "--csv"]) == 0
    printed = capsys.readouterr().out
    assert cli.main(["info", "--csv", str(tmp_path / "table.csv")]) == 0 and not capsys.readouterr().out
    assert (tmp_path / "table.csv").read_text() == printed
    assert cli.main(["info", "--csv", str(tmp_path / "nowhere" / "table.csv")]) != 0
    assert "cannot be written" in capsys.readouterr().err
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert len(rows) == 22 and {row["object"] for row in rows} == {"Flag", "Other"}


def test_frames_above_the_error_are_counted_and_kept(blender, flag, capfd):
    """No number of iterations reaches a nanometre in single precision."""
    world = blender.context.scene.gpbd
    world.frame_end, world.substeps, world.iterations, world.error_tolerance = 4, 2, 1, 1e-6
    job = scenes.bake(blender)
    above = reports_of(flag).above_error()
    assert len(above) == 3 == job.report.above and job.state == "done" and len(scenes.cache(job)) == 4
    told = next(text for text in job.report.warnings if "solver error above" in text)
    assert told.startswith("3 of 4 frames kept a solver error above 1e-06 mm (worst:")
    assert "3 frames kept a solver error above" in draw(blender, flag, "PHYSICS_PT_gpbd_statistics").text().replace(
        "  ", " "
    )
    assert job.report.numbers()["above_error"] == 3


def test_a_bake_that_stops_below_its_error_says_nothing_of_it(blender, tmp_path):
    """A coarse sheet hung by two corners: all of it is within a centimetre after a few iterations."""
    scenes.cloth(blender, pins=[0, 6], end=3)
    world = blender.context.scene.gpbd
    world.substeps, world.iterations, world.error_tolerance = 24, 4, 10.0
    scenes.save(blender, tmp_path)
    job = scenes.bake(blender)
    assert job.report.above == 0 and not [text for text in job.report.warnings if "solver error" in text]
