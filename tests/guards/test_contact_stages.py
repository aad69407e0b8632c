"""Contact is a pipeline of stages: nobody outside reads what a stage owns, and no kernel takes a long list of arrays."""

from __future__ import annotations

import ast

from tests.guards import sources
from tests.guards.test_kernels import compiled

OUTSIDE = [
    path
    for path in sources.files("solver", "gpbd_addon", "benchmarks", "demo", "tools")
    if not path.is_relative_to(sources.ROOT / "solver/contact")
]
#: Attributes of `Contact` for callers.
PARTS = {"names", "median_edge", "forces", "results", "exchange"}
#: Arguments of a compiled function of contact, at most.
MOST = 12
COMPILED = {"kernel", "uncounted_kernel", "subroutine", "inline", "element"}


def stages() -> set[str]:
    """Attributes of `Contact` that hold stages, or arrays."""
    tree = sources.tree(sources.ROOT / "solver/contact/contact.py")
    (start,) = [f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
    targets = [t for node in ast.walk(start) if isinstance(node, ast.Assign) for t in node.targets]
    names = [n for t in targets for n in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return {n.attr for n in names if isinstance(n, ast.Attribute)} - PARTS


def reads(tree: ast.AST, owned: set[str]) -> list[str]:
    """Where something that is called contact is asked for an attribute that it owns, at any depth."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in owned:
            base = node.value
            name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
            if name.endswith("contact"):
                found.append(f"line {node.lineno}: {name}.{node.attr}")
    return found


def test_nobody_outside_reads_the_stages_of_contact():
    owned = stages()
    assert not [f"{sources.name(path)}, {read}" for path in OUTSIDE for read in reads(sources.tree(path), owned)]


def test_compiled_functions_of_contact_have_few_arguments():
    """Arrays that belong together are one NamedTuple: who reads a call sees what goes in and what is written."""
    assert not [
        f"{sources.name(path)}, line {f.lineno}: {f.name}, {len(f.args.args)}"
        for path in sources.files("solver/contact")
        for f in compiled(sources.tree(path), COMPILED)
        if len(f.args.args) > MOST
    ]


def test_contact_itself_is_short():
    """150 lines: it calls stages in their order, and does nothing itself."""
    tree = sources.tree(sources.ROOT / "solver/contact/contact.py")
    (contact,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert contact.end_lineno - contact.lineno < 150


def test_the_guards_see_what_they_should():
    owned = {"ccd", "pairs"}
    assert {"ccd", "constraints", "recovery", "surfaces", "lists"} <= stages()
    assert len(reads(ast.parse("self.contact.ccd.clamped\ncontact.pairs\ncontact.results.statistics().pairs"), owned)) == 2
