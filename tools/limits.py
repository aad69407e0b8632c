"""Ratios of tests' limits to the limited numbers, for tests whose docstrings state the measured value.

    PYTHONPYCACHEPREFIX=/tmp/limits python -m pytest -p tools.limits -o enable_assertion_pass_hook=true tests/validation

Modules that pytest has compiled without this option report nothing, hence another folder for it. Prints each limit that is
`FACTOR` times the largest number that passes it, or more, with the docstring's claim. A pytest plugin; limits of rounding
alone, many times the measured value, are meant if the docstring says so.
"""

from __future__ import annotations

import inspect
import re

import pytest

#: Threshold: a limit that says "half as much again" is at 1.5, "twice what is measured" at 2.
FACTOR = 3.0
CLAIM = re.compile(r"measured|as much again")
#: Ends of a docstring's claims.
END = re.compile(r"[.;:]\s")
NUMBER = r"(?:np\.float(?:32|64)\()?(-?[\d.]+(?:e[-+]?\d+)?)\)?"
#: `2.3e-05 < 0.0001`, as pytest explains an assertion.
COMPARED = re.compile(rf"^(?:assert )?{NUMBER} <=? (?:\({NUMBER} \* {NUMBER}\)|{NUMBER})")

#: Of each limit, by test, line and size: how many times the largest number it is, and in words.
found: dict[tuple[str, int, float], tuple[float, str]] = {}


def pytest_assertion_pass(item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
    claims = [part for part in END.split(inspect.getdoc(getattr(item, "function", None)) or "") if CLAIM.search(part)]
    comparison = COMPARED.match(expl)
    if not claims or comparison is None:
        return
    value, factor, size, plain = (float(part) if part else 1.0 for part in comparison.groups())
    limit = factor * size * plain
    test, ratio = item.nodeid.partition("[")[0], limit / max(value, 1e-300)
    of_test = test, lineno, plain
    if of_test not in found or ratio < found[of_test][0]:
        found[of_test] = ratio, f"{ratio:8.1f} times {value:.2g}: {item.nodeid}: {orig}  ({' '.join(claims[0].split())})"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("limits that are far from what is measured")
    for ratio, line in found.values():
        if ratio >= FACTOR:
            terminalreporter.write_line(line)
