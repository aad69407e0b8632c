"""What steers contact and the global step stands in one table, `solver/steering.py`, with unit and reason."""

from __future__ import annotations

import ast
import re

import pytest

from tests.guards import sources

TABLE = sources.ROOT / "solver" / "steering.py"
#: What the table steers.
STEERED = [path for path in sources.files("solver/contact", "solver/global_step") if path.parent.name != "gpu"]
STEERED.append(sources.ROOT / "solver" / "stepping" / "adaptive_substeps.py")
#: Most numbers in the table.
MOST = 60
#: Sizes of what is laid out in memory or taken at a time, and shapes of arrays.
SIZES = {
    "BATCH", "BLOCK", "BLOCKS", "CHUNK", "COLOURS", "CORNERS", "GRADIENTS", "KEPT", "LEAF", "LINES", "MET",
    "MOST_SPARE_ROWS", "MOST_STRIPS", "NOWHERE", "NUMBERS", "PACKS", "PAIRS_OF", "PAIR_BYTES", "PARTS", "SAMPLE", "SHAPE",
    "SMALL", "STACK", "TWIST",
}  # fmt: skip


def steers(value: float) -> bool:
    """Numbers of formulas do not: halves, quarters and eighths up to four; nor do guards of divisions, and what stands for
    nothing or for everything."""
    size = abs(value)
    return not ((size <= 4 and size * 8 == round(size * 8)) or size <= 1e-8 or size >= 1e6)


def numbers(node: ast.AST) -> list[ast.Constant]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Constant) and type(n.value) in (int, float)]


def names(statement: ast.Assign) -> set[str]:
    return {n.id for target in statement.targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def constants(tree: ast.Module) -> list[ast.Assign]:
    """Assignments of names in capitals, but for layouts of rows."""
    found = [n for n in tree.body if isinstance(n, ast.Assign) and "layout(" not in ast.unparse(n.value)]
    return [n for n in found if all(name.isupper() for name in names(n))]


def strays(tree: ast.Module) -> list[str]:
    """Numbers that steer: named ones of any kind, and others with a point."""
    named = {number: names(n) for n in constants(tree) for number in numbers(n)}
    floats = [n for n in numbers(tree) if isinstance(n.value, float) and n not in named]
    wrong = [n for n in floats if steers(n.value)] + [n for n in named if steers(n.value) and not named[n] <= SIZES]
    return [f"line {n.lineno}: {n.value}" for n in wrong]


@pytest.mark.parametrize("path", STEERED, ids=sources.name)
def test_no_number_steers_from_outside_the_table(path):
    assert not strays(sources.tree(path))


def test_the_guard_finds_numbers_that_steer_and_no_others():
    code = "SHARE = f32(0.3)\nMOST, CHUNK = 12, 64\nHALF, BIG = 0.5, 1e30\nPACKS = 64\n\ndef f(x):\n    return 0.07 * x + 64"
    assert strays(ast.parse(code)) == ["line 7: 0.07", "line 1: 0.3", "line 2: 12", "line 2: 64"]


def test_every_line_of_the_table_says_why_and_the_table_is_short():
    """Numbers that follow from others do not count."""
    tree, lines = sources.tree(TABLE), TABLE.read_text(encoding="utf-8").splitlines()
    known = {name for n in constants(tree) for name in names(n)}
    own = [n for n in constants(tree) if not known & {a.id for a in ast.walk(n.value) if isinstance(a, ast.Name)}]
    assert not [n.lineno for n in constants(tree) if not lines[n.lineno - 2].startswith("#: ")]
    assert sum(len(names(n)) for n in own) <= MOST


def test_every_number_of_the_table_is_used():
    used = " ".join(path.read_text(encoding="utf-8") for path in sources.files("solver") if path != TABLE)
    used += re.sub(r"(?m)^#.*$|^[A-Z_, ]+ =", "", TABLE.read_text(encoding="utf-8"))
    found = {name for n in constants(sources.tree(TABLE)) for name in names(n)}
    assert not [name for name in sorted(found) if not re.search(rf"\b{name}\b", used)]
