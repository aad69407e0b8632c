"""Developer's command: it reports missing packages clearly, and the build packs the right files."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

import dev
from tools import extension_zip


def test_an_interpreter_that_does_not_run_is_named():
    with pytest.raises(dev.DevError, match=r"--python /no/such/python does not run; wanted Python 3\.13 or 3\.11"):
        dev.find_python("/no/such/python")


def test_an_interpreter_of_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(dev, "version_of", lambda python: "3.9")
    with pytest.raises(dev.DevError, match=r"is Python 3\.9; wanted Python 3\.13 or 3\.11"):
        dev.find_python(sys.executable)


def test_without_any_supported_python_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(dev, "version_of", lambda python: "3.12")
    with pytest.raises(dev.DevError, match="Install one"):
        dev.find_python(None)


def test_the_running_python_is_preferred():
    running = ".".join(map(str, sys.version_info[:2]))
    if running not in dev.SUPPORTED:
        pytest.skip(f"the tests run in Python {running}")
    assert dev.find_python(None)[1] == running


def test_every_requirement_is_pinned():
    groups = (*dev.SUPPORTED, "bundled", "test", "farm", "lint", "cuda", "docs", "site")
    pinned = re.compile(r"[\w.-]+==[\w.]+(; python_version < '[\d.]+')?")
    assert all(pinned.fullmatch(requirement) for requirement in dev.pins(*groups))


def test_an_environment_has_what_tests_skip_without():
    """Tests that skip without a package run in the environment that `dev.py` makes, as pages claim of a fresh clone."""
    version = ".".join(map(str, sys.version_info[:2]))
    if Path(sys.prefix) == dev.ENVIRONMENTS / version:
        for name in ("bpy", "distributed", "ipctk", "jsonschema", "pytetwild", "scipy"):
            importlib.import_module(name)


@pytest.mark.parametrize("version", dev.SUPPORTED)
def test_an_environment_pins_each_package_once(version):
    """A second NumPy beside a Python's own may not even exist for that Python."""
    names = [requirement.split("==")[0] for requirement in dev.pins(version, "bundled", "test", "farm", "lint", "docs")]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_without_a_package_index_the_environment_says_so_and_is_not_taken_for_made(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(dev, "ENVIRONMENTS", dev.ROOT / ".venv" / f"test-{tmp_path.name}")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    try:
        for _ in range(2):
            with pytest.raises(dev.DevError, match="the network or the package index was not reached"):
                dev.environment(sys.executable, "nothing", ["a-package-that-is-not-there==1.0"])
    finally:
        extension_zip.shutil.rmtree(dev.ENVIRONMENTS, ignore_errors=True)


def test_only_what_blender_decides_at_run_time_is_left_out_of_the_type_errors():
    hidden = dev.BLENDER_AT_RUN_TIME.search
    assert hidden('x.py:1: error: "Object" has no attribute "gpbd"  [attr-defined]')
    assert hidden('x.py:1: error: "WindowManager" has no attribute "gpbd_status"  [attr-defined]')
    assert not hidden('x.py:1: error: "Object" has no attribute "locaton"  [attr-defined]')


def made_up_site(folder):
    """Make a site with all files that the zip packs, and others that it does not."""
    pages = [f"guide/{path.stem}.html" for path in (dev.ROOT / "docs" / "guide").glob("*.md")]
    for name in ("index.html", *pages, "_static/a.css", "_static/a.css.map", "_sources/a.txt", ".buildinfo", "objects.inv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x" * 100)
    return ["_static/a.css", *sorted(pages), "index.html"]


def test_the_site_goes_into_the_zip_whole_and_no_larger_than_stated(tmp_path, monkeypatch):
    wanted = made_up_site(tmp_path)
    assert extension_zip.of_site(tmp_path) == wanted
    monkeypatch.setattr(extension_zip, "SITE_MOST", 100 * len(wanted) - 1)
    with pytest.raises(extension_zip.BuildError, match=r"wanted at most .* Make pictures smaller"):
        extension_zip.of_site(tmp_path)
    (tmp_path / "guide/pins.html").unlink()
    with pytest.raises(extension_zip.BuildError, match=r"pins\.html is missing. Build the site"):
        extension_zip.of_site(tmp_path)


def test_an_unknown_platform_is_refused(tmp_path):
    with pytest.raises(extension_zip.BuildError, match="unknown platform 'amiga'; wanted one of linux-x64"):
        extension_zip.make(sys.executable, tmp_path, "amiga", "3.13", [], tmp_path)


def test_a_wheel_that_does_not_exist_stops_the_build(monkeypatch, tmp_path):
    """An index without the package is no failure of the network: only that one may skip the test of the zip."""
    monkeypatch.setattr(extension_zip, "WHEELS", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(extension_zip.BuildError, match=r"NO WHEEL of numba==0\.0\.1 for linux-x64, Python 3\.13") as caught:
        extension_zip.wheel(sys.executable, "numba==0.0.1", "linux-x64", "3.13")
    assert not isinstance(caught.value, extension_zip.NoIndexError)


def test_a_platform_without_wheels_for_a_python_is_refused_and_does_without_a_package(monkeypatch, tmp_path):
    with pytest.raises(extension_zip.BuildError, match=r"no wheels exist for windows-arm64, Python 3\.11; wanted 3\.13"):
        extension_zip.make(sys.executable, tmp_path, "windows-arm64", "3.11", [], tmp_path)
    monkeypatch.setattr(extension_zip, "wheel", lambda python, name, platform, version: Path(f"{name}.whl"))
    wanted = ["pytetwild==1", "numba==1"]
    assert [p.name for p in extension_zip.all_wheels("python", "windows-arm64", "3.13", wanted)] == ["numba==1.whl"]
    assert len(extension_zip.all_wheels("python", "linux-x64", "3.13", wanted)) == 2


@pytest.mark.parametrize(
    ("version", "first", "after"), [("3.11", "4.5.0", "5.1.0"), ("3.13", "5.1.0", None), ("3.14", "5.1.0", None)]
)
def test_the_manifest_gets_its_blenders_and_its_wheels_before_the_first_table(version, first, after):
    manifest = (extension_zip.ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    wheels = [Path("a/numba-1-cp313-cp313-manylinux_2_28_x86_64.whl")]
    done = extension_zip.complete(manifest, "linux-x64", version, wheels)
    values = extension_zip.tomllib.loads(done)
    assert values["platforms"] == ["linux-x64"]
    assert (values["blender_version_min"], values.get("blender_version_max")) == (first, after)
    assert values["wheels"] == ["./wheels/numba-1-cp313-cp313-manylinux_2_28_x86_64.whl"]


def test_the_manifest_names_every_platform_and_the_oldest_blender():
    values = extension_zip.tomllib.loads((extension_zip.ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert values["platforms"] == list(extension_zip.PLATFORMS)
    assert values["blender_version_min"] == min(first for first, _ in extension_zip.BLENDERS.values())
    assert set(extension_zip.BLENDERS) == set(dev.SUPPORTED)
