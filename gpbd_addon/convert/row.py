"""A line of the tables of conversion: a property of Blender's, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

#: Paths of properties below `object.gpbd`, or "scene.NAME" below `scene.gpbd` -> values in SI.
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """name: Blender's identifier. how: the conversion and its reason, or why nothing answers it.

    values: what is set, from what Blender has (`ClothSource`, `SoftBodySource`); None where nothing answers it. An empty
    result: there is nothing to set, because Blender does not use the property as it stands. factor: ours over Blender's, of
    a number of the same name that is all of the conversion, so that F-curves go over.
    """

    name: str
    how: str
    values: Callable[[Any], Values] | None = None
    factor: Callable[[Any], float] | None = None


def same(source: Any) -> float:
    """The factor of numbers that mean the same on both sides."""
    return 1.0


def taken(*names: str) -> Callable[[Any], Values]:
    """Properties of the same name and unit on both sides."""
    return lambda source: {name: getattr(source.settings, name) for name in names}
