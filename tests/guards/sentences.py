"""Measures how pages read: `python -m tests.guards.sentences [PAGE ...]` prints a row for each and the worst sentences.

Sentences are those of paragraphs, list items and table cells. Code, headings, pictures and cells that quote messages are
left out.
"""

from __future__ import annotations

import bisect
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.guards import sources

DOCS = sources.ROOT / "docs"
#: Reference pages that are generated.
UNREAD = {"api.md"}
#: Words of a sentence that a reader of the guide keeps in mind.
LONGEST = 28
#: A block of fewer words is a label.
SHORTEST = 4
IRREGULAR = (
    "begun bent bound bought brought built caught chosen cut dealt done drawn driven fed felt flung found given gone ground "
    "grown heard held hidden hit kept known laid led left lent lost made meant met paid put read reset rewritten run said "
    "seen sent set sewn shot shown shut sold spent split spread spun stood struck stuck swept taken taught thrown told "
    "torn understood undone unsewn woven worn wound written"
)
PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?: (?:not|also|then|never|always|only|all|both|still|\w+ly))*"
    rf" (?:(?!indeed\b|need\b|red\b|speed\b)\w+ed|{'|'.join(IRREGULAR.split())})\b",
    re.IGNORECASE,
)
#: A clause in place of a noun, at the beginning of a sentence or after a colon or semicolon.
CLAUSE = re.compile(r"(?:^|[;:] )(?:what|that|where|who|whoever|whatever|which|whichever)\b(?![^.;]*\?)", re.IGNORECASE)
#: The end of a sentence, but not of an abbreviation or a number of a list.
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)(?<!\bFig)(?<!\bEq)(?<!\bno)[.!?][)\"]?(?= +[^a-z\s])")


@dataclass(frozen=True)
class Sentence:
    page: str
    line: int
    text: str

    @property
    def words(self) -> int:
        return len(re.findall(r"\S*\w\S*", self.text))

    @property
    def is_long(self) -> bool:
        return self.words > LONGEST

    @property
    def clauses(self) -> int:
        return len(CLAUSE.findall(self.text))

    @property
    def passives(self) -> int:
        return len(PASSIVE.findall(self.text))

    @property
    def score(self) -> int:
        """What the worst are sorted by: words beyond the longest, a clause or passive as several of them."""
        return max(self.words - LONGEST, 0) + 10 * self.clauses + 5 * self.passives


@dataclass(frozen=True)
class Shares:
    """Shares of the sentences of pages [%]."""

    sentences: int
    clauses: float
    long: float
    passives: float


def guide() -> list[Path]:
    return [sources.ROOT / "README.md", DOCS / "README.md", *sorted((DOCS / "guide").glob("*.md"))]


def reference() -> list[Path]:
    return [path for path in sorted((DOCS / "reference").rglob("*.md")) if path.name not in UNREAD]


def plain(line: str) -> str:
    """A line without marks, pictures and addresses of links; code stays marked, since a sentence may begin with it."""
    line = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", line)
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"\*|^>\s*", "", line).strip()


def blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """Numbers and plain text of the lines of each paragraph, list item and table cell."""
    block: list[tuple[int, str]] = []
    is_code = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        ends = is_code or fence or not line.strip() or line.startswith(("#", "|", "    ", "<", "$$"))
        if block and (ends or re.match(r"\s*(?:[-*]|\d+\.) ", line)):
            yield block
            block = []
        if line.startswith("|") and not is_code:
            cells = (plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip("|")))
            yield from ([(number, cell)] for cell in cells if not cell.startswith('"'))
        elif not ends:
            block.append((number, plain(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line))))
        is_code ^= fence


def sentences(page: str, text: str) -> Iterator[Sentence]:
    for block in blocks(text):
        starts, joined = [], ""
        for _, line in block:
            starts.append(len(joined))
            joined += f"{line} "
        begin = 0
        for end in [*(match.end() for match in END.finditer(joined)), len(joined)]:
            first = begin + len(joined[begin:end]) - len(joined[begin:end].lstrip())
            line = block[max(bisect.bisect_right(starts, first) - 1, 0)][0]
            sentence = Sentence(page, line, joined[begin:end].replace("`", "").strip())
            if sentence.words >= SHORTEST:
                yield sentence
            begin = end


def of_pages(paths: Iterable[Path]) -> list[Sentence]:
    return [found for path in paths for found in sentences(sources.name(path), path.read_text(encoding="utf-8"))]


def shares(found: list[Sentence]) -> Shares:
    def share(which: Iterable[object]) -> float:
        return 100 * sum(map(bool, which)) / max(len(found), 1)

    return Shares(
        len(found), share(s.clauses for s in found), share(s.is_long for s in found), share(s.passives for s in found)
    )


def worst(found: list[Sentence], count: int = 20) -> list[Sentence]:
    return [sentence for sentence in sorted(found, key=lambda s: -s.score)[:count] if sentence.score]


def main(names: list[str]) -> None:
    print(f"{'page':<42} sentences  clauses %  over {LONGEST} words %  passive %")
    for paths in (guide(), reference()):
        paths = [path for path in paths if not names or sources.name(path) in names]
        rows = [(sources.name(path), of_pages([path])) for path in paths]
        rows = [row for row in rows if row[1]]
        everything = [sentence for _, found in rows for sentence in found]
        for name, found in [*rows, *([("all", everything)] if len(rows) > 1 else [])]:
            row = shares(found)
            print(f"{name:<42} {row.sentences:9}  {row.clauses:9.1f}  {row.long:15.1f}  {row.passives:9.1f}")
        for sentence in worst(everything):
            print(f"    {sentence.page}:{sentence.line}: {sentence.text}")


if __name__ == "__main__":
    main(sys.argv[1:])
