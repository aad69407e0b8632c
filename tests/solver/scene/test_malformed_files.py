"""Damaged files of materials: presets, tables of fabrics, published fabrics, patterns and yarns."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from solver.errors import PresetError
from solver.scene.fabric_table import read_table, write_table
from solver.scene.presets import read_preset
from solver.scene.published_fabric import read_published
from solver.yarn.pattern import read_pattern
from solver.yarn.yarn import read_yarn
from tests.scenes.linear_table import linear_table
from tests.solver.scene.test_fabric_table import published

PRESETS = Path(__file__).resolve().parents[3] / "presets"
CASES = 100
#: Values in place of a required number or text.
STRANGE = (
    "nan", "-inf", "1e999", "-1", "0", "''", '"x"', "[]", "[[1]]", "{}", "{a = 1}", "true", "1979-05-27", "1_000", "9" * 400
)  # fmt: skip
#: Of JSON.
VALUES = (None, True, -1, 0, 1e308, 2**80, float("nan"), "", "x" * 300, [], [[]], [None], {}, {"a": {"b": []}})


def table(path):
    write_table(path, linear_table(), "float64")


def published_file(path):
    path.write_text(json.dumps(published()))


def shipped(name):
    return lambda path: shutil.copyfile(PRESETS / name, path)


KINDS = {
    "preset": ("own.toml", shipped("fabrics/denim.toml"), read_preset),
    "table": ("own.npz", table, read_table),
    "published": ("own.json", published_file, read_published),
    "pattern": ("own.toml", shipped("patterns/rib_2x2.toml"), lambda path: read_pattern(str(path))),
    "yarn": ("own.toml", shipped("yarns/cotton_20tex.toml"), lambda path: read_yarn(str(path))),
}


def damage(path, chance):
    """Change the file; return a description of the change."""
    content = path.read_bytes()
    kind = chance.choice(["bits", "short", "noise", "empty", "line", "value", "value", "value"])
    if kind == "value" and path.suffix == ".toml":
        lines = content.decode().splitlines()
        k = chance.choice([k for k, line in enumerate(lines) if "=" in line])
        lines[k] = f"{lines[k].partition('=')[0]}= {STRANGE[chance.integers(len(STRANGE))]}"
        path.write_text("\n".join(lines))
        return lines[k][:60]
    if kind == "value" and path.suffix == ".json":
        found = json.loads(content)
        key = list(found)[chance.integers(len(found))]
        inside = found[key] if isinstance(found[key], (dict, list)) and chance.random() < 0.7 else found
        key = chance.integers(len(inside)) if isinstance(inside, list) else list(inside)[chance.integers(len(inside))]
        inside[key] = VALUES[chance.integers(len(VALUES))]
        path.write_text(json.dumps(found))
        return f"{key} = {inside[key]!r:.40}"
    if kind == "value":  # a readable array, but a wrong one
        with np.load(path) as file:
            arrays = {key: file[key] for key in file.files}
        key = list(arrays)[chance.integers(len(arrays))]
        one = arrays[key]
        bad = [np.zeros(0), np.array("x"), one * np.nan, one[..., None], np.atleast_1d(one)[..., :1], one.astype(complex)]
        arrays[key] = bad[chance.integers(len(bad))]
        np.savez(path, **arrays)
        return f"array {key}"
    if kind == "line":
        lines = content.split(b"\n")
        del lines[chance.integers(len(lines))]
        path.write_bytes(b"\n".join(lines))
    elif kind == "short":
        path.write_bytes(content[: chance.integers(len(content))])
    elif kind in ("noise", "empty"):
        path.write_bytes(chance.bytes(500) if kind == "noise" else b"")
    else:
        bad = bytearray(content)
        for _ in range(chance.integers(1, 5)):
            bad[chance.integers(len(bad))] = chance.integers(256)
        path.write_bytes(bad)
    return kind


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_of_materials_are_refused_by_name_and_raise_nothing_else(tmp_path, kind):
    """100 of each. More than a quarter have to be refused, or the damage would not reach what reads them."""
    name, make, read = KINDS[kind]
    path, refused = tmp_path / name, 0
    for seed in range(CASES):
        make(path)
        done = damage(path, np.random.default_rng(seed))
        try:
            read(path)
        except PresetError as error:
            refused += 1
            assert "own" in str(error) and str(error).endswith("."), (seed, done, str(error))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {done}") from error
    assert refused > CASES // 4
