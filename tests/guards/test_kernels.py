"""What Numba's disk cache and speed need (CONVENTIONS.md, Kernels)."""

from __future__ import annotations

import ast

import pytest

from tests.guards import sources

SOLVER = sources.files("solver")
COMPILERS = {"njit", "jit", "element", "kernel", "parallel_kernel", "per_energy", "vectorize", "guvectorize"}


def decorator_name(node: ast.expr) -> str:
    """'njit' for @njit, @numba.njit and @njit(...)."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def compiled(tree: ast.AST, decorators: set[str] = COMPILERS) -> list[ast.FunctionDef]:
    """The functions that Numba compiles."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [f for f in functions if any(decorator_name(d) in decorators for d in f.decorator_list)]


@pytest.mark.parametrize("path", SOLVER, ids=sources.name)
def test_kernels_stand_at_module_level(path):
    """A kernel made inside a function is compiled again at every start: closures are never found in the disk cache."""
    tree = sources.tree(path)
    assert not [f"line {f.lineno}: {f.name}" for f in compiled(tree) if f not in tree.body]


@pytest.mark.parametrize("path", sources.files("solver/energies", "solver/mathlib"), ids=sources.name)
def test_element_functions_have_no_bare_number(path):
    """A bare 0.5 makes float32 float64, which is twice the time: constants are typed at module level. Integers that index
    or count are fine."""
    wrong = [
        f"line {node.lineno}: {node.value}"
        for function in compiled(sources.tree(path), {"element"})
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]
    assert not wrong


def test_the_guards_see_what_they_should():
    tree = ast.parse("def f():\n    @kernel\n    def g(x):\n        return 0.5 * x\n@cpu.element\ndef h(x):\n    return x\n")
    assert [function.name for function in compiled(tree)] == ["h", "g"]
