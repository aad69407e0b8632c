"""Writes docs/reference/api.md from the public names of the solver: `python3 dev.py docs --api-only`.

Signatures, defaults and docstrings are taken from the source text; nothing is imported, so no Numba is needed and every
Python gives the same page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "api.md"
#: Heading -> its public names; other names come under the last one.
CHAPTERS = {
    "Scene": ("Scene", "Cloth", "SoftBody", "Rigid", "Region", "Pins", "Tie", "Collider", "Plane"),
    "Materials": ("Material", "load_material"),
    "Simulation": ("Settings", "Simulation", "FrameInputs", "Frame"),
    "Errors": ("GpbdError",),
}
INTRODUCTION = """# Python API

The public names of `solver`, and those of `solver.settle`. Generated from the code by `python3 dev.py docs --api-only`; do
not edit. How they are used: [scripts](../guide/scripts.md). Units are SI; arrays are NumPy's.
"""
#: Rooms of the arrays that `Simulation` computes with: scripts that read them read the code.
INNER = ("solver.model", "solver.contact")
FACTORIES = {"dict": "{}", "list": "[]", "tuple": "()"}


class ApiError(Exception):
    """A public name without a definition."""


@dataclass(frozen=True)
class Module:
    """name: dotted. text, tree: of its file."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    def source(self, node: ast.AST | None) -> str:
        """The text of a part of it on one line."""
        return "" if node is None else " ".join((ast.get_source_segment(self.text, node) or "").split())


@dataclass(frozen=True)
class Definition:
    name: str
    module: Module
    node: ast.ClassDef | ast.FunctionDef | ast.Assign

    @property
    def has_docstring(self) -> bool:
        return not isinstance(self.node, ast.Assign) and ast.get_docstring(self.node) is not None


@cache
def read(name: str) -> Module:
    path = ROOT.joinpath(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    return Module(name, path, text, ast.parse(text))


def find(name: str, module: Module) -> Definition | None:
    """Return the definition of a module's name, in it or in its imports from the solver; None if elsewhere."""
    for node in module.tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return Definition(name, module, node)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return Definition(name, module, node)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.level and any(alias.name == name for alias in node.names):
            package = module.name.split(".")
            package = package if module.path.name == "__init__.py" else package[:-1]
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            return find(name, read(".".join(part for part in base if part)))
    return None


def public(module: Module) -> list[str]:
    """The names of `__all__`, or the public functions and classes that a module defines."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return ast.literal_eval(node.value)
    defined = [node.name for node in module.tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    return [name for name in defined if not name.startswith("_")]


def definitions(module: Module) -> list[Definition]:
    all_definitions = [find(name, module) for name in public(module)]
    missing = [name for name, definition in zip(public(module), all_definitions, strict=True) if definition is None]
    if missing:
        raise ApiError(f"{module.name}: no definition of '{missing[0]}' was found in the solver; wanted one.")
    return [definition for definition in all_definitions if definition is not None]


def named_types(definition: Definition) -> Iterator[Definition]:
    """The solver's types that the fields, parameters and results of a definition name."""
    node = definition.node
    parts = list(_public_functions(node)) if isinstance(node, ast.ClassDef) else [node]
    annotations = [item.annotation for item in _fields(definition)]
    for part in parts:
        if isinstance(part, ast.FunctionDef):
            parameters = [*part.args.posonlyargs, *part.args.args, *part.args.kwonlyargs]
            annotations += [a for a in (*(argument.annotation for argument in parameters), part.returns) if a is not None]
    if isinstance(node, ast.Assign):
        annotations.append(node.value)
    for annotation in annotations:
        for name in sorted({n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)}):
            definition_of_type = find(name, definition.module)
            if definition_of_type is not None and not name.startswith("_") and not _is_foreign(definition_of_type):
                yield definition_of_type


def _is_foreign(definition: Definition) -> bool:
    """Return whether it is another name of a type of NumPy."""
    node = definition.node
    return isinstance(node, ast.Assign) and definition.module.source(node.value).startswith("np.")


def _fields(definition: Definition) -> list[ast.AnnAssign]:
    """The fields of a dataclass that its constructor takes, in their order."""
    node = definition.node
    if not isinstance(node, ast.ClassDef) or not any("dataclass" in ast.unparse(d) for d in node.decorator_list):
        return []
    return [item for item in node.body if isinstance(item, ast.AnnAssign) and not _is_derived(item)]


def _is_derived(item: ast.AnnAssign) -> bool:
    if ast.unparse(item.annotation).startswith("ClassVar"):
        return True
    keywords = item.value.keywords if isinstance(item.value, ast.Call) else []
    return any(k.arg == "init" and isinstance(k.value, ast.Constant) and not k.value.value for k in keywords)


def _public_functions(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and (not item.name.startswith("_") or item.name == "__init__"):
            yield item


def _default(module: Module, value: ast.expr | None) -> str:
    if value is None:
        return ""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        keywords = {k.arg: k.value for k in value.keywords}
        if "default_factory" in keywords:
            factory = module.source(keywords["default_factory"])
            return f" = {FACTORIES.get(factory, f'{factory}()')}"
        return _default(module, keywords.get("default"))
    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("until_checked"):
        return _default(module, value.args[0])
    return f" = {module.source(value)}"


def _parameters(module: Module, node: ast.FunctionDef) -> list[str]:
    """The parameters as they are written, without `self`."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)
    shown = [f"{module.source(p)}{_default(module, d)}" for p, d in zip(plain, defaults, strict=True)]
    if a.vararg is not None:
        shown.append(f"*{module.source(a.vararg)}")
    elif a.kwonlyargs:
        shown.append("*")
    shown += [f"{module.source(p)}{_default(module, d)}" for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    if a.kwarg is not None:
        shown.append(f"**{module.source(a.kwarg)}")
    return [p for p in shown if p.split(":")[0] not in ("self", "cls")]


def _call(start: str, parameters: list[str], end: str = "") -> str:
    line = f"{start}({', '.join(parameters)}){end}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{start}(", *(f"    {p}," for p in parameters), f"){end}"])


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n"


def _prose(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return the docstring as Markdown: indented text is code, angle brackets and asterisks are escaped."""
    lines = (ast.get_docstring(node) or "").splitlines()
    shown = [line if line.startswith("    ") else _escaped(line) for line in lines]
    return "\n".join(shown) + "\n"


def _escaped(line: str) -> str:
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(p if p.startswith("`") else re.sub(r"([<*|])", r"\\\1", p) for p in parts)


def entry(definition: Definition) -> str:
    """The section of one name."""
    module, node = definition.module, definition.node
    where = f"`{module.path.relative_to(ROOT).as_posix()}`"
    if isinstance(node, ast.Assign):
        above = module.text.splitlines()[: node.lineno - 1]
        comment = []
        while above and above[-1].startswith("#:"):
            comment.insert(0, _escaped(above.pop().removeprefix("#:").strip()))
        return "\n".join([f"### {definition.name}\n", *comment, "", _code(module.source(node)), f"In {where}.\n"])
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {module.source(node.returns)}" if node.returns is not None else ""
        signature = _call(node.name, _parameters(module, node), returns)
        return "\n".join([f"### {definition.name}\n", _code(signature), _prose(node), f"In {where}.\n"])
    return "\n".join([f"### {definition.name}\n", *_class(definition), f"In {where}.\n"])


def _class(definition: Definition) -> Iterator[str]:
    module, node = definition.module, definition.node
    assert isinstance(node, ast.ClassDef)
    fields, functions = _fields(definition), {f.name: f for f in _public_functions(node)}
    bases = f"({', '.join(module.source(base) for base in node.bases)})" if node.bases else ""
    if fields:
        yield _code(_call(node.name, [_field(module, item) for item in fields]))
    elif "__init__" in functions:
        yield _code(_call(node.name, _parameters(module, functions["__init__"])))
    else:
        yield _code(f"class {node.name}{bases}")
    yield _prose(node)
    for name, function in functions.items():
        if name != "__init__":
            yield _method(module, node.name, function)


def _field(module: Module, item: ast.AnnAssign) -> str:
    return f"{module.source(item.target)}: {module.source(item.annotation)}{_default(module, item.value)}"


def _method(module: Module, owner: str, node: ast.FunctionDef) -> str:
    returns = f" -> {module.source(node.returns)}" if node.returns is not None else ""
    decorators = [module.source(d) for d in node.decorator_list]
    if "property" in decorators:
        return "\n".join([_code(f"{owner}.{node.name}{returns.replace(' -> ', ': ')}"), _prose(node)])
    return "\n".join([_code(_call(f"{owner}.{node.name}", _parameters(module, node), returns)), _prose(node)])


def page() -> str:
    """The whole page. Raises: ApiError."""
    public_names, settle = definitions(read("solver")), definitions(read("solver.settle"))
    by_name = {definition.name: definition for definition in public_names}
    chapter_of = {name: chapter for chapter, names in CHAPTERS.items() for name in names}
    *_, rest = CHAPTERS
    order = {name: number for number, name in enumerate(chapter_of)}
    written = {(d.module.name, d.name) for d in [*public_names, *settle]}
    types: dict[tuple[str, str], Definition] = {}
    waiting = [*public_names, *settle]
    while waiting:
        for found_type in named_types(waiting.pop(0)):
            key = found_type.module.name, found_type.name
            if key not in written and not key[0].startswith(INNER):
                written.add(key)
                types[key] = found_type
                waiting.append(found_type)
    parts = [INTRODUCTION]
    for chapter in CHAPTERS:
        names = [name for name in by_name if chapter_of.get(name, rest) == chapter]
        parts.append(f"## {chapter}\n")
        parts += [entry(by_name[name]) for name in sorted(names, key=lambda name: (order.get(name, 99), name))]
    parts.append("## Results and types\n\nWhat the signatures above name; not imported from `solver` itself.\n")
    parts += [entry(types[key]) for key in sorted(types, key=lambda key: key[1])]
    parts.append("## solver.settle\n")
    parts += [entry(definition) for definition in settle]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def write() -> Path:
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    return PAGE


if __name__ == "__main__":
    print(f"wrote {write().relative_to(ROOT)}")
