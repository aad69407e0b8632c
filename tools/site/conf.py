"""Sphinx's settings for the site of `dev.py docs site`: the pages of docs/, in the order of their overview."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")

_manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
project, version = _manifest["name"], _manifest["version"]
release = version
copyright = _manifest["copyright"][0]
html_title = f"{project} {version}"

extensions = ["myst_parser"]
root_doc = "README"
exclude_patterns = ["notes/**"]
myst_heading_anchors = 4
#: Fences without a language, or with a terminal's output, are not coloured.
highlight_language = "none"
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False


def sections(overview: str) -> dict[str, list[str]]:
    """Return heading of the overview -> the pages that are linked below it, in their order, without those of a
    folder left out."""
    of_overview: dict[str, list[str]] = {}
    for part in re.split(r"^## ", overview, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        pages = [target.removesuffix(".md") for _, target, _ in LINK.findall(text) if target.endswith(".md")]
        of_overview[title.strip()] = [page for page in dict.fromkeys(pages) if not page.startswith("notes/")]
    return {title: pages for title, pages in of_overview.items() if pages}


def without_what_is_left_out(text: str, folder: Path) -> str:
    """Replace links to files outside the site, such as notes and files of the repository, by their words."""

    def keep(match: re.Match) -> str:
        target = match[2]
        there = (folder / target).resolve()
        inside = there.is_relative_to(DOCS) and not there.is_relative_to(DOCS / "notes")
        return match[0] if inside or re.match(r"[a-z]+:", target) else match[1]

    return LINK.sub(keep, text)


def _tree(title: str, pages: list[str]) -> str:
    """A part of the navigation."""
    return "\n".join(["```{toctree}", f":caption: {title}", ":hidden:", "", *pages, "```"])


def on_source_read(app: Any, name: str, source: list[str]) -> None:
    """Filter the source of a page, on Sphinx's event."""
    text = source[0]
    if name == root_doc:
        text = "\n\n".join([text.partition("\n## Notes")[0], *map(_tree, *zip(*sections(text).items()))])
    source[0] = without_what_is_left_out(text, (DOCS / name).parent)


def on_build_finished(app: Any, error: Exception | None) -> None:
    """Sphinx's event: a folder is opened at `index.html`."""
    if error is None:
        shutil.copyfile(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def setup(app: Any) -> None:
    """Sphinx's hook."""
    app.connect("source-read", on_source_read)
    app.connect("build-finished", on_build_finished)
