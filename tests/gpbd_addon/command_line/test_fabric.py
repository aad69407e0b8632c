"""`gpbd fabric compute`: what it prints and writes."""

import pytest


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
