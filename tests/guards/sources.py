"""The project's source files and their imports, for the guards."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*folders: str) -> list[Path]:
    """Every Python file below these folders of the repository."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


def name(path: Path) -> str:
    """'solver/scene/scene.py', for messages."""
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree(path: Path) -> ast.Module:
    """Parsed once a process; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=name(path))


@functools.cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and full module name of everything a file imports, relative names resolved: 'solver.scene', 'numpy'.

    `from ..device import cpu` gives 'solver.device.cpu' where that file exists, otherwise 'solver.device'.
    """
    package, found = path.relative_to(ROOT).with_suffix("").parts[:-1], []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                found.append((node.lineno, f"{module}.{alias.name}" if _is_module(module, alias.name) else module))
    return tuple(found)


@functools.cache
def _is_module(module: str, attribute: str) -> bool:
    folder = ROOT.joinpath(*module.split("."))
    return (folder / f"{attribute}.py").is_file() or (folder / attribute).is_dir()
