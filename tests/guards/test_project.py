"""The project's own house: sizes, names, versions."""

from __future__ import annotations

import tomllib

from tests.guards import sources

CODE = sources.files("solver", "gpbd_addon", "tools", "tests", "benchmarks", "demo") + [sources.ROOT / "dev.py"]
VAGUE = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}


def test_files_stay_small():
    """Under 300 lines by convention; the guard leaves room, it is here for what has grown out of hand."""
    lines = {sources.name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    assert not {name: count for name, count in lines.items() if count >= 450}, "split these by concept"


def test_files_are_named_after_a_concept():
    assert not [sources.name(path) for path in CODE if path.stem in VAGUE]


def test_one_version_in_manifest_project_and_changelog():
    manifest = tomllib.loads((sources.ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((sources.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (sources.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert manifest["version"] == project["version"]
    assert f"## {manifest['version']}" in changelog


def test_numpy_is_not_bundled():
    """Blender brings its own; a second one would break every other extension."""
    groups = tomllib.loads((sources.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert not [requirement for requirement in groups["bundled"] if requirement.startswith("numpy")]
    assert all("==" in requirement for requirement in groups["bundled"])
