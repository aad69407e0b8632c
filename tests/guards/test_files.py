"""No stray file stands in the project, and none goes into the zip."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.guards import sources
from tests.test_dev import made_up_site
from tools import extension_zip

MODULES = extension_zip.MODULES
#: What each folder of the project holds, as paths below it; a new kind of file is entered here.
BELONGS = {
    **extension_zip.FOLDERS,
    "benchmarks": MODULES,
    "demo": MODULES,
    "tools": rf"{MODULES}|mutants\.toml",
    "tests": rf"{MODULES}|gates/measured\.toml|data/README\.md|data/[a-z_]+/[a-z0-9_.]+\.npz",
    "docs": r"README\.md|([a-z_]+/)*[a-z0-9_]+\.(md|png|jpg)|reference/[a-z_]+\.schema\.json|guide/[a-z_]+\.js",
}
#: Folders that tools make; `.gitignore` has them.
MADE = {"out", "dist", "gpbd_cache", "__pycache__"}


def strays(folder: str) -> list[str]:
    place = sources.ROOT / folder
    paths = [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()]
    return [path for path in paths if not extension_zip.COMPILED.fullmatch(path) and not re.fullmatch(BELONGS[folder], path)]


@pytest.mark.parametrize("folder", BELONGS)
def test_a_folder_holds_only_what_belongs_there(folder):
    assert not strays(folder)


def test_every_folder_is_known():
    folders = {path.name for path in sources.ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert folders - MADE == {name.split("/")[0] for name in BELONGS}


def test_the_zip_takes_every_module_that_is_used_and_preset_and_the_list_of_kernels():
    """Both rooms and single modules: what is in the zip is found by patterns."""
    contents = set(extension_zip.contents())
    wanted = {sources.name(path) for path in sources.files("solver", "gpbd_addon")} - {*extension_zip.FOR_CLONES}
    wanted |= {sources.name(path) for path in (sources.ROOT / "presets").rglob("*.*")}
    wanted |= {"gpbd_addon/translations/de.json", "gpbd_addon/translations/ja.json"}
    assert contents == wanted | {*extension_zip.FILES, "solver/device/kernels.json", "solver/device/cuda/wheels.toml"}


def test_what_is_zipped_is_exactly_that(tmp_path):
    pages = made_up_site(tmp_path / "made")
    extension_zip.stage(tmp_path / "gpbd", "linux-x64", "3.13", [], tmp_path / "made")
    staged = {path.relative_to(tmp_path / "gpbd").as_posix() for path in (tmp_path / "gpbd").rglob("*") if path.is_file()}
    assert staged == {*extension_zip.contents(), *(f"site/{page}" for page in pages)}


def test_only_what_is_for_clones_is_out_of_reach_of_the_extension():
    """By imports from `gpbd_addon`, and from what is found by the folder that it stands in."""
    paths = {sources.name(path): path for path in sources.files("solver", "gpbd_addon")}
    files = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in paths}
    found_by_folder = ("solver/energies/", "solver/methods/", "solver/model/bodies/")
    left = ["gpbd_addon/__init__.py", *(name for name in paths if name.startswith(found_by_folder))]
    reached: set[str] = set()
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += [files[module] for _, module in sources.imports(paths[name]) if module in files]
            left += [f"{folder}/__init__.py" for folder in map(str, Path(name).parents) if f"{folder}/__init__.py" in paths]
    assert set(paths) - reached == {*extension_zip.FOR_CLONES}


@pytest.mark.parametrize("name", ["solver/topology/__tracked_surface.stl", "presets/denim.toml", "gpbd_addon/.DS_Store"])
def test_a_stray_file_stops_the_build(tmp_path, name):
    for kept in (
        *extension_zip.FILES,
        "solver/__init__.py",
        "solver/__pycache__/one.pyc",
        "presets/fabrics/denim.toml",
        name,
    ):
        (tmp_path / kept).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / kept).touch()
    with pytest.raises(extension_zip.BuildError, match=f"{name} does not belong into the zip; wanted .* Remove it"):
        extension_zip.contents(tmp_path)
    (tmp_path / name).unlink()
    assert "solver/__init__.py" in extension_zip.contents(tmp_path)
    assert "solver/__pycache__/one.pyc" not in extension_zip.contents(tmp_path)
