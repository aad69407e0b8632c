"""A row of the tables of conversion: a Blender property, and its counterpart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

#: Paths of properties below `object.gpbd`, or "scene.NAME" below `scene.gpbd` -> values in SI.
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One property. name: Blender's identifier. how: the conversion and its reason, or the reason for none.

    values: our values from Blender's (`ClothSource`, `SoftBodySource`); None without counterpart. An empty result: nothing
    to set, because Blender does not use the property in its current state. factor: ours over Blender's, for a number that is
    scaled only, so that F-curves are copied.
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
