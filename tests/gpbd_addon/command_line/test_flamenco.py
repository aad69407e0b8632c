"""The job type of the guide, run by Node.js against a stand-in of Flamenco's API: which tasks it makes of which settings."""

import json
import shutil
import subprocess

import pytest

from tests.gpbd_addon.command_line.conftest import ROOT

SCRIPT = ROOT / "docs/guide/flamenco_gpbd_bake.js"
#: What Flamenco gives to scripts, of that what this one may use: tasks keep their commands and dependencies.
STAND_IN = """
const fs = require("fs"), vm = require("vm");
class Task {
    constructor(name, type) { this.name = name; this.type = type; this.commands = []; this.after = []; }
    addCommand(command) { this.commands.push(command); }
    addDependency(task) { this.after.push(task.name); }
}
const tasks = [];
const api = {
    author: { Task: (name, type) => new Task(name, type), Command: (name, parameters) => ({ name, parameters }) },
    frameChunker: (frames, size) => {
        const [first, last] = frames.split("-").map(Number), found = [];
        for (let k = first; k <= last; k += size) found.push(`${k}-${Math.min(k + size - 1, last)}`);
        return found;
    },
    print: () => {},
};
const told = JSON.parse(process.argv[2]);
vm.createContext(api);
vm.runInContext(fs.readFileSync(process.argv[1], "utf8") + "; this.jobType = JOB_TYPE; this.compile = compileJob;", api);
const settings = Object.fromEntries(api.jobType.settings.map((s) => [s.key, s.default]));
try {
    api.compile({ settings: { ...settings, ...told }, addTask: (task) => tasks.push(task) });
    console.log(JSON.stringify({ tasks, settings: api.jobType.settings }));
} catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
}
"""


def compiled(**settings):
    """Return the tasks that the script compiles from a job."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not here, so the script cannot be run")
    given = {"frames": "1-25", "cache": "/caches/shot", "blendfile": "/shots/shot.blend", **settings}
    done = subprocess.run([node, "-e", STAND_IN, str(SCRIPT), json.dumps(given)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def parsed(extension, command):
    """The options of a command of a task, as our own parser reads them."""
    from gpbd.gpbd_addon.command_line import main

    assert command["name"] == "exec" and command["parameters"]["exe"] == "{blender}"
    arguments = command["parameters"]["args"]
    assert arguments[:4] == ["-b", "/shots/shot.blend", "--command", "gpbd"]
    return main._parser("gpbd", False).parse_args(arguments[4:])


def test_bake_then_verify_then_render(extension):
    tasks = compiled(render_output_path="/out/######")["tasks"]
    assert [(task["name"], task["type"], task["after"]) for task in tasks] == [
        ("bake", "blender", []),
        ("verify", "blender", ["bake"]),
        *((f"render-{chunk}", "blender", ["verify"]) for chunk in ("1-10", "11-20", "21-25")),
    ]
    bake = parsed(extension, tasks[0]["commands"][0])
    assert (bake.frames, bake.cache, bake.go_on, bake.take_over, bake.no_save) == (
        (1, 25),
        "/caches/shot",
        True,
        True,
        False,
    )
    assert bake.quality is None and bake.objects is None and bake.set == []
    assert parsed(extension, tasks[1]["commands"][0]).cache == "/caches/shot"
    (render,) = tasks[3]["commands"]
    assert render["name"] == "blender-render" and render["parameters"]["blendfile"] == "/shots/shot.blend"
    assert render["parameters"]["args"] == ["--render-output", "/out/######", "--render-frame", "11..20"]


def test_the_settings_of_the_job_are_those_of_the_bake(extension):
    overrides = "scene.substeps=24; Flag.preset=denim;"
    tasks = compiled(frames="-5-8", objects="Flag,Cape", quality="draft", overrides=overrides, render=False)["tasks"]
    assert [task["name"] for task in tasks] == ["bake", "verify"]
    bake = parsed(extension, tasks[0]["commands"][0])
    assert (bake.frames, bake.objects, bake.quality) == ((-5, 8), ["Flag", "Cape"], "draft")
    assert [str(override) for override in bake.set] == ["scene.substeps=24", "Flag.preset=denim"]
    assert parsed(extension, tasks[1]["commands"][0]).objects == ["Flag", "Cape"]


def test_a_range_with_gaps_is_refused():
    for frames in ("1,3,5", "7", "", "1-2; rm"):
        assert "is no range" in compiled(frames=frames)["error"]


def test_negative_frames_are_baked_but_not_rendered():
    """Blender's `--render-frame -5` is five frames before the end."""
    assert "negative frames" in compiled(frames="-5-8")["error"]
    assert len(compiled(frames="-5-8", render=False)["tasks"]) == 2


def test_choices_are_qualities_and_the_range_is_that_of_the_scene(blender):
    """Expressions that Blender evaluates when a job is submitted."""
    settings = {one["key"]: one for one in compiled()["settings"]}
    quality = blender.context.scene.gpbd.bl_rna.properties["quality"]
    known = [item.identifier.lower() for item in quality.enum_items]
    default, *choices = settings["quality"]["choices"]
    assert set(choices) == {*known} - {"custom"} and default == settings["quality"]["default"]
    assert default, "a menu of Blender's leaves an empty choice out"
    scene = blender.context.scene
    assert eval(settings["frames"]["eval"], {"C": blender.context}) == "1-120"
    scene.frame_end = 40
    assert eval(settings["frames"]["eval"], {"C": blender.context}) == "1-40"
    scene.gpbd.frame_start, scene.gpbd.frame_end = 3, 9
    assert scene.gpbd.own_range and eval(settings["frames"]["eval"], {"C": blender.context}) == "3-9"
