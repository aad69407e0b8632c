"""What Numba's disk cache and speed need (CONVENTIONS.md, Kernels)."""

from __future__ import annotations

import ast

from tests.guards import sources

#: Decorators of functions of one element, which stand in loops over lanes; and of all that Numba compiles.
ELEMENTS = {"element", "inline", "visit_of_pack"}
COMPILERS = ELEMENTS | {
    "summing_inline",
    "kernel",
    "summing_kernel",
    "uncounted_kernel",
    "per_energy",
    "per_visit",
    "subroutine",
}
COMPILERS |= {"njit", "jit", "vectorize", "guvectorize", "cfunc", "intrinsic", "overload"}


def decorator_name(node: ast.expr) -> str:
    """'njit' for @njit, @numba.njit and @njit(...)."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def compiled(tree: ast.AST, decorators: set[str] = COMPILERS) -> list[ast.FunctionDef]:
    """The functions that Numba compiles; of `@per_energy(element)` the name in brackets counts too."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [f for f in functions if any(decorator_names(d) & decorators for d in f.decorator_list)]


def decorator_names(node: ast.expr) -> set[str]:
    """{'per_energy', 'element'} for @per_energy(element)."""
    arguments = node.args if isinstance(node, ast.Call) else []
    return {decorator_name(node), *(decorator_name(a) for a in arguments)}


def test_the_guards_know_every_decorator_of_the_device():
    """All public functions of these files that are given a function, or give a decorator."""
    made = {"cpu": {"element", "kernel", "summing_kernel"}}
    made["uncounted"] = {"inline", "subroutine", "summing_inline", "uncounted_kernel"}
    made["per_energy"] = {"per_energy", "per_visit", "visit_of_pack"}
    for file, names in made.items():
        tree = sources.tree(sources.ROOT / "solver" / "device" / f"{file}.py")
        found = {
            f.name
            for f in tree.body
            if isinstance(f, ast.FunctionDef)
            and "Callable" in ast.unparse(f.args) + str(f.returns and ast.unparse(f.returns))
        }
        assert found == names, f"solver/device/{file}.py: say in COMPILERS of this guard what is new"
        assert names <= COMPILERS


def test_kernels_stand_at_module_level():
    """A kernel made inside a function is compiled again at every start: closures are never found in the disk cache."""
    assert not [
        f"{sources.name(path)}, line {f.lineno}: {f.name}"
        for path in sources.files("solver")
        for tree in [sources.tree(path)]
        for f in compiled(tree)
        if f not in tree.body
    ]


def test_element_functions_have_no_bare_number():
    """A bare 0.5 makes float32 float64, which is twice the time: constants are typed at module level. Integers that index
    or count are fine."""
    assert not [
        f"{sources.name(path)}, line {node.lineno}: {node.value}"
        for path in sources.files("solver/energies", "solver/elements", "solver/mathlib", "solver/methods/visits")
        for function in compiled(sources.tree(path), ELEMENTS)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]


def test_the_guards_see_what_they_should():
    tree = ast.parse("def f():\n    @kernel\n    def g(x):\n        return 0.5 * x\n@cpu.element\ndef h(x):\n    return x\n")
    assert [function.name for function in compiled(tree)] == ["h", "g"]
    tree = ast.parse("@per_energy(inline)\ndef f(x):\n    return x\n@visit_of_pack(lambda e: 4)\ndef g(x):\n    return x\n")
    assert [function.name for function in compiled(tree, ELEMENTS)] == ["f", "g"]
