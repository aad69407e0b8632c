"""The other side of a worker: what its process does."""

from __future__ import annotations

import importlib
import json
import os
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from ..errors import GpbdError, StoppedError, WorkerError
from ..json_value import JsonValue
from . import child, jit, plain
from .child import PACKAGE
from .cuda import packages

#: Report of a served object to the worker's side: its kind and a value.
Tell: TypeAlias = Callable[[str, JsonValue], None]
#: Files of a worker's folder: messages of the process, its output, and a request and its reply by their number.
SAID, PRINTED, REQUEST, REPLY = "said", "printed", "request-{}", "reply-{}"
#: Messages instead of a request's number: forget those that were not begun; make another object, for another worker;
#: there are no more requests, so end after the last reply; prepare for requests until the next one comes.
DROP, RENEW, LAST, PREPARE = b"drop\n", b"renew\n", b"last\n", b"prepare\n"
#: Of the queue: make another object; end; prepare.
NEW, END, READY = -1, -2, -3


def serve(folder: str, made_by: str, kernels: str | None, cuda: str | None, gently: bool) -> None:
    """Serve requests until standard input ends, as it does when the other process does.

    made_by: "module:name" of the maker of the served object; it gets a function `tell(kind, value)`, and has `close` and, if
    it is prepared, the generator `prepare`.
    kernels: folder of compiled kernels, None for that of the environment. cuda: folder of CUDA's packages. gently: with low
    priority.
    """
    if gently:
        child.lower_priority()
    place = Path(folder)
    tempfile.tempdir = folder  # temporary files here go with it, however this ends
    said = os.open(place / SAID, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))

    def say(*words: JsonValue) -> None:
        os.write(said, json.dumps(words).encode() + b"\n")

    questions: queue.SimpleQueue[int] = queue.SimpleQueue()
    dropped: set[int] = set()
    threading.Thread(target=_listen, args=(place, questions, dropped), daemon=True).start()
    if kernels is not None:
        jit.set_cache_folder(kernels)
    packages.enter(cuda)
    module, _, name = made_by.partition(":")
    make = getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
    served = make(lambda kind, value: say("told", kind, value))
    say("begun")
    steps: Iterator[None] = iter(())
    while True:
        while questions.empty() and next(steps, END) != END:
            continue
        number = questions.get()
        if number == END:
            served.close()
            os._exit(0)  # its files are the other side's, which has to read the replies
        if number == NEW:
            served.close()
            served = make(lambda kind, value: say("told", kind, value))
            continue
        if number == READY:
            steps = served.prepare()
            continue
        method, arguments = plain.read(place / REQUEST.format(number))
        (place / REQUEST.format(number)).unlink()
        try:
            if number in dropped:
                raise StoppedError("This was not begun.")
            write(place / REPLY.format(number), getattr(served, method)(*arguments))
        except GpbdError as error:
            say("raised", number, type(error).__name__, str(error))
        else:
            say("answer", number)


def write(path: Path, value: plain.Plain) -> None:
    """Write a request or a reply. Raises: WorkerError if there is no room."""
    try:
        plain.write(path, value)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise WorkerError(
            f"Temporary folder {path.parent}: cannot be written ({error.strerror}). Free space there, then press Resume."
        ) from error


def _listen(place: Path, questions: queue.SimpleQueue[int], dropped: set[int]) -> None:
    """Put the numbers of questions into a queue; end the process where there will be no more."""
    last = -1
    with open(0, "rb", buffering=0) as requests:  # a buffer would be locked where the process ends by an error
        for line in requests:
            if line == DROP:
                dropped.update(range(last + 1))  # those that have a reply already are not looked up again
            elif line == RENEW:
                questions.put(NEW)
            elif line == LAST:
                questions.put(END)
            elif line == PREPARE:
                questions.put(READY)
            else:
                last = int(line)
                questions.put(last)
    child.kill_all()
    shutil.rmtree(place, ignore_errors=True)
    os._exit(0)
