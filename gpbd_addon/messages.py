"""Display of warnings and errors: the remedy first, then the finding, a line each. The console has the whole text.

A message is "NAME: finding; wanted requirement. Remedy.", as the solver raises and warns.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from .translations import tr

#: Characters of a line in Blender's pop-ups and status bar.
LONGEST = 150
#: Longest name that is repeated [characters]; and beginnings without a subject.
SHORT = 40
PRONOUN = re.compile(r"\w+ (it|its|them|these)\b")


def two_lines(text: str, longest: int = LONGEST) -> list[str]:
    """Return the remedy and the finding, with the requirement where there is room; only one of them where there is no more.

    longest: characters of a line, which is shortened at a word.
    """
    problem, _, remedy = text.partition(". ")
    name, colon, _ = problem.partition(": ")
    if colon and len(name) <= SHORT and PRONOUN.match(remedy):
        remedy = f"{name}: {remedy[0].lower()}{remedy[1:]}"
    lines = [remedy, problem if len(problem) <= longest else problem.partition("; wanted ")[0]]
    return [textwrap.shorten(line.rstrip("."), longest, placeholder=" ...") for line in lines if line]


def report(operator: Any, level: str, text: str) -> None:
    """By an operator's `report`. level: "ERROR", which Blender shows in a pop-up, or "WARNING"."""
    shown = (". \n" if level == "ERROR" else ". ").join(two_lines(tr(text)))  # the status bar has one line
    operator.report({level}, shown)
    if len(" ".join(text.split())) > len(shown) + 2:  # something was left out
        print(f"GPBD: {text}")
