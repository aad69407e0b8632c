"""Translations of the add-on: a dictionary each language, text -> translation; `tools/translations.py` keeps them complete.

Blender looks up names, tooltips and fixed texts by itself. A text that a formatted value is in is no entry of a dictionary:
`tr` finds the one with {} in its place.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from pathlib import Path

import bpy

from ..identifiers import ADDON_ID, OWN_CONTEXT

FOLDER = Path(__file__).resolve().parent
#: Blender's name of a language -> the file of its dictionary. Blender falls back from the country to the language.
LANGUAGES = {"de_DE": "de.json", "de": "de.json", "ja_JP": "ja.json", "ja": "ja.json"}
#: Contexts of the lookup: drawn texts, names of operators, and words that Blender's own dictionary takes for others:
#: it has drag of the mouse, not of the air.
CONTEXTS = ("*", "Operator", OWN_CONTEXT)
PLACE = re.compile(r"\{\d*\}")


@functools.cache
def dictionary(file: str) -> dict[str, str]:
    """Text -> translation."""
    entries: dict[str, str] = json.loads((FOLDER / file).read_text(encoding="utf-8"))
    return entries


def language() -> str:
    """The file of the dictionary that is used; "" for none."""
    view = bpy.context.preferences.view
    return LANGUAGES.get(bpy.app.translations.locale, "") if view.use_translate_interface else ""


def tr(text: str) -> str:
    """A text in the language of Blender's interface, also one with values in it; as it is where there is no translation."""
    file = language()
    return translated(text, file) if file else text


def first_of(words: Sequence[str], most: int | None) -> str:
    """Return the first translated words as a list, and how many are left out. most: number of those that are named; None
    for all."""
    left = len(words) - len(words[:most])
    return ", ".join(words[:most]) + (f" {tr(f'and {left} more')}" if left else "")


@functools.lru_cache(maxsize=2048)
def translated(text: str, file: str) -> str:
    """The same by one dictionary."""
    known = dictionary(file)
    if text in known:
        return known[text]
    for pattern, said in _templates(file):
        match = pattern.fullmatch(text)
        if match is not None:
            return said.format(*(_part(part, file) for part in match.groups()))
    return text


def _part(text: str, file: str) -> str:
    """Return the value in place of a {}: translated where it is more than a word, which may be a name."""
    words = text.strip()
    return text.replace(words, translated(words, file)) if " " in words else text


@functools.cache
def _templates(file: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the templates of texts with values, those with most fixed text first."""
    templates = [(text, said) for text, said in dictionary(file).items() if "{}" in text]
    templates.sort(key=lambda one: -len(PLACE.sub("", one[0])))
    return [(re.compile("(.*?)".join(map(re.escape, text.split("{}"))), re.DOTALL), said) for text, said in templates]


def catalogue() -> dict[str, dict[tuple[str, str], str]]:
    """Return Blender's form of the translations: language -> context and text -> translation."""
    return {
        name: {(context, text): said for text, said in dictionary(file).items() for context in CONTEXTS}
        for name, file in LANGUAGES.items()
    }


def register() -> None:
    bpy.app.translations.register(ADDON_ID, catalogue())


def unregister() -> None:
    bpy.app.translations.unregister(ADDON_ID)
