"""Words that the field has terms for do not come back."""

from __future__ import annotations

import pytest

from tests.guards import words


@pytest.mark.parametrize("pattern", words.WORDS)
def test_the_fields_term_stands_instead(pattern):
    assert not words.occurrences(pattern), f"wanted: {words.WORDS[pattern].term}"


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
