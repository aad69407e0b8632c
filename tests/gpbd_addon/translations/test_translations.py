"""The dictionaries know every text that is shown, and nothing else."""

import re
import unicodedata

import pytest

from tools import translations as tool

FILES = ("de.json", "ja.json")


@pytest.fixture(scope="module")
def shown(extension):
    return tool.shown()


@pytest.mark.parametrize("file", FILES)
def test_every_text_is_translated_and_no_entry_is_left_over(shown, file):
    """With the same placeholders. `python -m tools.translations --write` adds and takes away."""
    known = tool.dictionary(tool.FOLDER / file)
    assert tool.problems(known, shown) == []
    assert len(known) > 700 and list(known) == shown, "in order, so that a change is one line"


@pytest.mark.parametrize("file", FILES)
def test_translations_end_as_their_texts_do_and_keep_units_and_names(file):
    """A tooltip of Blender ends without a full stop; text in brackets or quotes is no word of a language."""
    for text, said in tool.dictionary(tool.FOLDER / file).items():
        assert not said.endswith((".", "。")) or text.endswith(".") or text.endswith("{}"), said
        for kept in re.findall(r"\[[^\]]+\]|gpbd_\w+|\.toml|\.blend|https?:\S+", text):
            assert kept in said, (text, said)
        assert said == unicodedata.normalize("NFC", said) and said == said.strip()


def test_japanese_is_japanese():
    """But for names of methods, units and the like."""
    known = tool.dictionary(tool.FOLDER / "ja.json")
    latin = [text for text, said in known.items() if not re.search("[\u3040-\u30ff\u4e00-\u9fff]", said)]
    assert set(latin) <= {
        "1 mm",
        "CPU",
        "GPBD",
        "GPU",
        "Hz",
        "PBD",
        "PBNG",
        "Pa",
        "XPBD",
        "{} GPBD",
        "GPBD: {}    {}",
        "Wheels",
    }


def test_problems_are_found():
    known = {"a": "b", "Old": "Alt", "Empty": " ", "{} of {}": "{} von", "{} by {}": "{1} bis {0}", "{}": "{1}"}
    told = tool.problems(known, ["a", "Empty", "{} of {}", "{} by {}", "{}", "New {}"])
    assert told == ["missing: New {}", "stale: Old", "empty: Empty", "placeholders: {} of {}", "placeholders: {}"]


def test_texts_are_read_from_sources():
    source = '''
"""Docstring of Module"""
MODES = {"KEY": "Shown One"}
ICON = "Not Shown"
class A:
    """Docstring Here"""
    bl_idname = "gpbd.a_b"
    def draw(self, layout, n):
        layout.label(text=f"Frame {n:.2f} of {n}" if n else "No frame", icon="INFO")
        if n == "Compared Text":
            raise ValueError("An error is no label")
        layout.prop(self, "some_name", text="")
'''
    assert set(tool.texts(source)) == {"Shown One", "Frame {} of {}", "No frame"}
    doing = 'self.status = "Stopping now" if a else f"Frame {n}"\nself._say(f"Reading {x}: {y}")\nsocket("Not Said")'
    assert set(tool.doing(doing)) == {"Stopping now", "Frame {}", "Reading {}: {}"}
    counts = 'counted(len(x), "edge is cut", "edges are cut")'
    assert list(tool.counts(counts)) == ["1 edge is cut", "{} edges are cut"] and not list(tool.texts(counts))
    assert list(tool.buttons('Finding("Text.", "Move Above", "gpbd.x", {})')) == ["Move Above"]


def test_tr_finds_texts_with_values_in_them(blender, monkeypatch):
    """Names of objects stay, sentences in a sentence do not."""
    from gpbd.gpbd_addon import translations

    assert translations.tr("Bake") == "Bake"
    german = "Backen", "Einzelbilder bis 7 bleiben. x", "Stoff: v2 wird abgespielt.", "Ausgewählte machen zu: GPBD-Gewebe"
    japanese = "ベイク", "フレーム 7 までは保持されています。x", "Stoff：v2 を再生します。", "選択物を GPBD クロス にする"
    for file, wanted in (("de.json", german), ("ja.json", japanese)):
        monkeypatch.setattr(translations, "language", lambda file=file: file)
        texts = ("Bake", "Frames up to 7 are kept. x", "Stoff: v2 plays.", "Make Selected GPBD Cloth")
        assert tuple(map(translations.tr, texts)) == wanted
        assert translations.tr("nobody knows this 12") == "nobody knows this 12"
    monkeypatch.setattr(translations, "language", lambda: "de.json")
    assert translations.tr("At least 72 iterations a frame, 3 times those of Draft. Last bake: 2 s a frame") == (
        "Mindestens 72 Iterationen je Einzelbild, das 3-Fache von Entwurf. Letztes Backen: 2 s je Einzelbild"
    )


def test_progress_is_said_in_both_languages(blender, monkeypatch):
    """Its parts are translated one by one."""
    from gpbd.gpbd_addon import translations

    said = {
        "Frame 17 of 120, at least 1 min 12 s left": (
            "Einzelbild 17 von 120, noch mindestens 1 min 12 s",
            "フレーム 17 / 120、残り 1 分 12 秒 以上",
        ),
        "Frame 8 of 120, kernels 23 of 60": ("Einzelbild 8 von 120, Kernel 23 von 60", "フレーム 8 / 120、カーネル 23 / 60"),
        "Solved frame 9: 0.5 frames a second, 48.0 times slower than the scene": (
            "Einzelbild 9 berechnet: 0.5 Einzelbilder je Sekunde, 48.0-mal langsamer als die Szene",
            "フレーム 9 まで計算済み: 毎秒 0.5 フレーム、シーンの 48.0 分の1の速さ",
        ),
    }  # fmt: skip
    for k, file in enumerate(("de.json", "ja.json")):
        monkeypatch.setattr(translations, "language", lambda file=file: file)
        assert [translations.tr(text) for text in said] == [wanted[k] for wanted in said.values()]


def test_blender_is_given_both_languages_for_names_of_operators_and_all_else(extension):
    from gpbd.gpbd_addon import translations

    made = translations.catalogue()
    assert set(made) == {"de_DE", "de", "ja_JP", "ja"}
    for context in ("*", "Operator"):
        assert made["de_DE"][context, "Bake"] == "Backen" and made["ja_JP"][context, "Bake"] == "ベイク"
    assert all(isinstance(part, str) for own in made.values() for key, said in own.items() for part in (*key, said))
    translations.unregister()
    translations.register()  # Blender takes it, again


def test_a_text_without_spaces_is_wrapped_too(blender):
    from gpbd.gpbd_addon.ui.paragraph import wrapped

    japanese = "再生中のキャッシュの各フレームを、書き込まれたときの内容と比較します"
    lines = wrapped(japanese, 20)
    assert "".join(lines) == japanese and max(map(len, lines)) <= 10
    assert wrapped("カーネルをコンパイル中 124 / 135", 31) == ["カーネルをコンパイル中 124 /", "135"]
    assert wrapped("カーネルをコンパイル中 124 / 135", 34) == ["カーネルをコンパイル中 124 / 135"]
    assert wrapped("a long_word_that_stays_whole b", 8) == ["a", "long_word_that_stays_whole", "b"]
    assert wrapped("つかんでいます。最初", 14) == ["つかんでいま", "す。最初"], "no line begins with a full stop"


def test_a_quantity_stands_in_one_line(blender):
    from gpbd.gpbd_addon.ui.paragraph import wrapped

    assert wrapped("Compiling kernels 59 of 61: 1 min 9 s", 36) == ["Compiling kernels 59 of 61:", "1 min 9 s"]
    assert wrapped("Frame 9 of 61, 2 h 5 min left", 18) == ["Frame 9 of 61,", "2 h 5 min left"]


def test_counts_and_differences_are_said_in_both_languages(blender, monkeypatch):
    """Singular and plural have entries of their own; names of objects and former values stay."""
    from gpbd.gpbd_addon import translations
    from gpbd.gpbd_addon.bake.differences import shown

    changes = [
        "'Grid' Weight or Density (was 150 g/m^2)",
        "'Grid' mesh",
        "Wind",
        "version of 'Coat'",
        "Substeps (was 8)",
    ]
    wanted = {
        "de.json": (
            "1 Überschneidung an Einzelbild 7",
            "2 Überschneidungen an Einzelbild 7",
            "Einzelbild 3 von Grid aus v1 kopieren.",
            "'Grid' Gewicht oder Dichte (vorher 150 g/m^2), 'Grid' Netz, Wind, Version von 'Coat', Teilschritte (vorher 8)",
        ),
        "ja.json": (
            "フレーム 7 に 1 個の交差",
            "フレーム 7 に 2 個の交差",
            "Grid のフレーム 3 を v1 からコピーします。",
            "'Grid' 重さ、または密度 (以前は 150 g/m^2), 'Grid' メッシュ, 風, 'Coat' のバージョン, サブステップ (以前は 8)",
        ),
    }
    assert shown(changes) == ", ".join(changes)
    for file, said in wanted.items():
        monkeypatch.setattr(translations, "language", lambda file=file: file)
        texts = ("1 intersection at frame 7", "2 intersections at frame 7", "Copy frame 3 of Grid from v1.")
        assert (*map(translations.tr, texts), shown(changes)) == said
