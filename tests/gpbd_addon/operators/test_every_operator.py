"""Every operator is left at each stage, undone and done again, and none ends in a traceback or leaves anything behind."""

import time
from types import SimpleNamespace

import pytest

from tests.gpbd_addon import scenes
from tests.gpbd_addon.scenes import bake
from tests.guards import sources


def classes():
    from gpbd.gpbd_addon.operators import CLASSES
    from gpbd.gpbd_addon.operators.modal_job import ModalJob

    return [cls for cls in CLASSES if issubclass(cls, ModalJob)], [cls for cls in CLASSES if not issubclass(cls, ModalJob)]


#: What an operator needs to do something in this scene.
GIVEN = {
    "add_body": {"body_type": "SOFT_BODY"},
    "choose_version": {"number": 1},
    "copy_to_selected": {},
    "export_statistics": {"filepath": "{folder}/numbers.csv"},
    "find_intersections": {"frame": 3},
    "fix_finding": {"index": 0},
    "import_fabric": {"filepath": "{folder}/nothing.json"},
    "install_cuda": {"agree": False},
    "match_render": {"object_name": "Flag", "modifier_name": "Subdivision"},
    "remove_attachment": {"index": 0},
    "remove_modifier": {"object_name": "Flag", "modifier_name": "Subdivision"},
    "save_preset": {"name": "Saved in a test"},
    "select_loose": {"object_name": "Flag"},
    "set_outer_thickness": {"collider": "Ball", "thickness": 0.01},
}


@pytest.fixture
def shot(blender, tmp_path):
    """A baked flag, active and selected, with a modifier, an attachment and a version that can be damaged; a collider."""
    flag = scenes.moving_flag(blender, tmp_path)
    bake(blender, frames=(1, 4))
    flag.modifiers.new("Subdivision", "SUBSURF")
    flag.gpbd.attachments.add().target = blender.data.objects["Ball"]
    flag.gpbd.attachments.clear()
    blender.context.view_layer.objects.active = flag
    flag.select_set(True)
    blender.context.view_layer.update()
    scenes.save(blender, tmp_path)
    blender.ops.ed.undo_push(message="begun")
    return flag


def call(blender, cls, folder):
    """Return its result, or its report; "poll" where it cannot be called. A fault of ours fails the test."""
    name = cls.bl_idname.partition(".")[2]
    known = cls.bl_rna.properties.keys() if hasattr(cls, "bl_rna") else ()
    given = {key: value for key, value in GIVEN.get(name, {}).items() if key in known or key in cls.__annotations__}
    given = {key: value.format(folder=folder) if isinstance(value, str) else value for key, value in given.items()}
    operator = getattr(blender.ops.gpbd, name)
    if not operator.poll():
        return "poll"
    try:
        return operator(**given)
    except RuntimeError as error:
        assert "Traceback" not in str(error), f"{name}: {error}"
        return str(error)


@pytest.fixture
def modal(monkeypatch):
    """Operators that do a job begin as in a window, where Blender itself would call them with events. They are gathered."""
    from gpbd.gpbd_addon.operators import modal_job

    begun, begin = [], modal_job.ModalJob._begin

    def gathered(self, context):
        begun.append(self)
        return begin(self, context)

    monkeypatch.setattr(modal_job.ModalJob, "_begin", gathered)
    monkeypatch.setattr(modal_job.ModalJob, "execute", gathered)
    return begun


def event(kind):
    return SimpleNamespace(type=kind, value="PRESS" if kind == "ESC" else "NOTHING")


def go_on(blender, operator, seconds=300.0):
    until = time.monotonic() + seconds
    while (result := operator.modal(blender.context, event("TIMER"))) == {"RUNNING_MODAL"}:
        assert time.monotonic() < until, "does not end"
        time.sleep(0.002)
    return result


def left_behind(blender, folder):
    """Return files and handlers that should not remain once nothing runs."""
    from gpbd.gpbd_addon.bake import watch
    from gpbd.gpbd_addon.operators import progress

    manager = blender.context.window_manager
    files = [path.name for ending in ("*.lock", "*.part") for path in folder.rglob(ending)]
    return [manager.gpbd_status, *files, *watch._running, *progress._timers][manager.gpbd_status == "" :]


JOBS = (
    "bake", "bake_from_here", "bake_selected", "check_scene", "collect_caches", "compile_kernels", "drape", "install_cuda",
    "make_simulation_mesh", "remove_cuda", "repair_cache", "resume", "verify_cache",
)  # fmt: skip


def job_class(name):
    return next(cls for cls in classes()[0] if cls.bl_idname == f"gpbd.{name}")


def test_all_that_do_a_job_are_here_and_none_that_takes_long_is_done_again_by_repeat_last(extension):
    jobs, _ = classes()
    assert sorted(cls.bl_idname for cls in jobs) == [f"gpbd.{name}" for name in JOBS]
    assert [cls.bl_idname for cls in jobs if "REGISTER" in cls.bl_options] == ["gpbd.make_simulation_mesh"]


@pytest.mark.parametrize("name", JOBS)
def test_esc_in_a_dialog_before_the_job_began_is_no_fault(blender, shot, tmp_path, monkeypatch, name):
    """Blender calls `cancel` of an operator whose dialog is left."""
    from gpbd.gpbd_addon.operators import modal_job

    left = []

    def execute(self, context):
        left.append(self.cancel(context))
        return {"CANCELLED"}

    monkeypatch.setattr(modal_job.ModalJob, "execute", execute)
    monkeypatch.setattr(job_class(name), "execute", execute, raising=False)
    blender.context.scene.frame_set(4)
    getattr(blender.ops.gpbd, name)()
    assert left == [None] and left_behind(blender, tmp_path) == []


STAGES = "at once", "after a step", "after some steps", "twice", "at its end", "file loaded"
#: A bake is stopped at every stage; other jobs at this one where tests are `slow`, and at the rest where they are `long`.
#: Each job has tests of its end elsewhere.
OF_ALL = ("after a step",)
ENDINGS = [
    pytest.param(
        name,
        stage,
        marks=[pytest.mark.long] * (stage not in OF_ALL) + [pytest.mark.slow] if name != "bake" else [],
    )
    for name in JOBS
    if "cuda" not in name
    for stage in STAGES
]


@pytest.mark.parametrize(("name", "stage"), ENDINGS)
def test_esc_at_each_stage_ends_a_job_and_leaves_nothing_behind(blender, shot, modal, tmp_path, name, stage):
    if name == "compile_kernels" and stage == "at its end":
        pytest.skip("that takes minutes")
    blender.context.scene.frame_set(4)
    blender.context.scene.frame_end = 6
    given = {"drape": {"threshold": 1.0}, "make_simulation_mesh": {"edge": 0.2}}.get(name, {})
    assert getattr(blender.ops.gpbd, name)(**given) == {"RUNNING_MODAL"}
    (operator,) = modal
    job = operator._job
    for _ in range({"after a step": 1, "after some steps": 12}.get(stage, 0)):
        if operator.modal(blender.context, event("TIMER")) != {"RUNNING_MODAL"}:
            break
        time.sleep(0.01)
    if stage == "file loaded":
        blender.ops.wm.read_homefile(use_empty=True)
    elif job.state == "running":
        if stage != "at its end":
            for _ in range(2 if stage == "twice" else 1):
                result = operator.modal(blender.context, event("ESC"))
        if job.state == "running":
            result = go_on(blender, operator)
        assert result in ({"FINISHED"}, {"CANCELLED"})
    assert job.state in ("done", "cancelled", "failed") and left_behind(blender, tmp_path) == [], job.error
    assert stage != "at its end" or job.state == "done"


def test_repair_asks_what_to_do_only_where_something_is_damaged(blender, shot, modal, tmp_path, monkeypatch):
    """In a window it verifies first; then the same operator is called with the planned repairs."""
    from gpbd.gpbd_addon.operators import repair_cache

    asked = []
    monkeypatch.setattr(repair_cache.GPBD_OT_repair_cache, "_ask_again", lambda self, planned: asked.append(planned))
    monkeypatch.setattr(repair_cache, "in_background", lambda: False)
    for damaged in (False, True):
        if damaged:
            path = next((tmp_path / "gpbd_cache").glob("*.pc2"))
            content = bytearray(path.read_bytes())
            content[32 + 2 * 49 * 12 + 6] ^= 1
            path.write_bytes(content)
        assert blender.ops.gpbd.repair_cache() == {"RUNNING_MODAL"}
        assert go_on(blender, modal.pop()) == {"FINISHED"} and len(asked) == damaged
    assert asked[0].startswith("Solve frame 3 of Flag again from the ")
    assert path.read_bytes() == bytes(content)
    assert blender.ops.gpbd.repair_cache(planned=asked[0]) == {"RUNNING_MODAL"}
    go_on(blender, modal.pop())
    assert path.read_bytes() != bytes(content)


def second_body(blender, flag):
    other = scenes.cloth(blender, "Second", location=(3, 0, 0))
    other.select_set(True)
    blender.context.view_layer.objects.active = flag


def attached(blender, flag):
    flag.gpbd.attachments.add()


def begun_elsewhere(blender, flag):
    from gpbd.gpbd_addon.read import start_shape

    flag.modifiers.remove(flag.modifiers["Subdivision"])
    start_shape.write(flag, scenes.evaluated_positions(blender, flag))


def with_simulation_mesh(blender, flag):
    assert blender.ops.gpbd.make_simulation_mesh(edge=0.3) == {"FINISHED"}


def of_blender(blender, flag):
    blender.ops.gpbd.remove_body()
    flag.modifiers.new("Cloth", "CLOTH")


def stretched(blender, flag):
    flag.scale = 1, 2, 1
    blender.context.view_layer.update()


def below_the_detail(blender, flag):
    flag.modifiers.move(list(flag.modifiers.keys()).index("Subdivision"), 0)


def rope_along_a_curve(blender, flag):
    data = blender.data.curves.new("Cord", "CURVE")
    data.splines.new("POLY").points.add(1)
    data.splines[0].points[1].co = 1, 0, 0, 1
    ob = blender.data.objects.new("Cord", data)
    blender.context.scene.collection.objects.link(ob)
    blender.context.view_layer.objects.active = ob
    assert blender.ops.gpbd.rope_from_curve(segment=0.1) == {"FINISHED"}


#: Operators that want more than `shot` has -> what gives it to them, and their own values.
PREPARED = {
    "apply_preset": (None, {"path": str(sources.ROOT / "presets" / "fabrics" / "denim.toml")}),
    "apply_scale": (stretched, {"object_name": "Flag"}),
    "bind_simulation_mesh": (with_simulation_mesh, {}),
    "convert_from_blender": (of_blender, {}),
    "copy_to_selected": (second_body, {}),
    "move_modifier": (below_the_detail, {"object_name": "Flag", "modifier_name": "Subdivision"}),
    "name_version": (None, {"number": 1, "name": "Soft"}),
    "play_on_curve": (rope_along_a_curve, {}),
    "remove_attachment": (attached, {"index": 0}),
    "remove_simulation_mesh": (with_simulation_mesh, {}),
    "remove_start": (begun_elsewhere, {}),
    "set_outer_thickness": (None, {"collider": "Ball", "thickness": 0.01}),
}


@pytest.mark.parametrize("name", PREPARED)
def test_what_wants_more_is_done_undone_and_done_again(blender, shot, tmp_path, name):
    prepare, given = PREPARED[name]
    if prepare is not None:
        prepare(blender, shot)
    blender.ops.ed.undo_push(message="before")
    operator = getattr(blender.ops.gpbd, name)
    for _ in range(2):
        assert operator(**given) == {"FINISHED"}
        blender.ops.ed.undo_push(message=name)
        blender.ops.ed.undo()
    assert left_behind(blender, tmp_path) == []


def without_bodies(blender):
    for ob in blender.data.objects:
        ob.gpbd.body_type = "NONE"


def without_an_active_object(blender):
    blender.context.view_layer.objects.active = None
    for ob in blender.context.view_layer.objects:
        ob.select_set(False)


def without_objects(blender):
    for ob in list(blender.data.objects):
        blender.data.objects.remove(ob)


def in_edit_mode(blender):
    blender.ops.object.mode_set(mode="EDIT")


@pytest.mark.parametrize(
    "change", [None, without_bodies, without_an_active_object, without_objects, in_edit_mode],
    ids=lambda change: change.__name__ if change else "as it is",
)  # fmt: skip
def test_every_other_operator_is_undone_and_done_again_or_refuses_in_words(blender, shot, tmp_path, change):
    """Each in the scene as it was opened, and in scenes that have nothing for it, as the search of a menu finds it too."""
    done = {}
    for cls in classes()[1]:
        blender.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
        if change is not None:
            change(blender)
        blender.ops.ed.undo_push(message="before")
        first = call(blender, cls, tmp_path)
        blender.ops.ed.undo_push(message=cls.bl_idname)
        blender.ops.ed.undo()
        again = call(blender, cls, tmp_path)
        done[cls.bl_idname] = first
        if change is None and cls.bl_idname != "gpbd.save_preset":  # whose file undo leaves
            assert isinstance(first, set) == isinstance(again, set), f"{cls.bl_idname}: {first}, then {again}"
        assert left_behind(blender, tmp_path) == []
    assert change is not None or sum(result == {"FINISHED"} for result in done.values()) >= len(done) // 2, done
