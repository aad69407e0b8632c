"""The zip as users get it: built with its wheels, installed into an empty user folder, enabled, and baked with."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

from tests.guards.sources import ROOT
from tests.test_dev import made_up_site
from tools import extension_zip

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SYSTEMS = {("Linux", "x86_64"): "linux-x64", ("Windows", "AMD64"): "windows-x64", ("Darwin", "arm64"): "macos-arm64"}
SYSTEM = SYSTEMS.get((platform.system(), platform.machine()))
PYTHON = ".".join(map(str, sys.version_info[:2]))

#: What every script begins with.
BEGIN = """
def no_network(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        raise PermissionError(f"{event} {arguments[1:]}: the extension must not need a network")

import sys
sys.addaudithook(no_network)
"""

INSIDE_BLENDER = """
import importlib.machinery, json, os, pathlib, struct, sys, time
import bpy
import addon_utils  # exists once bpy is imported

zip_path, blend = sys.argv[1:]


class OnlyBundled:
    # The environment of the tests has these packages too, a user's Blender has not: hide those outside the user folder.
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("numba", "llvmlite", "pytetwild"):
            bundled = [folder for folder in sys.path if folder.startswith(os.environ["BLENDER_USER_RESOURCES"])]
            found = importlib.machinery.PathFinder.find_spec(name, bundled)
            if found is None:
                raise ModuleNotFoundError(f"{name} is not among the installed wheels: {bundled}", name=name)
            return found


sys.meta_path.insert(0, OnlyBundled)
report = {}
bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=False)
addon_utils.enable("bl_ext.user_default.gpbd", handle_error=lambda error: sys.exit(repr(error)))
report["numba_after_enable"] = "numba" in sys.modules

bpy.ops.wm.save_as_mainfile(filepath=blend)
bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=1, location=(0, 0, 1))
ob = bpy.context.object
bpy.ops.gpbd.add_body(body_type="CLOTH")
bpy.context.scene.gpbd.frame_end = 3
bpy.context.scene.gpbd.global_iterations, ob.gpbd.self_contact = 0, False  # few kernels: all are compiled here
report["bake"] = sorted(bpy.ops.gpbd.bake())

modifier = next(m for m in ob.modifiers if m.type == "MESH_CACHE")
cache = pathlib.Path(bpy.path.abspath(modifier.filepath))
data = cache.read_bytes()
magic, version, vertices, start, rate, frames = struct.unpack("<12siiffi", data[:32])
report.update(modifier=modifier.name, magic=magic.decode("ascii", "replace"), size=len(data))
report.update(vertices=vertices, frames=frames)
report["mesh_vertices"] = len(ob.data.vertices)
report["heights"] = heights(ob)
report["numba_after_bake"] = "numba" in sys.modules
import numba
report["numba_file"] = numba.__file__
import pytetwild
report["pytetwild_file"] = pytetwild.__file__
bpy.ops.wm.save_mainfile()
sys.modules["bl_ext.user_default.gpbd"].unregister()  # 4.5 hangs at exit otherwise; disabling would remove the wheels
print("REPORT " + json.dumps(report))
"""

IN_A_LATER_BLENDER = """
import json, os, pathlib, sys, threading, time
import bpy
import addon_utils

ours = lambda thing: "gpbd" in (getattr(thing, "__module__", None) or "")


def hooks():
    lists = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)]
    drawn = [list(getattr(bpy.types, name).draw._draw_funcs) for name in dir(bpy.types)
             if hasattr(getattr(getattr(bpy.types, name), "draw", None), "_draw_funcs")]
    return [repr(hook) for hooks in [*lists, *drawn] if isinstance(hooks, list) for hook in hooks if ours(hook)]

zip_path, blend = sys.argv[1:]
bpy.ops.wm.open_mainfile(filepath=blend)
report = {"heights": heights(next(ob for ob in bpy.data.objects if ob.type == "MESH" and ob.modifiers))}
report["enabled"] = "gpbd" in dir(bpy.types.Object)
start = time.perf_counter()
addon_utils.enable("bl_ext.user_default.gpbd", handle_error=lambda error: sys.exit(repr(error)))
report["enable_seconds"] = time.perf_counter() - start
report["hooks_on"] = len(hooks())
from bl_operators.wm import WM_OT_doc_view_manual
report["page"] = WM_OT_doc_view_manual._lookup_rna_url("bpy.ops.gpbd.drape", verbose=False)
report["bake"] = sorted(bpy.ops.gpbd.bake())

addon_utils.disable("bl_ext.user_default.gpbd", handle_error=lambda error: sys.exit(repr(error)))
report["hooks_left"] = hooks()
report["types_left"] = [name for name in dir(bpy.types) if "gpbd" in name.lower()]
report["properties_left"] = [t.__name__ for t in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager)
                             if [name for name in t.bl_rna.properties.keys() if "gpbd" in name]]
report["processes_left"] = [
    line for task in pathlib.Path("/proc/self/task").glob("*/children") for line in task.read_text().split()
] if os.path.exists("/proc/self/task") else []
repository = next(k for k, one in enumerate(bpy.context.preferences.extensions.repos) if one.module == "user_default")
bpy.ops.extensions.package_uninstall(repo_index=repository, pkg_id="gpbd")
user = pathlib.Path(os.environ["BLENDER_USER_RESOURCES"])
report["files_left"] = [str(path.relative_to(user)) for path in user.rglob("*") if path.is_file()]
report["plays_on"] = heights(next(ob for ob in bpy.data.objects if ob.type == "MESH" and ob.modifiers))
print("REPORT " + json.dumps(report))
"""

HEIGHTS = """
def heights(ob):
    # of the first vertex in the world, at frames 1 to 3
    found = []
    for frame in (1, 2, 3):
        bpy.context.scene.frame_set(frame)
        evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append((evaluated.matrix_world @ evaluated.data.vertices[0].co).z)
    return found
"""


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    """The zip for this system and this Python."""
    pytest.importorskip("bpy", reason="Blender is not installed as a module")
    if SYSTEM is None:
        pytest.skip(f"no wheels exist for {platform.system()} {platform.machine()}")
    pins = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["bundled"]
    try:
        site = tmp_path_factory.mktemp("site")
        made_up_site(site)
        return extension_zip.make(sys.executable, tmp_path_factory.mktemp("zip"), SYSTEM, PYTHON, pins, site)
    except extension_zip.NoIndexError as error:
        pytest.skip(str(error))


def test_the_zip_has_only_what_users_need(extension):
    with zipfile.ZipFile(extension) as archive:
        names = archive.namelist()
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    wheels = sorted(name for name in names if name.startswith("wheels/"))
    pages = {name for name in names if name.startswith("site/")}
    assert {"site/index.html", "site/guide/pins.html"} <= pages and not [name for name in pages if name.endswith(".map")]
    assert sorted({*names} - {*wheels} - pages) == sorted(extension_zip.contents())
    assert sorted(manifest["wheels"]) == [f"./{name}" for name in wheels]
    assert manifest["platforms"] == [SYSTEM]
    assert extension.name == f"gpbd-{manifest['version']}-{SYSTEM}-cp{PYTHON.replace('.', '')}.zip"


def test_it_has_one_wheel_of_each_package_and_none_of_numpy(extension):
    with zipfile.ZipFile(extension) as archive:
        wheels = [name.removeprefix("wheels/") for name in archive.namelist() if name.startswith("wheels/")]
    for package in ("numba", "llvmlite", "pytetwild"):
        assert len([name for name in wheels if name.startswith(package + "-")]) == 1
    assert not [name for name in wheels if name.startswith("numpy")]


def offline() -> list[str]:
    """Return the prefix of a command that runs it and its children without a network, where the system has one."""
    command = ["unshare", "--net"]
    possible = shutil.which(command[0]) and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if possible else []


def run_blender(script: str, extension, folder) -> dict:
    """Return the report of a script, run in a fresh Blender whose user folder is below `folder`."""
    others = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    done = subprocess.run(
        [*offline(), sys.executable, "-c", BEGIN + HEIGHTS + script, str(extension), str(folder / "first.blend")],
        env=others | {"BLENDER_USER_RESOURCES": str(folder / "user")},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("REPORT "))[7:])


def test_installed_without_a_network_it_bakes_plays_without_itself_and_leaves_nothing(extension, tmp_path):
    """Installed into an empty user folder; use of a network fails. Enabling must not import Numba; how long it takes is
    printed, not asserted: the machine may be busy."""
    (tmp_path / "user").mkdir()
    report = run_blender(INSIDE_BLENDER, extension, tmp_path)
    assert not report["numba_after_enable"] and not report["numba_after_bake"], "the solver is a process of its own"
    assert report["bake"] == ["FINISHED"]
    assert report["modifier"] == "GPBD Cloth"
    assert report["magic"] == "POINTCACHE2\0"
    assert (report["vertices"], report["frames"]) == (report["mesh_vertices"], 3)
    assert report["size"] == 32 + 3 * report["vertices"] * 12
    start, second, third = report["heights"]
    assert start == pytest.approx(1.0)
    assert start > second > third, "the cloth falls"
    for file in (report["numba_file"], report["pytetwild_file"]):
        assert file.startswith(str(tmp_path / "user")), "the bundled wheel is used"

    later = run_blender(IN_A_LATER_BLENDER, extension, tmp_path)
    print(f"enabled in {later['enable_seconds']:.3f} s")
    assert not later["enabled"]
    assert later["heights"] == report["heights"]
    assert later["page"].startswith("file:") and later["page"].endswith("/gpbd/site/guide/drape.html")
    assert later["hooks_on"] > 3 and later["bake"] == ["FINISHED"]
    assert later["plays_on"] == report["heights"]
    for left in ("hooks_left", "types_left", "properties_left", "processes_left"):
        assert later[left] == [], left
    assert not [name for name in later["files_left"] if "gpbd" in name or name.endswith((".whl", ".so", ".pyd", ".nbc"))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.blend", "first.blend1", "gpbd_cache", "user"]
