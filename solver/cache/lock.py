"""A lock file: one writer of a cache at a time, in two Blenders on one machine, or on two.

The operating system holds the lock for the lifetime of the process, so a killed one leaves a file but no lock. The file
names the writer; it is touched with each frame. If another machine has written it, the system's lock may not reach, as on
some network drives: such a lock is reported with its age, and never taken silently.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import CacheError, LockedError
from .atomic_write import write_error

#: Another process may remove the file between opening and locking it, or hold it while it reads the writer; the number of
#: attempts to open it, and the pause between them [s].
ATTEMPTS, PAUSE = 8, 0.01
#: Held by somebody else.
TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
#: Longest lock file that is read [bytes].
LONGEST = 4096
BINARY = getattr(os, "O_BINARY", 0)
POSIX = os.name == "posix"

if sys.platform == "win32":
    import msvcrt

    def _system_lock(file: int) -> None:
        os.lseek(file, LONGEST, os.SEEK_SET)  # beyond the text, which others read
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _system_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@dataclass(frozen=True)
class Holder:
    """The writer. begun, seen: seconds since 1970, seen by the file's time. version: of the bake. living: False if the
    process has ended, None if unknown."""

    machine: str
    process: int
    begun: float
    version: int
    seen: float = 0.0
    living: bool | None = None

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.begun))
        return f"machine '{self.machine}', process {self.process}, since {since}"

    @property
    def age(self) -> str:
        """Return the time since its last sign of life [s]."""
        minutes = max(int(time.time() - self.seen) // 60, 0)
        return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


class Lock:
    """A lock, not taken yet. path: of the lock file, in the folder of the cache."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        self._found: Holder | None = None  # the writer that left it behind

    def take(self, take_over: bool = False) -> Holder | None:
        """Take the lock. Returns the writer that left it behind, or None. take_over: even if another machine may still have
        it.

        Raises: LockedError, naming its holder; CacheError if the file cannot be written.
        """
        try:
            file, held, locked = self._open()
            same_machine = held is None or held.machine == socket.gethostname()
            if locked is False or not (take_over or held is None or (locked and same_machine)):
                os.close(file)
                raise _refusal(self.path, held, locked)
            self._file, self._found = file, held
            self.name_version(0 if held is None else held.version)
        except CacheError:
            self.release()
            raise
        except OSError as error:
            self.release()
            raise write_error(self.path, error) from error
        return held

    def name_version(self, version: int) -> None:
        """Say which version of the caches is being written. Raises: CacheError."""
        if self._file is None:
            return
        try:
            _write(self._file, Holder(socket.gethostname(), os.getpid(), round(time.time()), version))
        except OSError as error:
            raise write_error(self.path, error) from error

    def _open(self) -> tuple[int, Holder | None, bool | None]:
        """Open the file of that name, also if another process removes it meanwhile. Returns it, its writer, and whether it
        is locked by us now."""
        for attempts_left in reversed(range(ATTEMPTS)):
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
            locked = _try(file)
            if _is_named(file, self.path) and (locked is not False or not attempts_left):
                return file, _read(file), locked
            os.close(file)
            time.sleep(PAUSE)
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    def touch(self) -> None:
        """Mark the bake as alive. Raises: CacheError, also if another process took the lock: the frames may be gone, or
        another bake begun."""
        if self._file is None:
            return
        try:
            named = _is_named(self._file, self.path)
            if named:
                os.utime(self.path)
        except OSError as error:
            raise write_error(self.path, error) from error
        if not named:
            raise CacheError(
                f"Cache {self.path}: was deleted during the bake, by hand or by another Blender. Press Resume where the "
                "frames are still there, or bake again."
            )

    def release(self, as_found: bool = False) -> None:
        """Release the lock; may be repeated. A file that cannot be removed stays, as that of a killed process does.

        as_found: restores the file of an earlier writer, because nothing has changed.
        """
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if as_found and self._found is not None:
                _write(file, self._found)
                os.utime(self.path, (self._found.seen, self._found.seen))
                return
            os.ftruncate(file, 0)  # an empty file has no writer: Windows does not remove an open file
            if POSIX and _is_named(file, self.path):
                _remove(self.path)  # while it is held: afterwards it may be the lock of another process
        except OSError as error:
            if error.errno != errno.EROFS:
                raise write_error(self.path, error) from error
            return
        finally:
            os.close(file)
        if not POSIX:
            _remove(self.path)  # where nobody has it open: neither this process nor one that writes meanwhile


def holder(path: Path) -> Holder | None:
    """Return the holder of a lock, or the writer that left it; None without one. Takes nothing."""
    try:
        file = os.open(path, os.O_RDWR | BINARY)
    except OSError:
        return None
    try:
        held, locked = _read(file), _try(file)
    finally:
        os.close(file)
    if held is None:
        return None
    ended = locked and held.machine == socket.gethostname()
    return Holder(**{**asdict(held), "living": True if locked is False else False if ended else None})


def clear(path: Path) -> None:
    """Remove the lock of an ended process of this machine, even without a writer in it. Raises: CacheError."""
    held = holder(path)
    if path.exists() and (held is None or held.living is False):
        abandoned = Lock(path)
        try:
            abandoned.take()
        except LockedError:
            return  # somebody else writes by now
        abandoned.release()


def _is_named(file: int, path: Path) -> bool:
    """Return whether an open file still has its name; Windows removes none from an open file."""
    if not POSIX:
        return True
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False  # removed since it was opened


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # it is empty, and so nobody's


def _try(file: int) -> bool | None:
    """Return whether the system gives the lock; None if it has no locks."""
    try:
        _system_lock(file)
    except OSError as error:
        return False if error.errno in TAKEN else None
    return True


def _read(file: int) -> Holder | None:
    try:
        os.lseek(file, 0, os.SEEK_SET)
        content: Any = json.loads(os.read(file, LONGEST))
        machine, process, begun, version = (content[name] for name in ("machine", "process", "begun", "version"))
        return Holder(str(machine), int(process), float(begun), int(version), os.fstat(file).st_mtime)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None  # empty, or not ours


def _write(file: int, held: Holder) -> None:
    text = {name: value for name, value in asdict(held).items() if name not in ("seen", "living")}
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, json.dumps(text).encode())


def _refusal(path: Path, held: Holder | None, locked: bool | None) -> LockedError:
    who = "another process" if held is None else str(held)
    if locked is False:
        return LockedError(f"Cache {path}: is being written by {who}. Wait for that bake or end it, then bake again.")
    assert held is not None
    return LockedError(
        f"Cache {path}: is locked, last heard of {held.age} ago, by {who}. If that bake is gone, press Unlock in the panel "
        "Cache or delete this file, then bake again."
    )
