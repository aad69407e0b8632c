"""A bake in a process of its own, begun again where that is killed.

Nothing but the standard library, and no other file of this package: a Dask worker is sent this module, and has nothing else
of ours.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

#: Exit codes by which a bake says how it ended; with another, something has ended it.
SAID = (0, 1, 2, 3, 130)


@dataclass(frozen=True)
class Job:
    """name: of the variant. command: of a bake that continues where it stopped, prints JSON and ends with its input.
    cwd: its working folder. log: where its lines go. attempts: how often it is begun."""

    name: str
    command: list[str]
    cwd: str
    log: str
    attempts: int = 3


@dataclass
class Result:
    """Result of a variant. code: exit code. attempts: number of starts of the process. done, error: its last such events."""

    name: str
    code: int = -1
    attempts: int = 0
    seconds: float = 0.0
    done: dict[str, Any] = field(default_factory=dict)
    error: str = ""


#: What runs now, for `end`.
_running: set[subprocess.Popen] = set()


def run(job: Job, ended: Callable[[], bool] = lambda: False) -> Result:
    """Bake to the end; a process that is killed, or that crashes, is begun again and continues from its checkpoint, unless
    `ended` says that nobody waits for it any more."""
    result, began = Result(job.name), time.monotonic()
    try:
        while result.attempts < job.attempts and result.code not in SAID and not ended():
            result.attempts, result.error = result.attempts + 1, ""
            result.code = _attempt(job, result, ended)
    except OSError as error:
        result.code, result.error = 1, f"cannot be begun on this machine: {error}"
    result.seconds = time.monotonic() - began
    if result.code not in SAID:
        result.error = f"was ended {result.attempts} times, with exit code {result.code}. {result.error}".rstrip()
    return result


def _attempt(job: Job, result: Result, ended: Callable[[], bool]) -> int:
    """The exit code. The process's input is held open: when this process ends, however it does, so does the other."""
    with open(job.log, "ab") as log:
        process = subprocess.Popen(
            job.command, cwd=job.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        _running.add(process)
        try:
            if ended():  # since it was looked at
                process.kill()
            assert process.stdout is not None
            for line in process.stdout:
                log.write(line)
                log.flush()
                _take(line, result)
            return process.wait()
        finally:
            _running.discard(process)
            process.kill()
            process.communicate()


def _take(line: bytes, result: Result) -> None:
    try:
        event = json.loads(line) if line.startswith(b"{") else {}
    except ValueError:
        event = {}  # a line of Blender's own
    if event.get("event") == "done":
        result.done = event
    elif event.get("event") == "error":
        result.error = str(event.get("text", ""))


def end() -> None:
    """Kill the running process."""
    for process in list(_running):
        process.kill()
