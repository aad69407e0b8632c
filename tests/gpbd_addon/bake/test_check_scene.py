"""Check Scene: its findings and its buttons."""

import json

import numpy as np
import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.ui.test_panels import draw


@pytest.fixture
def flag(blender, tmp_path):
    ob = scenes.cloth(blender, end=3)
    ob.gpbd.self_contact = True
    blender.context.view_layer.objects.active = ob
    scenes.save(blender, tmp_path)
    return ob


def press(blender, text):
    """Checks, then presses the button of the only line that has this text."""
    manager = blender.context.window_manager
    assert blender.ops.gpbd.check_scene() == {"FINISHED"}
    (number,) = [k for k, found in enumerate(manager.gpbd_findings) if text in found.text]
    found = manager.gpbd_findings[number]
    assert found.button and json.loads(found.values) is not None
    assert blender.ops.gpbd.fix_finding(index=number) == {"FINISHED"}


@pytest.mark.parametrize(("kind", "called"), [("CLOTH", "Cloth"), ("SOFT_BODY", "Soft Body")])
def test_what_is_left_of_blenders_own_simulation_is_removed_by_its_button(blender, flag, kind, called):
    flag.modifiers.new("old", kind)
    press(blender, f"Flag: has Blender's {called} too")
    assert not [md for md in flag.modifiers if md.type == kind]
    assert scenes.check(blender) == []


def test_what_deforms_after_ours_is_told_everywhere_and_goes_above_by_its_button(blender, flag, capsys):
    """The order of modifiers decides: only one below ours moves the simulated shape."""
    from gpbd.gpbd_addon.bake.drape_job import START, DrapeJob
    from gpbd.gpbd_addon.bake.job import BakeJob
    from gpbd.gpbd_addon.command_line import main as cli

    blender.ops.gpbd.add_body(body_type="CLOTH")
    for name, kind in (("Rig", "ARMATURE"), ("Cage", "LATTICE")):
        flag.modifiers.new(name, kind)
    text = "Flag: the modifier '{}' stands after 'GPBD Cloth'"
    told = " ".join(scenes.check(blender))
    assert text.format("Rig") in told and text.format("Cage") in told
    job = BakeJob(blender.context.scene)
    job.start()  # before a frame is made
    assert text.format("Rig") in " ".join(job.report.warnings)
    job.stop("seen")
    drape = DrapeJob(blender.context.scene, START, 0.1, 2)
    drape.start()
    assert text.format("Cage") in " ".join(drape.warnings)
    drape.stop("seen")
    capsys.readouterr()
    assert cli.main(["bake", "--no-save"]) == 0
    out = capsys.readouterr().out
    assert -1 < out.index(text.format("Rig")) < out.index("frame 2") and out.count(text.format("Rig")) == 1
    for name in ("Rig", "Cage"):
        press(blender, text.format(name))
    assert [md.type for md in flag.modifiers] == ["ARMATURE", "LATTICE", "MESH_CACHE", "NODES"]
    assert scenes.check(blender) == []


def test_what_blender_still_moves_beside_is_converted_by_its_button(blender, flag):
    other = scenes.grid(blender, "Other", location=(0, 5, 0))
    old = other.modifiers.new("old", "CLOTH")
    press(blender, "Other: is moved by Blender's Cloth")
    assert other.gpbd.body_type == "CLOTH" and not old.show_viewport
    assert scenes.check(blender) == []


def test_an_uneven_scale_is_applied_where_a_modifier_after_ours_measures(blender, flag):
    """The mesh and a child stay where they are, to single precision."""
    flag.scale = (1, 1, 2)
    blender.ops.gpbd.add_body(body_type="CLOTH")
    child = scenes.grid(blender, "Child", location=(0.1, 0.2, 0.3))
    child.parent = flag
    assert scenes.check(blender) == []
    flag.modifiers.new("Thick", "SOLIDIFY")
    blender.context.view_layer.update()
    before = [np.array(child.matrix_world), scenes.world_positions(blender, flag)]
    press(blender, "Flag: is scaled by (1, 1, 2)")
    blender.context.view_layer.update()
    assert tuple(flag.scale) == (1, 1, 1)
    flag.modifiers["Thick"].show_viewport = False
    flat = scenes.world_positions(blender, flag)
    assert np.allclose(np.array(child.matrix_world), before[0], atol=1e-6)
    assert np.allclose(flat, before[1][: len(flat)], atol=1e-6)
    assert scenes.check(blender) == []


def test_loose_edges_are_selected_by_their_button(blender, flag):
    import bmesh

    work = bmesh.new()
    work.from_mesh(flag.data)
    work.verts.ensure_lookup_table()
    first, new = work.verts[0], work.verts.new((0, 0, 1))
    work.edges.new((first, new))
    work.to_mesh(flag.data)
    work.free()
    press(blender, "Flag: has 1 edge in no face")
    assert flag.mode == "EDIT"
    blender.ops.object.mode_set(mode="OBJECT")
    assert [e.index for e in flag.data.edges if e.select] == [len(flag.data.edges) - 1]


def test_seams_are_told_where_sewing_is_off_and_are_no_loose_edges_where_it_is_on(blender, flag):
    other = scenes.grid(blender, "Other", location=(0, 0, 2))
    with blender.context.temp_override(active_object=flag, object=flag, selected_editable_objects=[flag, other]):
        blender.ops.object.join()
    flag.data.edges.add(1)
    flag.data.edges[-1].vertices = 0, len(flag.data.vertices) - 1
    (told,) = [text for text in scenes.check(blender) if "in no face" in text]
    assert told.endswith("Switch Sewing on where they are seams, or delete them.")
    flag.gpbd.use_sewing_springs = True
    assert not [text for text in scenes.check(blender) if "in no face" in text]


def test_the_render_gets_the_levels_that_are_simulated(blender, flag):
    detail = flag.modifiers.new("Detail", "SUBSURF")
    blender.ops.gpbd.add_body(body_type="CLOTH")
    flag.modifiers.move(flag.modifiers.find("Detail"), 0)
    detail.levels, detail.render_levels = 1, 2
    press(blender, "Flag: 'Detail' gives the render another mesh")
    assert detail.render_levels == 1
    assert scenes.check(blender) == []


def test_detail_after_our_modifier_may_have_any_levels(blender, flag):
    blender.ops.gpbd.add_body(body_type="CLOTH")
    detail = flag.modifiers.new("Detail", "SUBSURF")
    detail.levels, detail.render_levels = 0, 3
    assert scenes.check(blender) == []


def test_a_sheet_that_iterations_alone_cannot_carry_is_named_before_the_bake(blender, flag):
    settings = blender.context.scene.gpbd
    scenes.cloth(blender, "Banner", pins=range(41), n=40, location=(5, 0, 1))
    settings.substeps, settings.iterations, settings.global_iterations = 2, 2, 0
    (told,) = scenes.check(blender)
    assert told.startswith("Banner: 2 iterations in each of 2 substeps cannot carry its weight")
    settings.global_iterations = 4
    assert scenes.check(blender) == []


def test_fields_that_move_nothing_are_named_and_those_that_do_are_not(blender, flag):
    for kind in ("TURBULENCE", "WIND", "BOID", "GUIDE", "TEXTURE", "FLUID_FLOW"):
        ob = scenes.field(blender, kind)
        ob.field.use_absorption = kind == "TURBULENCE"
    told = sorted(scenes.check(blender))
    assert [text.partition(".")[0] for text in told] == [
        "Boid: is a Boid field, which only boids follow",
        "Fluid_Flow: the Fluid Flow field has no smoke domain as its Domain Object",
        "Guide: is a Curve Guide and no curve",
        "Texture: the Texture field has no texture",
        "Turbulence: colliders do not absorb its Turbulence field: Absorption is not used",
    ]


@pytest.mark.parametrize(("mode", "colored", "nabla", "pushes"), [
    ("RGB", True, 0.0, True), ("RGB", False, 0.0, False), ("GRADIENT", True, 0.0, False), ("CURL", True, 0.1, True),
])  # fmt: skip
def test_a_texture_field_that_needs_a_nabla_and_has_none_is_named(blender, flag, mode, colored, nabla, pushes):
    """Blender's default of 0: a gradient over no distance."""
    texture = blender.data.textures.new("Clouds", "CLOUDS")
    texture.cloud_type = "COLOR" if colored else "GRAYSCALE"
    settings = scenes.field(blender, "TEXTURE").field
    settings.texture, settings.texture_mode = texture, mode
    if nabla:  # the default is below the least that can be set
        settings.texture_nabla = nabla
    told = [text for text in scenes.check(blender) if "Texture field" in text]
    assert told == (
        [] if pushes else ["Texture: Nabla is 0, so the Texture field has no slope and does nothing. Set Nabla to 0.1."]
    )


def test_a_bake_tells_of_fields_that_move_nothing(blender, flag):
    scenes.field(blender, "BOID")
    job = scenes.bake(blender)
    assert job.state == "done"
    assert sum("Boid: is a Boid field" in warning for warning in job.report.warnings) == 1


def test_a_body_in_centimetres_is_told_and_its_unit_scale_set_by_the_button(blender, flag):
    flag.scale = (170, 170, 170)
    blender.context.view_layer.update()
    press(blender, "Flag: is 170 m large")
    assert blender.context.scene.unit_settings.scale_length == pytest.approx(0.01)
    assert scenes.check(blender) == []


def test_a_start_through_itself_is_counted_and_selected_and_not_said_to_be_ready(blender, flag):
    """As many as Find Intersections counts, with Self Collisions on or off."""
    from gpbd.gpbd_addon.maps import intersections

    upright = scenes.cloth(blender, "Upright", location=(0.07, 0.011, 1.02), end=3)
    upright.rotation_euler = (0, np.pi / 2, 0)
    count = intersections.find(blender.context.scene).count
    for on in (True, False):
        flag.gpbd.self_contact = on
        (told,) = scenes.check(blender)
        assert told.startswith(f"Flag with Upright: {count} intersections at the start")
    press(blender, "intersections at the start")
    assert flag.mode == upright.mode == "EDIT"
    assert len(blender.context.window_manager.gpbd_findings) == 1  # there is still something to do


def test_a_collision_distance_beyond_the_edges_is_told(blender, flag):
    """Faces of 167 mm, of whose edges 45 % may be kept."""
    flag.gpbd.thickness = 0.5
    (told,) = scenes.check(blender)
    assert told.startswith("Flag: thickness 0.5 m is more than 0.45 of the edges at 49 vertices")


def test_a_gas_in_a_cloth_that_encloses_nothing_is_told(blender, flag):
    """A bake refuses it before its first frame."""
    settings = flag.gpbd
    settings.use_pressure, settings.pressure_factor = True, 1000.0
    assert any("encloses 0 m^3" in one for one in scenes.check(blender))
    settings.pressure_factor = 0.0
    assert not any("encloses" in one for one in scenes.check(blender))


def test_a_cloth_of_irregular_triangles_is_told_and_one_of_cut_quads_is_not(blender, flag):
    """Random points make hardly any rectangles; a grid's triangles, cut either way, all do."""
    from scipy.spatial import Delaunay

    points = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    mesh = flag.data
    mesh.clear_geometry()
    mesh.from_pydata(np.column_stack([points, np.zeros(80)]).tolist(), [], Delaunay(points).simplices.tolist())
    (told,) = [text for text in scenes.check(blender) if "quads" in text]
    assert told.startswith("Flag: ") and told.endswith("Remesh it to quads.")
    x, y = (k.ravel() for k in np.meshgrid(*[np.linspace(-1, 1, 7)] * 2))
    first = np.arange(42).reshape(6, 7)[:, :6].ravel()
    cut = np.concatenate([first[:, None] + [0, 1, 8], first[:, None] + [0, 8, 7]])
    mesh.clear_geometry()
    mesh.from_pydata(np.column_stack([x, y, 0 * x]).tolist(), [], cut.tolist())
    assert not [text for text in scenes.check(blender) if "quads" in text]


def test_lines_are_drawn_with_their_buttons_and_taken_away(blender, flag):
    flag.modifiers.new("old", "CLOTH")
    blender.ops.gpbd.check_scene()
    layout = draw(blender, flag)
    assert "1 to look at before a bake" in layout.text() and "Flag: has Blender's Cloth too" in layout.text()
    assert ("operator", "gpbd.fix_finding") in layout.drawn
    assert blender.ops.gpbd.fix_finding(index=-1) == {"FINISHED"}
    assert "to look at" not in draw(blender, flag).text()


def test_tetrahedra_of_the_check_are_those_of_the_bake(blender, tmp_path, monkeypatch):
    """They are filled once; the bake's worker does not fill again."""
    from gpbd.solver.device.worker import Worker

    jelly = scenes.soft(blender, method="TETWILD", end=2)
    jelly.gpbd.tet_resolution = 0.4
    scenes.save(blender, tmp_path)
    assert scenes.check(blender) == []
    submit, submitted = Worker.submit, []
    monkeypatch.setattr(Worker, "submit", lambda self, *question: submitted.append(question[0]) or submit(self, *question))
    assert scenes.bake(blender).state == "done"
    assert "build" in submitted and "fill" not in submitted


def test_a_filling_that_nothing_can_stop_says_so(monkeypatch, extension):
    """Without a Python process the worker is a thread of Blender, which ends when it has finished."""
    from gpbd.gpbd_addon.read import filling
    from gpbd.solver.device import worker
    from gpbd.solver.topology.tetrahedra import Tetrahedralization

    def none(*_):
        raise OSError("none found")

    monkeypatch.setattr(worker, "_Process", type("None", (), {"idle": staticmethod(none)}))
    filler, told, answers = worker.Worker("session:Session"), [], iter([False, True])
    monkeypatch.setattr(filler, "is_ready", lambda: next(answers))
    monkeypatch.setattr(filler, "submit", lambda *_: None)
    monkeypatch.setattr(filler, "result", lambda: Tetrahedralization(np.zeros((4, 3)), np.zeros((1, 4), int), None))
    for _ in filling.filling(filler, told.append, "Jelly", np.zeros((4, 3)), np.zeros((4, 3), int), "tetwild", 0.1):
        pass
    filling._kept.clear()
    filler.close()
    assert told == [
        "Filling Jelly with tetrahedra: 0 s, which Esc stops only when it is done: there is no Python to run beside Blender"
    ]


def test_filling_is_stopped_by_esc_and_says_how_long_it_takes(blender, tmp_path):
    """A cube in tetrahedra of a fiftieth of its size takes many seconds; it is ended when it has begun."""
    from gpbd.gpbd_addon.bake.job import BakeJob

    jelly = scenes.soft(blender, method="TETWILD", end=2)
    jelly.gpbd.tet_resolution = 0.02
    scenes.save(blender, tmp_path)
    job = BakeJob(blender.context.scene)
    job.start()
    while "Filling Jelly with tetrahedra:" not in job.status:
        assert not job.poll(0.05)
    job.cancel("Esc was pressed")
    while not job.poll(1.0):
        pass
    assert (job.state, job.error, job.report.frames) == ("cancelled", None, 0)
