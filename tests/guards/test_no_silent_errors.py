"""Errors are caught narrowly and never dropped (CONVENTIONS.md, Errors)."""

from __future__ import annotations

import ast

import pytest

from tests.guards import sources

EVERYTHING = sources.files("solver", "gpbd_addon", "tools", "benchmarks", "demo") + [
    sources.ROOT / "__init__.py",
    sources.ROOT / "dev.py",
]


def broad(handler: ast.ExceptHandler) -> bool:
    """True for `except:`, `except Exception` and `except BaseException`, alone or in a tuple, unless it raises again."""
    if isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None:
        return False
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(c is None or (isinstance(c, ast.Name) and c.id in ("Exception", "BaseException")) for c in caught)


def dropped(handler: ast.ExceptHandler) -> bool:
    """True if the handler does nothing at all."""
    return all(
        isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)) for s in handler.body
    )


def test_no_error_is_caught_broadly_or_dropped():
    assert not [
        f"{sources.name(path)}, line {node.lineno}"
        for path in EVERYTHING
        for node in ast.walk(sources.tree(path))
        if isinstance(node, ast.ExceptHandler) and (broad(node) or dropped(node))
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("except Exception:\n  return", True),
        ("except (OSError, BaseException):\n  return", True),
        ("except:\n  return", True),
        ("except BaseException:\n  put_back()\n  raise", False),
        ("except OSError:\n  pass", True),
        ("except OSError:\n  ...", True),
        ("except OSError as e:\n  print(e)", False),
    ],
)
def test_the_guard_sees_what_it_should(text, wrong):
    handler = ast.parse(f"try:\n  x()\n{text}").body[0].handlers[0]
    assert (broad(handler) or dropped(handler)) is wrong
