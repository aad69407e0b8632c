"""Words that the field has terms for do not come back."""

from __future__ import annotations

import pytest

from tests.guards import words


@pytest.mark.parametrize("pattern", words.WORDS)
def test_the_fields_term_stands_instead(pattern):
    assert not words.occurrences(pattern), f"wanted: {words.WORDS[pattern].term}"


def test_docstrings_begin_with_a_verb_or_a_noun():
    assert not words.clauses(), "wanted: an imperative, or a noun of the field"


def test_prose_is_docstrings_and_comments_without_code():
    """A call, a name in backticks and a string of code are none."""
    source = 'def ask(answers):\n    """Return what is kept.\n\n    `answers`.\n    """\n    return "answer"  # an answer\n'
    assert words.prose(source).split() == ['"""Return', "what", "is", "kept.", "`.", '"""', "#", "an", "answer"]
    assert list(words.found("answers?", words.prose(source))) == [6]
    assert [bool(words.CLAUSE.match(text)) for text in ("What is kept.", "Whatever.", "Of all.", "Offset [m].")] == [
        1,
        0,
        1,
        0,
    ]


def test_docstrings_that_blender_shows_are_no_prose():
    source = 'class A(Base):\n    "What it does"\n    bl_idname = "a.b"\nclass B(bpy.types.Panel):\n    "What it has"\n'
    assert words.docstrings(source + 'class C(Base):\n    "What it is"\n') == [(7, "What it is")]


@pytest.mark.parametrize(
    ("pattern", "text", "lines"),
    [
        ("held back", "a\nheld_back = heldBack\n# is held\n# back again", [2, 2, 3]),
        ("tangles?", "untangle, tangles_of, ATangle, rectangles", [1, 1]),
        ("far couplings", "FAR_COUPLINGS = farCouplings", [1, 1]),
        ("jams?", "james jammed jam3", [1]),
    ],
)
def test_the_guard_takes_identifiers_apart_and_finds_whole_words(pattern, text, lines):
    assert list(words.found(pattern, text)) == lines
