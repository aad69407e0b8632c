"""Finds words for which the field has terms, in code, docstrings, comments and pages: `python -m tests.guards.words`.

Identifiers are taken apart (`heldBack`, `held_back`: held back), so that code and text are read alike; a phrase may go over
the end of a line. `docs/reference/glossary.md` has the terms.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.guards import sources

#: Folders of code that is read.
PACKAGES = "solver", "gpbd_addon", "tests", "benchmarks", "tools", "demo"


@dataclass(frozen=True)
class Word:
    """term: what stands for it. where: paths in which it is looked for. allowed: lines in which it has its ordinary meaning,
    or is a name that files of users have."""

    term: str
    where: str = ".*"
    allowed: str = r"(?!)"


#: Pattern of whole words -> what stands for it.
WORDS = {
    "lasting": Word("warm start, of contact forces"),
    "pulls used|pull (rows|corners)|(a|the|each|every|further|these) pulls?": Word(
        "separation constraint", r"solver/contact/.*"
    ),
    "leans?": Word("untangling direction", r"solver/.*"),
    "carried": Word("coupled vertices: rigid, embedded", r"solver/.*"),
    "rebounds?|rebounding": Word("restitution", r"solver/.*|docs/.*"),
    "calm|calms|calmed": Word("restitution", r"solver/.*|docs/.*"),
    "certif(y|ies|ied|ying|icates?|ication)": Word("continuous collision detection (CCD)"),
    "(hold|holds|held|holding) back": Word("CCD clamp"),
    "jams?|jammed|jamming": Word("stall"),
    "horizons?": Word("lifetime of a neighbour list", r"solver/contact/.*"),
    "piercings?": Word("edge-triangle intersection"),
    "tangles?|tangled": Word(
        "intersection contour; intersecting, inverted", where=r"(?!tools/(same_bits_scenes|record_kernels)\.py).*"
    ),
    "paces?|paced|pacing": Word("adaptive substeps"),
    "global stages?": Word("global step"),
    "whole sheets?": Word(
        "global step; in panels and for artists Keep Length", where=r"(?!tools/same_bits_scenes\.py|.*/test_words\.py).*"
    ),
    "far couplings?": Word("second-ring couplings"),
    "patch motions?|patches|patch basis": Word(
        "aggregates of the coarse-space correction", r"solver/(linalg|global_step)/.*"
    ),
    "half square": Word("neo-Hookean shape term"),
    "remember|remembers|remembered": Word("strain at step start", r"solver/(elements|energies|methods|model)/.*"),
    "cards?": Word(
        "preset",
        r"solver/.*|gpbd_addon/.*|docs/.*|README\.md",
        allowed=r"\bgpbd_card\b|(card[ _]house|standing[ _]cards|stiff cards)",
    ),
}


def texts() -> Iterator[tuple[str, str]]:
    """Path and text of every file that is read: code, but for that of this guard, and pages but for dated notes."""
    pages = [path for path in (sources.ROOT / "docs").rglob("*.md") if "notes" not in path.parts]
    code = [path for path in sources.files(*PACKAGES) if path.parent != sources.ROOT / "tests/guards"]
    for path in [*code, *pages, sources.ROOT / "README.md"]:
        yield sources.name(path), path.read_text(encoding="utf-8")


@functools.cache
def taken_apart(text: str) -> tuple[str, list[int], list[int]]:
    """The words of a text in small letters, joined by blanks; where each begins in that; and the lines they stand in."""
    words, starts, lines, length = [], [], [], 0
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", line):
            words.append(word.lower())
            starts.append(length)
            lines.append(number)
            length += len(word) + 1
    return " ".join(words), starts, lines


def found(pattern: str, text: str) -> Iterator[int]:
    """Numbers of the lines in which whole words of a text begin to match the pattern."""
    plain, starts, lines = taken_apart(text)
    for match in re.finditer(rf"(?<![^ ])(?:{pattern})(?![^ ])", plain):
        yield lines[bisect.bisect_right(starts, match.start()) - 1]


def occurrences(pattern: str) -> list[str]:
    """'path:line: text' wherever the word stands though another is wanted."""
    word, out = WORDS[pattern], []
    for name, text in texts():
        if re.fullmatch(word.where, name):
            lines = text.splitlines()
            at = dict.fromkeys(found(pattern, text))
            out += [f"{name}:{n}: {lines[n - 1].strip()}" for n in at if not re.search(word.allowed, lines[n - 1])]
    return out


def main() -> None:
    for pattern, word in WORDS.items():
        places = occurrences(pattern)
        print(f"{pattern}: {len(places)} ({word.term})")
        print("".join(f"    {place}\n" for place in places), end="")


if __name__ == "__main__":
    main()
