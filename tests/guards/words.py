"""Words for which the field has terms, in code, docstrings, comments and pages: `python -m tests.guards.words`.

Identifiers are split (`heldBack`, `held_back`: held back), so that code and text are read alike; a phrase may go over the
end of a line. `docs/reference/glossary.md` has the terms. Also docstrings that begin with a subordinate clause.
"""

from __future__ import annotations

import ast
import bisect
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from tests.guards import sources

#: Folders of code that is read.
PACKAGES = "solver", "gpbd_addon", "tests", "benchmarks", "tools", "demo"

#: Files of code, whose docstrings and comments begin with a verb or a noun of the field.
CODE = r".*\.py"
#: First words of docstrings that are subordinate clauses, or noun phrases without their noun.
CLAUSE = re.compile(
    r"(What|That of|That which|Those|Where|Whether|How|Who|Whose|Which|When|Why|Does|Of|Something|Nothing|As (above|of))\b"
)


@dataclass(frozen=True)
class Word:
    """A word to avoid. term: replaces it. where: pattern of searched paths. allowed: pattern of lines with its ordinary
    meaning, or with a name in files of users. prose: only docstrings and comments are searched, without code in them."""

    term: str
    where: str = ".*"
    allowed: str = r"(?!)"
    prose: bool = False


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
    "boards?": Word("stiff (bending-dominated) sheet", CODE, prose=True),
    "answer(s|ed|ing)?": Word("response; result", CODE, r"answers:|, answers\.", prose=True),
    "ask(s|ed|ing)?": Word("require, evaluate; call", CODE, r"asked:", prose=True),
    "(give|gives|gave|giving) way": Word("compliance, compliant", CODE, prose=True),
    "(draw|draws|drawn|drew|drawing) out": Word("stretch", CODE, prose=True),
    "(throw|throws|threw|thrown|throwing)": Word("eject; diverge", CODE, prose=True),
    "what (is|are|was|were|has|have|it|they|stands)": Word("the noun", CODE, r'"twice what is measured"', prose=True),
    "(tell|tells|told|telling)": Word("report, warn, return; distinguish", CODE, r"(tell|told):", prose=True),
    "(go|goes|went) on": Word("continue", CODE, r"goes_on:|GOES_ON", prose=True),
    "(mind|minds|minded)": Word("is invariant under", CODE, prose=True),
    "(foresee|foresees|foreseen|foresaw)": Word("predict", CODE, r"foreseen:", prose=True),
}


def texts() -> Iterator[tuple[str, str]]:
    """Path and text of every file that is read: code, but for that of this guard, and pages but for dated notes."""
    pages = [path for path in (sources.ROOT / "docs").rglob("*.md") if "notes" not in path.parts]
    code = [path for path in sources.files(*PACKAGES) if path.parent != sources.ROOT / "tests/guards"]
    for path in [*code, *pages, sources.ROOT / "README.md"]:
        yield sources.name(path), path.read_text(encoding="utf-8")


def is_tooltip(node: ast.AST) -> bool:
    """Return whether Blender shows the docstring of a node: a class with `bl_idname`, or derived from one of `bpy.types`."""
    if not isinstance(node, ast.ClassDef):
        return False
    named = any(isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "bl_idname" for part in node.body)
    return named or any(ast.unparse(base).startswith("bpy.types.") for base in node.bases)


@functools.cache
def docstrings(text: str) -> list[tuple[int, str]]:
    """Return the first line number and the text of each docstring of Python source, except tooltips: Blender shows the
    docstrings of classes it registers."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds) and not is_tooltip(node)]
    return [(node.body[0].lineno, ast.get_docstring(node) or "") for node in nodes if ast.get_docstring(node)]


@functools.cache
def prose(text: str) -> str:
    """Return docstrings and comments of Python source on their lines, without code in backticks; all else is blank."""
    lines = [""] * (text.count("\n") + 2)
    starts = {start for start, _ in docstrings(text)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.start[0] in starts):
            for number, line in enumerate(token.string.splitlines(), token.start[0]):
                lines[number - 1] += re.sub(r"`[^`]*`", "`", line)
    return "\n".join(lines)


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
            at = dict.fromkeys(found(pattern, prose(text) if word.prose else text))
            out += [f"{name}:{n}: {lines[n - 1].strip()}" for n in at if not re.search(word.allowed, lines[n - 1])]
    return out


def clauses() -> list[str]:
    """Return 'path:line: text' of each docstring that begins with a subordinate clause."""
    found_in = [(name, docstrings(text)) for name, text in texts() if re.fullmatch(CODE, name) and name.endswith(".py")]
    return [f"{name}:{n}: {text.splitlines()[0]}" for name, all_of in found_in for n, text in all_of if CLAUSE.match(text)]


def main() -> None:
    print("".join(f"{place}\n" for place in clauses()), end="")
    for pattern, word in WORDS.items():
        places = occurrences(pattern)
        print(f"{pattern}: {len(places)} ({word.term})")
        print("".join(f"    {place}\n" for place in places), end="")


if __name__ == "__main__":
    main()
