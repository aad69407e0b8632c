"""Commands `gpbd fabric compute` and `gpbd presets import`: their output and files."""

import json
from types import SimpleNamespace

import pytest

from tests.solver.scene.test_fabric_table import published


@pytest.mark.long  # the solve is compiled
def test_a_fabric_is_written_as_a_preset(command, tmp_path):
    code, lines = command("fabric", "compute", "plain_weave", "--out", str(tmp_path / "own.toml"), "--workers", "1")
    assert code == 0 and lines[-1]["event"] == "fabric" and lines[-1]["complete"]
    assert [line["event"] for line in lines[:-1]] == ["progress"] * (len(lines) - 1) and len(lines) > 5
    assert (tmp_path / "own.toml").is_file() and (tmp_path / "data/own.npz").is_file()


def test_bad_input_is_named(command, tmp_path):
    (tmp_path / "loose.toml").write_text(
        'name = "Loose"\nkind = "weave"\nrows = ["XX", ".X"]\n'
        'yarns = ["cotton_20tex"]\nends = 2000\npicks = 2000\nabout = {}',
        encoding="utf-8",
    )
    for pattern, word in (("nothing", "plain_weave"), (str(tmp_path / "loose.toml"), "falls apart")):
        code, lines = command("fabric", "compute", pattern, "--out", str(tmp_path / "own.toml"))
        assert code == 1 and word in lines[-1]["text"] and not (tmp_path / "own.toml").exists()
    (tmp_path / "own.toml").write_text("mine")
    code, lines = command("fabric", "compute", "plain_weave", "--out", str(tmp_path / "own.toml"))
    assert code == 1 and "there is a preset already" in lines[-1]["text"] and (tmp_path / "own.toml").read_text() == "mine"


def test_missing_samples_and_damaged_kept_ones_are_told(command, tmp_path, monkeypatch):
    from gpbd.solver.yarn import preset

    found = SimpleNamespace(errors=(0.01, float("nan"), 0.02), bending=(1e-6, 2e-6))
    fabric = SimpleNamespace(
        failed=("sa 0.6", "sx 0.1, sy 0.2"), recomputed=("0123.npz",), comparison=found, density=0.1, seconds=1.0,
        pattern=SimpleNamespace(name="Plain weave"),
    )  # fmt: skip
    monkeypatch.setattr(preset, "compute_preset", lambda *given, **named: fabric)
    code, lines = command("fabric", "compute", "plain_weave", "--out", str(tmp_path / "own.toml"))
    said = [line["text"] for line in lines if line["event"] == "warning"]
    assert code == 0 and len(said) == 3
    assert (
        "Damaged kept samples, or of another fabric: 1 (0123.npz)" in said[0]
        and "sa 0.6" in said[1]
        and "sx 0.1, sy 0.2" in said[2]
    )
    last = lines[-1]
    assert not last["complete"] and last["missing"] == list(fabric.failed) and last["held_out"] == [0.01, None, 0.02]
    assert "INCOMPLETE, 2 samples are missing" in last["text"]


def test_a_published_fabric_is_imported_with_its_licence(command, tmp_path, monkeypatch):
    from gpbd.gpbd_addon.operators import import_fabric
    from gpbd.solver.scene.presets import read_preset
    from gpbd.solver.scene.published_fabric import LICENCE

    monkeypatch.setattr(import_fabric, "user_presets_folder", lambda: tmp_path)
    (tmp_path / "own_knit.json").write_text(json.dumps(published()))
    code, lines = command("presets", "import", str(tmp_path / "own_knit.json"))
    assert code == 0 and lines[-1]["event"] == "imported" and lines[-1]["licence"] == LICENCE in lines[-1]["text"]
    assert read_preset(lines[-1]["file"]).table is not None
    code, lines = command("presets", "import", str(tmp_path / "own_knit.json"))
    assert code == 1 and "there is a preset already" in lines[-1]["text"]
    assert command("presets", "import", str(tmp_path / "own_knit.json"), "--overwrite")[0] == 0
    (tmp_path / "bad.json").write_text("{}")
    code, lines = command("presets", "import", str(tmp_path / "bad.json"))
    assert code == 1 and "bad.json" in lines[-1]["text"]
