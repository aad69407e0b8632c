"""Installing the packages that CUDA needs, from folders of small wheels made here."""

import hashlib
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from solver.device.cuda import download, install, packages
from solver.device.cuda.install import remove, unfinished
from solver.device.cuda.pinned import Wheel, here, pinned, wheels_for
from solver.errors import GpbdError

ROOT = Path(__file__).resolve().parents[4]
NAMES = ("alpha", "beta")


def make_wheel(folder: Path, name: str, content: str = "value = 1\n") -> Wheel:
    file = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(f"{name}/__init__.py", content)
        tool = zipfile.ZipInfo(f"{name}/bin/tool")
        tool.external_attr = 0o755 << 16
        made.writestr(tool, "#!/bin/sh\n")
        made.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    unpacked = sum(entry.file_size for entry in zipfile.ZipFile(file).infolist())
    return Wheel(file.name, file.stat().st_size, unpacked, hashlib.sha256(file.read_bytes()).hexdigest())


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def wheels(source):
    return [make_wheel(source, name) for name in NAMES]


@pytest.fixture
def folder(tmp_path):
    """The folder of the installation; nothing else remains beside it."""
    beside = tmp_path / "user"
    beside.mkdir()
    yield beside / "cuda"
    assert {path.name for path in beside.iterdir()} <= {"cuda"}


def done(*_):
    """No progress is reported."""


def test_wheels_of_a_folder_are_found_by_a_worker_and_by_nobody_else(source, wheels, folder):
    told = []
    install.install(wheels, source, folder, lambda share, words: told.append(share))
    assert told == sorted(told) and told[0] >= 0.0 and told[-1] <= 1.0
    modules = packages.modules_folder(folder)
    assert (modules / "alpha" / "__init__.py").is_file()
    assert (modules / "beta" / "bin" / "tool").stat().st_mode & 0o111 or sys.platform == "win32"
    assert not list(folder.rglob("*.whl")) and {file.name for file in source.iterdir()} == {w.file for w in wheels}
    before = list(sys.path)
    packages.set_folder(folder)
    from solver.device.worker import Worker

    try:
        worker = Worker("device.cuda.probe:Probe")
        try:
            assert str(folder) in worker._end._start
        finally:
            worker.close()
    finally:
        packages.set_folder(None)
    assert sys.path == before
    remove(folder)
    assert not folder.exists()
    remove(folder)  # again is no error


def test_a_folder_that_is_entered_is_searched_by_imports_and_by_site(monkeypatch, source, wheels, folder):
    install.install(wheels, source, folder, done)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(packages.site, "PREFIXES", list(packages.site.PREFIXES))
    try:
        packages.enter(str(folder))
        packages.enter(str(folder))
        assert sys.path.count(str(packages.modules_folder(folder))) == 1
        assert str(packages.modules_folder(folder)) in packages.site.getsitepackages()
        assert packages.importlib.metadata.version("beta") == "1.0"
    finally:
        packages.set_folder(None)


def test_a_second_install_takes_the_place_of_the_first(source, wheels, folder):
    install.install(wheels, source, folder, done)
    other = [make_wheel(source, name, "value = 2\n") for name in NAMES]
    install.install(other, source, folder, done)
    assert "2" in (packages.modules_folder(folder) / "alpha" / "__init__.py").read_text()


@pytest.mark.parametrize("there", [False, True])
def test_a_wheel_that_is_not_the_one_published_installs_nothing(source, wheels, folder, there):
    if there:
        install.install(wheels, source, folder, done)
    make_wheel(source, "beta", "import os\n")
    with pytest.raises(GpbdError, match=r"beta-1.0.*SHA-256 is .*; wanted .* nothing is installed"):
        install.install(wheels, source, folder, done)
    assert folder.exists() == there


def test_a_wheel_that_is_missing_is_named(source, wheels, folder):
    for file in source.iterdir():
        file.unlink()
    with pytest.raises(GpbdError, match=r"alpha-1.0-py3-none-any.whl and 1 more is missing; wanted all 2 wheels"):
        install.install(wheels, source, folder, done)
    assert not folder.exists()


def test_a_disk_without_room_is_told_before_anything_is_written(monkeypatch, source, wheels, folder):
    monkeypatch.setattr(install.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 10})())
    with pytest.raises(GpbdError, match=r"0.00 GB are free; wanted .* Free space there"):
        install.install(wheels, source, folder, done)
    assert not folder.exists()


def test_a_disk_that_fills_up_keeps_what_was_installed(monkeypatch, source, wheels, folder):
    install.install(wheels, source, folder, done)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(install.zipfile.ZipFile, "extract", full)
    with pytest.raises(GpbdError, match=r"cannot be written \(No space left on device\)"):
        install.install(wheels, source, folder, done)
    assert (packages.modules_folder(folder) / "beta").is_dir()


def test_what_a_killed_install_left_goes_with_the_next(source, wheels, folder):
    for left in unfinished(folder):
        (left / "half").mkdir(parents=True)
    install.install(wheels, source, folder, done)
    for left in unfinished(folder):
        left.mkdir()
    remove(folder)


@pytest.mark.parametrize("to_be_had", [True, False])
def test_a_download_is_pips_and_its_refusal_is_told(monkeypatch, source, wheels, folder, to_be_had):
    """By pip itself, from a folder in place of an index: no network. One hash is another where it is refused."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(source))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    wanted = [wheels[0]] if to_be_had else [Wheel(wheels[0].file, wheels[0].size, wheels[0].unpacked, "0" * 64)]
    if to_be_had:
        install.install(wanted, None, folder, done)
        assert (packages.modules_folder(folder) / "alpha").is_dir() and not list(folder.rglob("*.whl"))
        return
    with pytest.raises(GpbdError, match=r"was not downloaded \(.+\)\. Look whether this computer reaches the package index"):
        install.install(wanted, None, folder, done)
    assert not folder.exists()


def test_a_python_without_pip_takes_the_one_that_it_brings(monkeypatch, tmp_path):
    bundled = tmp_path / "_bundled"
    bundled.mkdir()
    (bundled / "pip-25.0-py3-none-any.whl").touch()
    monkeypatch.setattr(sys, "path", list(sys.path))
    ensurepip = type(sys)("ensurepip")
    ensurepip.__file__, ensurepip.__spec__ = str(tmp_path / "__init__.py"), object()
    monkeypatch.setitem(sys.modules, "ensurepip", ensurepip)
    download._take_bundled_pip()
    assert sys.path[0] == str(bundled / "pip-25.0-py3-none-any.whl")
    (bundled / "pip-25.0-py3-none-any.whl").unlink()
    with pytest.raises(SystemExit, match="no pip"):
        download._take_bundled_pip()


@pytest.mark.parametrize("system", ["linux_x86_64", "linux_aarch64", "win_amd64"])
@pytest.mark.parametrize("python", ["cp311", "cp313"])
def test_every_platform_has_one_wheel_of_each_package(python, system):
    """Packages of the extra; `typing-extensions` is for Python 3.11 only."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [pin.partition(";") for pin in project["optional-dependencies"]["cuda"]]
    assert [marker for _, _, marker in wanted if marker] == [" python_version < '3.12'"]
    pins = sorted(pin for pin, _, marker in wanted if not marker or python == "cp311")
    assert sorted(wheel.pin for wheel in wheels_for(python, system)) == pins
    assert f"{pinned().package}=={pinned().version}" in pins


def test_wheels_are_told_apart_by_python_system_and_machine():
    assert wheels_for("cp313", "win_arm64") and not wheels_for("cp311", "win_arm64")
    assert not wheels_for("cp313", "darwin_arm64") and not wheels_for("cp312", "linux_x86_64")
    for wheel in pinned().wheels:
        assert re.fullmatch(r"[0-9a-f]{64}", wheel.sha256) and wheel.size > 0 and wheel.unpacked > 0
    python, system = here()
    assert python.startswith("cp3") and system


def test_no_wheels_are_told_with_where_there_are_some(monkeypatch):
    monkeypatch.setattr(install, "here", lambda: ("cp313", "darwin_arm64"))
    with pytest.raises(GpbdError, match=r"no wheels for cp313 on darwin_arm64; wanted cp311 or cp313 on Linux"):
        install.wheels_here()
