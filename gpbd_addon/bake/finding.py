"""Finding to look at before a bake, and the button that fixes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Operator of the button of an unsaved file.
SAVE = "wm.save_mainfile"


@dataclass(frozen=True)
class Finding:
    """Finding with its fix. text: the finding, then the remedy, see `messages`. operator: identifier of its fix, "" without
    one; values: its properties. button: its label. stays: whether there is more to do after it was pressed."""

    text: str
    button: str = ""
    operator: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    stays: bool = False
