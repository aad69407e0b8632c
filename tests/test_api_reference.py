"""The API reference is that of the code."""

from __future__ import annotations

import solver
from tools import api_reference


def test_the_committed_page_is_current():
    """To the letter, on every Python: the page is made from source text."""
    assert api_reference.PAGE.read_text(encoding="utf-8") == api_reference.page(), "run `python3 dev.py docs --api-only`"


def test_every_public_name_has_a_section_and_a_docstring():
    page = api_reference.page()
    for name in solver.__all__:
        assert f"\n### {name}\n" in page
    undocumented = [d.name for d in api_reference.definitions(api_reference.read("solver")) if not d.has_docstring]
    assert not undocumented
