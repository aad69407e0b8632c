"""Panels, drawn with a layout that records the rows: no window is needed."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from tests.gpbd_addon import scenes


class Layout:
    """Stands for a UILayout; refuses properties, operators, menus and icons that do not exist."""

    def __init__(self, bpy, drawn=None):
        self.bpy = bpy
        self.drawn = [] if drawn is None else drawn
        self.icons = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys()

    def _part(self, **options):
        return Layout(self.bpy, self.drawn)

    row = column = box = split = column_flow = grid_flow = _part

    def panel(self, idname, default_closed=False):
        return self._part(), self._part()

    def label(self, text="", icon="NONE"):
        self._note("label", text, icon)

    def template_icon(self, icon_value, scale=1.0):
        self._note("picture", icon_value)

    def separator(self, type="AUTO"):
        pass

    def progress(self, factor=0.0, text=""):
        self._note("progress", text)

    def prop(self, data, name, text=None, icon="NONE", index=-1, **options):
        assert name in data.bl_rna.properties, name
        self._note("prop", name, icon)

    def prop_decorator(self, data, name, index=-1):
        assert data.bl_rna.properties[name].is_animatable
        assert ("prop", name) in self.drawn, f"{name}: the dot has no field, which Blender says on the console"

    def prop_enum(self, data, name, value):
        assert value in data.bl_rna.properties[name].enum_items
        self._note("prop", name)

    def prop_search(self, data, name, source, items, text="", icon="NONE"):
        assert name in data.bl_rna.properties and items in source.bl_rna.properties
        self._note("prop", name, icon)

    def popover(self, name, text="", icon="NONE"):
        assert hasattr(self.bpy.types, name)
        self._note("popover", text, icon)

    def template_icon_view(self, data, name, show_labels=False, scale=6.0, scale_popup=5.0):
        assert name in data.bl_rna.properties
        self._note("pictures", name)

    def menu(self, name, text="", icon="NONE"):
        assert hasattr(self.bpy.types, name)
        self._note("menu", text, icon)

    def operator(self, name, text="", icon="NONE", depress=False, emboss=True):
        module, function = name.split(".")
        known = getattr(getattr(self.bpy.ops, module), function).get_rna_type().properties.keys()
        self._note("operator", name, icon)
        return Properties(known)

    def _note(self, kind, what, icon="NONE"):
        assert icon in self.icons, icon
        self.drawn.append((kind, what))

    def text(self):
        return " ".join(what for kind, what in self.drawn if kind in ("label", "progress", "menu"))


class Properties:
    """Properties of an operator's button; refuses others."""

    def __init__(self, known):
        object.__setattr__(self, "known", known)

    def __setattr__(self, name, value):
        assert name in self.known, name


PARTS = ("material", "pins", "body", "collisions", "simulation", "drape", "cache", "statistics")
PANELS = ["PHYSICS_PT_gpbd", *(f"PHYSICS_PT_gpbd_{part}" for part in PARTS)]


def draw(bpy, ob, *names, scene=None):
    layout = Layout(bpy)
    context = SimpleNamespace(
        object=ob,
        scene=scene or bpy.context.scene,
        view_layer=bpy.context.view_layer,
        window_manager=bpy.context.window_manager,
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),  # 0 without a window
        region=SimpleNamespace(width=240),
    )
    for name in names or PANELS:
        panel = getattr(bpy.types, name)
        assert panel.poll(context)
        own = SimpleNamespace(layout=layout)
        if hasattr(panel, "begin"):
            own.begin = partial(panel.begin, own)
        for part in ("draw_header", "draw"):
            if hasattr(panel, part):
                getattr(panel, part)(own, context)
    return layout


def test_a_collider_shows_what_it_collides_with_and_nothing_else_does(blender):
    floor, plain, flag = scenes.floor(blender), scenes.grid(blender, "Plain"), scenes.cloth(blender)
    drawn = {what for kind, what in draw(blender, floor, "PHYSICS_PT_gpbd_collider").drawn if kind == "prop"}
    own = {"own_thickness", "outer_thickness_mm"}
    assert drawn == {"contact_collection", "no_contact_group", "collider_side", *own}
    poll = blender.types.PHYSICS_PT_gpbd_collider.poll
    assert not any(poll(SimpleNamespace(object=ob)) for ob in (plain, flag, None))


@pytest.fixture(params=["CLOTH", "SOFT_BODY"])
def body(request, blender):
    ob = scenes.grid(blender)
    blender.context.view_layer.objects.active = ob
    blender.ops.gpbd.add_body(body_type=request.param)
    return ob


def test_the_panels_offer_every_number_of_the_material(body, blender):
    from gpbd.gpbd_addon.properties import energy_groups
    from gpbd.solver.scene import catalog

    drawn = {what.removesuffix("_shown").removesuffix("_mm") for kind, what in draw(blender, body).drawn if kind == "prop"}
    wanted = {key for name in energy_groups.energies_of(body.gpbd) for key in catalog.energies()[name].parameters}
    assert wanted and wanted <= drawn
    world = {"frame_start", "frame_end", "quality", "substeps", "iterations", "threads", "device", "wind", "cache_folder"}
    world |= {"method", "integrator", "error_tolerance", "drape_result", "rest_threshold_percent"}
    assert world | {"pin_group", "self_contact", "friction", "thickness", "initial_velocity"} <= drawn


def test_the_panels_offer_the_numbers_of_any_energy_that_is_used(body, blender):
    from gpbd.gpbd_addon.properties import energy_choices
    from gpbd.solver.scene import catalog

    names = energy_choices.possible(body.gpbd.body_type)
    for name in names:
        getattr(body.gpbd, name).use = True
    layout = draw(blender, body, "PHYSICS_PT_gpbd_material")
    drawn = [what.removesuffix("_shown") for kind, what in layout.drawn if kind == "prop"]
    wanted = [key for name in names for key in catalog.energies()[name].parameters]
    assert all(drawn.count(key) == wanted.count(key) for key in wanted)
    assert drawn.count("use") == 3  # stretch limit, tethers, edge lengths of cloth; volume, edge lengths, springs of solids


def test_the_panels_offer_every_operator(body, blender):
    body_names = ["remove_body", "save_preset", "convert_to_shape_keys"]
    names = [*body_names, "bake", "resume", "bake_from_here", "bake_selected", "clear_cache", "check_scene", "drape"]
    names += ["verify_cache", "repair_cache", "recover_bake", "keep_live"]
    names += ["warp_lines"] if body.gpbd.body_type == "CLOTH" else []
    drawn = {what for kind, what in draw(blender, body).drawn if kind == "operator"}
    assert drawn == {f"gpbd.{name}" for name in names}


def test_the_first_row_shows_the_whole_name_of_the_kind_and_its_menu_has_all_kinds(body, blender):
    from gpbd.gpbd_addon.body_kinds import BODY_KINDS
    from gpbd.gpbd_addon.ui.kind_menu import GPBD_MT_kind

    assert ("menu", BODY_KINDS[body.gpbd.body_type].name) in draw(blender, body).drawn
    layout = Layout(blender)
    GPBD_MT_kind.draw(SimpleNamespace(layout=layout), None)
    assert layout.drawn == [("operator", "gpbd.add_body")] * len(BODY_KINDS)


def test_a_baked_body_with_a_start_shape_has_the_operators_for_them(body, blender, tmp_path):
    body.data.attributes.new("gpbd_start", "FLOAT_VECTOR", "POINT")
    write_cache(body, tmp_path / "a.pc2", len(body.data.vertices), reports=[{}, {"error": 0.5}, {"error": 0.25}])
    drawn = {what for kind, what in draw(blender, body).drawn if kind == "operator"}
    assert {
        f"gpbd.{name}"
        for name in ("remove_start", "apply_shape", "show_statistics", "export_statistics", "stretch_heat_map")
    } <= drawn


def test_what_a_first_bake_needs_comes_first_and_all_the_rest_is_closed(body, blender):
    """Preset, quality, range, Bake and state are the main panel's; the rest is in panels that are closed at first."""
    drawn = draw(blender, body, "PHYSICS_PT_gpbd").drawn
    names = [what for kind, what in drawn if kind in ("menu", "prop", "operator")]
    order = [names.index(name) for name in ("gpbd.save_preset", "quality", "frame_end", "gpbd.bake", "gpbd.check_scene")]
    assert order == sorted(order)
    assert all("DEFAULT_CLOSED" in getattr(blender.types, name).bl_options for name in PANELS[1:])


def test_a_new_body_has_one_line_of_state(body, blender):
    """The key to press while Live is on, else "Not baked yet"; no note on a folder of frames."""
    states = {"Press Space to simulate", "Not baked yet", "Save the file: its frames go with it"}
    for live, wanted in ((True, "Press Space to simulate"), (False, "Not baked yet")):
        blender.context.scene.gpbd.live = live
        drawn = [what for kind, what in draw(blender, body, "PHYSICS_PT_gpbd").drawn if kind == "label"]
        assert [what for what in drawn if what in states] == [wanted]


def test_the_range_is_the_timelines_until_it_is_set(body, blender):
    from gpbd.gpbd_addon.read.scene_input import frame_range

    scene = blender.context.scene
    scene.frame_start, scene.frame_end = 5, 48
    assert frame_range(scene) == (5, 48)
    scene.gpbd.frame_end = 20
    assert scene.gpbd.own_range and frame_range(scene) == (5, 20)
    scene.gpbd.own_range = False
    assert frame_range(scene) == (5, 48)


def test_a_first_bake_is_offered_120_frames_until_somebody_sets_a_range(body, blender):
    """A range of the timeline, of the bake, or by the clock beside them."""
    from gpbd.gpbd_addon.read.scene_input import frame_range

    def offered():
        owner = scene.gpbd.range_owner
        assert frame_range(scene) == (owner.frame_start, owner.frame_end)  # what the panel shows
        return frame_range(scene)

    scene = blender.context.scene
    assert (scene.frame_start, scene.frame_end) == (1, 250) and offered() == (1, 120)
    scene.frame_end = 48
    assert offered() == (1, 48)
    scene.frame_end = 250
    scene.gpbd.own_range = True
    assert offered() == (1, 120)
    scene.gpbd.own_range = False
    assert offered() == (1, 250) == (scene.frame_start, scene.frame_end)
    blender.ops.wm.read_factory_settings(use_empty=True)
    scene = blender.context.scene
    scene.gpbd.frame_end = 200
    assert scene.gpbd.own_range and offered() == (1, 200)
    blender.ops.wm.read_factory_settings(use_empty=True)
    scene = blender.context.scene
    scene.gpbd.frame_start = 10
    assert scene.gpbd.own_range and offered() == (10, 120)


def test_the_quality_says_what_it_costs(body, blender, tmp_path):
    def told():
        return draw(blender, body, "PHYSICS_PT_gpbd_simulation").text()

    world = blender.context.scene.gpbd
    world.quality = "DRAFT"
    assert "30 iterations a frame" in told() and "Draft" not in told() and "Last bake" not in told()
    world.quality = "REFERENCE"
    assert "480 iterations a frame, 16 times those of Draft" in told()
    world.quality = "ADAPTIVE"
    assert "At least 96 iterations" in told()
    reports = [{}, {"seconds": 9.0}, {"seconds": 0.25}, {"seconds": 0.25}]
    write_cache(body, tmp_path / "a.pc2", len(body.data.vertices), 4, reports)
    assert "Last bake: 0.25 s a frame" in told()


def test_the_units_stand_beside_the_numbers(body, blender):
    text = draw(blender, body, "PHYSICS_PT_gpbd_material").text()
    assert all(unit in text for unit in (["g/m²", "N/m", "µN·m"] if body.gpbd.body_type == "CLOTH" else ["kg/m³", "kPa"]))


def test_there_is_no_panel_for_an_object_that_is_not_simulated(blender):
    ob = scenes.grid(blender)
    assert not blender.types.PHYSICS_PT_gpbd.poll(SimpleNamespace(object=ob))
    assert not blender.types.PHYSICS_PT_gpbd.poll(SimpleNamespace(object=None))


def test_a_running_bake_shows_its_progress_instead_of_the_buttons(body, blender):
    manager = blender.context.window_manager
    manager.gpbd_status = "Frame 3 of 9"
    layout = draw(blender, body, "PHYSICS_PT_gpbd")
    manager.gpbd_status = ""
    assert "Frame 3 of 9" in layout.text() and "Esc" in layout.text()
    assert "gpbd.bake" not in [what for kind, what in layout.drawn if kind == "operator"]


def test_an_unsaved_file_is_told_where_its_frames_go(body, blender, tmp_path):
    assert "temporary folder" not in draw(blender, body).text(), "there are no frames yet"
    write_cache(body, tmp_path / "a.pc2", len(body.data.vertices))
    assert "temporary folder" in draw(blender, body).text()
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    assert "temporary folder" not in draw(blender, blender.data.objects["Flag"]).text()


def write_cache(ob, path, n_vertices, frames=3, reports=()):
    from gpbd.solver.cache.pc2_writer import Pc2Writer

    writer = Pc2Writer(path, n_vertices, 1, {"topology": "", "reports": list(reports)})
    for _ in range(frames):
        writer.append(np.zeros((n_vertices, 3)))
    writer.close()
    ob.modifiers[0].filepath = str(path)


def test_the_panel_says_what_is_wrong_with_a_cache(body, blender, tmp_path):
    """Blender reports it on the console only."""
    ob, n = body, len(body.data.vertices)
    path = tmp_path / "a.pc2"

    def told():
        return draw(blender, ob, "PHYSICS_PT_gpbd").text()

    write_cache(ob, path, n)
    assert "cannot" not in told() and "a.pc2" in draw(blender, ob, "PHYSICS_PT_gpbd_cache").text()
    write_cache(ob, path, n + 1)
    assert f"Cache: {n + 1} vertices, mesh: {n}" in told()
    path.write_bytes(b"nonsense")
    assert "no PC2 file" in told()
    path.unlink()
    assert "cannot be read" in told()
    ob.modifiers.clear()
    assert "modifier is missing" in told()


def test_a_copy_is_told_that_it_shows_the_cache_of_the_original(body, blender):
    assert "A copy" not in draw(blender, body).text()
    copy = body.copy()
    blender.context.scene.collection.objects.link(copy)
    assert "A copy: 'Flag'" in draw(blender, copy).text()


def test_an_override_is_told_that_blender_5_forgets_its_settings(body, blender, tmp_path):
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    blender.ops.wm.read_factory_settings(use_empty=True)
    with blender.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Flag"]
    ob = wanted.objects[0].override_create()
    told = "Library override" in draw(blender, ob, "PHYSICS_PT_gpbd").text()
    assert told == (blender.app.version >= (5, 0, 0))


def test_long_sentences_are_broken_to_the_width_of_the_panel(body, blender):
    """31 characters in the 240 pixels that Blender gives to the panels of a window 1600 wide."""
    for kind, text in draw(blender, body).drawn:
        assert kind != "label" or len(text) <= 31, text


def test_the_buttons_stand_among_blenders_own_physics_and_modifiers(blender):
    from gpbd.gpbd_addon.ui import modifier_add, physics_add

    ob = scenes.grid(blender)
    for button in (physics_add, modifier_add):
        layout = Layout(blender)
        button.draw(
            SimpleNamespace(layout=layout), SimpleNamespace(object=ob, window_manager=blender.context.window_manager)
        )
        made = [("operator", "gpbd.make_simulation_mesh")] if button is physics_add else []
        assert layout.drawn == [("operator", "gpbd.add_body")] * 5 + made
        layout = Layout(blender)
        button.draw(SimpleNamespace(layout=layout), SimpleNamespace(object=blender.data.objects.new("empty", None)))
        assert layout.drawn == []
    assert physics_add.draw in blender.types.PHYSICS_PT_add.draw._draw_funcs
    assert modifier_add.draw in blender.types.OBJECT_MT_modifier_add_physics.draw._draw_funcs
