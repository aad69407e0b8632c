"""Runs commands in this process and checks every line that they print against the schema of the pages."""

import json
import os
from pathlib import Path

import pytest

from tests.gpbd_addon import scenes

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def lines_are_valid():
    """Fails for a line that is not as docs/reference/command_line.schema.json says."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/reference/command_line.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    kinds = {event: {"$ref": f"#/$defs/{event}", "$defs": schema["$defs"]} for event in map(_event, schema["oneOf"])}

    def check(lines):
        for line in lines:
            jsonschema.Draft202012Validator(kinds[line["event"]]).validate(line)

    return check


def _event(reference):
    return reference["$ref"].rpartition("/")[2]


@pytest.fixture
def command(blender, capsys, lines_are_valid):
    """Runs a command on the open file: the exit code, and the JSON lines that it printed."""
    from gpbd.gpbd_addon.command_line import main

    def run(*argv):
        capsys.readouterr()
        code = main.main([*argv, "--json"])
        lines = capsys.readouterr().out.splitlines()
        told = [json.loads(line) for line in lines if line.startswith("{")]
        lines_are_valid(told)
        return code, told

    return run


@pytest.fixture
def one_solver(tmp_path_factory, monkeypatch):
    """Pythons that are started find the kernels of this one (`OneSolver` in tests/conftest.py), and compile none again."""
    folder = tmp_path_factory.mktemp("site")
    others = os.environ.get("PYTHONPATH")
    begin = f"import sys\nsys.path.append({str(ROOT)!r})\nimport tests.conftest\n"
    (folder / "sitecustomize.py").write_text(begin, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *([others] if others else [])]))


@pytest.fixture
def shot(blender, tmp_path):
    scenes.cloth(blender, pins=[0], end=4)
    scenes.cloth(blender, "Other", end=4, location=(4, 0, 1))
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return tmp_path / "shot.blend"
