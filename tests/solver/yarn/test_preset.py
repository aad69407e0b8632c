"""Preset of a computed fabric, and its description."""

from types import SimpleNamespace

import pytest

from solver.scene.fabric_table import write_table
from solver.scene.presets import list_presets, read_preset, read_provenance
from solver.yarn.checks import Comparison
from solver.yarn.compute import read
from solver.yarn.preset import text_of
from tests.scenes.linear_table import linear_table


def written(folder, failed=(), errors=(0.01, 0.02, 0.03)):
    """The file of a plain weave as if it had been computed."""
    pattern, yarns = read("plain_weave")
    fabric = SimpleNamespace(
        pattern=pattern, yarns=yarns, failed=failed, comparison=Comparison(errors=errors), density=0.122, thickness=3e-4,
        spacing={"ends": 2745.0, "picks": 2690.0},
    )  # fmt: skip
    write_table(folder / "data" / "own.npz", linear_table())
    (folder / "own.toml").write_text(text_of(fabric, "own", 0), encoding="utf-8")
    return folder / "own.toml"


def test_a_whole_fabric_says_so(tmp_path):
    file = written(tmp_path)
    how = read_provenance(file)
    assert how["complete"] and how["missing"] == [] and how["held_out"] == [0.01, 0.02, 0.03]
    assert "Incomplete" not in read_preset(file).source


def test_a_fabric_with_missing_samples_is_a_preset_that_is_marked_incomplete(tmp_path):
    """In its provenance, and in the source that the panel shows; an error that nothing could be compared for is no 0."""
    file = written(tmp_path, ("sa 0.6", "sx 0.1, sy 0.2"), (float("nan"), 0.02, 0.03))
    how, material = read_provenance(file), read_preset(file)
    assert not how["complete"] and how["missing"] == ["sa 0.6", "sx 0.1, sy 0.2"]
    assert how["held_out"] == pytest.approx([float("nan"), 0.02, 0.03], nan_ok=True)
    assert "Incomplete: the yarns did not come to rest at 2 states (sa 0.6 first)." in material.source
    assert material.table is not None
    (listed,) = [one for one in list_presets("fabric", tmp_path) if one.path == file.resolve()]
    assert listed.error == ""
