"""Workers: objects of the solver that serve requests, in a process of their own, and are never waited for.

Each request and each reply is a file of a temporary folder, whole before it is announced: a request by its number in the
process's standard input, a reply by a line of one more file that grows. Reading a file that grows never blocks, on any
system; a pipe or a socket holds some kilobytes, so that one side would have to wait for the other in the middle of an array,
or have a thread for it. Pages of young files are in memory: the read file was not on a disk yet.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import deque
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from .. import errors
from ..errors import GpbdError, StoppedError, WorkerError
from ..json_value import JsonValue
from . import child, jit, plain
from .cuda import packages
from .serving import DROP, LAST, PREPARE, PRINTED, RENEW, REPLY, REQUEST, SAID, Tell, write

#: How long a process has to end by itself, before it is killed [s].
ENDING = 0.5
#: Interval of looks for a reply while one waits for it [s].
LOOK = 0.001


class Worker:
    """An object that serves requests. made_by: "module:name" of its maker, in the solver.

    It is in a thread where no process can be started; `warning` then says why, and is "" otherwise.
    messages: those beside its replies, as (kind, value), for the caller to take out.
    gently: its process has low priority, and it never is in a thread. Raises: WorkerError where no process can be started.
    """

    def __init__(self, made_by: str, gently: bool = False) -> None:
        self.warning = ""
        self.messages: deque[tuple[str, Any]] = deque()
        self._made_by, self._gently = made_by, gently
        self._open: deque[tuple[str, tuple[plain.Plain, ...]]] = deque()  # requests without a reply, in their order
        self._end: _Process | _Thread
        try:
            self._end = _Process.idle(made_by, gently, self._hear) or _Process(made_by, gently, self._hear)
        except OSError as error:
            self._take_a_thread(str(error))

    @property
    def pending(self) -> int:
        """Return the number of requests whose reply was not taken yet."""
        return len(self._open)

    @property
    def process_id(self) -> int | None:
        """Return the identifier of its process; None of a thread."""
        return self._end.process_id

    def submit(self, method: str, *arguments: plain.Plain) -> None:
        """Call a method of the object, after its earlier requests. Raises: WorkerError."""
        self._open.append((method, arguments))
        self._end.submit(method, arguments)

    def is_ready(self, seconds: float = 0.0) -> bool:
        """Return whether the next reply is there, after waiting for it at most so long."""
        try:
            return self._end.is_ready(seconds)
        except _NotBegunError as error:
            self._end.close()
            self._take_a_thread(str(error))
            return False

    def result(self) -> Any:
        """Return the result of the earliest request. Raises: its exception, of the solver's errors; StoppedError
        for a dropped request; WorkerError where the process has ended."""
        self._open.popleft()
        return self._end.result()

    def printed(self) -> bytes:
        """Return the output of the process since the last call."""
        return self._end.printed()

    def drop(self) -> None:
        """Drop requests that are not begun: their reply is StoppedError."""
        self._end.drop()

    def release(self) -> None:
        """Keep a process without open requests for the next worker of its kind, which begins at once then; close
        any other."""
        if self._open:
            self.close()
        else:
            self._end.release()

    def finish(self) -> None:
        """End its process after its last reply, whether or not somebody takes the replies. Send no more requests, and
        close it."""
        self._end.finish()

    def close(self) -> None:
        """End it, whatever it is doing; a thread once it has finished that."""
        self._open.clear()
        self._end.close()

    def _hear(self, kind: str, value: JsonValue) -> None:
        self.messages.append((kind, value))

    def _take_a_thread(self, why: str) -> None:
        if self._gently:
            raise WorkerError(
                f"No process of Python could be started ({why}). Install Blender anew if this stays; until then kernels are "
                "compiled as they are first used."
            )
        self._end = _Thread(self._made_by, self._hear)
        self.warning = (
            f"The solver ran in a thread of Blender, as no process of Python could be started ({why}). Save before long "
            "bakes, which a crash would end together with Blender; install Blender anew if this stays."
        )
        for method, arguments in self._open:
            self._end.submit(method, arguments)


class _NotBegunError(Exception):
    """The process ended before its first request."""


#: All processes, and of those one at most that is idle.
_processes: set[_Process] = set()
_idle: list[_Process] = []
#: Beginnings of variables of the environment that the solver reads.
VARIABLES = "GPBD_", "NUMBA_"


def prepare(made_by: str) -> None:
    """Start an idle process if there is none, which loads the modules of its object before the first request.

    Does nothing where no process can be started: the next worker reports that.
    """

    def ignore(kind: str, value: JsonValue) -> None:
        """Nobody listens to an idle process."""

    try:
        process = _Process.idle(made_by, False, ignore) or _Process(made_by, False, ignore)
    except OSError:
        return
    process.prepare()
    _idle.append(process)


def end_idle() -> None:
    """End the idle process."""
    while _idle:
        _idle.pop().close()


class _Process:
    @staticmethod
    def idle(made_by: str, gently: bool, hear: Tell) -> _Process | None:
        """Return the idle process, if it has not ended since, nor lost its folder to a system that clears old temporary
        files, and would be started the same today."""
        process = _idle[0] if _idle else None
        lost = process is None or process._process.poll() is not None or not (process._folder / SAID).exists()
        if process is None or lost or process._start != _Process._of(made_by, gently):
            end_idle()
            return None
        process._hear = hear
        return _idle.pop()

    @staticmethod
    def _of(made_by: str, gently: bool) -> tuple[str, Path | None, dict[str, str], str | None, bool]:
        """Return the maker of the object, the folder of compiled kernels, the solver's environment variables, the folder of
        CUDA's packages, None where there is none, and whether its priority is low."""
        folder = packages.folder()
        read = {key: os.environ[key] for key in os.environ if key.startswith(VARIABLES)}
        return made_by, jit.cache_folder(), read, str(folder) if folder is not None and folder.is_dir() else None, gently

    def __init__(self, made_by: str, gently: bool, hear: Tell) -> None:
        """Raises: OSError."""
        self._hear, self._start = hear, self._of(made_by, gently)
        self._folder = Path(tempfile.mkdtemp(prefix="gpbd-"))
        self._began, self._is_prepared, self._number, self._rest = False, False, 0, b""
        self._results: deque[tuple[Any, ...]] = deque()
        (self._folder / SAID).touch()
        _, kernels, _, cuda, _ = self._start
        arguments = [str(self._folder), made_by, None if kernels is None else str(kernels), cuda, gently]
        try:
            with (self._folder / PRINTED).open("wb") as printed:
                self._process = child.start("device.serving", "serve", arguments, printed, gently)
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._said = (self._folder / SAID).open("rb", buffering=0)
        self._printed = (self._folder / PRINTED).open("rb", buffering=0)
        self.process_id = self._process.pid
        _processes.add(self)

    def submit(self, method: str, arguments: tuple[plain.Plain, ...]) -> None:
        write(self._folder / REQUEST.format(self._number), [method, list(arguments)])
        self._send(b"%d\n" % self._number)
        self._number += 1

    def is_ready(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while True:
            code = self._process.poll()  # before its messages are read, which may have been its last words
            self._listen()
            if self._results or code is not None:
                if code is not None and not self._began:
                    raise _NotBegunError(self._last_words(code))
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(LOOK, left))

    def result(self) -> Any:
        if not self._results:
            raise self._ended()
        kind, number, *words = self._results.popleft()
        if kind == "raised":
            raise getattr(errors, words[0])(words[1])
        path = self._folder / REPLY.format(number)
        value = plain.read(path)
        path.unlink()
        return value

    def printed(self) -> bytes:
        return self._printed.read() or b""

    def drop(self) -> None:
        self._send(DROP)

    def finish(self) -> None:
        self._send(LAST)

    def prepare(self) -> None:
        self._is_prepared = True
        self._send(PREPARE)

    def release(self) -> None:
        if self not in _processes:
            return  # it was closed
        if _idle and _idle[0]._is_prepared and not self._is_prepared:
            self.close()
            return
        end_idle()
        self._send(RENEW)
        _idle.append(self)

    def close(self) -> None:
        if self in _processes:
            _processes.remove(self)
            assert self._process.stdin is not None
            self._process.stdin.close()  # it ends its own processes, and then itself
            try:
                self._process.wait(ENDING)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            for file in (self._said, self._printed):
                file.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
        except (OSError, ValueError):  # closed
            self._process.kill()  # it does not listen any more: it has ended, or has to

    def _listen(self) -> None:
        *lines, self._rest = (self._rest + (self._said.read() or b"")).split(b"\n")
        for line in lines:
            kind, *words = json.loads(line)
            if kind == "told":
                self._hear(*words)
            elif kind == "begun":
                self._began = True
            else:
                self._results.append((kind, *words))

    def _ended(self) -> GpbdError:
        code = self._process.wait()
        return WorkerError(
            f"The solver's process ended: {self._last_words(code)}. Press Resume to go on with a bake; where it ends again, "
            "close other programs, which leaves more memory, or take fewer vertices."
        )

    def _last_words(self, code: int) -> str:
        if code < 0:
            kind = signal.Signals(-code).name if -code in set(signal.Signals) else "unknown"
            return f"killed (signal {-code}, {kind})"
        words = (self._folder / PRINTED).read_text(encoding="utf-8", errors="replace").strip()
        print(words)
        last = words.splitlines()[-1].rstrip(".") if words else "no message"
        return f"exit code {code if code < 256 else hex(code)}, {last}"  # Windows has hexadecimal exit codes


@atexit.register
def _close() -> None:
    for process in list(_processes):
        process.close()


class _Thread:
    process_id = None

    def __init__(self, made_by: str, hear: Tell) -> None:
        module, _, name = made_by.partition(":")
        self._served = getattr(importlib.import_module(f"{child.PACKAGE}.{module}"), name)(hear)
        self._pool = ThreadPoolExecutor(1, "gpbd worker")
        self._results: deque[Future] = deque()

    def submit(self, method: str, arguments: tuple[plain.Plain, ...]) -> None:
        self._results.append(self._pool.submit(getattr(self._served, method), *arguments))

    def is_ready(self, seconds: float) -> bool:
        return bool(wait(list(self._results)[:1], seconds).done)

    def result(self) -> Any:
        try:
            return self._results.popleft().result()
        except CancelledError as error:
            raise StoppedError("This was not begun.") from error

    def printed(self) -> bytes:
        return b""

    def drop(self) -> None:
        for future in self._results:
            future.cancel()

    def finish(self) -> None:
        """Do nothing: it stays until it is closed."""

    def release(self) -> None:
        self.close()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._served.close()
