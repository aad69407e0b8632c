"""The pages in docs/ hold together: links lead somewhere, paths exist, the reference and the guide have no history."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
#: Pages on the present version.
PRESENT = sorted([*(DOCS / "guide").rglob("*.md"), *(DOCS / "reference").rglob("*.md"), ROOT / "README.md"])
HISTORY = (
    "used to",
    "until lately",
    "no longer",
    "is not understood",
    "at first,",
    "before that",
    "formerly",
    "previously",
    "in earlier versions",
    "has been changed",
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
#: A path in backticks that begins with a folder of the repository: `solver/contact/ccd/ccd.py`.
FOLDERS = "solver|gpbd_addon|tests|tools|benchmarks|presets|demo|docs"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./*-]*|dev\.py|pyproject\.toml)`")
#: A module that is run: python -m benchmarks.contact.check.
MODULE = re.compile(r"python3? -m ((?:benchmarks|gpbd_addon)[\w.]*)")
#: A benchmark by name: dev.py bench paper/agreement.
BENCH = re.compile(r"dev\.py bench ([a-z][\w/]*)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def words(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", words(path), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    dead = []
    for target in LINK.findall(re.sub(r"```.*?```", "", words(page), flags=re.DOTALL)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            dead.append(target)
    assert not dead


def test_every_picture_is_shown_and_every_page_is_linked():
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in LINK.findall(words(page))
        if not target.startswith("http")
    }
    files = [path for path in [*(DOCS / "pictures").iterdir(), *DOCS.rglob("*.md")] if path.resolve() not in linked]
    assert not [name(path) for path in files]


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_guide_and_reference_tell_no_history(page):
    """History belongs to docs/notes, with its date."""
    text = " ".join(words(page).lower().split())
    assert not [phrase for phrase in HISTORY if phrase in text]


@pytest.mark.parametrize("page", [*PRESENT, ROOT / "CONVENTIONS.md"], ids=name)
def test_paths_and_benchmarks_that_are_named_exist(page):
    text = words(page)
    paths = [p for p in PATH.findall(text) if not (list(ROOT.glob(p)) if "*" in p else (ROOT / p).exists())]
    modules = [m for m in MODULE.findall(text) if not _exists(ROOT.joinpath(*m.split(".")))]
    benches = [b for b in BENCH.findall(text) if not _exists(ROOT / "benchmarks" / b)]
    assert not paths + modules + benches


def _exists(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").is_file()


def test_every_room_is_in_the_architecture():
    """A room is a folder of the solver or of the add-on."""
    text = words(DOCS / "reference" / "architecture.md")
    rooms = [p for package in ("solver", "gpbd_addon") for p in sorted((ROOT / package).rglob("*")) if p.is_dir()]
    rooms = [p for p in rooms if p.name != "__pycache__" and any(p.glob("*.py"))]
    assert not [name(p) for p in rooms if f"`{name(p)}/`" not in text]


def test_the_glossary_is_in_order_and_says_each_term_once():
    lines = words(DOCS / "reference" / "glossary.md").splitlines()
    _, *rows = (line.split("|")[1].strip() for line in lines if line.startswith("| "))
    terms = [re.sub(r"[^a-z0-9 ]", "", term.lower().replace("-", " ")) for term in rows]
    assert terms == sorted(terms)
    assert len(terms) == len(set(terms))
