"""The list of mistakes that tests must see stays true: `tools/mutants.py` runs them."""

from __future__ import annotations

import ast

import pytest

from tests.guards import sources
from tools import mutants

LISTED = mutants.listed()


def test_mistakes_can_be_made_and_their_tests_exist():
    for mutant in LISTED:
        source = (sources.ROOT / mutant.file).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutant.broken(source))) != ast.dump(sources.tree(sources.ROOT / mutant.file)), mutant
        file, _, name = mutant.test.partition("::")
        functions = [node.name for node in sources.tree(sources.ROOT / file).body if isinstance(node, ast.FunctionDef)]
        assert name.partition("[")[0] in functions, mutant


def test_there_are_sixty_all_over_the_solver_and_none_twice():
    assert len(LISTED) >= 60
    assert len({(mutant.file, mutant.put) for mutant in LISTED}) == len(LISTED)
    rooms = {mutant.file.split("/")[1] for mutant in LISTED}
    assert rooms >= {"energies", "elements", "stepping", "contact", "scene", "model", "report"}


def test_a_text_that_is_gone_is_told():
    with pytest.raises(ValueError, match=r"occurs 0 times; wanted once"):
        LISTED[0].broken("nothing")
