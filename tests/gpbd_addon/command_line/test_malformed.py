"""Malformed commands and grid files end with a message and an exit code: no traceback, no hang."""

import random

import pytest

from tests.gpbd_addon import scenes

#: Pieces of commands, right and wrong, of which arguments are put together.
WORDS = (
    "bake", "resume", "verify", "export", "info", "presets", "wedge", "--frames", "--objects", "--set", "--cache",
    "--threads", "--device", "--quality", "--format", "--out", "--jobs", "--scheduler", "--grid", "--sheet-frame",
    "--json", "--csv", "--no-save", "abc", "usd", "shape-keys", "1-3", "5-1", "-9-9", "1-99999999999", "abc-def",
    "--frames=--5", "scene.substeps=3", "scene.substeps=", "=3", "=", "..", ".", "a.b.c=1", "Flag.friction=x",
    "*.preset=denim", "*.=1", "scene.=2", "Flag,Flag", ",", ",,", "''", "\x07", "\x00", "ü", "🧵", "-1", "0", "1e999",
    "nan", "10000", "%s", "{}", "$HOME", "--help", "-h", "--", "--frames=", "--set=scene.wind=1,2,3", "Nobody",
)  # fmt: skip


def test_commands_of_random_words_end_with_a_known_code(blender, capsys, tmp_path, monkeypatch):
    """100 of them, with a fixed seed, on a scene whose bake is refused at once: it has no frame."""
    from gpbd.gpbd_addon.command_line import main

    monkeypatch.chdir(tmp_path)
    scenes.cloth(blender)
    scene = blender.context.scene
    scene.gpbd.own_range, scene.gpbd.frame_start, scene.gpbd.frame_end = True, 5, 1
    chance = random.Random(19)
    for _ in range(100):
        argv = [chance.choice(WORDS) for _ in range(chance.randint(1, 6))]
        if "1-3" in argv or "-9-9" in argv:
            argv = [word for word in argv if word not in ("bake", "wedge")]  # which could be right
        code = main.main(argv)
        told = capsys.readouterr()
        assert code in (0, 1, 2), argv
        assert "Traceback" not in told.out + told.err and (code == 0 or told.err.strip() or told.out.strip()), argv


TABLES = [
    "",
    "grid = 3",
    "[grid]\n",
    '[grid]\n"scene.substeps" = 3',
    '[grid]\n"scene.substeps" = []',
    '[grid]\n"scene.substeps" = [0]',
    '[grid]\n"scene.substeps" = [2.5]',
    '[grid]\n"scene.substeps" = [nan]',
    '[grid]\n"scene.substeps" = [[1, 2]]',
    '[grid]\n"scene.substeps" = [{a = 1}]',
    '[grid]\n"scene.substeps" = [1979-05-27]',
    "[grid]\nscene.substeps = [3]",
    '[grid]\n"scene.no_such" = [3]',
    '[grid]\n"Nobody.friction" = [1]',
    '[grid]\n"Flag.preset" = ["denim", "no such"]',
    '[grid]\n"Flag.preset" = [""]',
    '[grid]\n"" = [1]',
    'grids = 1\n[grid]\n"scene.substeps" = [3]',
    'frames = "3"\n[grid]\n"scene.substeps" = [3]',
    'frames = [1, 3]\n[grid]\n"scene.substeps" = [3]',
    'objects = 3\n[grid]\n"scene.substeps" = [3]',
    'objects = ["Nobody"]\n[grid]\n"scene.substeps" = [3]',
    'set = 1\n[grid]\n"scene.substeps" = [3]',
    '[set]\n"scene.iterations" = []\n[grid]\n"scene.substeps" = [3]',
    '[grid]\n"scene.substeps" = [' + ",".join(map(str, range(1, 10002))) + "]",
    "[grid",
    "a" * 10000,
    "a = " + "[" * 2000,
    "\ufeff[grid]",
]


@pytest.mark.parametrize("text", TABLES, ids=range(len(TABLES)))
def test_a_malformed_grid_is_refused_and_nothing_is_written(blender, command, tmp_path, text):
    scenes.cloth(blender)
    (tmp_path / "grid.toml").write_text(text, encoding="utf-8")
    code, lines = command("wedge", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "out"))
    assert code == 1 and [line["event"] for line in lines] == ["error"]
    assert not (tmp_path / "out").exists()


def test_damaged_bytes_of_a_good_grid_give_no_traceback(blender, command, tmp_path):
    """60 files, each with some bytes of a good one changed; 'grid.toml' is no folder, so that a good one ends there too."""
    scenes.cloth(blender)
    good = b'frames = "1-2"\nobjects = ["Flag"]\n[set]\n"scene.sleep" = true\n[grid]\n"scene.substeps" = [1, 2]\n'
    chance = random.Random(4)
    for _ in range(60):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        (tmp_path / "grid.toml").write_bytes(data)
        code, lines = command("wedge", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "grid.toml" / "out"))
        assert code == 1 and [line["event"] for line in lines] == ["error"], bytes(data)
