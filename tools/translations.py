"""Compares the add-on's texts with the dictionaries in gpbd_addon/translations: missing and stale entries.

    python tools/translations.py            names both; ends with 1 if there are any
    python tools/translations.py --write    adds missing ones with an empty translation, and removes stale ones

Needs a Python with bpy, for names that are made at run time: of settings, energies, qualities. Texts of panels and operators
are read from their sources: those with formatted values have {} in their place.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "gpbd_addon" / "translations"
#: Whose sources have texts in them that are shown; and files of others, whose texts are all shown.
ROOMS = ("ui", "operators")
FILES = ("bake/repair.py", "bake/report.py", "live/state.py")
#: Functions called with progress texts, and attributes that hold them.
SAYS, DOING = ("_say", "say", "tell"), ("status", "doing", "compiling", "COMPILING", "BUILDING", "cache_info")
#: A text for people: a word that begins with a capital and continues small, or several words. Identifiers are neither.
TEXT = re.compile(r"[A-Z][a-z]|\S \S")
#: Names of hidden items: groups of properties, and paths.
IDENTIFIER = re.compile(r"[a-z_]+|//.*")
#: Least number of a text's own letters beside its values: "{}: {}" has nothing to translate.
LETTERS = 4
#: Keywords of calls whose texts are no labels.
NOT_SHOWN = ("bl_idname", "bl_parent_id", "default", "regex")


def shown() -> list[str]:
    """Return all texts, sorted. The extension is registered, as the package `gpbd`."""
    all_texts = {text.strip() for text in (*of_blender(), *of_sources(), *of_tables())}
    names = (text for text in all_texts if re.search("[A-Za-z]{2}", text) and not IDENTIFIER.fullmatch(text))
    return sorted({*names, *of_differences()})


def of_blender() -> Iterator[str]:
    """Yield names and tooltips of registered classes."""
    import bpy

    from gpbd.gpbd_addon import operators, properties, ui

    material: Any = bpy.types.Material
    yield from _of_property(material.bl_rna.properties["gpbd_preset"])
    for cls in (*properties.CLASSES, *operators.CLASSES, *ui.CLASSES):
        yield getattr(cls, "bl_label", "")
        listed: Iterable[Any] = ()
        if issubclass(cls, bpy.types.Operator):
            rna = getattr(bpy.ops.gpbd, cls.bl_idname.partition(".")[2]).get_rna_type()
            yield from (rna.name, rna.description)
            listed = rna.properties
        elif issubclass(cls, bpy.types.Menu):
            yield cls.bl_rna.description
        elif issubclass(cls, bpy.types.PropertyGroup):
            listed = [
                prop for prop in cls.bl_rna.properties if prop.identifier in cls.__annotations__ or _is_ours(cls, prop)
            ]
        for prop in listed:
            if prop.identifier != "rna_type":
                yield from _of_property(prop)


def _is_ours(cls: Any, prop: Any) -> bool:
    return any(prop.identifier in getattr(base, "__annotations__", ()) for base in cls.__mro__)


def _of_property(prop: Any) -> Iterator[str]:
    yield from (prop.name, prop.description)
    if prop.type == "ENUM":
        for item in prop.enum_items:
            yield from (item.name, item.description)


def of_tables() -> Iterator[str]:
    """Labels that panels take from tables."""
    from gpbd.gpbd_addon.bake.statistics import STATISTICS
    from gpbd.gpbd_addon.body_kinds import BODY_KINDS
    from gpbd.solver.scene import catalog

    yield from (statistic.label for statistic in STATISTICS.values())
    yield from (
        text for kind in BODY_KINDS.values() for text in (kind.label, kind.name, kind.summary, kind.automatic_thickness)
    )
    yield from ("frame {}", "frames {}", "Error of This Body")
    for energy in catalog.energies().values():  # a number below its choice is drawn without the word of the choice
        yield from (p.label.partition(" ")[2] for p in energy.parameters.values())


def of_differences() -> Iterator[str]:
    """Words of `differences`, which are joined to sentences."""
    from gpbd.gpbd_addon.bake import differences

    yield from (text for table in differences.TABLES for text in table.values())
    yield from ("settings", "version of '{}'", "was {}")


def of_sources() -> Iterator[str]:
    """Texts in the sources of panels and operators but for docstrings and errors."""
    for path in sorted(path for room in ("bake", "live", "read") for path in (ROOT / "gpbd_addon" / room).glob("*.py")):
        source = path.read_text(encoding="utf-8")
        yield from doing(source)
        if path.parent.name == "bake":
            yield from buttons(source)
    for path in sorted(
        path for room in (*ROOMS, "bake", "simulation_mesh") for path in (ROOT / "gpbd_addon" / room).glob("*.py")
    ):
        yield from counts(path.read_text(encoding="utf-8"))
    for name in FILES:
        yield from texts((ROOT / "gpbd_addon" / name).read_text(encoding="utf-8"))
    for room in ROOMS:
        for path in sorted((ROOT / "gpbd_addon" / room).glob("*.py")):
            yield from texts(path.read_text(encoding="utf-8"))


def _is_constant(node: ast.AST) -> bool:
    return _name(node).isupper() or _name(node) == "__all__"


def counts(source: str) -> Iterator[str]:
    """Yield the words of `counted` in one file, with 1 and with {}."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _name(node.func) == "counted" and len(node.args) == 3:
            one, many = (template(argument) for argument in node.args[1:])
            yield from (f"1 {one}", f"{{}} {many}")


def texts(source: str) -> Iterator[str]:
    """Yield the texts of one file."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Constant):
            text = template(node)
            if text and TEXT.search(text):
                yield text
            continue
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            children.remove(node.body[0])
        if isinstance(node, ast.Subscript | ast.Compare):  # keys, and compared values
            children = [child for child in children if not isinstance(child, ast.Constant)]
        if isinstance(node, ast.keyword) and node.arg in NOT_SHOWN:
            children = []
        if isinstance(node, ast.Call) and _name(node.func) == "counted":  # see `counts`
            children = node.args[:1]
        if isinstance(node, ast.Assign) and any(_is_constant(at) for at in node.targets):
            children = [] if not isinstance(node.value, ast.Dict) else children
        waiting += children


def buttons(source: str) -> Iterator[str]:
    """Yield the labels on the buttons of findings, in one file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
            written = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "button")]
            yield from (text for keyword in written if (text := template(keyword)))


def doing(source: str) -> Iterator[str]:
    """Yield the progress texts of a file."""
    for node in ast.walk(ast.parse(source)):
        said: list[ast.AST] = []
        if isinstance(node, ast.Call) and not node.keywords and _name(node.func) in SAYS:
            said = list(node.args)
        elif isinstance(node, ast.Assign) and any(_name(to) in DOING for to in node.targets):
            said = [node.value]
        while said:
            part = said.pop()
            text = template(part)
            if text and TEXT.search(text):
                yield text
            elif isinstance(part, ast.IfExp | ast.BinOp):
                said += [getattr(part, name) for name in ("body", "orelse", "left", "right") if hasattr(part, name)]


def _name(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def template(node: ast.AST) -> str:
    """Return a text with {} for each value; "" for other nodes, or with too few letters of its own."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
    letters = sum(character.isalpha() for part in parts for character in str(part))
    return "".join(map(str, parts)) if letters >= LETTERS else ""


def dictionary(path: Path) -> dict[str, str]:
    known_texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return known_texts


def problems(known: dict[str, str], wanted: Iterable[str]) -> list[str]:
    """Return the problems of one dictionary, a line each: missing, stale, empty, or with other placeholders."""
    texts = list(wanted)
    lines = [f"missing: {text}" for text in texts if text not in known]
    lines += [f"stale: {text}" for text in known if text not in texts]
    lines += [f"empty: {text}" for text, said in known.items() if not said.strip()]
    lines += [f"placeholders: {text}" for text, said in known.items() if said.strip() and not same_places(text, said)]
    return lines


def same_places(text: str, said: str) -> bool:
    """Return whether a translation has each {} of a text once: as {} in the same order, or numbered from {0} on."""
    count, numbered = text.count("{}"), sorted(map(int, re.findall(r"\{(\d+)\}", said)))
    return (said.count("{}") == count and not numbered) or (numbered == list(range(count)) and "{}" not in said)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="add what is missing, take away what is stale")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(ROOT))
    from tests.gpbd_addon.conftest import import_extension

    package = import_extension()
    package.register()
    try:
        wanted = shown()
    finally:
        package.unregister()
    count = 0
    for path in sorted(FOLDER.glob("*.json")):
        known = dictionary(path)
        if options.write:
            known = {text: known.get(text, "") for text in wanted}
            path.write_text(json.dumps(known, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        lines = problems(known, wanted)
        count += len(lines)
        print("\n".join(f"{path.name}: {line}" for line in lines))
    print(f"{len(wanted)} texts")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
