"""Pages stay readable: few clauses in place of nouns, few long sentences, few passives."""

from __future__ import annotations

import pytest

from tests.guards import sentences

#: Largest shares of sentences [%]: with a clause in place of a noun, of more than 28 words, in the passive voice.
BOUNDS = {"guide": (0.2, 0.8, 4.0), "reference": (0.5, 3.6, 4.5)}


@pytest.mark.parametrize("part", BOUNDS)
def test_pages_read_plainly(part):
    found = sentences.of_pages(getattr(sentences, part)())
    now = sentences.shares(found)
    worst = "\n".join(f"{s.page}:{s.line}: {s.text}" for s in sentences.worst(found))
    assert now.clauses <= BOUNDS[part][0], worst
    assert now.long <= BOUNDS[part][1], worst
    assert now.passives <= BOUNDS[part][2], worst


@pytest.mark.parametrize(
    ("text", "clauses", "words", "passives"),
    [
        ("What is stiff stays so; who presses a button waits.", 2, 10, 0),
        ("What do you see? *That which* is thrown falls.", 1, 5, 1),
        ("- The cache is kept, by\n  `solver/cache`, and not deleted.", 0, 9, 1),
        ("| short | the cloth is **never** seen |", 0, 5, 1),
        ("![What is seen there](x.png) [A link](what.md) is a link.", 0, 5, 0),
    ],
)
def test_sentences_are_measured(text, clauses, words, passives):
    last = list(sentences.sentences("page.md", text))[-1]
    assert (last.clauses, last.words, last.passives) == (clauses, words, passives)


def test_code_and_headings_are_left_out_and_lines_are_those_of_the_page():
    text = "# What is a heading\n\n```\nwhat is code is left\n```\nOne sentence has\nfour words. A second one begins here."
    assert [(s.line, s.text) for s in sentences.sentences("page.md", text)] == [
        (6, "One sentence has four words."),
        (7, "A second one begins here."),
    ]


def test_the_worst_come_first():
    found = list(sentences.sentences("page.md", f"{'word ' * 40}end. What is told is long. This one reads well."))
    assert [s.text[:9] for s in sentences.worst(found)] == ["What is t", "word word"]
