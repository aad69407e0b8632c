"""Numbers of a frame's report in a cache."""

import json
from dataclasses import make_dataclass

import numpy as np

from solver.report.numbers import numbers


def test_numbers_of_vectors_get_a_name_each_and_words_are_left_out():
    report = make_dataclass("Report", ["a", "momentum", "method"])(np.float32(1 / 3), np.array([1.0, 2.0, 3.0]), "gpbd")
    found = numbers(report)
    assert found == {"a": 0.333333, "momentum_0": 1.0, "momentum_1": 2.0, "momentum_2": 3.0}
    assert json.loads(json.dumps(found)) == found
