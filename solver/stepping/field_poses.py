"""Poses and strengths of force fields at an instant: they move in straight lines between the poses of two frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..scene import Field
from ..scene.field import EVERYWHERE, FALLOFFS, KINDS, SHAPES, SIDES

Array = np.ndarray

#: Numbers of a field, in the order of the kernel (`field_kernels.py`); None is as far as nothing is.
NUMBERS = (
    "strength", "location", "axis", "power", "min_distance", "max_distance", "radial_power", "min_radius", "max_radius",
    "flow", "noise", "size", "damping", "along_normal", "unit", "grid_axes",
)  # fmt: skip
#: Columns of the axis among them, which keeps its length.
AXIS = slice(4, 7)


@dataclass(frozen=True)
class FieldPoses:
    """Fields at an instant. numbers: (fields, 31). points: of each field's shape [m], (k, 3). fields: their constants
    within a frame; empty for poses read from a snapshot."""

    names: tuple[str, ...] = ()
    numbers: Array = field(default_factory=lambda: np.zeros((0, 31)))
    points: tuple[Array, ...] = ()
    fields: tuple[Field, ...] = ()

    @classmethod
    def of(cls, fields: Sequence[Field]) -> FieldPoses:
        """Make the poses of these fields."""
        numbers = np.array([_numbers(one) for one in fields]).reshape(-1, 31)
        return cls(tuple(one.name for one in fields), numbers, tuple(one.points for one in fields), tuple(fields))

    def since(self, start: FieldPoses, share: float) -> FieldPoses:
        """Between the start of a frame and its end, which this is. What begins or ends with the frame is as at its end."""
        numbers, points, known = self.numbers.copy(), list(self.points), {name: k for k, name in enumerate(start.names)}
        for k, name in enumerate(self.names):
            before = known.get(name)
            if before is None:
                continue
            numbers[k] = start.numbers[before] + share * (numbers[k] - start.numbers[before])
            length = np.linalg.norm(numbers[k, AXIS])
            numbers[k, AXIS] = numbers[k, AXIS] / length if length > 1e-9 else self.numbers[k, AXIS]
            if start.points[before].shape == points[k].shape:
                points[k] = start.points[before] + share * (points[k] - start.points[before])
        return FieldPoses(self.names, numbers, tuple(points), self.fields)

    def equals(self, other: FieldPoses) -> bool:
        """Return whether all values equal those of `other`, and by chance nothing changes."""
        same = self.names == other.names and np.array_equal(self.numbers, other.numbers)
        same = same and all(np.array_equal(a, b) for a, b in zip(self.points, other.points, strict=True))
        return same and not any(one.noise for one in self.fields)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of a snapshot."""
        counts = np.array([len(p) for p in self.points], np.int64)
        names = np.frombuffer("\n".join(self.names).encode(), np.uint8)
        return {
            "fields_numbers": self.numbers,
            "fields_points": np.concatenate([np.zeros((0, 3)), *self.points]),
            "fields_counts": counts,
            "fields_names": names,
        }

    @classmethod
    def from_arrays(cls, saved: Mapping[str, Array]) -> FieldPoses:
        """Make poses from the result of `arrays`."""
        names = tuple(bytes(saved["fields_names"]).decode().split("\n")) if len(saved["fields_counts"]) else ()
        points = tuple(np.split(np.array(saved["fields_points"]), np.cumsum(saved["fields_counts"])[:-1]))
        return cls(names, np.array(saved["fields_numbers"]), points if names else ())


def _numbers(one: Field) -> Array:
    values = [getattr(one, name) for name in NUMBERS]
    return np.concatenate([np.ravel(EVERYWHERE if value is None else value) for value in values])


def choices_of(one: Field) -> Array:
    """Return the choices of a field among alternatives, for the kernel, (7,)."""
    numbered = ((KINDS, one.kind), (SHAPES, one.shape), (FALLOFFS, one.falloff), (SIDES, one.side))
    indices = [known.index(name) for known, name in numbered]
    return np.array([*indices, one.inverse_square, one.in_world, one.seed], np.int64)
