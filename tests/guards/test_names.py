"""Names say what they hold: files of a room and its GPU twin differ, and names that fit anything do not spread."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from pathlib import Path

from tests.guards import sources

#: Folders of GPU code, and those with the same task on the CPU.
TWINS = {
    f"solver/{room}/gpu": (f"solver/{room}",)
    for room in ("contact", "global_step", "report", "stepping", "methods", "model")
} | {"solver/device/cuda": ("solver/device",)}
#: Identifiers that fit anything, and how often they may stand in the solver and the add-on: `args`, `displacement`, `result`
#: or the name of the contents instead.
VAGUE = dict.fromkeys(("found", "own", "given", "way", "told", "asked", "answer", "answers", "answered"), 0)


def modules(folder: str, pattern: str) -> set[str]:
    paths = (sources.ROOT / folder).glob(pattern)
    return {path.name for path in paths if path.parent.name not in ("gpu", "cuda") or pattern == "*.py"} - {"__init__.py"}


def counted(paths: list[Path]) -> Counter[str]:
    """Return the number of each vague identifier."""
    tokens = (token for path in paths for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline))
    return Counter(token.string for token in tokens if token.type == tokenize.NAME and token.string in VAGUE)


def test_no_file_has_the_name_of_one_of_its_twin():
    same = {
        f"{gpu}/{name}"
        for gpu, rooms in TWINS.items()
        for room in rooms
        for name in modules(gpu, "*.py") & modules(room, "**/*.py")
    }
    assert not same, "wanted: a name of its contents on the GPU"


def test_names_that_fit_anything_do_not_spread():
    now = counted(sources.files("solver", "gpbd_addon"))
    more = {name: f"{now[name]}, at most {most}" for name, most in VAGUE.items() if now[name] > most}
    assert not more, "wanted: the name of the contents"


def test_identifiers_are_counted_and_words_are_not(tmp_path):
    file = tmp_path / "a.py"
    file.write_text('"""What is found."""\nfound, foundation = 1, 2  # found\nprint(found)\n', encoding="utf-8")
    assert counted([file]) == {"found": 2}
