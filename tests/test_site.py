"""Site: every page of guide and reference, and no link to a missing page. `dev.py docs site` builds it."""

from __future__ import annotations

import importlib.util

import pytest

from tests.guards.sources import ROOT


@pytest.fixture(scope="module")
def conf():
    """Sphinx's settings; Sphinx itself is not needed to read them."""
    spec = importlib.util.spec_from_file_location("site_conf", ROOT / "tools/site/conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_of_guide_and_reference_has_its_place_in_the_navigation(conf):
    found = [
        page for pages in conf.sections((ROOT / "docs/README.md").read_text(encoding="utf-8")).values() for page in pages
    ]
    files = [path for folder in ("guide", "reference") for path in (ROOT / "docs" / folder).rglob("*.md")]
    assert sorted(found) == sorted(path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in files)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("[a](fabrics.md#grades) b", "[a](fabrics.md#grades) b"),
        ("[a](../reference/api.md)", "[a](../reference/api.md)"),
        ("![a](../pictures/flag.jpg)", "![a](../pictures/flag.jpg)"),
        ("[a](https://python.org)", "[a](https://python.org)"),
        ("see [the notes](../notes/speed.md#x).", "see the notes."),
        ("see [Conventions](../../CONVENTIONS.md).", "see Conventions."),
    ],
)
def test_links_out_of_the_site_become_words(conf, text, kept):
    assert conf.without_what_is_left_out(text, ROOT / "docs/guide") == kept


def test_the_overview_gets_the_navigation_and_no_notes(conf):
    source = ["# Documentation\n\n## Guide\n\n1. [One](guide/one.md): [x](notes/x.md)\n\n## Notes\n\n[y](notes/y.md)\n"]
    conf.on_source_read(None, "README", source)
    assert "Notes" not in source[0] and "notes/" not in source[0]
    assert source[0].endswith("```{toctree}\n:caption: Guide\n:hidden:\n\nguide/one\n```")
