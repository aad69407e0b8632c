"""Gate scenes do no more work than the table says (`measured.toml`): cost is guarded without a clock."""

import pytest

from solver.report.work import Work
from tests.covering_set import long
from tests.gates import measure
from tests.gates.scenes import GATES

TABLE = measure.read()


#: Kernels that look up in tables take half a minute to compile.
TABLES = ("yarn_fabric",)


@pytest.mark.parametrize("gate", [*long(*TABLES), *(gate for gate in GATES if gate not in TABLES)])
def test_a_gate_takes_no_more_work_than_measured(gate):
    """A tenth above the greatest of several runs, which rounding moves by less. Where a version is to do more, measure anew,
    `python3 -m tests.gates.measure --write`, and give the reason in CHANGELOG.md."""
    beyond = measure.beyond(measure.work_of(GATES[gate]), TABLE[gate])
    assert not beyond, ", ".join(f"{name}: {count:,}, measured {was:,}" for name, (count, was) in beyond.items())


def test_the_table_has_every_gate_and_every_count_and_no_other():
    assert {gate: set(counts) for gate, counts in TABLE.items()} == {gate: set(Work().__dict__) for gate in GATES}


def test_a_count_more_than_a_tenth_above_the_table_is_beyond_it():
    found, table = {"searches": 12, "contacts": 11, "substeps": 1}, {"searches": 10, "contacts": 10, "substeps": 0}
    assert measure.beyond(found, table) == {"searches": (12, 10), "substeps": (1, 0)}
