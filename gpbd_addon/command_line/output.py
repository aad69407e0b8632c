"""Output and exit codes of commands."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

#: Exit codes; `docs/reference/command_line.md` has their meaning.
DONE, BAD_INPUT, USAGE, FAILED, ORPHANED, LOCKED, LOST, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


class Output:
    """Lines for people, or one JSON object a line (`docs/reference/command_line.schema.json`)."""

    def __init__(self, as_json: bool):
        self.as_json = as_json

    def say(self, event: str, text: str, **fields: Any) -> None:
        line = json.dumps(_plain({"event": event, **fields, "text": text})) if self.as_json else text
        print(line, file=sys.stderr if event == "error" and not self.as_json else sys.stdout, flush=True)


def _plain(value: Any) -> Any:
    """JSON has no number that is not finite: None stands for it."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
