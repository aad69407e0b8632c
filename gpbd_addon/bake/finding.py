"""What is worth looking at before a bake, and the button that puts it right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """text: what was found, then what to do, see `messages`. operator: the identifier of what does it, "" where nobody can;
    values: its properties. button: what is written on it. stays: whether there is more to do after it was pressed."""

    text: str
    button: str = ""
    operator: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    stays: bool = False
