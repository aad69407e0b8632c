"""Values as files."""

import math

import numpy as np
import pytest

from solver import Material, Settings
from solver.device import plain
from solver.report.frame_report import Report
from solver.report.location import Location

ARRAYS = [
    np.linspace(0, 1, 7, dtype=np.float32).reshape(7, 1),
    np.arange(12.0).reshape(3, 4).T,
    np.zeros((0, 3)),
    np.array(3),
    np.array([True, False]),
    np.array([1, -1], np.int8),
    np.array([math.nan, math.inf, -0.0]),
]


@pytest.fixture
def through(tmp_path):
    def write_and_read(value):
        plain.write(tmp_path / "value", value)
        return plain.read(tmp_path / "value")

    return write_and_read


def test_arrays_keep_their_bits_their_shape_and_their_type_and_can_be_written_to(through):
    for given, found in zip(ARRAYS, through(ARRAYS), strict=True):
        assert found.shape == given.shape and found.dtype == given.dtype and found.tobytes() == given.tobytes()
        assert found.flags.writeable and found.flags.aligned


def test_values_stay_what_they_are(through):
    report = Report(error=1 / 3, errors={"Flag": 5e-324}, intersection_locations=(Location("a", "b", 3, (0.1, 0.2, 0.3)),))
    given = [None, True, 2**60, 0.1, "Überwurf", (1, [2, (3,)]), {"a": {"b": ()}}, np.float32(0.1), report]
    given += [Settings(threads=1), Material.fabric(0.1, 100.0, 10.0)]
    assert through(given) == given
    assert type(through(np.float32(0.1))) is np.float32


@pytest.mark.parametrize("value", [np.array([None]), {1: 2}, object(), {"f": print}, np.array(["a"])])
def test_what_is_not_plain_is_refused(through, value):
    with pytest.raises(TypeError, match="cannot be handed to another process"):
        through(value)
